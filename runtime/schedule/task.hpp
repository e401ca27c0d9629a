// A thread under control, as the scheduler sees it.
#pragma once

#include <cstdint>

#include "schedule.hpp"

namespace fencepost::sched {

constexpr int max_tasks = 1 << 16;
constexpr std::uint64_t never = ~0ULL;

enum class State : std::uint8_t { Ready, Blocked, Finished };

// What a thread will do when it is chosen next.
struct Operation {
    Point kind = Point::Start;
    const void* address = nullptr;
    bool writes = false;
};

// Whether the order of two operations of different threads can matter.
inline bool conflict(const Operation& a, const Operation& b) {
    return a.address != nullptr && a.address == b.address && (a.writes || b.writes);
}

// Whether nobody else can notice when it is done. (Who waits for the end of a thread waits until then in any case.)
inline bool is_local(const Operation& operation) {
    switch (operation.kind) {
        case Point::LocalFence:
        case Point::Create:
        case Point::Start:
        case Point::Join:
        case Point::Yield: return true;
        default: return false;
    }
}

// Remembers what a thread has seen since it last changed something, to know a spinning one.
struct Looks {
    static constexpr int size = 16;
    static constexpr int patience = 12;  // so many looks that show nothing new make a spin

    const void* address[size];
    std::uint64_t value[size];
    std::uint8_t count;
    std::uint8_t next;
    std::uint8_t stale;

    void forget() { count = next = stale = 0; }

    // Returns whether the thread spins.
    bool note(const void* where, std::uint64_t what) {
        for (int i = 0; i < count; ++i) {
            if (address[i] == where && value[i] == what) {
                if (stale < patience) ++stale;
                return stale == patience;
            }
        }
        stale = 0;
        address[next] = where;
        value[next] = what;
        next = static_cast<std::uint8_t>((next + 1) % size);
        if (count < size) ++count;
        return false;
    }

    bool includes(const void* where) const {
        for (int i = 0; i < count; ++i) {
            if (address[i] == where) return true;
        }
        return false;
    }
};

struct Task {
    int id;
    State state;
    bool spinning;   // let others go first until something changes
    bool timed_out;  // why the last block ended
    int kernel_id;
    int go;  // the futex on which the thread waits for the token
    Operation pending;
    const void* waits_for;  // when blocked
    const char* why;        // in words, for the report of a deadlock
    std::uint32_t stack;    // where it was blocked, as the report names stacks
    bool for_write;         // blocked until somebody writes `waits_for`
    std::uint64_t deadline;
    std::uint64_t queued;  // when it was blocked: the oldest is woken first
    std::int64_t priority;
    std::uint64_t last_step;
    Looks looks;
};

}  // namespace fencepost::sched
