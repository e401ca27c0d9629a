// The judging part of the runtime, as the rest of it sees it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fencepost::rt {

struct ThreadState;  // one per running thread

// Of the calling thread; made on first use (also for threads whose creation nobody saw).
ThreadState* current();

// Edges of happens-before by mutexes, condition variables and the like. `object` may be any address.
// Native and controlled mode call these alike, while the caller holds the object (or before it lets it go).
void sync_acquire(ThreadState* thread, const void* object);
void sync_release(ThreadState* thread, const void* object);
// The object is gone: what was released to it is forgotten.
void sync_forget(const void* object);

// The life of threads. A token is made by the creator before the thread runs, given to the thread, and to who joins it.
struct ThreadToken;
ThreadToken* thread_created(ThreadState* parent);
void thread_not_created(ThreadToken* token);     // pthread_create has failed
void thread_started(ThreadToken* token);         // in the new thread, first of all
void thread_finished();                          // in the thread, last of all
void thread_joined(ThreadState* by, ThreadToken* token);
void thread_detached(ThreadToken* token);
ThreadToken* token_of(ThreadState* thread);      // null: nobody made one
unsigned thread_number(const ThreadState* thread);  // in order of creation; main's is 0

// Before a process that will be forked many times, or has to lie in memory as such a one: what most runs need is made now.
void prepare_for_runs();

// The bytes are fresh: malloc gave them out or free took them, a stack began, pages were mapped.
void memory_reset(const void* begin, std::size_t bytes);

// Everything that has a lock is put into a state that a child can go on from.
void before_fork();
void after_fork_parent();
void after_fork_child();

// While the count is not 0, nothing that the calling thread does is looked at.
void ignore_begin(ThreadState* thread);
void ignore_end(ThreadState* thread);

}  // namespace fencepost::rt
