// Under control one thread runs at a time, so all share a processor: to hand on the token wakes nobody on another one. What the
// program asks about processors is answered as if it were not so (intercept/processors.cpp).
#pragma once

#include <sched.h>

namespace fencepost::sched {

// The calling thread, and those it makes, stay where it is now.
void share_processor();

// The processors that the program would have; null where it has them.
const cpu_set_t* processors_before();
void forget_processors_before();  // the program has chosen some itself

}  // namespace fencepost::sched
