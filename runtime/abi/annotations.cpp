// The runtime's side of fencepost.h.

#include "abi/entry.hpp"
#include "engine/table.hpp"
#include "engine/thread.hpp"

namespace fencepost::rt {

FENCEPOST_ABI void __fencepost_wait_begin(const volatile void* address, unsigned, unsigned comparison,
                                          unsigned long long value) {
    current()->wait = {reinterpret_cast<std::uintptr_t>(address), comparison, value};
}

FENCEPOST_ABI void __fencepost_wait_end() { current()->wait = WaitRegion(); }

FENCEPOST_ABI void __fencepost_strong_cas(const volatile void* address) {
    current()->strong_cas_address = reinterpret_cast<std::uintptr_t>(address);
}

FENCEPOST_ABI void __fencepost_benign_begin() { ++current()->benign; }
FENCEPOST_ABI void __fencepost_benign_end() {
    ThreadState* const thread = current();
    if (thread->benign) --thread->benign;
}

FENCEPOST_ABI void __fencepost_not_synchronisation(const volatile void* address, unsigned long size) {
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address);
    if (!is_watchable(begin)) return;
    // What is accessed there later learns it from the bytes (mixed.hpp).
    for (std::uintptr_t at = begin; at < begin + size; ++at) {
        Location& location = locked_location(at, 1, false);
        location.is_ignored = true;
        location.lock.unlock();
        for_each_overlapping(at, 1, [](Location& other) { other.is_ignored = true; });
    }
}

}  // namespace fencepost::rt
