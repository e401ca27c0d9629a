#include "engine/engine.hpp"

#include "base/os.hpp"

namespace fencepost::rt {

struct ThreadState { unsigned number; };
struct ThreadToken { unsigned number; };
namespace { ThreadState only; ThreadToken token; }

ThreadState* current() { return &only; }
void sync_acquire(ThreadState*, const void*) {}
void sync_release(ThreadState*, const void*) {}
void sync_forget(const void*) {}
ThreadToken* thread_created(ThreadState*) { return &token; }
void thread_not_created(ThreadToken*) {}
void thread_started(ThreadToken*) {}
void thread_finished() {}
void thread_joined(ThreadState*, ThreadToken*) {}
void thread_detached(ThreadToken*) {}
ThreadToken* token_of(ThreadState*) { return &token; }
unsigned thread_number(const ThreadState* thread) { return thread->number; }
void memory_reset(const void*, std::size_t) {}
void before_fork() {}
void after_fork_parent() {}
void after_fork_child() {}
void ignore_begin(ThreadState*) {}
void ignore_end(ThreadState*) {}
void run_ended() {}
void log_failure(const char*, const char*, const char*) {}

}  // namespace fencepost::rt
