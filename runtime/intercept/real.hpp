// The functions behind the ones that are intercepted here.
#pragma once

#include <cstddef>

// Weak, so that a program that brings its own (an allocator's free, say) links, and keeps it.
#define FENCEPOST_INTERCEPTOR extern "C" __attribute__((visibility("default"), weak))

namespace fencepost::intercept {

template <std::size_t size>
struct Name {
    char text[size];
    constexpr Name(const char (&name)[size]) {  // NOLINT: implicit, as names are written in angle brackets
        for (std::size_t i = 0; i < size; ++i) text[i] = name[i];
    }
};

// The next definition of `name` in the order of libraries. Null if there is none, which only optional functions may be.
void* find_next(const char* name, const char* version, bool optional);

// Looked for at the start: later it might be in the middle of what looks for it (dlsym frees its last message).
void find_free();

template <Name name, class Function>
Function* real_function(const char* version = nullptr, bool optional = false) {
    static void* found = nullptr;
    void* function = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (function == nullptr) {
        function = find_next(name.text, version, optional);
        __atomic_store_n(&found, function, __ATOMIC_RELAXED);
    }
    return reinterpret_cast<Function*>(function);
}

}  // namespace fencepost::intercept

#define REAL(function) (::fencepost::intercept::real_function<#function, decltype(::function)>())
