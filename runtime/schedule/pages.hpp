// Memory straight from the kernel: the runtime must not call the malloc of the program it watches. It lies far from
// where the kernel puts what the program maps, so that the program's addresses do not depend on what the runtime does.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace fencepost::sched {

// A wish, not a demand: where it cannot be had, the kernel chooses.
inline void* far_away(std::size_t bytes) {
    static std::uintptr_t next = std::uintptr_t{1} << 44;
    constexpr std::uintptr_t alignment = std::uintptr_t{1} << 16;
    const std::uintptr_t at = next;
    next += (bytes + alignment - 1) / alignment * alignment;
    return reinterpret_cast<void*>(at);
}

// Zeroed, and only backed by memory where it is touched. Null if there is none.
template <class T>
T* pages(std::size_t count, bool shared = false) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = mmap(far_away(bytes), bytes, PROT_READ | PROT_WRITE,
                        (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

}  // namespace fencepost::sched
