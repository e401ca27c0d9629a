// Numbers of segments (shadow.hpp). There is a fixed stock of them; when it is used up, those that stand in no cell any
// more, or only in cells that no thread could race with, are free again.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/thread.hpp"

namespace fencepost::rt {

constexpr std::uint32_t most_segments = 1U << 19;

// In a cell, a segment is its number and, below that, the lowest bits of its thread's slot: most cells of other threads are
// told from one's own without a look at anything else.
constexpr unsigned slot_bits = 7;
constexpr std::uint32_t slot_mask = (1U << slot_bits) - 1;
constexpr std::uint32_t segment_called(std::uint32_t number, Slot slot) { return number << slot_bits | (slot & slot_mask); }
constexpr std::uint32_t number_of_segment(std::uint32_t segment) { return segment >> slot_bits; }

extern std::atomic<std::uint64_t>* segment_events;  // the thread, and its last release before the segment

inline Event event_of_segment(std::uint32_t segment) {
    return {segment_events[number_of_segment(segment)].load(std::memory_order_relaxed)};
}

void prepare_segments();  // there will be some
// A new segment for the thread, which has none.
void begin_segment(ThreadState& thread);

// Held by who must not be told wrong things of a segment whose number he has just read from a cell.
void lock_segments();
void unlock_segments();

// Everybody knows the segment's accesses: no race with them can come. The others' clocks move meanwhile, and what is
// read of them may be too much by then: a race may be missed, never made up. With `lock_threads`.
bool is_known_to_all(Event event);

std::uint64_t segment_sweeps();  // so far, for tests

}  // namespace fencepost::rt
