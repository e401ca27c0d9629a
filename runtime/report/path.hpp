// How a write comes to be known to a thread under SC, as far as it is remembered.
#pragma once

#include "engine/access.hpp"
#include "engine/thread.hpp"

namespace fencepost::rt {

struct Step {
    unsigned thread;
    Kind kind;
    Order order;
    std::uintptr_t address;
    std::uint32_t stack;
};
constexpr unsigned longest_path = 16;

// Accesses by which knowledge of `write`, which is to `address`, has come to the thread, oldest first. 0: not remembered.
unsigned path_between(const ThreadState& thread, Event write, std::uintptr_t address, Step* steps);

}  // namespace fencepost::rt
