// The seam of the controlled scheduler: what the rest of the runtime tells it, and may ask of it.
//
// Under control one thread runs at a time: the one that holds the token. At a point a thread says what it is about to
// do, and goes on only when the strategy has chosen it. So between two points of a thread nobody else runs, and what
// only the holder of the token touches needs no lock.
//
// In native mode every function here does nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::sched {

enum class Point : std::uint8_t {
    Load,
    Store,
    Rmw,         // and CAS
    Fence,       // a seq_cst fence: all of them meet at one hidden location
    LocalFence,  // other fences, and all else that only the thread itself notices
    Sync,        // an operation on a mutex, a condition variable, ...: `address` is the object
    Create,
    Start,  // a thread's first
    Join,
    Yield,  // let others go first
    Sleep,
    Exit,
};

// Set once before main, and never again.
extern bool controlling __attribute__((visibility("hidden")));

// The number of the calling thread in order of creation, 0 for main's; -1 for a thread that is not under control.
extern constinit thread_local int self __attribute__((tls_model("initial-exec")));

inline bool controlled() { return __builtin_expect(static_cast<long>(controlling), 0L) != 0 && self >= 0; }

// Returns when the calling thread may do what it says it is about to do.
void reach(Point kind, const void* address, bool writes);

inline void point(Point kind, const void* address, bool writes) {
    if (controlled()) reach(kind, address, writes);
}

// After an access: the value it read or wrote, and whether memory changed. A thread that keeps seeing what it has just
// seen, and changes nothing, is one that spins: others go first.
void note_access(const void* address, std::uint64_t value, bool changed);

inline void observed(const void* address, std::uint64_t value, bool changed) {
    if (controlled()) note_access(address, value, changed);
}

// Blocks until another thread writes `address` (for annotated waits). Only under control.
// `place`: in the program's code.
void await_write(const void* address, std::uintptr_t place);

// A choice of the program among 0..count-1, which is part of the schedule. In native mode it is random.
int choose(int count);

// Something was found: the fork server counts.
void note_violation();
void note_race();

// For reports.
struct Description {
    const char* strategy;  // "native", "random", "pct", "pos", "replay", "exhaustive"
    std::uint64_t seed;
    unsigned depth;
    std::uint64_t expected_steps;  // the k of PCT
};
Description description();
std::uint64_t steps();

}  // namespace fencepost::sched
