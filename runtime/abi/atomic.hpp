// An atomic access: the scheduler is asked, the operation done, the engine told.
#pragma once

#include <cstdint>

#include "abi/width.hpp"
#include "engine/engine.hpp"
#include "schedule/schedule.hpp"

namespace fencepost::rt {

enum class CasKind : std::uint8_t { Weak, Strong, Unknown };

template <class T>
T atomic_load(volatile T* address, int, std::uintptr_t) {
    sched::point(sched::Point::Load, const_cast<T*>(address), false);
    const T value = load_word(address);
    sched::observed(const_cast<T*>(address), static_cast<std::uint64_t>(value), false);
    return value;
}

template <class T>
void atomic_store(volatile T* address, T value, int, std::uintptr_t) {
    sched::point(sched::Point::Store, const_cast<T*>(address), true);
    store_word(address, value);
    sched::observed(const_cast<T*>(address), static_cast<std::uint64_t>(value), true);
}

template <class Operation, class T>
T atomic_update(volatile T* address, T operand, int, std::uintptr_t) {
    sched::point(sched::Point::Rmw, const_cast<T*>(address), true);
    const T old = Operation::perform(address, operand);
    sched::observed(const_cast<T*>(address), static_cast<std::uint64_t>(old), Operation::result(old, operand) != old);
    return old;
}

template <class T>
int atomic_cas(volatile T* address, T* expected, T wanted, int, int, CasKind, std::uintptr_t) {
    sched::point(sched::Point::Rmw, const_cast<T*>(address), true);
    const T old = compare_and_swap(address, *expected, wanted);
    const bool done = old == *expected;
    sched::observed(const_cast<T*>(address), static_cast<std::uint64_t>(old), done && wanted != old);
    *expected = old;
    return done;
}

inline void atomic_fence(int order, std::uintptr_t) {
    sched::point(order == 5 ? sched::Point::Fence : sched::Point::LocalFence, nullptr, false);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

}  // namespace fencepost::rt
