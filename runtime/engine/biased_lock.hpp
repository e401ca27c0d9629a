// The lock of a location. Who has been the only one there for long owns it: its accesses then take no locked instruction.
// Who else comes takes the lock, ends the ownership, and lets every thread pass a fence (membarrier): from then on the
// owner sees that it owns nothing, or is seen inside.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/os.hpp"
#include "engine/clock.hpp"

namespace fencepost::rt {

class BiasedLock;

// Where the thread of a slot is inside by right of ownership; its own line of the cache.
struct alignas(64) Inside {
    std::atomic<const BiasedLock*> at{nullptr};
};
extern Inside inside_of_slot[most_slots];

extern bool locks_can_be_owned;  // set before there are other threads
// If the system has what it takes.
void allow_owned_locks();

class BiasedLock {
  public:
    void lock() {
        lock_.lock();
        if (__builtin_expect(owner_.load(std::memory_order_relaxed) != 0, 0)) end_ownership();
    }
    void unlock() { lock_.unlock(); }

    // In place of `lock` and `unlock`, for the owner.
    bool enter(Slot slot, Inside& inside) {
        if (owner_.load(std::memory_order_relaxed) != slot) return false;
        inside.at.store(this, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);  // for the processor, who ends the ownership sees to it
        if (__builtin_expect(owner_.load(std::memory_order_relaxed) == slot, 1)) return true;
        inside.at.store(nullptr, std::memory_order_relaxed);
        return false;
    }
    static void leave(Inside& inside) { inside.at.store(nullptr, std::memory_order_release); }

    // With the lock held, by the thread of that slot.
    void own(Slot slot) { owner_.store(static_cast<std::uint16_t>(slot), std::memory_order_relaxed); }

  private:
    void end_ownership();

    SpinLock lock_;
    std::atomic<std::uint16_t> owner_{0};  // a slot; 0: none
};

}  // namespace fencepost::rt
