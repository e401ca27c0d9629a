// Races of plain accesses. For eight bytes of the program there are four cells of four bytes, each an access:
//
//   segment << 6 | offset << 3 | log2(size) << 1 | is_write
//
// A segment is the part of a thread's run between two of its releases: another thread knows an access of a segment if it
// knows any later event of that thread that it can know at all. What tells it from others is looked up by its number, so
// that a cell is small. Where an access was in the code is in the trace of its thread (trace.hpp).
//
// Where there are atomic locations in the eight bytes, the fourth cell says which bytes they take (a marker).
#pragma once

#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "engine/table.hpp"
#include "engine/thread.hpp"
#include "engine/trace.hpp"

namespace fencepost::rt {

extern bool plain_watched;  // option races; set once

constexpr std::uint32_t segment_shift = 6;
constexpr std::uint32_t first_marker = (1U << 26) - 256;  // a marker's "segment" is this plus the mask of its bytes
constexpr unsigned marker_cell = 3;

inline bool is_marker(std::uint32_t cell) { return (cell >> segment_shift) >= first_marker; }

void prepare_plain_accesses(Slot slot);  // what its thread will need
void begin_plain_accesses(ThreadState& thread);
void end_plain_accesses(ThreadState& thread);

void begin_trace_part(ThreadState& thread);
inline void trace_event(ThreadState& thread, std::uint64_t event) {
    Trace& trace = *thread.trace;
    if (__builtin_expect(trace.is_full(), 0)) begin_trace_part(thread);
    trace.put(event);
}

// `shape`: offset << 3 | log2(size) << 1 | is_write.
template <bool is_write>
void plain_slowly(ThreadState& thread, std::uint32_t* cells, std::uint32_t shape, std::uintptr_t place, std::uintptr_t address);

inline bool has_cell(const std::uint32_t* cells, std::uint32_t mine) {
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
    const __m128i all = _mm_load_si128(reinterpret_cast<const __m128i*>(cells));
    const __m128i same = _mm_cmpeq_epi32(all, _mm_set1_epi32(static_cast<int>(mine)));
    if (mine & 1) return _mm_movemask_epi8(same) != 0;
    const __m128i written = _mm_cmpeq_epi32(all, _mm_set1_epi32(static_cast<int>(mine | 1)));
    return _mm_movemask_epi8(_mm_or_si128(same, written)) != 0;
#else
    for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t cell = __atomic_load_n(cells + i, __ATOMIC_RELAXED);
        if (cell == mine || cell == (mine | 1)) return true;
    }
    return false;
#endif
}

// One to eight bytes that do not cross a multiple of eight.
template <unsigned log_size, bool is_write>
inline void plain_within(ThreadState& thread, std::uintptr_t address, std::uintptr_t place) {
    std::uint32_t* const cells = table.cells_of(address);
    const std::uint32_t shape = static_cast<std::uint32_t>(address & 7) << 3 | log_size << 1 | is_write;
    if (__builtin_expect(has_cell(cells, thread.segment | shape), 1)) return;
    plain_slowly<is_write>(thread, cells, shape, place, address);
}

// Any bytes.
void plain_bytes(ThreadState& thread, std::uintptr_t begin, std::size_t size, bool is_write, std::uintptr_t place);

// For an atomic access to bytes that have been accessed plainly. The location is locked.
void check_atomic_against_plain(ThreadState& thread, Location& location, unsigned size, bool is_write,
                                std::uint8_t order, std::uintptr_t place);
// A new location begins to be told from plain memory.
void mark_location(Location& location);

}  // namespace fencepost::rt
