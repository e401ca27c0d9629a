// A set of fixed-size byte keys, shared by all workers without locks; every key has a number.
//
// A worker writes a new record first and then publishes it with one compare-and-swap on a slot of the hash table
// (release), so who finds the slot (acquire) may read it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "search/records.hpp"

namespace fencepost {

inline std::uint64_t hash_bytes(const std::uint8_t* data, int size) {
    constexpr std::uint64_t m = 0x9fb21c651e98df25ULL;
    std::uint64_t h = static_cast<std::uint64_t>(size) * 0x9e3779b97f4a7c15ULL;
    const auto mix = [&](std::uint64_t w) {
        h ^= w * 0xc2b2ae3d27d4eb4fULL;
        h = (h << 31 | h >> 33) * m;
    };
    while (size >= 8) {
        std::uint64_t w;
        std::memcpy(&w, data, 8);
        mix(w);
        data += 8;
        size -= 8;
    }
    if (size > 0) {
        std::uint64_t w = 0;
        std::memcpy(&w, data, static_cast<std::size_t>(size));
        mix(w);
    }
    h ^= h >> 32;
    h *= m;
    return h ^ h >> 29;
}

class Store {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    struct Result {
        std::uint32_t number;
        bool inserted;
    };

    // `key_bytes` identify a record; `extra_bytes` are carried along. All workers together insert at most `burst` keys
    // between two questions whether to grow.
    Store(int key_bytes, int extra_bytes, std::size_t burst)
        : key_bytes_(key_bytes), records_(key_bytes + extra_bytes),
          slots_(std::max(initial_slots, std::bit_ceil(4 * burst))), enough_(slots_.size() / 2) {}

    std::uint8_t* record(std::uint32_t number) const { return records_[number]; }
    std::uint8_t* extra(std::uint32_t number) const { return records_[number] + key_bytes_; }

    // The number of the record with this key, which is inserted (with `extra`) if it is not there.
    Result insert(const std::uint8_t* key, const std::uint8_t* extra, Records::Cursor& cursor) {
        const std::uint64_t hash = hash_bytes(key, key_bytes_);
        const std::uint64_t tag = hash >> 32 << 32;
        const std::size_t mask = slots_.size() - 1;
        bool written = false;
        for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
            std::uint64_t slot = slots_[at].load(std::memory_order_acquire);
            if (slot == 0) {
                if (!written) write(records_.prepare(cursor), key, extra);
                written = true;
                if (slots_[at].compare_exchange_strong(slot, tag | (cursor.next + 1), std::memory_order_acq_rel)) {
                    count_.fetch_add(1, std::memory_order_relaxed);
                    return {cursor.next++, true};
                }
            }
            if (slot >> 32 << 32 != tag) continue;
            const std::uint32_t number = static_cast<std::uint32_t>(slot) - 1;
            if (std::memcmp(record(number), key, static_cast<std::size_t>(key_bytes_)) == 0) return {number, false};
        }
    }

    // A further record with this key, which no search for it will find.
    std::uint32_t append(const std::uint8_t* key, const std::uint8_t* extra, Records::Cursor& cursor) {
        write(records_.prepare(cursor), key, extra);
        return cursor.next++;
    }

    // To be asked often, and answered by `grow` with all workers stopped.
    bool wants_growth() const { return count() > enough_.load(std::memory_order_relaxed); }

    // Does nothing where that is not wanted.
    void grow() {
        if (!wants_growth()) return;
        std::vector<std::atomic<std::uint64_t>> larger(slots_.size() * 4);
        const std::size_t mask = larger.size() - 1;
        for (const auto& old : slots_) {
            const std::uint64_t slot = old.load(std::memory_order_relaxed);
            if (slot == 0) continue;
            std::size_t at = hash_bytes(record(static_cast<std::uint32_t>(slot) - 1), key_bytes_) & mask;
            while (larger[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & mask;
            larger[at].store(slot, std::memory_order_relaxed);
        }
        slots_.swap(larger);
        enough_.store(slots_.size() / 2, std::memory_order_relaxed);
    }

    std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
    std::uint64_t bytes() const { return records_.bytes() + 2 * enough_.load(std::memory_order_relaxed) * sizeof(slots_[0]); }

private:
    static constexpr std::size_t initial_slots = 1 << 14;  // a power of two, as all sizes are

    void write(std::uint8_t* out, const std::uint8_t* key, const std::uint8_t* extra) const {
        std::memcpy(out, key, static_cast<std::size_t>(key_bytes_));
        const int rest = records_.record_bytes() - key_bytes_;
        if (extra != nullptr) std::memcpy(out + key_bytes_, extra, static_cast<std::size_t>(rest));
    }

    int key_bytes_;
    Records records_;
    std::vector<std::atomic<std::uint64_t>> slots_;
    std::atomic<std::uint64_t> enough_;  // half the slots
    std::atomic<std::uint64_t> count_{0};
};

}  // namespace fencepost
