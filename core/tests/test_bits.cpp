#include "machine/bits.hpp"

#include <random>
#include <vector>

#include "testing.hpp"

using namespace fencepost;

TEST("what is written is read, whatever the widths") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::pair<std::uint64_t, int>> fields;
        int bits = 0;
        for (int i = 0; i < 30; ++i) {
            const int width = static_cast<int>(random() % 65);
            const std::uint64_t value = width == 64 ? random() : random() & ((std::uint64_t{1} << width) - 1);
            fields.emplace_back(value, width);
            bits += width;
        }
        const std::size_t bytes = static_cast<std::size_t>(bits + 7) / 8;
        std::vector<std::uint8_t> out(bytes);  // exactly as large: the sanitizers see whoever writes on
        BitWriter writer(out.data());
        for (const auto& [value, width] : fields) writer.write(value, width);
        writer.finish();
        BitReader reader(out.data(), bytes);
        for (const auto& [value, width] : fields) CHECK(reader.read(width) == value);
    }
}

TEST("sets of bits over several words") {
    Bits<2> a;
    CHECK(!a.any());
    a.set(3);
    a.set(64);
    a.set(127);
    CHECK(a.test(3) && a.test(64) && a.test(127) && !a.test(63));
    Bits<2> b;
    b.set(64);
    CHECK(((a & b) == b) && !((a & ~a).any()));
    CHECK((a | b) == a);
}

TEST("widths of values") {
    CHECK(bits_for(0) == 0);
    CHECK(bits_for(1) == 1);
    CHECK(bits_for(255) == 8);
    CHECK(bits_for(256) == 9);
}
