// Many runs of one program: each is a child of a process that stays before main. The protocol is in PROTOCOL.md.
#pragma once

#include <cstdint>

#include "base/options.hpp"

namespace fencepost::sched {

constexpr std::uint64_t default_steps = 100;  // PCT's k, as long as nothing is known of the program

// One run, in this process, as the options say.
void start_run(const rt::Options& options);

// Returns in the children.
void serve(int in, int out);

// All schedules, at most `runs` of them (0: no bound). Returns in the children; the process itself then ends, and says
// how many there were.
void explore_alone(std::uint64_t runs);

}  // namespace fencepost::sched
