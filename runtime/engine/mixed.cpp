#include "engine/mixed.hpp"

#include "engine/steps.hpp"
#include "engine/table.hpp"
#include "report/report.hpp"

namespace fencepost::rt {
namespace {

constexpr unsigned largest = 16;

bool is_told = false;

}  // namespace

bool find_overlapping(std::uintptr_t address, unsigned size) {
    const std::uintptr_t block = address & ~std::uintptr_t{largest - 1};
    const std::uintptr_t own = Location::key_of(address, size, false);
    for (std::uintptr_t at = block; at < block + largest; at += 4) {
        const Location* other = location_of(table.head(at)->load(std::memory_order_acquire));
        for (; other; other = location_of(other->next.load(std::memory_order_acquire))) {
            const std::uintptr_t key = other->key.load(std::memory_order_relaxed);
            if (key == own || key == 0 || (key & Location::sync_bit)) continue;
            const std::uintptr_t begin = other->address();
            if (begin < address + size && address < begin + (key >> Location::size_shift)) return true;
        }
    }
    return false;
}

void meet_overlapping(std::uintptr_t address, unsigned size) {
    bool is_mixed = false;
    bool is_ignored = false;
    const std::uintptr_t own = Location::key_of(address, size, false);
    for_each_overlapping(address, size, [&](const Location& other) {
        is_ignored |= other.is_ignored;
        is_mixed |= !other.has_key(own) && other.written != 0;
    });
    for_each_overlapping(address, size, [&](Location& other) {
        other.begin_change();
        if (is_ignored && other.has_key(own)) other.is_ignored = true;
        if (is_mixed && (other.written != 0 || other.has_key(own))) other.is_mixed = true;
    });
    if (!is_mixed || is_ignored || __atomic_exchange_n(&is_told, true, __ATOMIC_RELAXED)) return;
    log_error("atomic accesses of different sizes overlap, which is outside the model: they are taken to synchronise, and are not checked");
}

void release_to_overlapping(ThreadState& thread, const volatile void* address, unsigned size) {
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address);
    for_each_overlapping(begin, size, [&](Location& other) {
        if (!other.has_key(Location::key_of(begin, size, false))) release_step(thread, other);
    });
}

void acquire_from_overlapping(ThreadState& thread, const volatile void* address, unsigned size) {
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address);
    for_each_overlapping(begin, size, [&](Location& other) {
        if (!other.has_key(Location::key_of(begin, size, false))) acquire_step(thread, other);
    });
}

}  // namespace fencepost::rt
