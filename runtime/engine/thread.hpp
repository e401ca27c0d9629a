// What the engine knows of a running thread. Only the thread itself touches this, but for what is said to be shared.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/biased_lock.hpp"
#include "engine/clock.hpp"
#include "engine/engine.hpp"
#include "engine/stacks.hpp"

namespace fencepost::rt {

// How a thread came to know something under SC: for the path of a report. Others may read it while it changes.
struct Edge {
    std::atomic<Epoch> epoch{0};          // of this thread, at the access
    std::atomic<std::uint64_t> from{0};   // the event whose knowledge came
    std::atomic<std::uintptr_t> address{0};
    std::atomic<std::uint32_t> stack{0};
    std::atomic<std::uint8_t> kind{0};    // an Access::Kind
    std::atomic<std::uint8_t> order{0};
};

constexpr std::uint32_t no_segment = 1U << 6;  // of no cell

struct WaitRegion {
    std::uintptr_t address = 0;  // 0: none
    unsigned comparison = 0;
    std::uint64_t value = 0;
};

// A read after which the same one would change nothing, while the location and the thread stay as they are: no lock is needed for that.
struct RecentRead {
    std::uintptr_t key = 0;  // of the location
    struct Location* location = nullptr;
    Epoch epoch = 0;
    std::uint32_t version = 0;
    bool has_acquired = false;  // all that an acquire read would
};

struct ThreadState {
    // Clocks: `capacity` entries each, of which those from `width` on are 0.
    enum Family : unsigned { Current, Sc, Pending, Released, Psc, PscBefore, PscPending, PscReleased, families };

    Slot slot = 0;
    unsigned width = 0;
    Inside* inside = nullptr;  // of its slot
    bool may_have_buffered = false;  // has written since it last passed a full fence: the store may not have reached memory
    Epoch epoch = 0;     // the entry of its own, in Current and Sc
    Epoch* clocks = nullptr;
    unsigned capacity = 0;

    Epoch current_since = 0;  // the epoch at which it learnt something of another thread last: happens-before
    Epoch sc_since = 0;       // under SC
    Event fence;              // its last release fence, if any: Released is what it knew then
    bool has_pending = false;
    bool has_psc = false;  // one of the clocks Psc* is not 0
    std::uintptr_t psc_again = 0;    // where its last seq_cst write was, if Psc has not grown since
    std::uintptr_t run_address = 0;  // its newest seq_cst access, if all since have been to the same location

    // Plain accesses: shadow.hpp.
    std::uint32_t segment = no_segment;  // in the place of a cell
    std::uint32_t segment_word = 0;      // numbers in store: segments.hpp
    std::uint64_t segment_free = 0;
    // Another thread's, whose accesses this one knows. Forgotten by who gives numbers to segments anew.
    std::atomic<std::uint32_t> known_segment{0};
    static constexpr unsigned recent = 8;
    std::uint32_t recent_segments[recent] = {};
    Epoch released = 0;         // its last event that others may have learnt of

    unsigned ignoring = 0;
    unsigned benign = 0;
    std::uintptr_t strong_cas_address = 0;
    WaitRegion wait;
    // Whether the next access is more than what the program's code says.
    bool is_special() const { return (ignoring | strong_cas_address | wait.address) != 0; }

    static constexpr unsigned reads_kept = 16;
    RecentRead recent_reads[reads_kept];
    RecentRead& recent_read(std::uintptr_t address) { return recent_reads[address >> 2 & (reads_kept - 1)]; }

    ShadowStack stack;
    struct Trace* trace = nullptr;
    struct Injection* injection = nullptr;  // report/injection.hpp

    unsigned number = 0;
    const int* busy = nullptr;  // whether it is inside the runtime (base/busy.hpp)
    ThreadToken* token = nullptr;
    ThreadState* next = nullptr;  // of all
    std::uint64_t accesses = 0;
    std::uint64_t random = 0;

    static constexpr unsigned edges_kept = 64;
    Edge edges[edges_kept];
    std::atomic<unsigned> edges_made{0};

    Epoch* clock(Family family) { return clocks + family * capacity; }
    View view(Family family) const { return {clocks + family * capacity, width}; }
    Epoch* current() { return clock(Current); }
    Epoch* sc() { return clock(Sc); }

    bool knows(Event event) const { return event.slot() < capacity && clocks[event.slot()] >= event.epoch(); }
    bool knows_sc(Event event) const {
        return event.slot() < capacity && clocks[Sc * capacity + event.slot()] >= event.epoch();
    }

    // A new event begins.
    void tick() {
        ++epoch;
        clocks[slot] = epoch;
        clocks[Sc * capacity + slot] = epoch;
    }

    // Room for a clock of that width.
    void widen(unsigned wanted) {
        if (__builtin_expect(wanted > width, 0)) widen_slowly(wanted);
    }
    void widen_slowly(unsigned wanted);

    Event now() const { return Event::of(slot, epoch); }
};

extern constinit thread_local ThreadState* this_thread __attribute__((tls_model("initial-exec")));

}  // namespace fencepost::rt
