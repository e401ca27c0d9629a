// A small generator of random numbers, whose state is one word (splitmix64).
#pragma once

#include <cstdint>

namespace fencepost::sched {

class Random {
  public:
    constexpr explicit Random(std::uint64_t seed = 0) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

    // 0..bound-1; the bias is below 2^-32 for the bounds in use.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  private:
    std::uint64_t state_;
};

}  // namespace fencepost::sched
