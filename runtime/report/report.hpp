// Findings, told once for each pair of code places: as records of the log, or as short text.
#pragma once

#include <cstdint>

#include "engine/access.hpp"
#include "report/json.hpp"

namespace fencepost::rt {

struct ThreadState;

// One side of a race.
struct PlainAccess {
    unsigned thread;
    bool is_write;
    bool is_atomic;
    Order order;
    unsigned size;
    std::uintptr_t address;
    std::uint32_t stack;  // 0: not known any more
};

void report_violation(ThreadState& thread, const Access& access, const Finding& finding, bool benign);
void report_race(ThreadState& thread, const PlainAccess& first, const PlainAccess& second);

// A thread that cannot go on, when no other can.
struct BlockedThread {
    unsigned thread;
    const char* waits_for;  // in words: "waits for a mutex"
    std::uintptr_t address;
    std::uint32_t stack;  // 0: not known
};
void report_deadlock(const BlockedThread* threads, unsigned count);

void log_error(const char* message);

struct Findings {
    std::uint64_t violations;  // different ones
    std::uint64_t races;
    std::uint64_t deadlocks;
};
Findings findings();
void count_deadlock();
void forget_findings();  // of the parent, in the child of a fork: they do not make its exit code

// The descriptor of the log, or -1: short text goes to stderr then.
int log_descriptor();
// The lock of all that is written; a record is made and written while it is held.
void lock_log();
void unlock_log();
// Adds `key`: [[module, offset], ...], and writes records of modules not yet known before.
void add_stack(Record& record, const char* key, const std::uintptr_t* frames, unsigned count);
// The stack of the calling thread whose innermost place is `place`.
unsigned stack_here(ThreadState& thread, std::uintptr_t place, std::uintptr_t* frames, unsigned most);

// Runs of the fork server have numbers; records then carry them.
void begin_run_log(std::uint64_t run);
void write_start();
void write_end(int status);

// For the end of the process: the exit code that it should have.
int final_status(int status);

}  // namespace fencepost::rt
