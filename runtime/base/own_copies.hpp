// Included first everywhere in the runtime: its own copies are not those of the program, which intercept/copies.cpp looks at.
#pragma once

#include <cstddef>

extern "C" {
void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) noexcept __asm__("fencepost_memcpy");
void* memmove(void* to, const void* from, std::size_t size) noexcept __asm__("fencepost_memmove");
void* memset(void* to, int value, std::size_t size) noexcept __asm__("fencepost_memset");
}
