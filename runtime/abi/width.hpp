// The operations themselves, on 1 to 16 bytes. Of 16 bytes the processor knows only compare-and-swap, which is enough.
#pragma once

#include <cstdint>

namespace fencepost::rt {

__extension__ using Wide = unsigned __int128;

template <class T>
T load_word(const volatile T* address) {
    if constexpr (sizeof(T) == 16)
        return __sync_val_compare_and_swap(const_cast<volatile T*>(address), T{0}, T{0});
    else
        return __atomic_load_n(address, __ATOMIC_ACQUIRE);
}

template <class T>
T compare_and_swap(volatile T* address, T expected, T wanted) {
    if constexpr (sizeof(T) == 16) return __sync_val_compare_and_swap(address, expected, wanted);
    __atomic_compare_exchange_n(address, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

// Puts `change(old)` there and returns old.
template <class T, class Change>
T update(volatile T* address, Change change) {
    T old = load_word(address);
    for (;;) {
        const T seen = compare_and_swap(address, old, static_cast<T>(change(old)));
        if (seen == old) return old;
        old = seen;
    }
}

template <class T>
void store_word(volatile T* address, T value) {
    if constexpr (sizeof(T) == 16) update(address, [value](T) { return value; });
    else __atomic_store_n(address, value, __ATOMIC_RELEASE);
}

struct Exchange {
    template <class T>
    static T perform(volatile T* address, T operand) {
        if constexpr (sizeof(T) == 16) return update(address, [operand](T) { return operand; });
        else return __atomic_exchange_n(address, operand, __ATOMIC_SEQ_CST);
    }
    template <class T>
    static T result(T, T operand) { return operand; }
};

#define FENCEPOST_FETCH(Name, builtin, expression)                                                        \
    struct Name {                                                                                         \
        template <class T>                                                                                \
        static T result(T old, T operand) { return static_cast<T>(expression); }                          \
        template <class T>                                                                                \
        static T perform(volatile T* address, T operand) {                                                \
            if constexpr (sizeof(T) == 16)                                                                \
                return update(address, [operand](T old) { return result(old, operand); });                \
            else return builtin(address, operand, __ATOMIC_SEQ_CST);                                      \
        }                                                                                                 \
    }
FENCEPOST_FETCH(FetchAdd, __atomic_fetch_add, old + operand);
FENCEPOST_FETCH(FetchSub, __atomic_fetch_sub, old - operand);
FENCEPOST_FETCH(FetchAnd, __atomic_fetch_and, old & operand);
FENCEPOST_FETCH(FetchOr, __atomic_fetch_or, old | operand);
FENCEPOST_FETCH(FetchXor, __atomic_fetch_xor, old ^ operand);
FENCEPOST_FETCH(FetchNand, __atomic_fetch_nand, ~(old & operand));
#undef FENCEPOST_FETCH

}  // namespace fencepost::rt
