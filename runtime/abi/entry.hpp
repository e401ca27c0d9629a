// What the functions of the ABI share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "engine/shadow.hpp"
#include "engine/thread.hpp"

#define FENCEPOST_ABI extern "C" __attribute__((visibility("default"), used))
#define CALLER (fencepost::rt::place(__builtin_return_address(0)))

namespace fencepost::rt {

// The call that returns to `return_address`.
inline std::uintptr_t place(const void* return_address) { return reinterpret_cast<std::uintptr_t>(return_address) - 1; }

inline ThreadState& this_one() {
    ThreadState* const thread = this_thread;
    return __builtin_expect(thread != nullptr, 1) ? *thread : *current();
}

inline void plain_range(const void* address, std::size_t size, bool is_write, std::uintptr_t place) {
    if (plain_watched) plain_bytes(this_one(), reinterpret_cast<std::uintptr_t>(address), size, is_write, place);
}

template <std::size_t size, bool is_write>
inline void plain_access(const void* address, std::uintptr_t place) {
    if (__builtin_expect(!plain_watched, 0)) return;
    const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(address);
    ThreadState& thread = this_one();
    if (__builtin_expect(number & (size - 1), 0)) {
        plain_bytes(thread, number, size, is_write, place);
        return;
    }
    constexpr unsigned log_size = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    plain_within<log_size, is_write>(thread, number, place);
    if constexpr (size == 16) plain_within<log_size, is_write>(thread, number + 8, place);
}

void watch_copies();  // from now on

// What there is to say at the end of the process is said, once. Returns the exit code that it shall have.
int end_process(int status);
void process_has_forked();  // in the child

inline void enter_function(const void* caller) {
    ThreadState* const thread = this_thread;
    if (__builtin_expect(thread == nullptr, 0)) {
        current()->stack.push(place(caller));
        return;
    }
    thread->stack.push(place(caller));
    if (thread->trace) trace_event(*thread, Trace::call | (place(caller) & Trace::place_mask));
}

inline void leave_function() {
    ThreadState* const thread = this_thread;
    if (__builtin_expect(thread == nullptr, 0)) return;
    thread->stack.pop();
    if (thread->trace) trace_event(*thread, Trace::ret);
}

}  // namespace fencepost::rt
