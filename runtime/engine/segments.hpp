// Numbers of segments (shadow.hpp). There is a fixed stock of them; when it is used up, those that stand in no cell any
// more, or only in cells that no thread could race with, are free again.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/thread.hpp"

namespace fencepost::rt {

constexpr std::uint32_t most_segments = 1U << 19;

extern std::atomic<std::uint64_t>* segment_events;  // the thread, and its last release before the segment

inline Event event_of_segment(std::uint32_t segment) {
    return {segment_events[segment].load(std::memory_order_relaxed)};
}

// A new segment for the thread, which has none.
void begin_segment(ThreadState& thread);

// Held by who must not be told wrong things of a segment whose number he has just read from a cell.
void lock_segments();
void unlock_segments();

std::uint64_t segment_sweeps();  // so far, for tests

}  // namespace fencepost::rt
