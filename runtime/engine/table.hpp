// Memory beside the program's memory: for four bytes of the program the number of the atomic location in there, and for
// eight of them four cells for plain accesses (shadow.hpp). Pieces are mapped when first needed, so no layout of the address space is
// presupposed; only what is touched costs memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/location.hpp"

namespace fencepost::rt {

struct Table {
    static constexpr unsigned piece_bits = 32;
    static constexpr std::size_t pieces = std::size_t{1} << (47 - piece_bits);
    static constexpr std::uintptr_t in_piece = (std::uintptr_t{1} << piece_bits) - 1;
    static constexpr std::size_t cell_bytes = 2;  // per byte of the program

    std::atomic<char*> locations[pieces];
    std::atomic<char*> cells[pieces];

    // The first location of the four bytes around `address`; the others follow it.
    std::atomic<std::uint32_t>* head(std::uintptr_t address) {
        char* base = locations[address >> piece_bits].load(std::memory_order_acquire);
        if (__builtin_expect(!base, 0)) base = map_locations(address);
        return reinterpret_cast<std::atomic<std::uint32_t>*>(base + (address & in_piece & ~std::uintptr_t{3}));
    }

    // The four cells of the eight bytes around `address`.
    std::uint32_t* cells_of(std::uintptr_t address) {
        char* base = cells[address >> piece_bits].load(std::memory_order_acquire);
        if (__builtin_expect(!base, 0)) base = map_cells(address);
        return reinterpret_cast<std::uint32_t*>(base + (address & in_piece & ~std::uintptr_t{7}) * cell_bytes);
    }

    // Which million bytes of the program have been accessed plainly, a byte each; behind the cells of a piece.
    static constexpr unsigned region_bits = 20;
    static constexpr std::size_t regions = std::size_t{1} << (piece_bits - region_bits);
    static char* regions_of(char* piece) { return piece + (cell_bytes << piece_bits); }
    static bool is_noted(char* piece, std::uintptr_t address) {
        return __atomic_load_n(regions_of(piece) + ((address & in_piece) >> region_bits), __ATOMIC_RELAXED) != 0;
    }
    void note_region(std::uintptr_t address) {
        char& noted = regions_of(cells[address >> piece_bits].load(std::memory_order_relaxed))[(address & in_piece) >> region_bits];
        if (__builtin_expect(__atomic_load_n(&noted, __ATOMIC_RELAXED) == 0, 0)) __atomic_store_n(&noted, 1, __ATOMIC_RELAXED);
    }

    // Which pages of the program have locations, a bit each; behind the numbers of a piece.
    static constexpr std::size_t mark_bytes = (std::size_t{1} << (piece_bits - 12)) / 8;
    static std::atomic<std::uint64_t>& mark(char* base, std::uintptr_t address) {
        auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(base + (std::size_t{1} << piece_bits));
        return words[(address & in_piece) >> 18];
    }
    static std::uint64_t mark_bit(std::uintptr_t address) { return std::uint64_t{1} << (address >> 12 & 63); }

    char* map_locations(std::uintptr_t address);
    char* map_cells(std::uintptr_t address);
};

extern Table table;

// Locations lie in one row; 0 is none.
constexpr std::uint32_t most_locations = 1U << 27;
extern Location* all_locations;
inline Location* location_of(std::uint32_t number) { return number ? all_locations + number : nullptr; }
inline std::uint32_t number_of(const Location* location) {
    return location ? static_cast<std::uint32_t>(location - all_locations) : 0;
}

inline bool is_watchable(std::uintptr_t address) { return address < (std::uintptr_t{1} << 47) && address >= 4096; }

// The location, locked; made if there is none. `value` is what is in memory now.
Location& locked_location_slowly(std::uintptr_t address, unsigned size, bool is_sync);

inline Location& locked_location(std::uintptr_t address, unsigned size, bool is_sync) {
    Location* const found = location_of(table.head(address)->load(std::memory_order_acquire));
    const std::uintptr_t key = Location::key_of(address, size, is_sync);
    if (__builtin_expect(found && found->has_key(key), 1)) {
        found->lock.lock();
        if (__builtin_expect(found->has_key(key), 1)) return *found;
        found->lock.unlock();
    }
    return locked_location_slowly(address, size, is_sync);
}

// The same if it exists, or null.
Location* locked_location_if_known(std::uintptr_t address, unsigned size, bool is_sync);

// Does it for each location of an atomic that overlaps those bytes, locked.
template <class Visit>
void for_each_overlapping(std::uintptr_t address, unsigned size, Visit visit) {
    constexpr unsigned largest = 16;
    const std::uintptr_t block = address & ~std::uintptr_t{largest - 1};
    for (std::uintptr_t at = block; at < block + largest; ++at)
        for (unsigned other = 1; other <= largest; other *= 2) {
            if (at % other != 0 || at + other <= address || at >= address + size) continue;
            Location* const location = locked_location_if_known(at, other, false);
            if (!location) continue;
            visit(*location);
            location->lock.unlock();
        }
}

// Forgets all plain accesses in there (shadow.cpp).
void forget_cells(std::uintptr_t begin, std::uintptr_t end);

// Forgets all atomic locations and plain accesses in there.
void forget_memory(std::uintptr_t begin, std::size_t bytes);

// What accesses around there need is there when they come.
void prepare_for_memory(const void* near);

std::uint64_t locations_made();

}  // namespace fencepost::rt
