#include "run.hpp"

#include <cstring>

#include "base/options.hpp"
#include "base/os.hpp"
#include "report/report.hpp"
#include "scheduler.hpp"
#include "server.hpp"

namespace fencepost::sched {

bool kind_called(const char* name, std::uint64_t seed, Kind& kind, unsigned& depth) {
    constexpr Kind kinds[] = {Kind::Native, Kind::Random, Kind::Pct, Kind::Pos, Kind::Exhaustive};
    for (const Kind candidate : kinds) {
        if (strcmp(name, name_of(candidate)) != 0) continue;
        kind = candidate;
        return true;
    }
    if (strcmp(name, "mix") != 0) return false;
    // What finds most bugs soonest differs from program to program: the seeds take turns.
    const auto turn = static_cast<unsigned>(seed % 6);
    kind = turn < 4 ? Kind::Pct : turn == 4 ? Kind::Pos : Kind::Random;
    if (turn < 4) depth = 2 + turn;
    return true;
}

Config config_of(const rt::Options& options) {
    Config config;
    config.seed = options.seed;
    config.depth = options.depth;
    if (!kind_called(options.schedule, options.seed, config.kind, config.depth))
        rt::fail_usage("FENCEPOST_OPTIONS: there is no schedule '", options.schedule,
                       "' (native, random, pct, pos, mix, exhaustive)");
    if (options.replay != nullptr) config.kind = Kind::Replay;
    config.expected_steps = options.steps != 0 ? options.steps : default_steps;
    if (options.max_steps != 0) config.max_steps = options.max_steps;
    config.record = options.record;
    config.replay = options.replay;
    config.lenient = options.lenient;
    return config;
}

void start_run(const rt::Options& options) {
    if (options.run != 0) rt::begin_run_log(options.run);
    begin_run(config_of(options));
    rt::write_start();
}

Description description() {
    // Asked before the run begins too: then of the run that the options are for.
    const Config config = controlling ? run_config() : config_of(rt::options());
    return Description{name_of(config.kind), config.seed, config.depth, config.expected_steps};
}

void prepare_run() {
    const rt::Options& options = rt::options();
    if (options.server) {
        serve(options.server_in, options.server_out);
    } else if (strcmp(options.schedule, "exhaustive") == 0 && options.replay == nullptr) {
        explore_alone(options.runs);
    } else {
        start_run(options);
    }
}

}  // namespace fencepost::sched
