// FENCEPOST_OPTIONS, read once; PROTOCOL.md has the table.
#pragma once

#include <cstdint>

namespace fencepost::rt {

enum class ScAccesses : std::uint8_t { Rc11, Fence, AcqRel };

struct Options {
    bool races = true;
    ScAccesses sc = ScAccesses::Rc11;
    bool halt_on_error = false;
    int exitcode = 66;
    const char* log_path = nullptr;
    const char* schedule = "native";
    std::uint64_t seed = 0;
    bool seed_given = false;
    unsigned depth = 3;
    std::uint64_t steps = 0;
    std::uint64_t max_steps = 0;
    const char* record = nullptr;
    const char* replay = nullptr;
    bool benign_waits = false;
    const char* suppressions = nullptr;
    unsigned history = 7;
    bool server = false;
    int server_in = -1;
    int server_out = -1;
    int verbosity = 0;
    bool help = false;
    std::uint64_t runs = 0;   // of an exploration of all schedules; 0: no bound
    bool lenient = false;     // a replay that follows the recorded schedule as far as the program does
    std::uint64_t run = 0;    // the number of this run of the fork server; no option of users
};

// The options of this process; read from the environment on first use. A mistake in them ends the process with a message.
const Options& options();

// One "key=value", which is changed; `text` stays in use. False and a message for a mistake.
bool parse_option(char* text, Options& into, const char*& problem);

// The fork server gives each run its own.
Options& options_for_change();

// For tests: nothing is read from the environment. False and a message for a mistake.
bool parse_options(const char* text, Options& into, const char*& problem);

}  // namespace fencepost::rt
