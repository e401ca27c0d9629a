// What the functions of the ABI share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"

#define FENCEPOST_ABI extern "C" __attribute__((visibility("default"), used))
#define CALLER (fencepost::rt::place(__builtin_return_address(0)))

namespace fencepost::rt {

// The call that returns to `return_address`.
inline std::uintptr_t place(const void* return_address) { return reinterpret_cast<std::uintptr_t>(return_address) - 1; }

template <std::size_t size, bool is_write>
inline void plain_access(const void*, std::uintptr_t) {}
inline void plain_range(const void*, std::size_t, bool, std::uintptr_t) {}
inline void enter_function(const void*) {}
inline void leave_function() {}

}  // namespace fencepost::rt
