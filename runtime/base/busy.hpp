// A signal that arrives while its thread is inside the runtime waits until the thread comes out: its handler may use
// atomics, which the runtime is about to be in the middle of, and under control it must wait for the token.
#pragma once

namespace fencepost::rt {

extern constinit thread_local int busy __attribute__((tls_model("initial-exec")));
extern constinit thread_local int held_back __attribute__((tls_model("initial-exec")));  // signals that wait

// Calls the handlers of the signals that wait. Set by intercept/signals.cpp.
extern void (*deliver_signals)();

// While it is set nobody comes in: somebody wants to fork, and the child shall find no lock taken.
extern bool world_stops;
void step_aside();
// Before others are asked whether they are busy: from here on they see that the world stops.
void stop_world();
void start_world();

// Every thread has passed a full fence when it returns.
void fence_everybody();
// Whether the system has a fast way to do that; the first call is cheap only while there is one thread.
bool can_fence_everybody();

// Around everything in the runtime that a handler must not meet halfway. Not around what may block in the kernel.
class Busy {
  public:
    Busy() {
        ++busy;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);  // for the processor, who stops the world sees to it
        if (__builtin_expect(__atomic_load_n(&world_stops, __ATOMIC_RELAXED), 0)) step_aside();
    }
    ~Busy() {
        if (--busy == 0 && __builtin_expect(held_back, 0) != 0) deliver_signals();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
};

}  // namespace fencepost::rt
