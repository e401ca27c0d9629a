#include "engine/stacks.hpp"

#include <cstring>

#include "base/os.hpp"

namespace fencepost::rt {
namespace {

struct Stack {
    std::uint64_t key;
    std::uint32_t name;
    std::uint32_t depth;
    std::atomic<Stack*> next;
    std::uintptr_t frames[1];
};

constexpr unsigned bucket_bits = 14;
constexpr std::uint32_t most_stacks = 1U << 20;
constexpr std::uint32_t many_stacks = 1U << 15;
std::atomic<Stack*> buckets[1U << bucket_bits];
std::atomic<std::uint32_t> stacks_made{0};
std::atomic<std::atomic<Stack*>*> by_name{nullptr};
SpinLock by_name_lock;

std::atomic<Stack*>* names() {
    std::atomic<Stack*>* known = by_name.load(std::memory_order_acquire);
    if (known) return known;
    const Guard guard(by_name_lock);
    known = by_name.load(std::memory_order_relaxed);
    if (known) return known;
    known = static_cast<std::atomic<Stack*>*>(map_pages(most_stacks * sizeof(Stack*), "call stacks"));
    by_name.store(known, std::memory_order_release);
    return known;
}

std::uint32_t intern(std::uint64_t key, const std::uintptr_t* frames, unsigned count) {
    std::atomic<Stack*>& bucket = buckets[key >> (64 - bucket_bits)];
    Stack* head = bucket.load(std::memory_order_acquire);
    Stack* made = nullptr;
    for (;;) {
        Stack* found = head;
        while (found && found->key != key) found = found->next.load(std::memory_order_relaxed);
        if (found) return found->name;
        if (!made) {
            const std::uint32_t name = stacks_made.fetch_add(1, std::memory_order_relaxed) + 1;
            if (name >= most_stacks) return 1;  // too many to tell apart: the reports have some other stack
            made = static_cast<Stack*>(allocate_forever(sizeof(Stack) + (count - 1) * sizeof(std::uintptr_t), "call stacks"));
            made->key = key;
            made->name = name;
            made->depth = count;
            std::memcpy(made->frames, frames, count * sizeof *frames);
            names()[name].store(made, std::memory_order_release);
        }
        made->next.store(head, std::memory_order_relaxed);
        if (bucket.compare_exchange_weak(head, made, std::memory_order_acq_rel, std::memory_order_acquire)) return made->name;
    }
}

}  // namespace

void ShadowStack::create() {
    const std::size_t bytes = most_frames * sizeof(Frame) + (sizeof(Known) << known_bits);
    bottom_ = static_cast<Frame*>(map_pages(bytes, "a shadow stack"));
    top_ = bottom_ + 1;
    end_ = bottom_ + most_frames;
    known_ = reinterpret_cast<Known*>(end_);
    beyond_ = 0;
}

void ShadowStack::destroy() {
    if (bottom_) unmap_pages(bottom_, most_frames * sizeof(Frame) + (sizeof(Known) << known_bits));
    bottom_ = top_ = end_ = nullptr;
    known_ = nullptr;
}

bool ShadowStack::shallow_ = false;

std::uint32_t ShadowStack::name_slowly(std::uintptr_t place, std::uint64_t key) {
    std::uintptr_t frames[deepest_stack];
    unsigned count = shallow_ ? 2 : deepest_stack;
    if (count > depth() + 1) count = depth() + 1;
    frames[0] = place;
    for (unsigned i = 1; i < count; ++i) frames[i] = top_[-static_cast<std::ptrdiff_t>(i)].caller;
    const std::uint32_t name = intern(key, frames, count);
    if (name > many_stacks) shallow_ = true;
    known_[key >> (64 - known_bits)] = {key, name};
    return name;
}

std::uint32_t name_of_stack(const std::uintptr_t* frames, unsigned count) {
    std::uint64_t key = 0x100;  // not the keys of running stacks, which are hashed from the other end
    for (unsigned i = 0; i < count; ++i) key = (key ^ frames[i]) * 0x9e3779b97f4a7c15U;
    return intern(key, frames, count);
}

unsigned frames_of(std::uint32_t name, std::uintptr_t* frames, unsigned most) {
    if (name == 0 || name >= most_stacks) return 0;
    const Stack* const stack = names()[name].load(std::memory_order_acquire);
    if (!stack) return 0;
    const unsigned depth = stack->depth < most ? stack->depth : most;
    std::memcpy(frames, stack->frames, depth * sizeof *frames);
    return depth;
}

}  // namespace fencepost::rt
