// The newest plain accesses of a thread, to tell where in the code one was that turns out to race.
#pragma once

#include <atomic>
#include <cstdint>

namespace fencepost::rt {

struct Trace {
    static constexpr unsigned kept = 1U << 14;

    std::atomic<std::uint32_t> made{0};
    std::atomic<std::uint64_t> entries[kept];

    // A stack's name, never 0, and which eight bytes; or 0, and a segment that begins.
    void access(std::uintptr_t address, bool is_write, std::uint32_t stack) {
        put(key(address, is_write) << 32 | stack);
    }
    void segment(std::uint32_t number) { put(static_cast<std::uint64_t>(number) << 32); }

    // The stack of the newest such access in the segment; 0: not remembered.
    std::uint32_t find(std::uint32_t segment, std::uintptr_t address, bool is_write) const;

  private:
    static std::uint64_t key(std::uintptr_t address, bool is_write) {
        return (address >> 3 & 0x7fffffff) << 1 | is_write;
    }
    void put(std::uint64_t entry) {
        const std::uint32_t at = made.load(std::memory_order_relaxed);
        entries[at % kept].store(entry, std::memory_order_relaxed);
        made.store(at + 1, std::memory_order_release);
    }
};

}  // namespace fencepost::rt
