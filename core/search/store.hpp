// A set of fixed-size byte records, shared by all workers without locks; every record has a number.
//
// Records lie in segments that never move, each twice as large as the one before. A worker writes a new record into a
// block of its own first and then publishes it with one compare-and-swap on a slot of the hash table (release), so who
// finds the slot (acquire) may read it.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

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
    static constexpr std::uint32_t block_records = 1024;  // what a worker takes at a time
    static constexpr std::uint32_t none = 0xffffffffu;

    // A worker's place to write the next record.
    struct Cursor {
        std::uint32_t next = 0;
        std::uint32_t end = 0;
    };

    // `key_bytes` identify a record; `extra_bytes` are carried along.
    Store(int key_bytes, int extra_bytes)
        : key_bytes_(key_bytes), record_bytes_(key_bytes + extra_bytes), slots_(initial_slots) {}

    ~Store() {
        for (auto& segment : segments_) std::free(segment.load());
    }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    std::uint8_t* record(std::uint32_t number) const {
        const std::uint64_t place = std::uint64_t{number} + first_segment;
        const int segment = std::bit_width(place) - first_segment_bits - 1;
        const std::uint64_t offset = place - (std::uint64_t{first_segment} << segment);
        return segments_[static_cast<std::size_t>(segment)].load(std::memory_order_acquire) +
               offset * static_cast<std::uint64_t>(record_bytes_);
    }

    struct Result {
        std::uint32_t number;
        bool inserted;
    };

    // The number of the record with this key, which is inserted (with `extra`) if it is not there.
    Result insert(const std::uint8_t* key, const std::uint8_t* extra, Cursor& cursor) {
        const std::uint64_t hash = hash_bytes(key, key_bytes_);
        const std::uint64_t tag = hash >> 32 << 32;
        const std::size_t mask = slots_.size() - 1;
        std::uint32_t mine = none;
        for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
            std::uint64_t slot = slots_[at].load(std::memory_order_acquire);
            if (slot == 0) {
                if (mine == none) mine = write(key, extra, cursor);
                if (slots_[at].compare_exchange_strong(slot, tag | (mine + 1), std::memory_order_acq_rel)) {
                    ++cursor.next;
                    count_.fetch_add(1, std::memory_order_relaxed);
                    return {mine, true};
                }
            }
            if (slot >> 32 << 32 != tag) continue;
            const std::uint32_t number = static_cast<std::uint32_t>(slot) - 1;
            if (std::memcmp(record(number), key, static_cast<std::size_t>(key_bytes_)) == 0) return {number, false};
        }
    }

    // To be asked between batches of at most `batch` insertions per worker, and answered by `grow` with all of them stopped.
    bool wants_growth() const { return count_.load(std::memory_order_relaxed) * 2 > slots_.size(); }

    void grow() {
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
    }

    std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
    std::uint64_t bytes() const {
        return std::uint64_t{taken_.load(std::memory_order_relaxed)} * static_cast<std::uint64_t>(record_bytes_) +
               slots_.size() * sizeof(slots_[0]);
    }

private:
    static constexpr int first_segment_bits = 12;
    static constexpr std::uint32_t first_segment = 1u << first_segment_bits;
    static constexpr std::size_t initial_slots = 1 << 14;

    std::uint32_t write(const std::uint8_t* key, const std::uint8_t* extra, Cursor& cursor) {
        if (cursor.next == cursor.end) {
            cursor.next = taken_.fetch_add(block_records);
            cursor.end = cursor.next + block_records;
            if (cursor.end < cursor.next) throw std::length_error("more states than can be numbered");
            provide(cursor.next);
        }
        std::uint8_t* out = record(cursor.next);
        std::memcpy(out, key, static_cast<std::size_t>(key_bytes_));
        if (record_bytes_ > key_bytes_)
            std::memcpy(out + key_bytes_, extra, static_cast<std::size_t>(record_bytes_ - key_bytes_));
        return cursor.next;
    }

    // Blocks never straddle segments: both begin at multiples of the block size.
    void provide(std::uint32_t number) {
        const std::uint64_t place = std::uint64_t{number} + first_segment;
        const int segment = std::bit_width(place) - first_segment_bits - 1;
        const std::lock_guard lock(providing_);
        auto& memory = segments_[static_cast<std::size_t>(segment)];
        if (memory.load(std::memory_order_relaxed) != nullptr) return;
        void* fresh = std::malloc((std::size_t{first_segment} << segment) * static_cast<std::size_t>(record_bytes_));
        if (fresh == nullptr) throw std::bad_alloc();
        memory.store(static_cast<std::uint8_t*>(fresh), std::memory_order_release);
    }

    int key_bytes_;
    int record_bytes_;
    std::array<std::atomic<std::uint8_t*>, 33 - first_segment_bits> segments_{};
    std::atomic<std::uint32_t> taken_{0};
    std::mutex providing_;
    std::vector<std::atomic<std::uint64_t>> slots_;
    std::atomic<std::uint64_t> count_{0};
};

}  // namespace fencepost
