#include "report/report.hpp"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/options.hpp"
#include "base/os.hpp"
#include "engine/table.hpp"
#include "engine/threads.hpp"
#include "report/modules.hpp"
#include "report/path.hpp"
#include "report/suppressions.hpp"
#include "schedule/schedule.hpp"

namespace fencepost::rt {
namespace {

SpinLock log_lock;
int descriptor = -2;
std::uint64_t run_number = 0;
bool in_run = false;
bool start_written = false;
std::uint64_t begun = 0;
Findings counts{};

// Records are large; one lies here, and is in use only under the lock.
alignas(Record) char record_space[sizeof(Record)];

Record& new_record(const char* type) {
    Record& record = *new (record_space) Record(type);
    if (in_run) record.number("run", run_number);
    return record;
}

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::Load: return "load";
        case Kind::Store: return "store";
        case Kind::Rmw: return "rmw";
        case Kind::CasWeak: return "cas_weak";
        case Kind::CasStrong: return "cas";
        case Kind::Wait: return "wait";
        case Kind::BlockingCas: return "bcas";
        case Kind::Fence: return "fence";
        case Kind::Read: return "read";
        case Kind::Write: return "write";
        case Kind::Sync: return "sync";
    }
    return "";
}

const char* name_of(Order order) {
    static constexpr const char* names[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst", "plain"};
    return names[order];
}

const char* kind_of_finding(Kind kind) {
    switch (kind) {
        case Kind::Load: return "read";
        case Kind::Wait: return "wait";
        case Kind::BlockingCas: return "bcas";
        case Kind::CasWeak:
        case Kind::CasStrong: return "cas";
        default: return "write";
    }
}

// Pairs of code places that have been told. A hash table that is never emptied in a process.
constexpr std::size_t most_known = 1U << 14;
std::uint64_t known[most_known];

bool is_new(std::uint64_t kind, std::uintptr_t one, std::uintptr_t other) {
    std::uint64_t key = (one * 0x9e3779b97f4a7c15U ^ (other + kind)) * 0xff51afd7ed558ccdU;
    key += key == 0;
    for (std::size_t i = 0; i < most_known; ++i) {
        std::uint64_t& slot = known[(key + i) & (most_known - 1)];
        if (slot == key) return false;
        if (slot == 0) {
            slot = key;
            return true;
        }
    }
    return false;
}

void write_module(Module& module) {
    if (module.is_logged) return;
    module.is_logged = true;
    static Record* space = nullptr;
    static char memory[sizeof(Record)];
    space = new (memory) Record("module");
    if (in_run) space->number("run", run_number);
    space->number("id", module.id).text("path", module.path).hex("base", module.base);
    space->write(descriptor);
}

void add_named_stack(Record& record, std::uint32_t name) {
    std::uintptr_t frames[deepest_stack];
    add_stack(record, "stack", frames, frames_of(name, frames, deepest_stack));
}

std::uintptr_t place_of(std::uint32_t stack) {
    std::uintptr_t frame = 0;
    frames_of(stack, &frame, 1);
    return frame;
}

void add_write(Record& record, const char* key, const Write& write, const Access& access) {
    record.begin_object(key);
    if (write.by()) {
        record.number("thread", number_of_event(write.by()));
        record.text("what", write.is_rmw() ? "rmw" : "store");
        record.text("order", name_of(static_cast<Order>(write.order())));
    } else {
        record.text("what", "initial");
    }
    record.number("size", access.size).hex("address", access.address).hex("value", write.value);
    add_named_stack(record, write.stack);
    record.end_object();
}

void add_plain(Record& record, const char* key, const PlainAccess& access) {
    record.begin_object(key);
    record.number("thread", access.thread);
    record.text("what", access.is_atomic ? (access.is_write ? "store" : "load") : access.is_write ? "write" : "read");
    record.text("order", name_of(access.order));
    record.number("size", access.size).hex("address", access.address);
    add_named_stack(record, access.stack);
    record.end_object();
}

// Short text, for those who run a program by itself.
class Text {
  public:
    Text& operator<<(const char* text) {
        while (*text && used_ < sizeof buffer_ - 1) buffer_[used_++] = *text++;
        return *this;
    }
    Text& operator<<(std::uint64_t value) {
        char digits[24];
        std::snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(value));
        return *this << digits;
    }
    Text& hex(std::uint64_t value) {
        char digits[24];
        std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(value));
        return *this << digits;
    }
    Text& stack(std::uint32_t name) {
        std::uintptr_t frames[deepest_stack];
        const unsigned count = frames_of(name, frames, deepest_stack);
        for (unsigned i = 0; i < count && i < 6; ++i) {
            *this << (i ? "      from " : "      at ");
            if (const Module* const module = module_of(frames[i]))
                (*this << module->path << "+").hex(frames[i] - module->base);
            else hex(frames[i]);
            *this << "\n";
        }
        return *this;
    }
    void write() { write_all(2, buffer_, used_); }

  private:
    char buffer_[8000];
    std::size_t used_ = 0;
};

void tell_violation(const ThreadState& thread, const Access& access, const Finding& finding, std::uint32_t stack) {
    Text text;
    text << "fencepost: not robust: the " << name_of(access.order) << " " << name_of(access.kind) << " of ";
    text.hex(access.address) << " by thread " << thread.number << " need not see a newer write\n";
    text.stack(stack);
    text << "    the write that it may miss, though it comes first under SC: " << name_of(static_cast<Order>(finding.missed.order()))
         << (finding.missed.is_rmw() ? " rmw" : " store") << " of ";
    text.hex(finding.missed.value) << "\n";
    text.stack(finding.missed.stack);
    if (finding.has_stale) (text << "    what it may take instead: ").hex(finding.stale.value) << "\n";
    text.write();
}

void tell_race(const PlainAccess& first, const PlainAccess& second) {
    Text text;
    text << "fencepost: data race on ";
    text.hex(second.address) << " (" << second.size << " bytes)\n";
    for (const PlainAccess* access : {&second, &first}) {
        text << "    " << name_of(access->order) << (access->is_write ? " write" : " read") << " by thread " << access->thread
             << (access == &first ? ", before" : "") << "\n";
        text.stack(access->stack);
    }
    text.write();
}

void stop_if_asked() {
    if (!options().halt_on_error) return;
    unlock_log();
    write_end(options().exitcode);
    syscall(SYS_exit_group, options().exitcode);
}

void open_log() {
    if (descriptor != -2) return;
    const char* const path = options().log_path;
    descriptor = -1;
    if (!path) return;
    descriptor = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (descriptor < 0) {
        descriptor = -1;
        fail_usage("the log cannot be written: ", path);
    }
}

}  // namespace

int log_descriptor() {
    open_log();
    return descriptor;
}

void lock_log() { log_lock.lock(); }
void unlock_log() { log_lock.unlock(); }

void add_stack(Record& record, const char* key, const std::uintptr_t* frames, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
        if (Module* const module = module_of(frames[i])) write_module(*module);
    record.begin_list(key);
    for (unsigned i = 0; i < count; ++i) {
        const Module* const module = module_of(frames[i]);
        if (!module) continue;
        record.begin_list().number_element(module->id).hex_element(frames[i] - module->base).end_list();
    }
    record.end_list();
}

unsigned stack_here(ThreadState& thread, std::uintptr_t place, std::uintptr_t* frames, unsigned most) {
    return frames_of(thread.stack.name(place), frames, most);
}

void report_violation(ThreadState& thread, const Access& access, const Finding& finding, bool benign) {
    if (thread.ignoring || thread.benign) return;
    const std::uint32_t stack = thread.stack.name(access.place);
    open_log();
    const Guard guard(log_lock);
    if (!is_new(benign ? 3 : 1, access.place, place_of(finding.missed.stack))) return;
    const bool suppressed = is_suppressed("robustness", stack) || is_suppressed("robustness", finding.missed.stack);
    if (!benign && !suppressed) {
        ++counts.violations;
        sched::note_violation();
    }
    if (descriptor < 0) {
        if (!benign && !suppressed) tell_violation(thread, access, finding, stack);
    } else {
        Record& record = new_record(benign ? "benign_wait" : "violation");
        record.text("kind", kind_of_finding(access.kind));
        record.begin_object("access").number("thread", thread.number).text("what", name_of(access.kind));
        record.text("order", name_of(access.order)).number("size", access.size).hex("address", access.address);
        add_named_stack(record, stack);
        record.end_object();
        add_write(record, "missed", finding.missed, access);
        if (finding.has_stale) add_write(record, "stale", finding.stale, access);
        Step steps[longest_path];
        const unsigned count = path_between(thread, finding.missed.by(), access.address, steps);
        record.begin_list("path");
        for (unsigned i = 0; i < count; ++i) {
            record.begin_object().number("thread", steps[i].thread);
            record.text("what", name_of(steps[i].kind)).text("order", name_of(steps[i].order));
            record.hex("address", steps[i].address);
            add_named_stack(record, steps[i].stack);
            record.end_object();
        }
        record.end_list();
        if (suppressed) record.number("suppressed", 1);
        record.write(descriptor);
    }
    if (!benign && !suppressed) stop_if_asked();
}

void report_race(ThreadState& thread, const PlainAccess& first, const PlainAccess& second) {
    if (thread.ignoring) return;
    open_log();
    const Guard guard(log_lock);
    const std::uintptr_t one = place_of(first.stack);
    const std::uintptr_t other = place_of(second.stack);
    if (!is_new(2, one < other ? one : other, one < other ? other : one)) return;
    const bool suppressed = is_suppressed("race", first.stack) || is_suppressed("race", second.stack);
    if (!suppressed) {
        ++counts.races;
        sched::note_race();
    }
    if (descriptor < 0) {
        if (!suppressed) tell_race(first, second);
    } else {
        Record& record = new_record("race");
        add_plain(record, "first", first);
        add_plain(record, "second", second);
        if (suppressed) record.number("suppressed", 1);
        record.write(descriptor);
    }
    if (!suppressed) stop_if_asked();
}

void report_deadlock(const BlockedThread* threads, unsigned count) {
    open_log();
    const Guard guard(log_lock);
    ++counts.deadlocks;
    if (descriptor < 0) {
        Text text;
        text << "fencepost: deadlock: every thread waits for another one\n";
        for (unsigned i = 0; i < count; ++i) {
            text << "  thread " << threads[i].thread << " " << threads[i].waits_for << "\n";
            text.stack(threads[i].stack);
        }
        text.write();
        return;
    }
    Record& record = new_record("deadlock");
    record.begin_list("threads");
    for (unsigned i = 0; i < count; ++i) {
        record.begin_object().number("thread", threads[i].thread).text("waits_for", threads[i].waits_for);
        record.hex("address", threads[i].address);
        add_named_stack(record, threads[i].stack);
        record.end_object();
    }
    record.end_list().write(descriptor);
}

void log_error(const char* message) {
    say(message);
    log_failure(message, "", "");
}

void log_failure(const char* text, const char* more, const char* end) {
    if (descriptor < 0) return;
    char message[600];
    std::snprintf(message, sizeof message, "%s%s%s", text, more, end);
    // Not under the lock, which may be held by who fails: a record of its own, and one write.
    static char memory[sizeof(Record)];
    Record& record = *new (memory) Record("error");
    if (in_run) record.number("run", run_number);
    record.text("message", message).write(descriptor);
}

Findings findings() { return counts; }
void count_deadlock() { ++counts.deadlocks; }

void forget_findings() { counts = Findings(); }

void begin_run_log(std::uint64_t run) {
    run_number = run;
    in_run = true;
    start_written = false;
    counts = Findings();
    std::memset(known, 0, sizeof known);
}

void write_start() {
    begun = nanoseconds();
    open_log();
    if (descriptor < 0 || start_written) return;
    start_written = true;
    const Guard guard(log_lock);
    Record& record = new_record("start");
    const sched::Description schedule = sched::description();
    record.number("pid", static_cast<std::uint64_t>(syscall(SYS_getpid)));
    static char arguments[4096];
    char program[512];
    const long length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    record.text("program", program);
    const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0));
    const long bytes = file < 0 ? 0 : syscall(SYS_read, file, arguments, sizeof arguments - 1);
    if (file >= 0) syscall(SYS_close, file);
    record.begin_list("argv");
    for (long at = 0; at < bytes;) {
        arguments[bytes] = 0;
        record.text_element(arguments + at);
        at += static_cast<long>(std::strlen(arguments + at)) + 1;
    }
    record.end_list().text("schedule", schedule.strategy).number("seed", schedule.seed);
    record.number("depth", schedule.depth).number("steps", schedule.expected_steps).text("version", "1");
    record.write(descriptor);
}

void write_end(int status) {
    if (descriptor < 0) return;
    const Guard guard(log_lock);
    std::uint64_t accesses = 0;
    lock_threads();
    for (const ThreadState* thread = all_threads(); thread; thread = thread->next) accesses += thread->accesses;
    accesses += accesses_of_ended_threads();
    unlock_threads();
    Record& record = new_record("end");
    record.number("status", static_cast<std::uint64_t>(status & 0xff)).number("steps", sched::steps());
    record.number("accesses", accesses).number("locations", locations_made());
    record.number("violations", counts.violations).number("races", counts.races);
    record.real("seconds", static_cast<double>(nanoseconds() - begun) / 1e9);
    record.write(descriptor);
}

int final_status(int status) {
    if (status != 0) return status;
    return counts.violations || counts.races || counts.deadlocks ? options().exitcode : 0;
}

}  // namespace fencepost::rt
