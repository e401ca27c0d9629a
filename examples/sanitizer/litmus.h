/* What the programs of this folder share. Each is C11 and C++11 at once: `fencepost cc` takes it as it is,
   `fencepost c++ -x c++` too. Memory orders are parameters: -DSTORE_ORDER=release and so on. */

#ifndef LITMUS_H
#define LITMUS_H

#include <fencepost.h>
#include <stdio.h>

#ifdef __cplusplus
#include <thread>
#include <vector>
using namespace std;
#define ATOMIC(type) std::atomic<type>
#else
#include <pthread.h>
#define ATOMIC(type) _Atomic(type)
#endif

/* Atomics of these programs are not static: a static one that only one function uses, clang takes for a local variable of
   that function, which two threads then no longer share. */

#define ORDER_JOINED(order) memory_order_##order
#define ORDER(order) ORDER_JOINED(order)

#define LOAD(location, order) atomic_load_explicit(&(location), ORDER(order))
#define STORE(location, value, order) atomic_store_explicit(&(location), (value), ORDER(order))
#define FADD(location, value, order) atomic_fetch_add_explicit(&(location), (value), ORDER(order))
#define EXCHANGE(location, value, order) atomic_exchange_explicit(&(location), (value), ORDER(order))
#define WEAK_CAS(location, expected, desired, order) \
  atomic_compare_exchange_weak_explicit(&(location), (expected), (desired), ORDER(order), memory_order_relaxed)
#define STRONG_CAS(location, expected, desired, order) \
  fencepost_strong_cas(&(location), (expected), (desired), ORDER(order), memory_order_relaxed)

/* -DFENCES=1 puts SC fences where the program offers them. */
#ifndef FENCES
#define FENCES 0
#endif
#define FENCE()                                                 \
  do {                                                          \
    if (FENCES) atomic_thread_fence(memory_order_seq_cst);      \
  } while (0)

/* -DWAITS=0 spins where the program would say that it waits. */
#ifndef WAITS
#define WAITS 1
#endif
#if WAITS
#define WAIT_EQ(location, value, order) ((void)fencepost_wait_eq(&(location), (value), ORDER(order)))
#define WAIT_NE(location, value, order) ((void)fencepost_wait_ne(&(location), (value), ORDER(order)))
#else
#define WAIT_EQ(location, value, order) \
  do {                                  \
  } while (LOAD(location, order) != (value))
#define WAIT_NE(location, value, order) \
  do {                                  \
  } while (LOAD(location, order) == (value))
#endif

typedef void (*thread_body)(int me);

#ifdef __cplusplus

inline void run_bodies(const thread_body *bodies, int count) {
  std::vector<std::thread> threads;
  for (int me = 0; me < count; ++me) threads.emplace_back(bodies[me], me);
  for (std::thread &thread : threads) thread.join();
}

#else

struct started_thread {
  thread_body body;
  int me;
  pthread_t handle;
};

static void *call_body(void *argument) {
  struct started_thread *thread = (struct started_thread *)argument;
  thread->body(thread->me);
  return NULL;
}

static void run_bodies(const thread_body *bodies, int count) {
  struct started_thread threads[16];
  for (int me = 0; me < count; ++me) {
    threads[me].body = bodies[me];
    threads[me].me = me;
    if (pthread_create(&threads[me].handle, NULL, call_body, &threads[me])) perror("pthread_create");
  }
  for (int me = 0; me < count; ++me) pthread_join(threads[me].handle, NULL);
}

#endif

/* RUN(left, right): a thread each, numbered from 0; returns when all are over. */
#define RUN(...)                                                            \
  do {                                                                      \
    static const thread_body bodies_[] = {__VA_ARGS__};                     \
    run_bodies(bodies_, (int)(sizeof bodies_ / sizeof bodies_[0]));         \
  } while (0)

#endif
