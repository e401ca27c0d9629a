#include "engine/engine.hpp"

#include <unistd.h>

#include "base/busy.hpp"
#include "base/os.hpp"
#include "engine/segments.hpp"
#include "engine/shadow.hpp"
#include "engine/steps.hpp"
#include "engine/table.hpp"
#include "engine/threads.hpp"
#include "schedule/schedule.hpp"

namespace fencepost::rt {

namespace {

std::uintptr_t number_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

}  // namespace

void sync_acquire(ThreadState* thread, const void* object) {
    const Busy inside;
    Location* const location = locked_location_if_known(number_of(object), 0, true);
    if (!location) return;  // nobody has released it
    acquire_step(*thread, *location);
    location->lock.unlock();
}

void sync_release(ThreadState* thread, const void* object) {
    const Busy inside;
    Location& location = locked_location(number_of(object), 0, true);
    release_step(*thread, location);
    location.lock.unlock();
}

void sync_forget(const void* object) { forget_memory(number_of(object), 1); }

void memory_reset(const void* begin, std::size_t bytes) {
    const Busy inside;
    forget_memory(number_of(begin), bytes);
}

// The child has one thread, and nobody who would unlock what another one has locked. Under control others are inside
// only to wait for their turn, and hold no lock.
void before_fork() {
    if (!sched::controlled()) stop_world();
    lock_threads();
    while (!sched::controlled() && others_are_busy()) {
        unlock_threads();
        yield_processor();
        lock_threads();
    }
}

void after_fork_parent() {
    unlock_threads();
    if (!sched::controlled()) start_world();
}

void after_fork_child() {
    only_this_thread_left();
    after_fork_parent();
}

void prepare_for_runs() {
    constexpr unsigned threads = 6;
    static const char in_the_program = 0;
    const char on_the_stack = 0;
    current();
    prepare_for_memory(&in_the_program);
    prepare_for_memory(&on_the_stack);
    prepare_for_memory(reinterpret_cast<const void*>(&getpid));  // libraries, and what is mapped
    prepare_for_threads(threads);
    prepare_stack_names();
    if (plain_watched) prepare_segments();
}

void ignore_begin(ThreadState* thread) { ++thread->ignoring; }
void ignore_end(ThreadState* thread) {
    if (thread->ignoring) --thread->ignoring;
}

}  // namespace fencepost::rt
