#include "engine/engine.hpp"

#include "base/busy.hpp"
#include "base/os.hpp"
#include "engine/steps.hpp"
#include "engine/table.hpp"
#include "engine/segments.hpp"
#include "engine/threads.hpp"
#include "report/report.hpp"

namespace fencepost::rt {


namespace {

std::uintptr_t number_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

}  // namespace

void sync_acquire(ThreadState* thread, const void* object) {
    const Busy inside;
    Location* const location = locked_location_if_known(number_of(object), true);
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

// The order is that in which they are taken elsewhere. Locations that other threads hold at this moment stay locked in the
// child, so all are let go there: its only thread holds none.
void before_fork() {
    lock_log();
    lock_segments();
    lock_threads();
    lock_tables();
}
void after_fork_parent() {
    unlock_tables();
    unlock_threads();
    unlock_segments();
    unlock_log();
}
void after_fork_child() {
    only_this_thread_left();
    after_fork_parent();
    unlock_locations();
}

void ignore_begin(ThreadState* thread) { ++thread->ignoring; }
void ignore_end(ThreadState* thread) {
    if (thread->ignoring) --thread->ignoring;
}

void run_ended() {}

}  // namespace fencepost::rt
