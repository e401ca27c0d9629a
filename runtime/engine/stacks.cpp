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
constexpr unsigned first_bucket_bits = 8;  // a short run, of which there are thousands, touches one page of them
constexpr std::uint32_t first_stacks = 1U << 10;
constexpr std::uint32_t most_stacks = 1U << 20;
constexpr std::uint32_t many_stacks = 1U << 15;
std::atomic<Stack*> first_buckets[1U << first_bucket_bits];  // of the first stacks
std::atomic<Stack*> buckets[1U << bucket_bits];              // of the others
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

Stack* find(const std::atomic<Stack*>& bucket, std::uint64_t key) {
    Stack* found = bucket.load(std::memory_order_acquire);
    while (found && found->key != key) found = found->next.load(std::memory_order_relaxed);
    return found;
}

std::uint32_t intern(std::uint64_t key, const std::uintptr_t* frames, unsigned count) {
    std::atomic<Stack*>& first_bucket = first_buckets[key >> (64 - first_bucket_bits)];
    if (const Stack* const found = find(first_bucket, key)) return found->name;
    const bool is_first = stacks_made.load(std::memory_order_relaxed) < first_stacks;
    std::atomic<Stack*>& bucket = is_first ? first_bucket : buckets[key >> (64 - bucket_bits)];
    Stack* made = nullptr;
    Stack* head = bucket.load(std::memory_order_acquire);
    for (;;) {
        if (const Stack* const found = find(bucket, key)) return found->name;
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

void ShadowStack::begin() {
    if (!bottom_) {
        const std::size_t bytes = most_frames * sizeof(Frame) + (sizeof(Known) << known_bits);
        bottom_ = static_cast<Frame*>(map_pages(bytes, "a shadow stack"));
        known_ = reinterpret_cast<Known*>(bottom_ + most_frames);
    }
    top_ = bottom_ + 1;
    end_ = bottom_ + shallow_frames;
    beyond_ = 0;
}

bool ShadowStack::go_deep() {
    if (end_ == bottom_ + most_frames) return false;
    end_ = bottom_ + most_frames;
    return true;
}

void ShadowStack::end() {
    if (end_ != bottom_ + shallow_frames) forget_pages(bottom_ + shallow_frames, (most_frames - shallow_frames) * sizeof(Frame));
    top_ = bottom_ + 1;
}

void prepare_stack_names() { names(); }

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
