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

void create() {
    taken = static_cast<std::uint64_t*>(map_pages(words * sizeof(std::uint64_t), "segments"));
    taken[0] = 3;  // 0 is an empty cell, 1 is no segment
    segment_events = static_cast<std::atomic<std::uint64_t>*>(
        map_pages(most_segments * sizeof(std::uint64_t), "segments of plain accesses"));
}

// Everybody knows the segment's accesses: no race with them can come. The others' clocks move meanwhile, and what is
// read of them may be too much by then: a race may be missed, never made up.
__attribute__((no_sanitize("thread")))
bool is_known_to_all(Event event) {
    for (const ThreadState* thread = all_threads(); thread; thread = thread->next) {
        if (thread->slot == event.slot()) continue;
        if (thread->view(ThreadState::Current)[event.slot()] <= event.epoch()) return false;
    }
    return true;
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
        if (!last_is_old) taken[segment / 64] |= std::uint64_t{1} << segment % 64;
        else __atomic_compare_exchange_n(cells + i, &cell, 0U, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

template <class Visit>
void for_resident_pages(Visit visit) {
    constexpr std::size_t step = std::size_t{1} << 26;
    constexpr std::size_t piece_bytes = Table::cell_bytes << Table::piece_bits;
    static unsigned char resident[step / 4096];
    for (std::atomic<char*>& piece : table.cells) {
        char* const base = piece.load(std::memory_order_acquire);
        if (!base) continue;
        for (std::size_t at = 0; at < piece_bytes; at += step) {
            if (syscall(SYS_mincore, base + at, step, resident) != 0) continue;
            for (std::size_t page = 0; page < step / 4096; ++page)
                if (resident[page] & 1) visit(base + at + page * 4096);
        }
    }
}

void mark(std::uint32_t segment) { taken[segment / 64] |= std::uint64_t{1} << segment % 64; }

__attribute__((no_sanitize("thread"))) void sweep() {
    sweeps.fetch_add(1, std::memory_order_relaxed);
    std::memset(taken, 0, words * sizeof(std::uint64_t));
    taken[0] = 3;
    lock_threads();
    for_resident_pages([](char* page) { sweep_page(reinterpret_cast<std::uint32_t*>(page)); });
    for (const ThreadState* thread = all_threads(); thread; thread = thread->next) {
        mark(thread->segment >> segment_shift);
        for (const std::uint32_t segment : thread->recent_segments) mark(segment);
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
    taken[0] = 3;
    lock_threads();
    for (const ThreadState* thread = all_threads(); thread; thread = thread->next) {
        mark(thread->segment >> segment_shift);
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

void lock_segments() { lock.lock(); }
void unlock_segments() { lock.unlock(); }
std::uint64_t segment_sweeps() { return sweeps.load(std::memory_order_relaxed); }

void begin_segment(ThreadState& thread) {
    if (!thread.segment_free) take_word(thread);
    const unsigned bit = static_cast<unsigned>(__builtin_ctzll(thread.segment_free));
    thread.segment_free &= thread.segment_free - 1;
    const std::uint32_t segment = thread.segment_word * 64 + bit;
    segment_events[segment].store(Event::of(thread.slot, thread.released).bits, std::memory_order_relaxed);
    thread.recent_segments[segment % ThreadState::recent] = segment;
    thread.segment = segment << segment_shift;
    trace_event(thread, Trace::segment | segment);
}

}  // namespace fencepost::rt
