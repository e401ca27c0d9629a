// The scheduler itself: tasks, the token, blocking, virtual time. For intercept/ and the rest of schedule/; what others
// need is in schedule.hpp. Only the holder of the token calls these, except where it is said.
#pragma once

#include <cstdint>

#include "schedule.hpp"
#include "strategy.hpp"
#include "task.hpp"

namespace fencepost::sched {

// How a run ended, in the words of the protocol.
enum class Status : std::uint32_t { Ok, Deadlock, Bound, Diverged, Redundant, Crashed, TimedOut };
const char* name_of(Status status);
const char* name_of(Kind kind);

// What is known about a run from outside, even when it has crashed: it lies in memory shared with the fork server.
struct Outcome {
    std::uint64_t steps;
    std::uint64_t contested;  // of these, where there was more than one thread to choose from: what PCT counts
    std::uint64_t switches;
    std::uint64_t threads;
    std::uint64_t violations;
    std::uint64_t races;
    std::uint64_t seed;
    std::uint64_t hash;  // of what was done in which order: equal for equal schedules
    std::uint64_t depth;
    Kind kind;
    Status status;
};
extern Outcome* outcome;

struct Config {
    Kind kind = Kind::Native;
    std::uint64_t seed = 0;
    unsigned depth = 3;
    std::uint64_t expected_steps = 0;  // 0: not known
    std::uint64_t max_steps = 1000000;
    const char* record = nullptr;
    const char* replay = nullptr;
    bool lenient = false;  // a replay that follows the file as far as it can
};

// Makes the calling thread task 0, holder of the token. Called once in a run, before main.
// The memory that a run needs, before the process is forked for it.
void prepare_tasks();
void begin_run(const Config& config);

// Writes the end of the recording. Called once, when the process is about to end.
void finish_run();

// Ends the process: the run cannot go on. Writes what is recorded; does not run the program's exit handlers.
[[noreturn]] void abandon(Status status, const char* message);

// Threads. The parent calls `create` before the thread exists, the thread `enter` first of all and `leave` last of all.
int create();
void cancel_creation(int id);  // there will be no such thread
void enter(int id);
void leave();
bool finished(int id);
const void* join_object(int id);  // what joiners block on

// Gives the token away until somebody wakes `object` or virtual time reaches `deadline`. Returns false if it was time.
// `kind`: what the thread does when it goes on.
bool block(const void* object, const char* why, std::uint64_t deadline = never, Point kind = Point::Sync);

// Lets up to `count` threads that are blocked on `object` go on, oldest first. Returns how many there were.
int wake(const void* object, int count);
constexpr int everybody = max_tasks;

// If the thread is blocked it goes on, as if woken; what it waits for may not have come.
void interrupt(int id);

// The thread lets others go first (sched_yield).
void yield();

// After fork in a controlled run: the child has one thread.
void after_fork_in_child();

// Virtual time, in nanoseconds since the run began.
std::uint64_t virtual_time();
void pass_time(std::uint64_t nanoseconds);

// What the scheduler asks of the rest of the runtime; unit tests have their own.
struct Hooks {
    // The name of the calling thread's stack, whose innermost frame is `place`; 0: where it called the runtime.
    std::uint32_t (*stack)(std::uintptr_t place);
    // Nobody can go on: `blocked` tells why, one entry for each thread.
    void (*deadlock)(const Task* const* blocked, int count);
    void (*message)(const char* text);
    // The run is over before its time: writes what is to be written, and ends the process.
    void (*end)(Status status);
};
extern Hooks hooks;

const Config& run_config();
const Task& task(int id);

class Explorer;
extern Explorer explorer;

}  // namespace fencepost::sched
