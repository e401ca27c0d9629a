// Slots of threads, and what passes from a thread to those it creates and those that join it.
#pragma once

#include <atomic>

#include "base/os.hpp"

#include "engine/clock.hpp"
#include "engine/thread.hpp"

namespace fencepost::rt {

struct ThreadToken {
    std::atomic<int> holders{0};
    unsigned number = 0;
    Slot slot = 0;
    unsigned width = 0;
    unsigned capacity = 0;
    Epoch* clocks = nullptr;  // Current, Sc, Psc of the parent at the creation, then of the thread at its end
    bool finished = false;
    SpinLock lock;
};

// Epochs of threads that nobody has waited for, whose slots had to be used again: nothing is concluded from them.
extern std::atomic<bool> any_discarded;
extern std::atomic<Epoch> discarded[most_slots];

inline bool is_discarded(Event event) {
    return __builtin_expect(any_discarded.load(std::memory_order_relaxed), 0) &&
           event.epoch() <= discarded[event.slot()].load(std::memory_order_relaxed);
}

// What so many more threads need is there when they come.
void prepare_for_threads(unsigned count);

// All that ever were; those that have ended stay in the list until their place is used again.
ThreadState* all_threads();
ThreadState* thread_of_slot(Slot slot);
// The number of the thread that did it, as far as the last two owners of its slot go.
unsigned number_of_event(Event event);
std::uint64_t accesses_of_ended_threads();

void lock_threads();
void unlock_threads();
bool others_are_busy();  // inside the runtime; with the lock held
void only_this_thread_left();  // in the child of a fork

}  // namespace fencepost::rt
