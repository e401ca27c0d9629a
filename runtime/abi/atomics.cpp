// Atomic accesses, as gcc and clang emit them for -fsanitize=thread.

#include "abi/atomic.hpp"
#include "abi/entry.hpp"

namespace fencepost::rt {
namespace {

template <class T>
using Address = volatile T*;

}  // namespace

#define FENCEPOST_READ_MODIFY_WRITE(bits, type, name, operation)                                           \
    FENCEPOST_ABI type __tsan_atomic##bits##_##name(Address<type> address, type operand, int order) {      \
        return atomic_update<operation>(address, operand, order, CALLER);                                  \
    }

#define FENCEPOST_ATOMICS(bits, type)                                                                      \
    FENCEPOST_ABI type __tsan_atomic##bits##_load(const volatile type* address, int order) {               \
        return atomic_load(const_cast<Address<type>>(address), order, CALLER);                             \
    }                                                                                                      \
    FENCEPOST_ABI void __tsan_atomic##bits##_store(Address<type> address, type value, int order) {         \
        atomic_store(address, value, order, CALLER);                                                       \
    }                                                                                                      \
    FENCEPOST_READ_MODIFY_WRITE(bits, type, exchange, Exchange)                                            \
    FENCEPOST_READ_MODIFY_WRITE(bits, type, fetch_add, FetchAdd)                                           \
    FENCEPOST_READ_MODIFY_WRITE(bits, type, fetch_sub, FetchSub)                                           \
    FENCEPOST_READ_MODIFY_WRITE(bits, type, fetch_and, FetchAnd)                                           \
    FENCEPOST_READ_MODIFY_WRITE(bits, type, fetch_or, FetchOr)                                             \
    FENCEPOST_READ_MODIFY_WRITE(bits, type, fetch_xor, FetchXor)                                           \
    FENCEPOST_READ_MODIFY_WRITE(bits, type, fetch_nand, FetchNand)                                         \
    FENCEPOST_ABI int __tsan_atomic##bits##_compare_exchange_strong(                                       \
        Address<type> address, type* expected, type wanted, int order, int failure) {                      \
        return atomic_cas(address, expected, wanted, order, failure, CasKind::Strong, CALLER);             \
    }                                                                                                      \
    FENCEPOST_ABI int __tsan_atomic##bits##_compare_exchange_weak(                                         \
        Address<type> address, type* expected, type wanted, int order, int failure) {                      \
        return atomic_cas(address, expected, wanted, order, failure, CasKind::Weak, CALLER);               \
    }                                                                                                      \
    /* clang's only one: it does not say whether weak or strong */                                         \
    FENCEPOST_ABI type __tsan_atomic##bits##_compare_exchange_val(                                         \
        Address<type> address, type expected, type wanted, int order, int failure) {                       \
        atomic_cas(address, &expected, wanted, order, failure, CasKind::Unknown, CALLER);                  \
        return expected;                                                                                   \
    }

FENCEPOST_ATOMICS(8, std::uint8_t)
FENCEPOST_ATOMICS(16, std::uint16_t)
FENCEPOST_ATOMICS(32, std::uint32_t)
FENCEPOST_ATOMICS(64, std::uint64_t)
FENCEPOST_ATOMICS(128, Wide)
#undef FENCEPOST_ATOMICS
#undef FENCEPOST_READ_MODIFY_WRITE

FENCEPOST_ABI void __tsan_atomic_thread_fence(int order) { atomic_fence(order, CALLER); }
FENCEPOST_ABI void __tsan_atomic_signal_fence(int) {}  // orders nothing between threads

}  // namespace fencepost::rt
