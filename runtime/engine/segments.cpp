#include "engine/segments.hpp"

#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os.hpp"
#include "engine/shadow.hpp"
#include "engine/threads.hpp"
#include "engine/trace.hpp"

namespace fencepost::rt {

std::atomic<std::uint64_t>* segment_events = nullptr;

namespace {

constexpr unsigned words = most_segments / 64;
constexpr unsigned least_free = words / 8;  // words with free numbers after a sweep; fewer, and all cells are forgotten

SpinLock lock;
std::uint64_t* taken = nullptr;  // a bit for each number
unsigned next_word = 0;
std::atomic<std::uint64_t> sweeps{0};

// Those whose cells would look empty, or like no segment (the first), or like markers (the last).
void reserve() {
    taken[0] |= 1;
    static_assert(first_marker >> slot_bits == most_segments - 2);
    taken[words - 1] |= std::uint64_t{3} << 62;
}

void mark(std::uint32_t segment) {
    const std::uint32_t number = number_of_segment(segment);
    taken[number / 64] |= std::uint64_t{1} << number % 64;
}

void create() {
    taken = static_cast<std::uint64_t*>(map_pages(words * sizeof(std::uint64_t), "segments"));
    reserve();
    segment_events = static_cast<std::atomic<std::uint64_t>*>(
        map_pages(most_segments * sizeof(std::uint64_t), "segments of plain accesses"));
}

void sweep_page(std::uint32_t* cells) {
    constexpr unsigned cells_in_page = 4096 / sizeof(std::uint32_t);
    std::uint32_t last = 0;
    bool last_is_old = false;
    for (unsigned i = 0; i < cells_in_page; ++i) {
        std::uint32_t cell = __atomic_load_n(cells + i, __ATOMIC_RELAXED);
        if (cell == 0 || is_marker(cell)) continue;
        const std::uint32_t segment = cell >> segment_shift;
        if (segment != last) {
            last = segment;
            last_is_old = is_known_to_all(event_of_segment(segment));
        }
        if (!last_is_old) mark(segment);
        else __atomic_compare_exchange_n(cells + i, &cell, 0U, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

template <class Visit>
void for_resident_pages(Visit visit) {
    constexpr std::size_t step = Table::cell_bytes << Table::region_bits;
    static unsigned char resident[step / 4096];
    for (std::atomic<char*>& piece : table.cells) {
        char* const base = piece.load(std::memory_order_acquire);
        if (!base) continue;
        for (std::size_t region = 0; region < Table::regions; ++region) {
            if (!__atomic_load_n(Table::regions_of(base) + region, __ATOMIC_RELAXED)) continue;
            char* const first = base + region * step;
            if (syscall(SYS_mincore, first, step, resident) != 0) continue;
            for (std::size_t page = 0; page < step / 4096; ++page)
                if (resident[page] & 1) visit(first + page * 4096);
        }
    }
}

__attribute__((no_sanitize("thread"))) void sweep() {
    sweeps.fetch_add(1, std::memory_order_relaxed);
    std::memset(taken, 0, words * sizeof(std::uint64_t));
    reserve();
    lock_threads();
    for_resident_pages([](char* page) { sweep_page(reinterpret_cast<std::uint32_t*>(page)); });
    for (ThreadState* thread = all_threads(); thread; thread = thread->next) {
        mark(thread->segment >> segment_shift);
        for (const std::uint32_t segment : thread->recent_segments) mark(segment);
        thread->known_segment.store(0, std::memory_order_relaxed);
        taken[thread->segment_word] = ~std::uint64_t{0};
    }
    unlock_threads();
    unsigned free = 0;
    for (unsigned i = 0; i < words; ++i) free += taken[i] != ~std::uint64_t{0};
    if (free >= least_free) return;
    // Too much is in use: forget everything but the markers, and so miss what would race with it.
    for_resident_pages([](char* page) {
        std::uint32_t* const cells = reinterpret_cast<std::uint32_t*>(page);
        for (unsigned i = 0; i < 4096 / sizeof(std::uint32_t); ++i)
            if (!is_marker(__atomic_load_n(cells + i, __ATOMIC_RELAXED))) __atomic_store_n(cells + i, 0U, __ATOMIC_RELAXED);
    });
    std::memset(taken, 0, words * sizeof(std::uint64_t));
    reserve();
    lock_threads();
    for (ThreadState* thread = all_threads(); thread; thread = thread->next) {
        mark(thread->segment >> segment_shift);
        thread->known_segment.store(0, std::memory_order_relaxed);
        taken[thread->segment_word] = ~std::uint64_t{0};
    }
    unlock_threads();
}

void take_word(ThreadState& thread) {
    const Guard guard(lock);
    if (!taken) create();
    for (;;) {
        for (; next_word < words; ++next_word) {
            const std::uint64_t free = ~taken[next_word];
            if (!free) continue;
            taken[next_word] = ~std::uint64_t{0};
            thread.segment_word = next_word++;
            thread.segment_free = free;
            return;
        }
        sweep();
        next_word = 0;
    }
}

}  // namespace

__attribute__((no_sanitize("thread"))) bool is_known_to_all(Event event) {
    for (const ThreadState* thread = all_threads(); thread; thread = thread->next) {
        if (thread->slot == event.slot()) continue;
        // Its clock Current, which is the first; read here, as a function of the thread's would be instrumented.
        const unsigned width = __atomic_load_n(&thread->width, __ATOMIC_ACQUIRE);
        const Epoch* const known = __atomic_load_n(&thread->clocks, __ATOMIC_RELAXED);
        if (event.slot() >= width || __atomic_load_n(known + event.slot(), __ATOMIC_RELAXED) <= event.epoch()) return false;
    }
    return true;
}

void prepare_segments() {
    const Guard guard(lock);
    if (!taken) create();
}

void lock_segments() { lock.lock(); }
void unlock_segments() { lock.unlock(); }
std::uint64_t segment_sweeps() { return sweeps.load(std::memory_order_relaxed); }

void begin_segment(ThreadState& thread) {
    if (!thread.segment_free) take_word(thread);
    const unsigned bit = static_cast<unsigned>(__builtin_ctzll(thread.segment_free));
    thread.segment_free &= thread.segment_free - 1;
    const std::uint32_t number = thread.segment_word * 64 + bit;
    const std::uint32_t segment = segment_called(number, thread.slot);
    segment_events[number].store(Event::of(thread.slot, thread.released).bits, std::memory_order_relaxed);
    thread.recent_segments[number % ThreadState::recent] = segment;
    thread.segment = segment << segment_shift;
    trace_event(thread, Trace::segment | segment);
}

}  // namespace fencepost::rt
