#include "engine/biased_lock.hpp"

#include "base/busy.hpp"
#include "engine/thread.hpp"

namespace fencepost::rt {

Inside inside_of_slot[most_slots];
bool locks_can_be_owned = false;

void allow_owned_locks() {
#if !defined(__SANITIZE_THREAD__)  // it does not know what membarrier does
    locks_can_be_owned = can_fence_everybody();
#endif
}

void BiasedLock::end_ownership() {
    const Slot owner = owner_.load(std::memory_order_relaxed);
    if (this_thread && this_thread->slot == owner) return;  // it is here, so it is not inside
    owner_.store(0, std::memory_order_relaxed);
    fence_everybody();
    while (inside_of_slot[owner].at.load(std::memory_order_acquire) == this) yield_processor();
}

}  // namespace fencepost::rt
