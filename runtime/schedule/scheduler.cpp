#include "scheduler.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "base/busy.hpp"
#include "base/os.hpp"
#include "explore.hpp"
#include "pages.hpp"
#include "processors.hpp"
#include "trace.hpp"

namespace fencepost::sched {

bool controlling = false;
constinit thread_local int self __attribute__((tls_model("initial-exec"))) = -1;

namespace {

constexpr std::uint64_t tick = 1000;           // nanoseconds of virtual time that a step takes
constexpr std::uint64_t longest_turn = 20000;  // steps after which a thread must let the others go first
constexpr int all_looks_but_one = Looks::patience - 1;

struct Universe {
    Config config;
    Strategy strategy;
    Recorder recorder;
    Replayer replayer;
    Task* tasks = nullptr;
    Task** live = nullptr;   // not finished, in order of creation
    Task** ready = nullptr;  // scratch
    int created = 0;
    int alive = 0;
    int timed = 0;     // blocked with a deadline
    int watchers = 0;  // blocked until somebody writes
    int spinners = 0;
    std::uint64_t blocks = 0;
    std::uint64_t clock = 0;
    std::uint64_t turn = 0;  // steps of the current thread in a row
    Task* current = nullptr;
    bool yielding = false;
};

Universe u;
Outcome private_outcome;

// The kernel's part. Neither function touches errno.
long raw_futex(int* word, int operation, int value, const timespec* limit = nullptr) {
    long result;
#if defined(__x86_64__)
    register const timespec* timeout __asm__("r10") = limit;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(static_cast<long>(SYS_futex)), "D"(word), "S"(operation), "d"(value), "r"(timeout)
                     : "rcx", "r11", "memory");
#else
    result = syscall(SYS_futex, word, operation, value, limit);
#endif
    return result;
}

// Whether the thread sleeps in the kernel.
bool is_asleep(const Task& task) {
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", __atomic_load_n(&task.kernel_id, __ATOMIC_RELAXED));
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0) return false;
    text[size] = 0;
    const char* const end = strrchr(text, ')');  // of its name
    return end != nullptr && (end[2] == 'S' || end[2] == 'D');
}

// Nobody has had a turn for long: the one whose turn it is may wait for another thread where that cannot be seen.
void complain(std::uint64_t& seen) {
    static bool said = false;
    const std::uint64_t steps_now = __atomic_load_n(&outcome->steps, __ATOMIC_RELAXED);
    const bool stands_still = steps_now == seen;
    seen = steps_now;
    const Task* const holder = __atomic_load_n(&u.current, __ATOMIC_RELAXED);
    if (!stands_still || holder == nullptr || !is_asleep(*holder)) return;
    if (__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) return;
    hooks.message(
        "the thread whose turn it is has been blocked in the kernel for seconds (it reads from a pipe that another "
        "thread writes, say). Under control the others wait until it goes on; schedule=native lets all run");
}

void await_token(Task& task) {
    constexpr timespec patience = {2, 0};
    std::uint64_t seen = __atomic_load_n(&outcome->steps, __ATOMIC_RELAXED);
    while (__atomic_load_n(&task.go, __ATOMIC_ACQUIRE) == 0) {
        if (raw_futex(&task.go, FUTEX_WAIT_PRIVATE, 0, &patience) == -ETIMEDOUT) complain(seen);
    }
    __atomic_store_n(&task.go, 0, __ATOMIC_RELAXED);
}

void give_token(Task& task) {
    __atomic_store_n(&task.go, 1, __ATOMIC_RELEASE);
    raw_futex(&task.go, FUTEX_WAKE_PRIVATE, 1);
}

void make_ready(Task& task, bool timed_out) {
    if (task.deadline != never) --u.timed;
    if (task.for_write) --u.watchers;
    task.for_write = false;
    task.deadline = never;
    task.timed_out = timed_out;
    task.state = State::Ready;
}

void stop_spinning(Task& task) {
    if (task.spinning) --u.spinners;
    task.spinning = false;
    task.looks.forget();
}

void start_spinning(Task& task) {
    if (!task.spinning) ++u.spinners;
    task.spinning = true;
}

// Wakes whose time has come. Returns whether there was one.
bool wake_timed() {
    bool any = false;
    for (int i = 0; i < u.alive && u.timed > 0; ++i) {
        Task& task = *u.live[i];
        if (task.state == State::Blocked && task.deadline <= u.clock) {
            make_ready(task, true);
            any = true;
        }
    }
    return any;
}

// Nobody has anything to do before the next deadline: it is now.
void advance_clock() {
    std::uint64_t next = never;
    for (int i = 0; i < u.alive; ++i) {
        const Task& task = *u.live[i];
        if (task.state == State::Blocked && task.deadline < next) next = task.deadline;
    }
    if (u.clock < next) u.clock = next;
    wake_timed();
}

void deadlock() {
    int count = 0;
    for (int i = 0; i < u.alive; ++i) u.ready[count++] = u.live[i];
    outcome->status = Status::Deadlock;
    hooks.deadlock(u.ready, count);
    abandon(Status::Deadlock, nullptr);
}

// Those who may be chosen, in u.ready. 0: there is no thread left.
int candidates() {
    for (;;) {
        if (u.timed > 0) wake_timed();
        int ready = 0;
        int eager = 0;
        for (int i = 0; i < u.alive; ++i) {
            Task* task = u.live[i];
            if (task->state != State::Ready) continue;
            ++ready;
            if (!task->spinning) u.ready[eager++] = task;
        }
        if (eager > 0) {
            // A thread that yields lets others go first, if there are any. An exploration takes it for one step as any
            // other.
            if (u.yielding && eager > 1 && u.config.kind != Kind::Exhaustive) {
                int kept = 0;
                for (int i = 0; i < eager; ++i) {
                    if (u.ready[i] != u.current) u.ready[kept++] = u.ready[i];
                }
                eager = kept;
            }
            return eager;
        }
        if (u.timed > 0) {
            advance_clock();
        } else if (ready == 0) {
            if (u.alive == 0) return 0;
            deadlock();
        } else {
            // All spin: each may look again, and spins on if there is nothing new.
            for (int i = 0; i < u.alive; ++i) {
                Task& task = *u.live[i];
                if (!task.spinning) continue;
                task.spinning = false;
                --u.spinners;
                task.looks.stale = all_looks_but_one;
            }
        }
    }
}

Task* follow(int count) {
    for (;;) {
        const int wanted = u.replayer.next();
        if (wanted < 0) {
            if (!u.config.lenient && u.replayer.complete())
                abandon(Status::Diverged, "the recorded schedule is over, and the program goes on");
            return u.strategy.pick(u.ready, count, u.current, outcome->contested);
        }
        for (int i = 0; i < u.alive; ++i) {
            // Whom the recorded strategy could choose may spin or yield here; a ready thread is enough.
            Task* task = u.live[i];
            if (task->id != wanted || task->state != State::Ready) continue;
            if (!u.replayer.take(outcome->hash, !u.config.lenient))
                abandon(Status::Diverged, "the program does not do what it did when the schedule was recorded");
            return task;
        }
        if (!u.config.lenient)
            abandon(Status::Diverged, "a thread that ran when the schedule was recorded cannot run now");
        u.replayer.skip_segment();
    }
}

// A step that nobody else can notice may as well come first, whatever the strategy: every schedule has an equal one
// that does so, and chance is spent on steps whose order matters. Above all, threads begin when all of them are there.
Task* unnoticed(int count) {
    Task* found = nullptr;
    for (int i = 0; i < count; ++i) {
        if (!is_local(u.ready[i]->pending) || u.ready[i]->pending.kind == Point::Yield) continue;
        if (found == nullptr || u.ready[i] == u.current) found = u.ready[i];
    }
    return found;
}

Task* ask_strategy(int count) {
    if (u.config.kind == Kind::Replay) return follow(count);
    if (u.config.kind != Kind::Exhaustive) return u.strategy.pick(u.ready, count, u.current, outcome->contested);
    Task* const chosen = explorer.pick(u.ready, count, u.current);
    if (chosen != nullptr) return chosen;
    if (explorer.trouble() != nullptr) abandon(Status::Diverged, explorer.trouble());
    abandon(Status::Redundant, nullptr);
}

// Who waits for a write to the address, or spins on it, may look again.
void tell_of_write(const void* address, const Task* writer) {
    if (u.watchers == 0 && u.spinners == 0) return;
    for (int i = 0; i < u.alive; ++i) {
        Task& task = *u.live[i];
        if (task.state == State::Blocked && task.for_write && task.waits_for == address) make_ready(task, false);
        if (task.spinning && &task != writer && task.looks.includes(address)) stop_spinning(task);
    }
}

// Decides who takes the next step. Null: there is no thread left.
Task* decide() {
    const int count = candidates();
    u.yielding = false;
    if (count == 0) return nullptr;
    if (outcome->steps >= u.config.max_steps) abandon(Status::Bound, "the bound on steps is reached (max_steps)");
    // Those who wait for the token look at this and at who has it, now and then (complain).
    __atomic_store_n(&outcome->steps, outcome->steps + 1, __ATOMIC_RELAXED);
    u.clock += tick;

    const bool strategic = u.config.kind != Kind::Replay && u.config.kind != Kind::Exhaustive;
    Task* chosen = strategic ? unnoticed(count) : nullptr;
    if (chosen == nullptr) {
        if (count > 1) ++outcome->contested;
        chosen = ask_strategy(count);
    }
    if (u.recorder.on()) u.recorder.step(chosen->id, outcome->hash);

    const Operation done = chosen->pending;
    outcome->hash = (outcome->hash ^ (static_cast<std::uint64_t>(chosen->id) << 8 |
                                      static_cast<std::uint64_t>(done.kind) << 1 | (done.writes ? 1U : 0U))) *
                    0x100000001b3U;
    chosen->last_step = outcome->steps;
    // Whether an RMW changes anything is known when it is done (note_access): a CAS that fails is no news for who
    // spins.
    if (done.writes && done.kind != Point::Rmw) tell_of_write(done.address, chosen);
    u.strategy.executed(*chosen, u.ready, count);

    if (chosen == u.current) {
        if (++u.turn == longest_turn) {
            u.turn = 0;
            start_spinning(*chosen);
            u.strategy.yielded(*chosen);
        }
    } else {
        ++outcome->switches;
        u.turn = 0;
    }
    __atomic_store_n(&u.current, chosen, __ATOMIC_RELAXED);
    return chosen;
}

// The calling thread's next step is announced; returns when it may take it.
void go_on(Task& me) {
    const rt::Busy busy;  // a signal's handler waits until the thread has the token again
    Task* next = decide();
    if (next == &me) return;
    give_token(*next);
    await_token(me);
}

void prepare(Task& task, int id) {
    task.id = id;
    task.state = State::Ready;
    task.deadline = never;
    task.pending = Operation{};
    u.strategy.created(task);
    u.live[u.alive++] = &task;
    ++outcome->threads;
}

std::uint32_t no_stack(std::uintptr_t) { return 0; }

void print_message(const char* text) {
    std::size_t length = 0;
    while (text[length] != 0) ++length;
    const char* const parts[] = {"fencepost: ", text, "\n"};
    const std::size_t lengths[] = {11, length, 1};
    for (int i = 0; i < 3; ++i) {
        if (write(2, parts[i], lengths[i]) < 0) return;
    }
}

void print_deadlock(const Task* const* blocked, int count) {
    print_message("deadlock: every thread waits");
    for (int i = 0; i < count; ++i) print_message(blocked[i]->why != nullptr ? blocked[i]->why : "waits");
}

void end_at_once(Status) { rt::leave_process(66); }

}  // namespace

Outcome* outcome = &private_outcome;
Explorer explorer;
Hooks hooks = {no_stack, print_deadlock, print_message, end_at_once};

const char* name_of(Status status) {
    switch (status) {
        case Status::Ok: return "ok";
        case Status::Deadlock: return "deadlock";
        case Status::Bound: return "bound";
        case Status::Diverged: return "diverged";
        case Status::Redundant: return "redundant";
        case Status::Crashed: return "crashed";
        case Status::TimedOut: return "timeout";
    }
    return "?";
}

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::Native: return "native";
        case Kind::Random: return "random";
        case Kind::Pct: return "pct";
        case Kind::Pos: return "pos";
        case Kind::Replay: return "replay";
        case Kind::Exhaustive: return "exhaustive";
    }
    return "?";
}

void prepare_tasks() {
    if (u.tasks != nullptr) return;
    u.tasks = pages<Task>(max_tasks);
    u.live = pages<Task*>(max_tasks);
    u.ready = pages<Task*>(max_tasks);
}

void begin_run(const Config& config) {
    u.config = config;
    *outcome = Outcome{};
    outcome->seed = config.seed;
    outcome->depth = config.depth;
    outcome->kind = config.kind;
    if (config.kind == Kind::Native) return;
    share_processor();
    prepare_tasks();
    if (u.tasks == nullptr || u.live == nullptr || u.ready == nullptr)
        abandon(Status::Diverged, "there is no memory for controlled scheduling");
    u.strategy.start(config.kind, config.seed, config.depth, config.expected_steps);
    if (config.kind == Kind::Exhaustive) explorer.begin();
    if (config.replay != nullptr) {
        const char* trouble = u.replayer.open(config.replay);
        if (trouble != nullptr) abandon(Status::Diverged, trouble);
    }
    if (config.record != nullptr && !u.recorder.open(config.record, ""))
        abandon(Status::Diverged, "the schedule cannot be recorded: its file cannot be written");
    u.created = 1;
    prepare(u.tasks[0], 0);
    u.tasks[0].kernel_id = static_cast<int>(syscall(SYS_gettid));
    u.current = &u.tasks[0];
    self = 0;
    controlling = true;
}

void finish_run() {
    if (controlling) u.recorder.finish(outcome->hash, name_of(outcome->status));
}

void abandon(Status status, const char* message) {
    outcome->status = status;
    if (message != nullptr) hooks.message(message);
    finish_run();
    hooks.end(status);
    rt::leave_process(66);
}

void reach(Point kind, const void* address, bool writes) {
    static const char fence_location = 0;
    Task& me = u.tasks[self];
    me.pending = kind == Point::Fence ? Operation{kind, &fence_location, true} : Operation{kind, address, writes};
    go_on(me);
}

void note_access(const void* address, std::uint64_t value, bool changed) {
    Task& me = u.tasks[self];
    if (changed) {
        me.looks.forget();
        if (me.pending.kind == Point::Rmw) tell_of_write(address, &me);
    } else if (me.looks.note(address, value)) {
        start_spinning(me);
    }
}

int create() {
    if (u.created == max_tasks) return -1;
    const int id = u.created++;
    prepare(u.tasks[id], id);
    return id;
}

void cancel_creation(int id) {
    Task& task = u.tasks[id];
    task.state = State::Finished;
    int kept = 0;
    for (int i = 0; i < u.alive; ++i) {
        if (u.live[i] != &task) u.live[kept++] = u.live[i];
    }
    u.alive = kept;
}

void enter(int id) {
    const rt::Busy busy;  // as in go_on
    self = id;
    __atomic_store_n(&u.tasks[id].kernel_id, static_cast<int>(syscall(SYS_gettid)), __ATOMIC_RELAXED);
    await_token(u.tasks[id]);
}

void leave() {
    Task& me = u.tasks[self];
    cancel_creation(me.id);
    stop_spinning(me);
    wake(&me, everybody);
    for (int i = 0; i < u.alive; ++i) {
        if (u.live[i]->spinning && u.live[i]->looks.includes(&me)) stop_spinning(*u.live[i]);
    }
    me.pending = Operation{Point::Exit, &me, true};
    Task* next = decide();
    self = -1;
    if (next != nullptr) give_token(*next);
}

bool finished(int id) { return u.tasks[id].state == State::Finished; }

const void* join_object(int id) { return &u.tasks[id]; }

bool block(const void* object, const char* why, std::uint64_t deadline, Point kind) {
    Task& me = u.tasks[self];
    me.state = State::Blocked;
    me.waits_for = object;
    me.why = why;
    me.stack = hooks.stack(0);
    me.deadline = deadline;
    me.queued = ++u.blocks;
    if (deadline != never) ++u.timed;
    me.pending = Operation{kind, object, kind == Point::Sync};
    go_on(me);
    return !me.timed_out;
}

int wake(const void* object, int count) {
    int woken = 0;
    for (; woken < count; ++woken) {
        Task* oldest = nullptr;
        for (int i = 0; i < u.alive; ++i) {
            Task* task = u.live[i];
            if (task->state == State::Blocked && task->waits_for == object && !task->for_write &&
                (oldest == nullptr || task->queued < oldest->queued))
                oldest = task;
        }
        if (oldest == nullptr) break;
        make_ready(*oldest, false);
    }
    return woken;
}

void interrupt(int id) {
    Task& task = u.tasks[id];
    if (task.state == State::Blocked) make_ready(task, false);
}

void await_write(const void* address, std::uintptr_t place) {
    Task& me = u.tasks[self];
    me.state = State::Blocked;
    me.waits_for = address;
    me.why = "waits for a value";
    me.stack = hooks.stack(place);
    me.for_write = true;
    ++u.watchers;
    me.pending = Operation{Point::Load, address, false};
    go_on(me);
}

void yield() {
    Task& me = u.tasks[self];
    me.pending = Operation{Point::Yield, nullptr, false};
    u.strategy.yielded(me);
    u.yielding = true;
    go_on(me);
}

int choose(int count) {
    static Random native(static_cast<std::uint64_t>(time(nullptr)) ^ static_cast<std::uint64_t>(getpid()) << 32);
    if (count <= 1) return 0;
    if (!controlled()) return static_cast<int>(native.below(static_cast<std::uint64_t>(count)));
    int value = 0;
    if (u.config.kind == Kind::Exhaustive) {
        value = explorer.choose(count);
        if (value < 0) abandon(Status::Diverged, explorer.trouble());
    } else if (u.config.kind != Kind::Replay || !u.replayer.choice(&value)) {
        value = u.strategy.choose(count);
    }
    if (value >= count)
        abandon(Status::Diverged, "the program makes another choice than when the schedule was recorded");
    if (u.recorder.on()) u.recorder.choice(value);
    return value;
}

std::uint64_t virtual_time() { return u.clock; }

void pass_time(std::uint64_t nanoseconds) { u.clock += nanoseconds; }

void after_fork_in_child() {
    static Outcome own;
    own = *outcome;
    outcome = &own;
    u.recorder = Recorder{};  // the file is the parent's
    if (u.config.kind == Kind::Exhaustive || u.config.kind == Kind::Replay) u.config.kind = Kind::Random;
    for (int i = 0; i < u.created; ++i) {
        if (i != self) u.tasks[i].state = State::Finished;
    }
    u.alive = 1;
    u.live[0] = &u.tasks[self];
    u.timed = u.watchers = u.spinners = 0;
    u.tasks[self].spinning = false;
}

void note_violation() { __atomic_fetch_add(&outcome->violations, 1, __ATOMIC_RELAXED); }
void note_race() { __atomic_fetch_add(&outcome->races, 1, __ATOMIC_RELAXED); }

std::uint64_t steps() { return outcome->steps; }

const Config& run_config() { return u.config; }

const Task& task(int id) { return u.tasks[id]; }

}  // namespace fencepost::sched
