#include "base/os.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ctime>
#include <unistd.h>

namespace fencepost::rt {
namespace {

std::size_t append(char* line, std::size_t used, std::size_t capacity, const char* text) {
    while (*text && used + 2 < capacity) line[used++] = *text++;
    return used;
}

std::size_t append_number(char* line, std::size_t used, std::size_t capacity, std::size_t number) {
    char digits[24];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while (number /= 10);
    while (count && used + 2 < capacity) line[used++] = digits[--count];
    return used;
}

// Where the kernel puts nothing by itself: the addresses of the program's memory do not depend on what the runtime does, and
// lie close together. A wish, not a demand: where it cannot be had, the kernel chooses.
void* far_away(std::size_t bytes) {
    static std::atomic<std::uintptr_t> next{std::uintptr_t{1} << 45};
    constexpr std::uintptr_t page = 4096;
    constexpr std::uintptr_t huge = std::uintptr_t{1} << 21;
    if (bytes >= huge) {
        const std::uintptr_t size = (bytes + 2 * huge - 1) / huge * huge;
        return reinterpret_cast<void*>((next.fetch_add(size + huge, std::memory_order_relaxed) + huge - 1) & ~(huge - 1));
    }
    return reinterpret_cast<void*>(next.fetch_add((bytes + page - 1) / page * page, std::memory_order_relaxed));
}

struct Arena {
    SpinLock lock;
    char* next = nullptr;
    char* end = nullptr;
    unsigned chunks = 0;
};
Arena arena;

}  // namespace

void* map_pages(std::size_t bytes, const char* purpose) {
    void* pages = reinterpret_cast<void*>(syscall(SYS_mmap, far_away(bytes), bytes, PROT_READ | PROT_WRITE,
                                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (pages != MAP_FAILED) return pages;
    char number[32];
    number[append_number(number, 0, sizeof number, bytes >> 10)] = 0;
    char text[200];
    std::size_t used = append(text, 0, sizeof text, "out of memory: the system gives no more than ");
    used = append(text, used, sizeof text, "what is in use now; wanted were KiB for ");
    used = append(text, used, sizeof text, purpose);
    text[used] = 0;
    fail(text, ": ", number);
}

void unmap_pages(void* pages, std::size_t bytes) { syscall(SYS_munmap, pages, bytes); }

void forget_pages(void* pages, std::size_t bytes) { syscall(SYS_madvise, pages, bytes, MADV_DONTNEED); }

void* allocate_forever(std::size_t bytes, const char* purpose) {
    constexpr std::size_t chunk = std::size_t{1} << 20;
    constexpr std::size_t huge = std::size_t{1} << 21;
    bytes = (bytes + 15) & ~std::size_t{15};
    if (bytes > chunk / 4) return map_pages(bytes, purpose);
    const Guard guard(arena.lock);
    if (static_cast<std::size_t>(arena.end - arena.next) < bytes) {
        // Who needs much gets pages that are large: what is looked up at random costs less then.
        const std::size_t wanted = arena.chunks++ < 4 ? chunk : 4 * huge;
        char* begin = static_cast<char*>(map_pages(wanted, purpose));
        char* const end = begin + wanted;
        if (wanted > chunk) {
            begin = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(begin) + huge - 1) & ~(huge - 1));
            syscall(SYS_madvise, begin, static_cast<std::size_t>(end - begin), MADV_HUGEPAGE);
        }
        arena.next = begin;
        arena.end = end;
    }
    char* const result = arena.next;
    arena.next += bytes;
    return result;
}

void write_all(int descriptor, const char* text, std::size_t bytes) {
    while (bytes) {
        const long written = syscall(SYS_write, descriptor, text, bytes);
        if (written < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            return;  // there is nobody left to tell
        }
        text += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

void say(const char* text, const char* more, const char* end) {
    char line[600];
    std::size_t used = append(line, 0, sizeof line, "fencepost: ");
    used = append(line, used, sizeof line, text);
    used = append(line, used, sizeof line, more);
    used = append(line, used, sizeof line, end);
    line[used++] = '\n';
    write_all(2, line, used);
}

void leave_process(int code) {
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
}

void fail(const char* text, const char* more, const char* end) {
    say(text, more, end);
    log_failure(text, more, end);
    leave_process(4);
}

void fail_usage(const char* text, const char* more, const char* end) {
    say(text, more, end);
    log_failure(text, more, end);
    leave_process(3);
}

std::uint64_t nanoseconds() {
    timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

// Not by `syscall`, which is intercepted: under control that would be a step of the program.
void yield_processor() {
#if defined(__x86_64__)
    long result = SYS_sched_yield;
    asm volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long number asm("x8") = SYS_sched_yield;
    register long result asm("x0");
    asm volatile("svc 0" : "=r"(result) : "r"(number) : "memory");
#else
    syscall(SYS_sched_yield);
#endif
}

}  // namespace fencepost::rt
