// Bit sets of a fixed number of words, and packing of fields into bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace fencepost {

template <int W>
struct Bits {
    std::array<std::uint64_t, W> word{};

    bool any() const {
        std::uint64_t all = 0;
        for (std::uint64_t w : word) all |= w;
        return all != 0;
    }
    bool test(int bit) const { return word[static_cast<std::size_t>(bit >> 6)] >> (bit & 63) & 1; }
    void set(int bit) { word[static_cast<std::size_t>(bit >> 6)] |= std::uint64_t{1} << (bit & 63); }

    Bits& operator|=(const Bits& other) {
        for (std::size_t i = 0; i < W; ++i) word[i] |= other.word[i];
        return *this;
    }
    Bits& operator&=(const Bits& other) {
        for (std::size_t i = 0; i < W; ++i) word[i] &= other.word[i];
        return *this;
    }
    friend Bits operator|(Bits a, const Bits& b) { return a |= b; }
    friend Bits operator&(Bits a, const Bits& b) { return a &= b; }
    friend Bits operator~(Bits a) {
        for (std::uint64_t& w : a.word) w = ~w;
        return a;
    }
    bool operator==(const Bits&) const = default;
};

inline int bits_for(std::uint64_t largest) { return std::bit_width(largest); }

// Writes fields of 0..64 bits one after the other into zeroed bytes.
class BitWriter {
public:
    explicit BitWriter(std::uint8_t* out) : out_(out) {}

    void write(std::uint64_t value, int width) {
        if (width == 0) return;
        buffer_ |= value << used_;
        const int room = 64 - used_;
        if (width < room) {
            used_ += width;
            return;
        }
        std::memcpy(out_, &buffer_, 8);
        out_ += 8;
        used_ = width - room;
        buffer_ = used_ == 0 ? 0 : value >> room;
    }
    // Writes what is left, in whole bytes.
    void finish() {
        for (; used_ > 0; used_ -= 8, buffer_ >>= 8) *out_++ = static_cast<std::uint8_t>(buffer_);
    }

private:
    std::uint8_t* out_;
    std::uint64_t buffer_ = 0;
    int used_ = 0;
};

class BitReader {
public:
    explicit BitReader(const std::uint8_t* in, std::size_t bytes) : in_(in), end_(in + bytes) {}

    std::uint64_t read(int width) {
        if (width == 0) return 0;
        std::uint64_t value = 0;
        int got = 0;
        while (got < width) {
            if (left_ == 0) refill();
            const int take = std::min(left_, width - got);
            const std::uint64_t mask = take == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << take) - 1;
            value |= (buffer_ & mask) << got;
            buffer_ = take == 64 ? 0 : buffer_ >> take;
            left_ -= take;
            got += take;
        }
        return value;
    }

private:
    void refill() {
        const std::size_t bytes = std::min<std::size_t>(8, static_cast<std::size_t>(end_ - in_));
        buffer_ = 0;
        std::memcpy(&buffer_, in_, bytes);
        in_ += bytes;
        left_ = 64;
    }

    const std::uint8_t* in_;
    const std::uint8_t* end_;
    std::uint64_t buffer_ = 0;
    int left_ = 0;
};

}  // namespace fencepost
