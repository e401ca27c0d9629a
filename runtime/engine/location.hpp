// An atomic location, or an object by which threads synchronise otherwise.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/biased_lock.hpp"
#include "engine/clock.hpp"
#include "engine/history.hpp"

namespace fencepost::rt {

// Its first 64 bytes are what says whether an access changes anything; the newest
// writes follow the rest.
struct alignas(64) Location {
    static constexpr unsigned clocks = 3;  // arrays of each location: W, W_SC, M_SC

    // The address, and whether it is a mutex or the like and no atomic. Looked at by those who do not hold the lock.
    std::atomic<std::uintptr_t> key;
    BiasedLock lock;
    std::atomic<std::uint32_t> version;  // grows before anything but M_SC changes, be it only the value in memory
    Publication release;   // W
    Publication sc_write;  // W_SC. Its owner is the newest write
    Publication sc_all;    // M_SC. Empty: the same as W_SC

    Epoch* arrays;
    Write* writes;  // those inside, or more elsewhere
    Read* reads;
    Epoch* psc_arrays;  // clocks that matter only where there are seq_cst accesses: psc.hpp

    Stamp stamp;  // of the newest write
    Stamp floor;  // reads that are forgotten told at most of this write: everybody is taken to know it
    std::uint32_t fences;  // the most seq_cst fences that an accessing thread knew of
    std::atomic<std::uint32_t> next;  // the number of another one of the same four bytes
    std::uint16_t capacity;  // entries in each of the arrays
    std::uint16_t psc_capacity;
    std::uint16_t alone;  // writes in a row that were all by one thread, who could own the lock
    std::uint8_t ownerships;  // that have ended, or might have
    std::uint8_t size;
    bool is_ignored : 1;  // annotated: nothing depends on it
    bool plain_seen : 1;  // there have been plain accesses to it
    bool is_mixed : 1;    // atomic accesses of other sizes overlap: mixed.hpp
    std::uint8_t plain_checks;  // that found no race with them
    std::uint8_t written; // entries in `writes`
    std::uint8_t first;   // the oldest of them: a ring
    std::uint8_t room;    // for so many
    std::uint8_t reads_known;
    std::uint8_t reads_first;
    std::uint8_t reads_room;

    static constexpr unsigned writes_inside = 8;
    Write inside[writes_inside];

    // Called first by who is going to write, or to change what readers depend on; the lock is held.
    void begin_change() {
        version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
    }

    static constexpr std::uintptr_t sync_bit = std::uintptr_t{1} << 63;
    // Accesses of another size at the address have another location (mixed.hpp). The size of a mutex or the like is 0.
    static constexpr unsigned size_shift = 56;
    static constexpr std::uintptr_t key_of(std::uintptr_t address, unsigned size, bool is_sync) {
        return address | std::uintptr_t{size} << size_shift | (is_sync ? sync_bit : 0);
    }
    bool has_key(std::uintptr_t wanted) const { return key.load(std::memory_order_relaxed) == wanted; }
    std::uintptr_t address() const { return key.load(std::memory_order_relaxed) & ((std::uintptr_t{1} << size_shift) - 1); }
    bool is_sync() const { return key.load(std::memory_order_relaxed) & sync_bit; }

    Epoch* release_array() const { return arrays; }
    Epoch* sc_write_array() const { return arrays + capacity; }
    Epoch* sc_all_array() const { return arrays + 2 * capacity; }
    Epoch* psc_array(unsigned family) const { return psc_arrays + family * psc_capacity; }

    // The newest is 0, and so on.
    const Write& write(unsigned age) const {
        unsigned index = first + written - 1U - age;
        if (index >= room) index -= room;
        return writes[index];
    }
    const Read& read(unsigned age) const {
        unsigned index = reads_first + reads_known - 1U - age;
        if (index >= reads_room) index -= reads_room;
        return reads[index];
    }
};

static_assert(sizeof(Location) == 128 + Location::writes_inside * sizeof(Write));

}  // namespace fencepost::rt
