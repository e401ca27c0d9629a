#include "engine/table.hpp"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/options.hpp"
#include "base/pool.hpp"
#include "engine/mixed.hpp"
#include "engine/shadow.hpp"

namespace fencepost::rt {

Table table;
Location* all_locations = nullptr;
Pool pool;

namespace {

// Memory of locations stays that of locations: who comes too late finds a lock there, and that it is dead.
struct Spare {
    SpinLock lock;
    Location* first = nullptr;
    std::uint32_t used = 0;
};
Spare spare;
SpinLock mapping;
std::atomic<std::uint64_t> made{0};

char* map_piece(std::atomic<char*>& piece, std::size_t bytes, const char* purpose) {
    const Guard guard(mapping);
    char* base = piece.load(std::memory_order_relaxed);
    if (base) return base;
    base = static_cast<char*>(map_pages(bytes, purpose));
    syscall(SYS_madvise, base, bytes, MADV_DONTDUMP);
    syscall(SYS_madvise, base, bytes, MADV_NOHUGEPAGE);
    piece.store(base, std::memory_order_release);
    return base;
}

void create_locations() {
    constexpr std::size_t bytes = sizeof(Location) * most_locations;
    constexpr std::size_t small = std::size_t{1} << 22;  // from here on large pages are worth it
    all_locations = static_cast<Location*>(map_pages(bytes, "atomic locations"));
    syscall(SYS_madvise, all_locations, bytes, MADV_DONTDUMP);
    syscall(SYS_madvise, reinterpret_cast<char*>(all_locations) + small, bytes - small, MADV_HUGEPAGE);
}

Location* take_location() {
    made.fetch_add(1, std::memory_order_relaxed);
    const Guard guard(spare.lock);
    if (Location* const location = spare.first) {
        spare.first = location_of(location->next.load(std::memory_order_relaxed));
        return location;
    }
    if (!all_locations) create_locations();
    if (++spare.used == most_locations) fail("more atomic locations at once than the sanitizer has room for");
    return new (all_locations + spare.used) Location();
}

// The lock and the version stay as they are: somebody may be waiting for the one, or remember the other.
void make_fresh(Location& location, std::uintptr_t address, unsigned size, bool is_sync) {
    location.key.store(Location::key_of(address, size, is_sync), std::memory_order_relaxed);
    location.size = static_cast<std::uint8_t>(size);
    location.alone = 0;
    location.ownerships = 0;
    location.is_ignored = false;
    location.plain_seen = false;
    location.is_mixed = false;
    location.plain_checks = 0;
    location.written = location.first = location.room = 0;
    location.reads_known = location.reads_first = location.reads_room = 0;
    location.capacity = location.psc_capacity = 0;
    location.stamp = 0;
    location.floor = 0;
    location.fences = 0;
    location.release = location.sc_write = location.sc_all = Publication();
    location.arrays = location.psc_arrays = nullptr;
    location.writes = nullptr;
    location.reads = nullptr;
}

void give_back(void* memory, std::size_t bytes) {
    if (memory) pool.give(memory, Pool::rounded(bytes));
}

// Locked by the caller, who has unlinked it.
void release_location(Location& location) {
    location.begin_change();
    location.key.store(0, std::memory_order_relaxed);
    give_back(location.arrays, Location::clocks * location.capacity * sizeof(Epoch));
    give_back(location.psc_arrays, Location::clocks * location.psc_capacity * sizeof(Epoch));
    if (location.writes != location.inside) give_back(location.writes, location.room * sizeof(Write));
    give_back(location.reads, location.reads_room * sizeof(Read));
    location.arrays = location.psc_arrays = nullptr;
    location.writes = nullptr;
    location.reads = nullptr;
}

void forget_locations(std::uintptr_t begin, std::uintptr_t end) {
    for (std::uintptr_t at = begin & ~std::uintptr_t{3}; at < end; at += 4) {
        char* const base = table.locations[at >> Table::piece_bits].load(std::memory_order_acquire);
        if (!base) {
            at = (at | Table::in_piece) - 3;
            continue;
        }
        const std::uint64_t marks = Table::mark(base, at).load(std::memory_order_relaxed);
        if (marks == 0) {
            at = (at | (64 * 4096 - 1)) - 3;
            continue;
        }
        if (!(marks & Table::mark_bit(at))) {
            at = (at | 4095) - 3;
            continue;
        }
        auto* const head = reinterpret_cast<std::atomic<std::uint32_t>*>(base + (at & Table::in_piece));
        if (!head->load(std::memory_order_relaxed)) continue;
        // All of the four bytes go, then those that are not in the range are put back.
        Location* location = location_of(head->exchange(0, std::memory_order_acq_rel));
        while (location) {
            Location* const next = location_of(location->next.load(std::memory_order_relaxed));
            location->lock.lock();
            if (location->address() >= begin && location->address() < end) {
                release_location(*location);
                location->lock.unlock();
                const Guard guard(spare.lock);
                location->next.store(number_of(spare.first), std::memory_order_relaxed);
                spare.first = location;
            } else {
                location->lock.unlock();
                std::uint32_t first = head->load(std::memory_order_relaxed);
                do location->next.store(first, std::memory_order_relaxed);
                while (!head->compare_exchange_weak(first, number_of(location), std::memory_order_acq_rel));
            }
            location = next;
        }
    }
}

}  // namespace

void prepare_for_memory(const void* near) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(near);
    if (!is_watchable(address)) return;
    table.head(address);
    if (plain_watched) table.cells_of(address);
    const Guard guard(spare.lock);
    if (!all_locations) create_locations();
}

char* Table::map_locations(std::uintptr_t address) {
    return map_piece(locations[address >> piece_bits], (std::size_t{1} << piece_bits) + mark_bytes,
                     "a table of atomic locations");
}

char* Table::map_cells(std::uintptr_t address) {
    return map_piece(cells[address >> piece_bits], (cell_bytes << piece_bits) + regions, "records of plain accesses");
}

std::uint64_t locations_made() { return made.load(std::memory_order_relaxed); }

Location& locked_location_slowly(std::uintptr_t address, unsigned size, bool is_sync) {
    const std::uintptr_t key = Location::key_of(address, size, is_sync);
    std::atomic<std::uint32_t>* const head = table.head(address);
    Location* fresh = nullptr;
    for (;;) {
        std::uint32_t first = head->load(std::memory_order_acquire);
        Location* found = location_of(first);
        while (found && !found->has_key(key)) found = location_of(found->next.load(std::memory_order_acquire));
        if (found) {
            found->lock.lock();
            if (found->has_key(key)) {
                if (fresh) {
                    fresh->key.store(0, std::memory_order_relaxed);
                    fresh->lock.unlock();
                    const Guard guard(spare.lock);
                    fresh->next.store(number_of(spare.first), std::memory_order_relaxed);
                    spare.first = fresh;
                }
                return *found;
            }
            found->lock.unlock();
            continue;
        }
        if (!fresh) {
            fresh = take_location();
            fresh->lock.lock();
            make_fresh(*fresh, address, size, is_sync);
            char* const base = table.locations[address >> Table::piece_bits].load(std::memory_order_relaxed);
            std::atomic<std::uint64_t>& mark = Table::mark(base, address);
            if (!(mark.load(std::memory_order_relaxed) & Table::mark_bit(address)))
                mark.fetch_or(Table::mark_bit(address), std::memory_order_relaxed);
        }
        fresh->next.store(first, std::memory_order_relaxed);
        if (!head->compare_exchange_strong(first, number_of(fresh), std::memory_order_acq_rel)) continue;
        mark_location(*fresh);
        if (is_sync || !find_overlapping(address, size)) return *fresh;
        fresh->lock.unlock();
        meet_overlapping(address, size);
        fresh = nullptr;
    }
}

Location* locked_location_if_known(std::uintptr_t address, unsigned size, bool is_sync) {
    const std::uintptr_t key = Location::key_of(address, size, is_sync);
    Location* found = location_of(table.head(address)->load(std::memory_order_acquire));
    while (found && !found->has_key(key)) found = location_of(found->next.load(std::memory_order_acquire));
    if (!found) return nullptr;
    found->lock.lock();
    if (found->has_key(key)) return found;
    found->lock.unlock();
    return nullptr;
}

void forget_memory(std::uintptr_t begin, std::size_t bytes) {
    if (!is_watchable(begin) || !bytes) return;
    std::uintptr_t end = begin + bytes;
    if (end > std::uintptr_t{1} << 47) end = std::uintptr_t{1} << 47;
    forget_locations(begin, end);
    forget_cells(begin, end);
}

}  // namespace fencepost::rt
