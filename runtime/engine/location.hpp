// An atomic location, or an object by which threads synchronise otherwise.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/os.hpp"
#include "engine/clock.hpp"
#include "engine/history.hpp"

namespace fencepost::rt {

// Its first 64 bytes are all that most accesses look at.
struct alignas(128) Location {
    static constexpr unsigned clocks = 3;  // arrays of each location: W, W_SC, M_SC

    // The address, and whether it is a mutex or the like and no atomic. Looked at by those who do not hold the lock.
    std::atomic<std::uintptr_t> key;
    std::atomic<Location*> next;  // of the same four bytes
    SpinLock lock;
    std::uint8_t size;
    bool is_ignored;      // annotated: nothing depends on it
    bool plain_seen;      // there have been plain accesses to it
    std::uint8_t written; // entries in `writes`
    std::uint8_t first;   // the oldest of them: a ring
    std::uint8_t room;    // for so many
    std::uint8_t reads_known;
    std::uint8_t reads_first;
    std::uint8_t reads_room;
    std::uint16_t capacity;  // entries in each of the arrays
    std::uint16_t psc_capacity;
    Publication release;   // W
    Publication sc_write;  // W_SC. Its owner is the newest write
    Publication sc_all;    // M_SC. Empty: the same as W_SC

    Stamp stamp;  // of the newest write
    Stamp floor;  // reads that are forgotten told at most of this write: everybody is taken to know it
    std::uint32_t fences;  // the most seq_cst fences that an accessing thread knew of

    Epoch* arrays;
    Write* writes;
    Read* reads;
    Epoch* psc_arrays;  // clocks that matter only where there are seq_cst accesses: psc.hpp

    static constexpr std::uintptr_t sync_bit = std::uintptr_t{1} << 63;
    static std::uintptr_t key_of(std::uintptr_t address, bool is_sync) { return address | (is_sync ? sync_bit : 0); }
    bool has_key(std::uintptr_t wanted) const { return key.load(std::memory_order_relaxed) == wanted; }
    std::uintptr_t address() const { return key.load(std::memory_order_relaxed) & ~sync_bit; }
    bool is_sync() const { return key.load(std::memory_order_relaxed) & sync_bit; }

    Epoch* release_array() const { return arrays; }
    Epoch* sc_write_array() const { return arrays + capacity; }
    Epoch* sc_all_array() const { return arrays + 2 * capacity; }
    Epoch* psc_array(unsigned family) const { return psc_arrays + family * psc_capacity; }

    // The newest is 0, and so on.
    const Write& write(unsigned age) const {
        unsigned index = first + written - 1U - age;
        if (index >= room) index -= room;
        return writes[index];
    }
    const Read& read(unsigned age) const {
        unsigned index = reads_first + reads_known - 1U - age;
        if (index >= reads_room) index -= reads_room;
        return reads[index];
    }
};

}  // namespace fencepost::rt
