// What the functions of the ABI share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "engine/thread.hpp"

#define FENCEPOST_ABI extern "C" __attribute__((visibility("default"), used))
#define CALLER (fencepost::rt::place(__builtin_return_address(0)))

namespace fencepost::rt {

// The call that returns to `return_address`.
inline std::uintptr_t place(const void* return_address) { return reinterpret_cast<std::uintptr_t>(return_address) - 1; }

template <std::size_t size, bool is_write>
inline void plain_access(const void*, std::uintptr_t) {}
inline void plain_range(const void*, std::size_t, bool, std::uintptr_t) {}

inline void enter_function(const void* caller) {
    ThreadState* const thread = this_thread;
    if (__builtin_expect(thread != nullptr, 1)) thread->stack.push(place(caller));
    else current()->stack.push(place(caller));
}

inline void leave_function() {
    if (ThreadState* const thread = this_thread) thread->stack.pop();
}

}  // namespace fencepost::rt
