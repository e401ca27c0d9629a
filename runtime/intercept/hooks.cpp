// What the scheduler has to tell, and to whom.
#include <unistd.h>

#include "engine/thread.hpp"
#include "report/report.hpp"
#include "sync.hpp"

namespace fencepost::intercept {

thread_local const void* called_from __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr int most_told = 64;  // threads of a deadlock

std::uint32_t stack_of_caller(std::uintptr_t place) {
    if (place == 0 && called_from != nullptr) place = reinterpret_cast<std::uintptr_t>(called_from) - 1;
    return place == 0 ? 0 : rt::current()->stack.name(place);
}

void tell_deadlock(const sched::Task* const* blocked, int count) {
    rt::BlockedThread threads[most_told];
    const int told = count < most_told ? count : most_told;
    for (int i = 0; i < told; ++i) {
        const sched::Task& task = *blocked[i];
        threads[i] = {static_cast<unsigned>(task.id), task.why, reinterpret_cast<std::uintptr_t>(task.waits_for),
                      task.stack};
    }
    rt::report_deadlock(threads, static_cast<unsigned>(told));
}

// The exit code of a run that ended before its time. What was found counts first; what cut it short is no answer.
void end(sched::Status status) {
    constexpr int unknown = 2;
    constexpr int bad_input = 3;
    const int cause = status == sched::Status::Bound ? unknown : status == sched::Status::Diverged ? bad_input : 0;
    const int found = rt::final_status(0);
    const int code = found != 0 ? found : cause;
    rt::write_end(code);
    rt::leave_process(code);
}

}  // namespace

void connect_scheduler() { sched::hooks = {stack_of_caller, tell_deadlock, rt::log_error, end}; }

}  // namespace fencepost::intercept
