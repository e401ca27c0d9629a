// What compilers call for atomics of 16 bytes where they do not know that the processor has them (clang without -mcx16). In
// libatomic itself nobody would see them. Larger ones, and those of odd sizes, it protects with mutexes, which are intercepted.

#include "abi/atomic.hpp"
#include "abi/entry.hpp"

#if defined(__x86_64__)  // elsewhere 16 bytes take the same way as more

namespace fencepost::rt {

#define FENCEPOST_LIBATOMIC(type) extern "C" __attribute__((visibility("default"), weak, used)) type
#define FENCEPOST_UPDATE(function, name, Operation)                                                               \
    FENCEPOST_LIBATOMIC(Wide) function(volatile void* address, Wide operand, int order) __asm__("__atomic_" name); \
    Wide function(volatile void* address, Wide operand, int order) {                                              \
        return atomic_update<Operation>(static_cast<volatile Wide*>(address), operand, order, CALLER);            \
    }

FENCEPOST_LIBATOMIC(Wide) wide_load(const volatile void* address, int order) __asm__("__atomic_load_16");
Wide wide_load(const volatile void* address, int order) {
    return atomic_load(static_cast<volatile Wide*>(const_cast<volatile void*>(address)), order, CALLER);
}

FENCEPOST_LIBATOMIC(void) wide_store(volatile void* address, Wide value, int order) __asm__("__atomic_store_16");
void wide_store(volatile void* address, Wide value, int order) {
    atomic_store(static_cast<volatile Wide*>(address), value, order, CALLER);
}

FENCEPOST_LIBATOMIC(bool) wide_cas(volatile void* address, void* expected, Wide wanted, int order, int failure)
    __asm__("__atomic_compare_exchange_16");
bool wide_cas(volatile void* address, void* expected, Wide wanted, int order, int failure) {
    return atomic_cas(static_cast<volatile Wide*>(address), static_cast<Wide*>(expected), wanted, order, failure, CasKind::Unknown,
                      CALLER);
}

FENCEPOST_UPDATE(wide_exchange, "exchange_16", Exchange)
FENCEPOST_UPDATE(wide_add, "fetch_add_16", FetchAdd)
FENCEPOST_UPDATE(wide_sub, "fetch_sub_16", FetchSub)
FENCEPOST_UPDATE(wide_and, "fetch_and_16", FetchAnd)
FENCEPOST_UPDATE(wide_or, "fetch_or_16", FetchOr)
FENCEPOST_UPDATE(wide_xor, "fetch_xor_16", FetchXor)
FENCEPOST_UPDATE(wide_nand, "fetch_nand_16", FetchNand)

}  // namespace fencepost::rt

#endif
