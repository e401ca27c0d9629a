// Memory that is given back: whatever comes to its addresses next starts afresh.
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>

#include "engine/engine.hpp"
#include "real.hpp"

extern "C" void __libc_free(void*);

namespace fencepost::intercept {

namespace {

void forget(void* memory) {
    if (memory != nullptr) rt::memory_reset(memory, malloc_usable_size(memory));
}

// Looking for the next `free` may free memory itself.
using Free = void (*)(void*);
Free next_free() {
    static Free found = nullptr;
    static bool looking = false;
    Free function = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (function != nullptr) return function;
    if (__atomic_exchange_n(&looking, true, __ATOMIC_RELAXED)) return __libc_free;
    function = reinterpret_cast<Free>(find_next("free", nullptr, false));
    __atomic_store_n(&found, function, __ATOMIC_RELAXED);
    return function;
}

}  // namespace

void find_free() { next_free(); }

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR void free(void* memory) {
    forget(memory);
    next_free()(memory);
}

FENCEPOST_INTERCEPTOR void* realloc(void* memory, std::size_t size) {
    forget(memory);
    return REAL(realloc)(memory, size);
}

FENCEPOST_INTERCEPTOR void* reallocarray(void* memory, std::size_t count, std::size_t size) {
    forget(memory);
    return REAL(reallocarray)(memory, count, size);
}

FENCEPOST_INTERCEPTOR int munmap(void* memory, std::size_t size) {
    rt::memory_reset(memory, size);
    return REAL(munmap)(memory, size);
}

FENCEPOST_INTERCEPTOR void* mremap(void* memory, std::size_t size, std::size_t wanted, int flags, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, flags);
    void* const where = __builtin_va_arg(arguments, void*);
    __builtin_va_end(arguments);
    rt::memory_reset(memory, size);
    return REAL(mremap)(memory, size, wanted, flags, where);
}
