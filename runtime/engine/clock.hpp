// Vector clocks, indexed by slots of threads.
//
// hb and hb_SC are closed under predecessors in program order. So what a thread knows of another one is a prefix of its
// events, and one number says which: the other's epoch. (The paper's clocks are indexed by locations and grow with them;
// histories of locations give back what those say: history.hpp.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::rt {

using Epoch = std::uint64_t;  // of 48 bits
using Slot = std::uint32_t;

constexpr Slot fence_slot = 0;  // not a thread's: counts the seq_cst fences known, see psc.hpp
constexpr Slot most_slots = 4096;

// An event: its thread's slot and epoch. 0 is none.
struct Event {
    std::uint64_t bits = 0;

    static Event of(Slot slot, Epoch epoch) { return {epoch << 16 | slot}; }
    Slot slot() const { return static_cast<Slot>(bits & 0xffff); }
    Epoch epoch() const { return bits >> 16; }
    explicit operator bool() const { return bits != 0; }
    bool operator==(const Event&) const = default;
};

// What lies beyond `width` is 0.
struct View {
    const Epoch* at;
    unsigned width;

    Epoch operator[](Slot slot) const { return slot < width ? at[slot] : 0; }
    bool knows(Event event) const { return (*this)[event.slot()] >= event.epoch(); }
};

// Widths are multiples of this.
constexpr unsigned width_step = 4;
constexpr unsigned rounded_width(unsigned width) { return (width + width_step - 1) / width_step * width_step; }

inline void join_epochs(Epoch* into, const Epoch* from, unsigned width) {
    for (unsigned i = 0; i < width; i += width_step)
        for (unsigned j = i; j < i + width_step; ++j) into[j] = into[j] < from[j] ? from[j] : into[j];
}
inline void copy_epochs(Epoch* into, const Epoch* from, unsigned width) {
    for (unsigned i = 0; i < width; i += width_step) __builtin_memcpy(into + i, from + i, width_step * sizeof(Epoch));
}
inline void clear_epochs(Epoch* from, Epoch* to) {
    for (; from < to; from += width_step) __builtin_memset(from, 0, width_step * sizeof(Epoch));
}

// What somebody knew, left at a location.
//   empty:   nothing, owner is no event
//   owned:   all that the owner's thread knew at the owner's epoch; since `since` it has learnt nothing of others, and that
//            is in the array. The array's own entry for the owner does not count: it may be older.
//   mixed:   the array is all
// Owned is what makes most operations take a step instead of one per thread: who knows the owner knows all.
struct Publication {
    Event owner;
    Epoch since : 48 = 0;
    Epoch width : 15 = 0;
    Epoch mixed : 1 = 0;

    bool empty() const { return !owner && !mixed; }
};

}  // namespace fencepost::rt
