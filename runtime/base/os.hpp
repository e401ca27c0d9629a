// What the runtime takes from the system, and never from the program that it watches: memory, locks, a way to say something.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fencepost::rt {

// Zeroed pages, backed by memory only where they are touched. Ends the process with a message if there are none.
void* map_pages(std::size_t bytes, const char* purpose);
void unmap_pages(void* pages, std::size_t bytes);
// Gives the memory back; reads as zero afterwards.
void forget_pages(void* pages, std::size_t bytes);

// Bytes that are never given back, zeroed and aligned to 16; from any thread.
void* allocate_forever(std::size_t bytes, const char* purpose);

void write_all(int descriptor, const char* text, std::size_t bytes);
// "fencepost: ..." on stderr.
void say(const char* text, const char* more = "", const char* end = "");
// Says so, tells the log, and ends the process with exit code 4: the tool cannot go on, and does not pretend to.
[[noreturn]] void fail(const char* text, const char* more = "", const char* end = "");
// The same for what the user can mend; exit code 3.
[[noreturn]] void fail_usage(const char* text, const char* more = "", const char* end = "");

// At once, with nothing more done or said (the program's _exit is intercepted).
[[noreturn]] void leave_process(int code);

std::uint64_t nanoseconds();  // of a clock that nobody intercepts

// Set by the report: writes an `error` record if there is a log.
void log_failure(const char* text, const char* more, const char* end);

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    asm volatile("yield" ::: "memory");
#endif
}

void yield_processor();

// A lock of one byte. It does not call into pthreads, which are intercepted.
class SpinLock {
  public:
    void lock() {
        if (__builtin_expect(!held_.exchange(true, std::memory_order_acquire), 1)) return;
        lock_slowly();
    }
    bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
    void unlock() { held_.store(false, std::memory_order_release); }

  private:
    void lock_slowly() {
        for (int spins = 0;; ++spins) {
            while (held_.load(std::memory_order_relaxed)) {
                if (spins++ < 200) pause();
                else yield_processor();
            }
            if (!held_.exchange(true, std::memory_order_acquire)) return;
        }
    }

    std::atomic<bool> held_{false};
};

template <class Lock>
class Guard {
  public:
    explicit Guard(Lock& lock) : lock_(lock) { lock_.lock(); }
    ~Guard() { lock_.unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

  private:
    Lock& lock_;
};

}  // namespace fencepost::rt
