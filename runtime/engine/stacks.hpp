// Call stacks: of the running thread, and of past accesses as numbers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fencepost::rt {

constexpr unsigned deepest_stack = 24;  // frames remembered of a past access

// A stack of the calls that __tsan_func_entry told of. Each frame has a hash of all below, so that a stack has a name in
// one step.
class ShadowStack {
  public:
    static constexpr std::size_t most_frames = std::size_t{1} << 16;

    void begin();  // of a thread
    void end();    // its memory serves again

    void push(std::uintptr_t caller) {
        if (__builtin_expect(top_ == end_, 0) && !go_deep()) {
            ++beyond_;
            return;
        }
        const std::uint64_t below = top_[-1].hash;
        top_->caller = caller;
        top_->hash = (below + caller) * 0x9e3779b97f4a7c15U;
        ++top_;
    }
    void pop() {
        if (__builtin_expect(beyond_ != 0, 0)) --beyond_;
        else if (__builtin_expect(top_ > bottom_ + 1, 1)) --top_;
    }

    // The number of the stack whose innermost frame is `place`. Never 0.
    std::uint32_t name(std::uintptr_t place) {
        const std::uint64_t below = __builtin_expect(shallow_, 0) ? top_[-1].caller : top_[-1].hash;
        const std::uint64_t key = (below ^ place) * 0xff51afd7ed558ccdU;
        const Known& known = known_[key >> (64 - known_bits)];
        if (__builtin_expect(known.key == key, 1)) return known.name;
        return name_slowly(place, key);
    }

    // The frames, innermost first, without the place itself. For a trace's part.
    std::uint32_t name_of_calls() { return top_ == bottom_ + 1 ? 0 : name(top_[-1].caller); }

    unsigned depth() const { return static_cast<unsigned>(top_ - bottom_) - 1; }

  private:
    struct Frame {
        std::uintptr_t caller;
        std::uint64_t hash;
    };
    struct Known {
        std::uint64_t key;
        std::uint32_t name;
    };
    static constexpr unsigned known_bits = 9;

    static constexpr std::size_t shallow_frames = 512;  // what lies deeper is not kept for the next thread
    bool go_deep();

    std::uint32_t name_slowly(std::uintptr_t place, std::uint64_t key);

    // Set when there are so many stacks, by recursion most likely, that only the innermost two frames are told apart.
    static bool shallow_;

    Frame* bottom_ = nullptr;  // its first frame is none
    Frame* top_ = nullptr;
    Frame* end_ = nullptr;
    std::size_t beyond_ = 0;
    Known* known_ = nullptr;
};

void prepare_stack_names();

// The number of a stack that is not the calling thread's. Never 0.
std::uint32_t name_of_stack(const std::uintptr_t* frames, unsigned count);

// The frames of a past stack, innermost first. Returns how many.
unsigned frames_of(std::uint32_t name, std::uintptr_t* frames, unsigned most);

}  // namespace fencepost::rt
