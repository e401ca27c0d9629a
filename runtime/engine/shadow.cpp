#include "engine/shadow.hpp"

#include <cstring>
#include <new>

#include "base/busy.hpp"
#include "base/options.hpp"
#include "base/os.hpp"
#include "engine/segments.hpp"
#include "engine/steps.hpp"
#include "engine/threads.hpp"
#include "engine/trace.hpp"
#include "report/report.hpp"

namespace fencepost::rt {

bool plain_watched = true;

namespace {

std::atomic<Trace*> traces[most_slots];  // they outlive their threads: the slot's next one goes on

// The bytes of each offset << 2 | log2(size).
struct Masks {
    std::uint8_t of[32];
    constexpr Masks() : of{} {
        for (unsigned offset = 0; offset < 8; ++offset)
            for (unsigned log = 0; log < 4; ++log)
                of[offset << 2 | log] = static_cast<std::uint8_t>(((1U << (1U << log)) - 1) << offset);
    }
};
constexpr Masks masks;

unsigned mask_of(std::uint32_t cell) { return masks.of[cell >> 1 & 31]; }

bool knows_segment(const ThreadState& thread, Event event) {
    return thread.view(ThreadState::Current)[event.slot()] > event.epoch() || is_discarded(event);
}

std::uint32_t stack_of(std::uint32_t cell, std::uintptr_t granule) {
    const std::uint32_t segment = cell >> segment_shift;
    const Trace* const trace = traces[event_of_segment(segment).slot()].load(std::memory_order_acquire);
    return trace ? trace->find(segment, granule) : 0;
}

PlainAccess describe(std::uint32_t cell, std::uintptr_t granule) {
    const Event event = event_of_segment(cell >> segment_shift);
    PlainAccess access{};
    access.thread = number_of_event(Event::of(event.slot(), event.epoch() + 1));
    access.is_write = cell & 1;
    access.order = Plain;
    access.size = 1U << (cell >> 1 & 3);
    access.address = granule + (cell >> 3 & 7);
    access.stack = stack_of(cell, granule);
    return access;
}

// The cell looked like a race. Its number may have been given to another segment just then: only while none can be,
// and the cell is still what it was, is it true.
void confirm(ThreadState& thread, const std::uint32_t* at, std::uint32_t cell, const PlainAccess& second) {
    PlainAccess first;
    {
        lock_segments();
        const bool is_race = __atomic_load_n(at, __ATOMIC_RELAXED) == cell &&
                             !knows_segment(thread, event_of_segment(cell >> segment_shift));
        if (is_race) first = describe(cell, second.address & ~std::uintptr_t{7});
        unlock_segments();
        if (!is_race) return;
    }
    report_race(thread, first, second);
}

PlainAccess plain_of(ThreadState& thread, std::uint32_t shape, std::uintptr_t address, std::uintptr_t place) {
    PlainAccess access{};
    access.thread = thread.number;
    access.is_write = shape & 1;
    access.order = Plain;
    access.size = 1U << (shape >> 1 & 3);
    access.address = address;
    access.stack = thread.stack.name(place);
    return access;
}

PlainAccess atomic_of(Event by, bool is_write, Order order, const Location& location, std::uint32_t stack) {
    PlainAccess access{};
    access.thread = number_of_event(by);
    access.is_write = is_write;
    access.is_atomic = true;
    access.order = order;
    access.size = location.size;
    access.address = location.address();
    access.stack = stack;
    return access;
}

// A plain access to bytes of an atomic location. A write there begins the location anew (a constructor, most often).
void meet_location(ThreadState& thread, Location& location, std::uint32_t shape, std::uintptr_t address,
                   std::uintptr_t place) {
    location.begin_change();
    location.plain_seen = true;
    bool found = false;
    PlainAccess first{};
    for (unsigned age = 0; age < location.written && !found; ++age) {
        const Write& write = location.write(age);
        const Event by = write.by();
        if (!by || thread.knows(by) || is_discarded(by)) continue;
        first = atomic_of(by, true, static_cast<Order>(write.order()), location, write.stack);
        found = true;
    }
    if (shape & 1) {
        for (unsigned age = 0; age < location.reads_known && !found; ++age) {
            const Read& read = location.read(age);
            if (thread.knows(read.by) || is_discarded(read.by)) continue;
            first = atomic_of(read.by, false, Relaxed, location, 0);
            found = true;
        }
        location.written = location.reads_known = 0;
        location.release = location.sc_write = location.sc_all = Publication();
        location.floor = location.stamp;
    }
    location.lock.unlock();
    if (found) report_race(thread, first, plain_of(thread, shape, address, place));
}

void meet_locations(ThreadState& thread, std::uint32_t marker, std::uint32_t shape, std::uintptr_t address,
                    std::uintptr_t place) {
    const unsigned overlap = (marker >> segment_shift) - first_marker;
    if (!(overlap & mask_of(shape))) return;
    const std::uintptr_t granule = address & ~std::uintptr_t{7};
    constexpr unsigned largest = 16;
    for (unsigned byte = 0; byte < 8; ++byte) {
        if (!(overlap >> byte & 1)) continue;
        for (unsigned size = 1; size <= largest; size *= 2) {
            Location* const location = locked_location_if_known(granule + byte, size, false);
            if (!location) continue;
            const std::uintptr_t end = location->address() + location->size;
            const std::uintptr_t bytes = std::uintptr_t{1} << (shape >> 1 & 3);
            if (location->address() < address + bytes && address < end) meet_location(thread, *location, shape, address, place);
            else location->lock.unlock();
        }
    }
}

}  // namespace

void begin_trace_part(ThreadState& thread) {
    thread.trace->begin_part(thread.stack.name_of_calls(), thread.segment >> segment_shift);
}

namespace {

Trace* trace_of_slot(Slot slot) {
    Trace* trace = traces[slot].load(std::memory_order_relaxed);
    if (trace) return trace;
    trace = static_cast<Trace*>(map_pages(sizeof(Trace), "a trace of plain accesses"));
    traces[slot].store(trace, std::memory_order_release);
    return trace;
}

}  // namespace

void prepare_plain_accesses(Slot slot) {
    if (plain_watched) trace_of_slot(slot);
}

void begin_plain_accesses(ThreadState& thread) {
    if (thread.number == 0) {  // before there are others
        plain_watched = options().races;
        history_kept = options().history;
    }
    if (!plain_watched) return;
    Trace* const trace = trace_of_slot(thread.slot);
    thread.trace = trace;
    trace->begin_part(0, 1);
}

void end_plain_accesses(ThreadState& thread) { thread.segment = no_segment; }

namespace {

// Rare, and not to be met halfway by a signal handler.
__attribute__((noinline)) void begin_segment_of(ThreadState& thread) {
    const Busy inside;
    begin_segment(thread);
    thread.run_address = 0;
}
__attribute__((noinline)) void suspect(ThreadState& thread, const std::uint32_t* at, std::uint32_t cell, std::uint32_t shape,
                                       std::uintptr_t address, std::uintptr_t place) {
    const Busy inside;
    confirm(thread, at, cell, plain_of(thread, shape, address, place));
}
__attribute__((noinline)) void meet_marked(ThreadState& thread, std::uint32_t marker, std::uint32_t shape, std::uintptr_t address,
                                           std::uintptr_t place) {
    const Busy inside;
    meet_locations(thread, marker, shape, address, place);
}

enum class Author : std::uint8_t { Own, Known, Unknown };

inline Author author_of(ThreadState& thread, std::uint32_t segment) {
    if (segment == thread.segment >> segment_shift) return Author::Own;
    if (segment == thread.known_segment.load(std::memory_order_relaxed)) return Author::Known;
    const Event event = event_of_segment(segment);
    if (event.slot() == thread.slot) return Author::Own;
    if (!knows_segment(thread, event)) return Author::Unknown;
    thread.known_segment.store(segment, std::memory_order_relaxed);
    return Author::Known;
}

}  // namespace

template <bool is_write>
void plain_slowly(ThreadState& thread, std::uint32_t* cells, std::uint32_t shape, std::uintptr_t place, std::uintptr_t address) {
    if (__builtin_expect(thread.ignoring != 0, 0)) return;
    if (__builtin_expect(thread.segment == no_segment, 0)) begin_segment_of(thread);
    const std::uint32_t mine = thread.segment | shape;
    const unsigned bytes = mask_of(shape);
    unsigned target = 4;
    bool target_is_free = false;
    for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t cell = __atomic_load_n(cells + i, __ATOMIC_RELAXED);
        if (cell == 0) {
            if (target == 4) {
                target = i;
                target_is_free = true;
            }
            continue;
        }
        if (__builtin_expect(is_marker(cell), 0)) {
            meet_marked(thread, cell, shape, address, place);
            continue;
        }
        const unsigned theirs = mask_of(cell);
        if (!(theirs & bytes)) continue;
        const bool may_race = is_write || (cell & 1);
        const std::uint32_t segment = cell >> segment_shift;
        // Two reads cannot race, and another thread's stays.
        if (!may_race && ((segment ^ thread.slot) & slot_mask) != 0) continue;
        const Author author = author_of(thread, segment);
        if (author == Author::Unknown) {
            if (may_race) suspect(thread, cells + i, cell, shape, address, place);
            continue;
        }
        // Who would race with it races with this access too.
        if ((theirs & ~bytes) != 0 || (!is_write && (cell & 1))) continue;
        if (target < 4 && !target_is_free) {
            __atomic_store_n(cells + i, 0U, __ATOMIC_RELAXED);
        } else {
            target = i;
            target_is_free = false;
        }
    }
    if (__builtin_expect(target == 4, 0)) {
        thread.random = thread.random * 6364136223846793005U + 1442695040888963407U;
        const bool marked = is_marker(__atomic_load_n(cells + marker_cell, __ATOMIC_RELAXED));
        target = static_cast<unsigned>(thread.random >> 33) % (marked ? 3 : 4);
    }
    table.note_region(address);
    __atomic_store_n(cells + target, mine, __ATOMIC_RELAXED);
    trace_event(thread, Trace::of_access(address, place));
}
template void plain_slowly<false>(ThreadState&, std::uint32_t*, std::uint32_t, std::uintptr_t, std::uintptr_t);
template void plain_slowly<true>(ThreadState&, std::uint32_t*, std::uint32_t, std::uintptr_t, std::uintptr_t);

void plain_bytes(ThreadState& thread, std::uintptr_t begin, std::size_t size, bool is_write, std::uintptr_t place) {
    const std::uintptr_t end = begin + size;
    while (begin < end) {
        unsigned log = 3;
        while ((begin & ((1U << log) - 1)) || begin + (std::uintptr_t{1} << log) > end) --log;
        std::uint32_t* const cells = table.cells_of(begin);
        const std::uint32_t shape = static_cast<std::uint32_t>(begin & 7) << 3 | log << 1 | is_write;
        if (!has_cell(cells, thread.segment | shape)) {
            if (is_write) plain_slowly<true>(thread, cells, shape, place, begin);
            else plain_slowly<false>(thread, cells, shape, place, begin);
        }
        begin += std::uintptr_t{1} << log;
    }
}

void mark_location(Location& location) {
    if (!plain_watched || location.is_sync()) return;
    const std::uintptr_t end = location.address() + location.size;
    for (std::uintptr_t at = location.address(); at < end; at = (at | 7) + 1) {
        std::uint32_t* const cells = table.cells_of(at);
        table.note_region(at);
        const std::uintptr_t granule = at & ~std::uintptr_t{7};
        unsigned bytes = 0;
        for (unsigned byte = 0; byte < 8; ++byte)
            if (granule + byte >= location.address() && granule + byte < end) bytes |= 1U << byte;
        std::uint32_t old = __atomic_load_n(cells + marker_cell, __ATOMIC_RELAXED);
        for (;;) {
            const unsigned others = is_marker(old) ? (old >> segment_shift) - first_marker : 0;
            const std::uint32_t marker = (first_marker + (others | bytes)) << segment_shift;
            if (__atomic_compare_exchange_n(cells + marker_cell, &old, marker, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                break;
        }
        for (unsigned i = 0; i < marker_cell; ++i) {
            const std::uint32_t cell = __atomic_load_n(cells + i, __ATOMIC_RELAXED);
            if (mask_of(cell) & bytes && cell != 0) location.plain_seen = true;
        }
        // What stood in the marker's place is put where it may push out another one.
        if (old != 0 && !is_marker(old)) {
            __atomic_store_n(cells + 2, old, __ATOMIC_RELAXED);
            location.plain_seen = true;
        }
    }
}

namespace {

// Plain accesses to the bytes of a location that everybody knows (it was made before there were others, most often) need
// no check any more.
void forget_known_to_all(Location& location) {
    location.plain_seen = false;
    const std::uintptr_t end = location.address() + location.size;
    lock_threads();
    for (std::uintptr_t at = location.address() & ~std::uintptr_t{7}; at < end; at += 8) {
        std::uint32_t* const cells = table.cells_of(at);
        for (unsigned i = 0; i < 4; ++i) {
            std::uint32_t cell = __atomic_load_n(cells + i, __ATOMIC_RELAXED);
            if (cell == 0 || is_marker(cell)) continue;
            if (!is_known_to_all(event_of_segment(cell >> segment_shift))) location.plain_seen = true;
            else __atomic_compare_exchange_n(cells + i, &cell, 0U, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        }
    }
    unlock_threads();
}

}  // namespace

void check_atomic_against_plain(ThreadState& thread, Location& location, unsigned size, bool is_write,
                                std::uint8_t order, std::uintptr_t place) {
    const std::uintptr_t end = location.address() + size;
    for (std::uintptr_t at = location.address(); at < end; at = (at | 7) + 1) {
        const std::uint32_t* const cells = table.cells_of(at);
        const std::uintptr_t granule = at & ~std::uintptr_t{7};
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint32_t cell = __atomic_load_n(cells + i, __ATOMIC_RELAXED);
            if (cell == 0 || is_marker(cell) || (!is_write && !(cell & 1))) continue;
            const std::uintptr_t first = granule + (cell >> 3 & 7);
            if (first >= end || first + (std::uintptr_t{1} << (cell >> 1 & 3)) <= location.address()) continue;
            if (author_of(thread, cell >> segment_shift) != Author::Unknown) continue;
            PlainAccess second = atomic_of(thread.now(), is_write, static_cast<Order>(order), location,
                                           thread.stack.name(place));
            second.thread = thread.number;
            second.address = at > location.address() ? at : location.address();
            confirm(thread, cells + i, cell, second);
        }
    }
    constexpr unsigned many_checks = 32;
    if (++location.plain_checks % many_checks == 0) forget_known_to_all(location);
}

void forget_cells(std::uintptr_t begin, std::uintptr_t end) {
    if (!plain_watched) return;
    constexpr std::uintptr_t large = std::uintptr_t{1} << 15;
    constexpr std::uintptr_t region = std::uintptr_t{1} << Table::region_bits;
    while (begin < end) {
        const std::uintptr_t region_end = (begin | (region - 1)) + 1;
        const std::uintptr_t stop = end < region_end ? end : region_end;
        char* const base = table.cells[begin >> Table::piece_bits].load(std::memory_order_acquire);
        if (!base) {
            begin = (begin | Table::in_piece) + 1;
            continue;
        }
        if (Table::is_noted(base, begin)) {
            // Whole groups of eight bytes; at the edges those that also hold what stays are left alone.
            const std::uintptr_t from = begin & Table::in_piece & ~std::uintptr_t{7};
            const std::uintptr_t to = (((stop - 1) & Table::in_piece) | 7) + 1;
            char* first = base + from * Table::cell_bytes;
            char* const last = base + to * Table::cell_bytes;
            if (to - from >= large) {
                char* const page = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(first) + 4095) & ~std::uintptr_t{4095});
                char* const last_page = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(last) & ~std::uintptr_t{4095});
                forget_pages(page, static_cast<std::size_t>(last_page - page));
                std::memset(first, 0, static_cast<std::size_t>(page - first));
                first = last_page;
            }
            std::memset(first, 0, static_cast<std::size_t>(last - first));
        }
        begin = stop;
    }
}

}  // namespace fencepost::rt
