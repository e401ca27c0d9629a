// The beginning and the end of the process, and its children.
#include <sys/personality.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "abi/entry.hpp"
#include "base/options.hpp"
#include "base/os.hpp"
#include "engine/engine.hpp"
#include "real.hpp"
#include "schedule/run.hpp"
#include "schedule/scheduler.hpp"
#include "sync.hpp"
#include "threads.hpp"

namespace fencepost::intercept {

namespace {

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

// In every process of controlled runs, so that each finds its memory laid out alike.
void prepare_for_runs() {
    const rt::Options& options = rt::options();
    if (strcmp(options.schedule, "native") == 0 && options.replay == nullptr && !options.server) return;
    rt::prepare_for_runs();
    sched::prepare_tasks();
    prepare_stacks();
}

int run_main(int count, char** arguments, char** environment) {
    connect_scheduler();
    prepare_for_runs();
    sched::prepare_run();  // the fork server stays in here, and its children come out
    watch_main_thread();
    return program_main(count, arguments, environment);
}

constexpr char padding[] = "FENCEPOST_PADDING=";
constexpr std::size_t strings_unit = 16384;

std::size_t size_of_strings(char** strings, std::size_t& count) {
    std::size_t size = 0;
    for (count = 0; strings[count] != nullptr; ++count) size += strlen(strings[count]) + 1;
    return size;
}

// Where things lie is part of a schedule: std::barrier, for one, chooses its way by the address of a thread. So a
// controlled process, which must do the same for the same seed, begins again without randomised addresses, and with
// strings that take the same place on the stack whatever the options are.
void fix_addresses(char** arguments) {
    const rt::Options& options = rt::options();
    if (strcmp(options.schedule, "native") == 0 && options.replay == nullptr && !options.server) return;
    if (getenv("FENCEPOST_PADDING") != nullptr) return;
    const int before = personality(0xffffffff);
    if (before < 0 || personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE) < 0) return;

    std::size_t count = 0;
    const std::size_t size = size_of_strings(arguments, count) + size_of_strings(environ, count) + sizeof padding;
    const std::size_t missing = strings_unit - size % strings_unit;
    char* const filled = static_cast<char*>(rt::map_pages(sizeof padding + missing, "the environment"));
    auto** const environment = static_cast<char**>(rt::map_pages((count + 2) * sizeof(char*), "the environment"));
    memcpy(filled, padding, sizeof padding - 1);
    memset(filled + sizeof padding - 1, 'x', missing);
    memcpy(environment, environ, count * sizeof(char*));
    environment[count] = filled;
    execve("/proc/self/exe", arguments, environment);
}

// After the destructors of the program's own variables.
__attribute__((destructor(102))) void end_of_process() { sched::finish_run(); }

}  // namespace

}  // namespace fencepost::intercept

using namespace fencepost;
using namespace fencepost::intercept;

FENCEPOST_INTERCEPTOR int __libc_start_main(Main main, int count, char** arguments, void (*initialise)(),
                                            void (*finish)(), void (*loader_finish)(), void* stack_end) {
    using Start = int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
    fix_addresses(arguments);
    program_main = main;
    return real_function<"__libc_start_main", Start>()(run_main, count, arguments, initialise, finish, loader_finish,
                                                       stack_end);
}

// For programs that choose at random: under control the choice is part of the schedule.
FENCEPOST_INTERCEPTOR int __fencepost_choose(int count) { return sched::choose(count); }

FENCEPOST_INTERCEPTOR pid_t fork() {
    sched::point(sched::Point::Sync, nullptr, false);
    lock_threads();
    rt::before_fork();
    const pid_t child = REAL(fork)();
    if (child == 0) {
        rt::after_fork_child();
        rt::process_has_forked();
        unlock_threads();
        if (sched::controlled()) sched::after_fork_in_child();
    } else {
        rt::after_fork_parent();
        unlock_threads();
    }
    return child;
}
