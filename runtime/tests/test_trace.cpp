#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "schedule/trace.hpp"
#include "testing.hpp"

using namespace fencepost::sched;

namespace {

struct File {
    std::string path = "schedule-" + std::to_string(getpid()) + ".trace";
    ~File() { std::remove(path.c_str()); }
    std::string text() const {
        std::stringstream all;
        all << std::ifstream(path).rdbuf();
        return all.str();
    }
    void write(const std::string& text) const { std::ofstream(path) << text; }
};

const char* opened(const std::string& text) {
    const File file;
    file.write(text);
    Replayer replayer;
    return replayer.open(file.path.c_str());
}

}  // namespace

TEST("what is recorded is replayed, step by step") {
    const File file;
    Recorder recorder;
    CHECK(recorder.open(file.path.c_str(), ""));
    const int threads[] = {0, 0, 1, 1, 1, 0, 2};
    std::uint64_t hash = 100;
    for (const int thread : threads) recorder.step(thread, hash++);
    recorder.choice(5);
    recorder.finish(hash, "ok");
    CHECK(file.text() == "fencepost-schedule 1\n0 2 66\n1 3 69\n0 1 6a\n? 5\n2 1 6b\nend ok 6b\n");

    Replayer replayer;
    CHECK(replayer.open(file.path.c_str()) == nullptr);
    CHECK(replayer.complete());
    hash = 100;
    for (const int thread : threads) {
        CHECK(replayer.next() == thread);
        CHECK(replayer.take(hash++, true));
    }
    CHECK(replayer.next() == -1);
    int value = 0;
    CHECK(replayer.choice(&value));
    CHECK(value == 5);
    CHECK(!replayer.choice(&value));
}

TEST("a replay that does something else is noticed at the next switch") {
    const File file;
    file.write("fencepost-schedule 1\n0 2 aa\n1 1 bb\n");
    Replayer replayer;
    CHECK(replayer.open(file.path.c_str()) == nullptr);
    CHECK(!replayer.complete());
    CHECK(replayer.take(1, true));
    CHECK(replayer.take(2, true));
    CHECK(!replayer.take(0xab, true));
}

TEST("a recording that was cut off can be replayed") {
    const File file;
    Recorder recorder;
    CHECK(recorder.open(file.path.c_str(), "# a program\n"));
    recorder.step(0, 1);
    recorder.step(1, 2);
    Replayer replayer;  // the recorder has not finished: zeros follow
    CHECK(replayer.open(file.path.c_str()) == nullptr);
    CHECK(replayer.next() == 0);
    recorder.finish(3, "ok");
}

TEST("a long recording grows its file") {
    const File file;
    Recorder recorder;
    CHECK(recorder.open(file.path.c_str(), ""));
    for (std::uint64_t i = 0; i < 100000; ++i) recorder.step(static_cast<int>(i % 2), i);
    recorder.finish(100000, "ok");
    Replayer replayer;
    CHECK(replayer.open(file.path.c_str()) == nullptr);
    bool good = true;
    for (std::uint64_t i = 0; i < 100000; ++i) {
        good = good && replayer.next() == static_cast<int>(i % 2);
        good = replayer.take(i, true) && good;
    }
    CHECK(good);
    CHECK(replayer.next() == -1);
}

TEST("what is no recording is told apart") {
    Replayer replayer;
    CHECK(replayer.open("no/such/file") != nullptr);
    CHECK(opened("") != nullptr);
    CHECK(opened("something else\n") != nullptr);
    CHECK(opened("fencepost-schedule 1\n0 two 3\n") != nullptr);
    CHECK(opened("fencepost-schedule 1\n0 0 3\n") != nullptr);
    CHECK(opened("fencepost-schedule 1\nend ok\n") != nullptr);
    CHECK(opened("fencepost-schedule 1\n0 2 3\n") == nullptr);
    CHECK(opened("fencepost-schedule 1\n0 2\n1 3\n") == nullptr);
}
