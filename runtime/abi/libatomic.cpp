// What compilers call for atomics of 16 bytes where they do not know that the processor has them (clang without -mcx16), and for
// those that are larger or of odd size. In libatomic itself the former would not be seen. The latter it protects with mutexes, which are
// intercepted; where a linker has left it away, as all that is asked of it is here, there are locks here.

#include <cstring>

#include "abi/atomic.hpp"
#include "abi/entry.hpp"
#include "intercept/real.hpp"

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

namespace {

bool is_wide(std::size_t size, const volatile void* address) {
    return size == sizeof(Wide) && reinterpret_cast<std::uintptr_t>(address) % sizeof(Wide) == 0;
}
template <class Function>
Function* libatomic(const char* name) {
    return reinterpret_cast<Function*>(intercept::find_next(name, nullptr, true));
}

// One at a time, and after each other.
class Large {
  public:
    explicit Large(const volatile void* address)
        : address_(const_cast<const void*>(address)), lock_(locks[reinterpret_cast<std::uintptr_t>(address) / 64 % count]) {
        sched::point(sched::Point::Sync, address_, true);
        lock_.lock();
        sync_acquire(current(), address_);
    }
    ~Large() {
        sync_release(current(), address_);
        lock_.unlock();
        sched::observed(address_, 0, true);
    }
    Large(const Large&) = delete;
    Large& operator=(const Large&) = delete;

  private:
    static constexpr unsigned count = 64;
    static SpinLock locks[count];
    const Busy inside_;
    const void* address_;
    SpinLock& lock_;
};
SpinLock Large::locks[count];

Wide wide_at(const void* from) {
    Wide value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

}  // namespace

FENCEPOST_LIBATOMIC(void) any_load(std::size_t size, const volatile void* address, void* into, int order) __asm__("__atomic_load");
void any_load(std::size_t size, const volatile void* address, void* into, int order) {
    if (!is_wide(size, address)) {
        if (auto* const other = libatomic<decltype(any_load)>("__atomic_load")) return other(size, address, into, order);
        const Large large(address);
        std::memcpy(into, const_cast<const void*>(address), size);
        return;
    }
    const Wide value = atomic_load(static_cast<volatile Wide*>(const_cast<volatile void*>(address)), order, CALLER);
    __builtin_memcpy(into, &value, sizeof value);
}

FENCEPOST_LIBATOMIC(void) any_store(std::size_t size, volatile void* address, const void* from, int order) __asm__("__atomic_store");
void any_store(std::size_t size, volatile void* address, const void* from, int order) {
    if (!is_wide(size, address)) {
        if (auto* const other = libatomic<decltype(any_store)>("__atomic_store")) return other(size, address, from, order);
        const Large large(address);
        std::memcpy(const_cast<void*>(address), from, size);
        return;
    }
    atomic_store(static_cast<volatile Wide*>(address), wide_at(from), order, CALLER);
}

FENCEPOST_LIBATOMIC(void) any_exchange(std::size_t size, volatile void* address, const void* from, void* into, int order)
    __asm__("__atomic_exchange");
void any_exchange(std::size_t size, volatile void* address, const void* from, void* into, int order) {
    if (!is_wide(size, address)) {
        if (auto* const other = libatomic<decltype(any_exchange)>("__atomic_exchange")) return other(size, address, from, into, order);
        const Large large(address);
        std::memcpy(into, const_cast<void*>(address), size);
        std::memcpy(const_cast<void*>(address), from, size);
        return;
    }
    const Wide old = atomic_update<Exchange>(static_cast<volatile Wide*>(address), wide_at(from), order, CALLER);
    __builtin_memcpy(into, &old, sizeof old);
}

FENCEPOST_LIBATOMIC(bool) any_cas(std::size_t size, volatile void* address, void* expected, const void* wanted, int order, int failure)
    __asm__("__atomic_compare_exchange");
bool any_cas(std::size_t size, volatile void* address, void* expected, const void* wanted, int order, int failure) {
    if (!is_wide(size, address)) {
        if (auto* const other = libatomic<decltype(any_cas)>("__atomic_compare_exchange"))
            return other(size, address, expected, wanted, order, failure);
        const Large large(address);
        const bool is_same = std::memcmp(const_cast<void*>(address), expected, size) == 0;
        if (is_same) std::memcpy(const_cast<void*>(address), wanted, size);
        else std::memcpy(expected, const_cast<void*>(address), size);
        return is_same;
    }
    return atomic_cas(static_cast<volatile Wide*>(address), static_cast<Wide*>(expected), wide_at(wanted), order, failure,
                      CasKind::Unknown, CALLER);
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
