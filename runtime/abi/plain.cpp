// Plain accesses and function entries, as gcc and clang emit them for -fsanitize=thread.

#include "abi/entry.hpp"

namespace fencepost::rt {

#define FENCEPOST_PLAIN(size)                                                                             \
    FENCEPOST_ABI void __tsan_read##size(void* address) { plain_access<size, false>(address, CALLER); }   \
    FENCEPOST_ABI void __tsan_write##size(void* address) { plain_access<size, true>(address, CALLER); }   \
    FENCEPOST_ABI void __tsan_read##size##_pc(void* address, void* pc) {                                  \
        plain_access<size, false>(address, place(pc));                                                    \
    }                                                                                                     \
    FENCEPOST_ABI void __tsan_write##size##_pc(void* address, void* pc) {                                 \
        plain_access<size, true>(address, place(pc));                                                     \
    }                                                                                                     \
    FENCEPOST_ABI void __tsan_read_write##size(void* address) { plain_access<size, true>(address, CALLER); }
FENCEPOST_PLAIN(1)
FENCEPOST_PLAIN(2)
FENCEPOST_PLAIN(4)
FENCEPOST_PLAIN(8)
FENCEPOST_PLAIN(16)
#undef FENCEPOST_PLAIN

#define FENCEPOST_UNALIGNED(size)                                                                              \
    FENCEPOST_ABI void __tsan_unaligned_read##size(void* address) { plain_range(address, size, false, CALLER); } \
    FENCEPOST_ABI void __tsan_unaligned_write##size(void* address) { plain_range(address, size, true, CALLER); } \
    FENCEPOST_ABI void __tsan_unaligned_read_write##size(void* address) { plain_range(address, size, true, CALLER); }
FENCEPOST_UNALIGNED(2)
FENCEPOST_UNALIGNED(4)
FENCEPOST_UNALIGNED(8)
FENCEPOST_UNALIGNED(16)
#undef FENCEPOST_UNALIGNED

// Volatile accesses get names of their own only if asked for. They are plain accesses for the language.
#define FENCEPOST_VOLATILE(size)                                                                             \
    FENCEPOST_ABI void __tsan_volatile_read##size(void* address) { plain_range(address, size, false, CALLER); } \
    FENCEPOST_ABI void __tsan_volatile_write##size(void* address) { plain_range(address, size, true, CALLER); } \
    FENCEPOST_ABI void __tsan_unaligned_volatile_read##size(void* address) { plain_range(address, size, false, CALLER); } \
    FENCEPOST_ABI void __tsan_unaligned_volatile_write##size(void* address) { plain_range(address, size, true, CALLER); }
FENCEPOST_VOLATILE(1)
FENCEPOST_VOLATILE(2)
FENCEPOST_VOLATILE(4)
FENCEPOST_VOLATILE(8)
FENCEPOST_VOLATILE(16)
#undef FENCEPOST_VOLATILE

FENCEPOST_ABI void __tsan_read_range(void* address, unsigned long size) { plain_range(address, size, false, CALLER); }
FENCEPOST_ABI void __tsan_write_range(void* address, unsigned long size) { plain_range(address, size, true, CALLER); }
FENCEPOST_ABI void __tsan_read_range_pc(void* address, unsigned long size, void* pc) {
    plain_range(address, size, false, place(pc));
}
FENCEPOST_ABI void __tsan_write_range_pc(void* address, unsigned long size, void* pc) {
    plain_range(address, size, true, place(pc));
}

FENCEPOST_ABI void __tsan_vptr_read(void** address) { plain_access<sizeof(void*), false>(address, CALLER); }

// A constructor or destructor that writes the pointer that is already there changes nothing that another thread could see.
FENCEPOST_ABI void __tsan_vptr_update(void** address, void* value) {
    if (*address != value) plain_access<sizeof(void*), true>(address, CALLER);
}

FENCEPOST_ABI void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
    plain_range(from, size, false, CALLER);
    plain_range(to, size, true, CALLER);
    return __builtin_memcpy(to, from, size);
}

FENCEPOST_ABI void* __tsan_memmove(void* to, const void* from, std::size_t size) {
    plain_range(from, size, false, CALLER);
    plain_range(to, size, true, CALLER);
    return __builtin_memmove(to, from, size);
}

FENCEPOST_ABI void* __tsan_memset(void* to, int value, std::size_t size) {
    plain_range(to, size, true, CALLER);
    return __builtin_memset(to, value, size);
}

FENCEPOST_ABI void __tsan_func_entry(void* caller) { enter_function(caller); }
FENCEPOST_ABI void __tsan_func_exit() { leave_function(); }

FENCEPOST_ABI void __tsan_ignore_thread_begin() { ignore_begin(current()); }
FENCEPOST_ABI void __tsan_ignore_thread_end() { ignore_end(current()); }

FENCEPOST_ABI void __tsan_acquire(void* object) { sync_acquire(current(), object); }
FENCEPOST_ABI void __tsan_release(void* object) { sync_release(current(), object); }

}  // namespace fencepost::rt
