// The scheduler with real threads. It has one run in a process, so every run is a child.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "schedule/pages.hpp"
#include "schedule/scheduler.hpp"
#include "testing.hpp"

using namespace fencepost::sched;

namespace {

struct Result {
    int exit_code;
    Outcome outcome;
};

Config config(Kind kind, std::uint64_t seed) {
    Config made;
    made.kind = kind;
    made.seed = seed;
    made.expected_steps = 50;
    made.max_steps = 10000;
    return made;
}

// Runs `program` as main in a child, under control.
Result run(const Config& settings, const std::function<int()>& program) {
    Outcome* const shared = pages<Outcome>(1, true);
    outcome = shared;
    const pid_t child = fork();
    if (child == 0) {
        hooks.message = [](const char*) {};
        hooks.deadlock = [](const Task* const*, int) {};
        begin_run(settings);
        const int code = program();
        finish_run();
        _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, *shared};
}

// What intercept/ does around pthread_create and pthread_join.
class Thread {
  public:
    explicit Thread(std::function<void()> body) {
        point(Point::Create, nullptr, false);
        id_ = create();
        thread_ = std::thread([id = id_, body = std::move(body)] {
            enter(id);
            body();
            leave();
        });
    }
    void join() {
        point(Point::Join, join_object(id_), false);
        while (!finished(id_)) block(join_object(id_), "join");
        thread_.join();
    }

  private:
    int id_ = 0;
    std::thread thread_;
};

int shared_value = 0;

// Reads and writes that another thread may come between: how many increments get lost depends on the schedule.
void increment(int times) {
    for (int i = 0; i < times; ++i) {
        point(Point::Load, &shared_value, false);
        const int seen = shared_value;
        observed(&shared_value, static_cast<std::uint64_t>(seen), false);
        point(Point::Store, &shared_value, true);
        shared_value = seen + 1;
        observed(&shared_value, static_cast<std::uint64_t>(seen), true);
    }
}

int lost_updates() {
    shared_value = 0;
    Thread first([] { increment(5); });
    Thread second([] { increment(5); });
    first.join();
    second.join();
    return shared_value;
}

}  // namespace

TEST("the same seed gives the same run, and seeds differ") {
    for (const Kind kind : {Kind::Random, Kind::Pct, Kind::Pos}) {
        bool differ = false;
        const Result first = run(config(kind, 0), lost_updates);
        for (std::uint64_t seed = 0; seed < 8; ++seed) {
            const Result one = run(config(kind, seed), lost_updates);
            const Result again = run(config(kind, seed), lost_updates);
            CHECK(one.exit_code == again.exit_code);
            CHECK(one.outcome.hash == again.outcome.hash);
            CHECK(one.outcome.threads == 3);
            CHECK(one.outcome.status == Status::Ok);
            differ = differ || one.outcome.hash != first.outcome.hash;
        }
        CHECK(differ);
    }
}

TEST("one thread runs at a time: what lies between two points is atomic") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Result result = run(config(Kind::Random, seed), [] {
            int counter = 0;
            std::vector<Thread> threads;
            for (int i = 0; i < 4; ++i) {
                threads.emplace_back([&] {
                    for (int n = 0; n < 25; ++n) {
                        point(Point::Rmw, &counter, true);
                        ++counter;
                    }
                });
            }
            for (Thread& thread : threads) thread.join();
            return counter;
        });
        CHECK(result.exit_code == 100);
    }
}

TEST("a recorded run is replayed exactly, and another program's is refused") {
    const std::string path = "scheduler-" + std::to_string(getpid()) + ".trace";
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        Config recording = config(Kind::Random, seed);
        recording.record = path.c_str();
        const Result recorded = run(recording, lost_updates);
        Config replaying = config(Kind::Replay, 99);
        replaying.replay = path.c_str();
        const Result replayed = run(replaying, lost_updates);
        CHECK(replayed.exit_code == recorded.exit_code);
        CHECK(replayed.outcome.hash == recorded.outcome.hash);
        CHECK(replayed.outcome.status == Status::Ok);
        const Result other = run(replaying, [] {
            Thread thread([] { increment(5); });
            increment(5);
            thread.join();
            return 0;
        });
        CHECK(other.outcome.status == Status::Diverged);
    }
    unlink(path.c_str());
}

TEST("a deadlock is one, and a blocked thread is woken") {
    const Result stuck = run(config(Kind::Random, 1), [] {
        static const int object = 0;
        Thread thread([] { block(&object, "waits for ever"); });
        thread.join();
        return 0;
    });
    CHECK(stuck.outcome.status == Status::Deadlock);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Result woken = run(config(Kind::Random, seed), [] {
            static int object = 0;
            Thread thread([] {
                while (object == 0) block(&object, "waits");
            });
            point(Point::Sync, &object, true);
            object = 1;
            wake(&object, everybody);
            thread.join();
            return 7;
        });
        CHECK(woken.exit_code == 7);
    }
}

TEST("a thread that spins does not starve the one it waits for, whatever its priority") {
    for (const Kind kind : {Kind::Random, Kind::Pct, Kind::Pos}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const Result result = run(config(kind, seed), [] {
                static int flag = 0;
                Thread spinner([] {
                    for (;;) {
                        point(Point::Load, &flag, false);
                        const int seen = flag;
                        observed(&flag, static_cast<std::uint64_t>(seen), false);
                        if (seen != 0) break;
                    }
                });
                Thread setter([] {
                    point(Point::Store, &flag, true);
                    flag = 1;
                    observed(&flag, 1, true);
                });
                spinner.join();
                setter.join();
                return 5;
            });
            CHECK(result.exit_code == 5);
            CHECK(result.outcome.steps < 60);
        }
    }
}

TEST("threads that spin for ever end at the bound on steps") {
    const Result result = run(config(Kind::Pct, 1), [] {
        static int flag = 0;
        for (;;) {
            point(Point::Load, &flag, false);
            observed(&flag, 0, false);
        }
        return 0;
    });
    CHECK(result.outcome.status == Status::Bound);
    CHECK(result.outcome.steps == 10000);
}

TEST("time is virtual: a long sleep is over at once, and deadlines come in order") {
    const Result result = run(config(Kind::Random, 3), [] {
        static const int object = 0;
        static int order = 0;
        Thread slow([] {
            if (!block(&object, "sleeps", virtual_time() + 3600ULL * 1000000000)) order = order * 10 + 2;
        });
        Thread quick([] {
            if (!block(&object, "sleeps", virtual_time() + 1000000000)) order = order * 10 + 1;
        });
        slow.join();
        quick.join();
        return order;
    });
    CHECK(result.exit_code == 12);
}

TEST("choices of the program are part of the seed") {
    const auto choices = [] {
        int sum = 0;
        for (int i = 0; i < 5; ++i) sum = sum * 2 + choose(2);
        return sum;
    };
    bool differ = false;
    const int first = run(config(Kind::Random, 0), choices).exit_code;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const int one = run(config(Kind::Random, seed), choices).exit_code;
        CHECK(one == run(config(Kind::Random, seed), choices).exit_code);
        differ = differ || one != first;
    }
    CHECK(differ);
}
