#pragma once

#include <pthread.h>

namespace fencepost::intercept {

// Called once, before main: the main thread ends like the others.
void watch_main_thread();

// Stacks for the first threads, which the C library keeps until they are wanted.
void prepare_stacks();

using Routine = void* (*)(void*);
// `returns_int`: the routine is one of C11's.
int create_thread(pthread_t* thread, const pthread_attr_t* attributes, Routine routine, void* argument,
                  bool returns_int);
int join_thread(pthread_t thread, void** result);
int detach_thread(pthread_t thread);

// Around fork: no other thread is in the middle of something here.
void lock_threads();
void unlock_threads();

}  // namespace fencepost::intercept
