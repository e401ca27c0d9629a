// Numbered records of a fixed size that never move. Workers append without locks, each to blocks of its own.
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

namespace fencepost {

class Records {
public:
    static constexpr std::uint32_t block_records = 1024;  // what a worker takes at a time

    // A worker's place for its next record.
    struct Cursor {
        std::uint32_t next = 0;
        std::uint32_t end = 0;
    };

    explicit Records(int record_bytes) : record_bytes_(record_bytes) {}
    ~Records() {
        for (auto& segment : segments_) std::free(segment.load());
    }
    Records(const Records&) = delete;
    Records& operator=(const Records&) = delete;

    int record_bytes() const { return record_bytes_; }

    std::uint8_t* operator[](std::uint32_t number) const {
        const std::uint64_t place = std::uint64_t{number} + first_segment;
        const int segment = std::bit_width(place) - first_segment_bits - 1;
        const std::uint64_t offset = place - (std::uint64_t{first_segment} << segment);
        return segments_[static_cast<std::size_t>(segment)].load(std::memory_order_acquire) +
               offset * static_cast<std::uint64_t>(record_bytes_);
    }

    // The record that `cursor` will number next. Taken for good by ++cursor.next.
    std::uint8_t* prepare(Cursor& cursor) {
        if (cursor.next == cursor.end) {
            cursor.next = taken_.fetch_add(block_records);
            cursor.end = cursor.next + block_records;
            if (cursor.end < cursor.next) throw std::length_error("more states than can be numbered");
            provide(cursor.next);
        }
        return (*this)[cursor.next];
    }

    std::uint64_t bytes() const {
        return std::uint64_t{taken_.load(std::memory_order_relaxed)} * static_cast<std::uint64_t>(record_bytes_);
    }

private:
    static constexpr int first_segment_bits = 12;
    static constexpr std::uint32_t first_segment = 1u << first_segment_bits;

    // Each segment is twice as large as the one before; blocks never straddle them.
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

    int record_bytes_;
    std::array<std::atomic<std::uint8_t*>, 33 - first_segment_bits> segments_{};
    std::atomic<std::uint32_t> taken_{0};
    std::mutex providing_;
};

}  // namespace fencepost
