// memcpy, memmove and memset: clang has names of its own for those of instrumented code, gcc (and clang before 15) has not.
// Those that come from instrumented modules are accesses to ranges; what libraries copy among themselves is their own.

#include <cstring>
#include <link.h>

#include "abi/entry.hpp"
#include "base/busy.hpp"
#include "intercept/real.hpp"

namespace fencepost::rt {
namespace {

using Copy = void*(void*, const void*, std::size_t);
using Fill = void*(void*, int, std::size_t);

// Where copies are called from: the places that were asked about last, and whether their modules are instrumented.
constexpr unsigned places_kept = 256;
std::atomic<std::uintptr_t> decided[places_kept];  // place << 1 | is instrumented

struct Search {
    std::uintptr_t place;
    bool is_instrumented;
};

// The names of the symbols of a module, with which it asks for the runtime (or has it inside).
bool names_runtime(const dl_phdr_info& info, const ElfW(Phdr) & header) {
    const char* names = nullptr;
    std::size_t size = 0;
    for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + header.p_vaddr); entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        if (entry->d_tag == DT_STRSZ) size = entry->d_un.d_val;
    }
    constexpr char wanted[] = "__tsan_func_entry";
    return names && size >= sizeof wanted && memmem(names, size, wanted, sizeof wanted) != nullptr;
}

int look(dl_phdr_info* info, std::size_t, void* context) {
    Search& search = *static_cast<Search*>(context);
    const auto contains = [&](std::uintptr_t address) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& header = info->dlpi_phdr[i];
            if (header.p_type == PT_LOAD && address - (info->dlpi_addr + header.p_vaddr) < header.p_memsz) return true;
        }
        return false;
    };
    if (!contains(search.place)) return 0;
    search.is_instrumented = contains(reinterpret_cast<std::uintptr_t>(&decided));
    for (int i = 0; i < info->dlpi_phnum && !search.is_instrumented; ++i)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) search.is_instrumented = names_runtime(*info, info->dlpi_phdr[i]);
    return 1;
}

__attribute__((noinline)) bool decide(std::uintptr_t place) {
    const Busy inside;
    Search search{place, false};
    dl_iterate_phdr(look, &search);
    decided[place % places_kept].store(place << 1 | search.is_instrumented, std::memory_order_relaxed);
    return search.is_instrumented;
}

bool is_instrumented(std::uintptr_t place) {
    const std::uintptr_t known = decided[place % places_kept].load(std::memory_order_relaxed);
    return __builtin_expect(known >> 1 == place, 1) ? known & 1 : decide(place);
}

// Before the C library's are known: the program has not begun.
[[gnu::optimize("no-tree-loop-distribute-patterns")]] void* copy_bytes(void* to, const void* from, std::size_t size) {
    char* const target = static_cast<char*>(to);
    const char* const source = static_cast<const char*>(from);
    if (target <= source)
        for (std::size_t i = 0; i < size; ++i) target[i] = source[i];
    else
        while (size-- > 0) target[size] = source[size];
    return to;
}
[[gnu::optimize("no-tree-loop-distribute-patterns")]] void* fill_bytes(void* to, int value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) static_cast<char*>(to)[i] = static_cast<char>(value);
    return to;
}

Copy* real_memcpy = copy_bytes;
Copy* real_memmove = copy_bytes;
Fill* real_memset = fill_bytes;

bool is_watched(std::uintptr_t place) {
    return plain_watched && this_thread != nullptr && busy == 0 && is_instrumented(place);
}

}  // namespace

void watch_copies() {
    real_memcpy = reinterpret_cast<Copy*>(intercept::find_next("memcpy", nullptr, false));
    real_memmove = reinterpret_cast<Copy*>(intercept::find_next("memmove", nullptr, false));
    real_memset = reinterpret_cast<Fill*>(intercept::find_next("memset", nullptr, false));
}

extern "C" void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) noexcept { return real_memcpy(to, from, size); }
extern "C" void* memmove(void* to, const void* from, std::size_t size) noexcept { return real_memmove(to, from, size); }
extern "C" void* memset(void* to, int value, std::size_t size) noexcept { return real_memset(to, value, size); }

namespace {

inline void note_copy(void* to, const void* from, std::size_t size, std::uintptr_t place) {
    if (!is_watched(place)) return;
    plain_range(from, size, false, place);
    plain_range(to, size, true, place);
}

}  // namespace

// Weak, as all that is intercepted (intercept/real.hpp).
#define FENCEPOST_COPY(name) extern "C" __attribute__((visibility("default"), weak, used)) void* name
FENCEPOST_COPY(copied)(void* to, const void* from, std::size_t size) __asm__("memcpy");
FENCEPOST_COPY(moved)(void* to, const void* from, std::size_t size) __asm__("memmove");
FENCEPOST_COPY(filled)(void* to, int value, std::size_t size) __asm__("memset");

void* copied(void* to, const void* from, std::size_t size) {
    note_copy(to, from, size, CALLER);
    return real_memcpy(to, from, size);
}
void* moved(void* to, const void* from, std::size_t size) {
    note_copy(to, from, size, CALLER);
    return real_memmove(to, from, size);
}
void* filled(void* to, int value, std::size_t size) {
    if (is_watched(CALLER)) plain_range(to, size, true, CALLER);
    return real_memset(to, value, size);
}

}  // namespace fencepost::rt
