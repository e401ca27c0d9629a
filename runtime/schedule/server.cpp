#include "server.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/os.hpp"
#include "explore.hpp"
#include "pages.hpp"
#include "scheduler.hpp"

namespace fencepost::sched {

namespace {

constexpr std::size_t longest_line = 4096;

// A line of text that grows by words and numbers.
class Line {
  public:
    Line& word(const char* text) {
        while (*text != 0 && used_ + 1 < sizeof text_) text_[used_++] = *text++;
        return *this;
    }
    Line& number(std::uint64_t value, unsigned base = 10) {
        char digits[24];
        int count = 0;
        do {
            digits[count++] = "0123456789abcdef"[value % base];
            value /= base;
        } while (value != 0);
        while (count > 0 && used_ + 1 < sizeof text_) text_[used_++] = digits[--count];
        return *this;
    }
    Line& pair(const char* key, std::uint64_t value) { return word(" ").word(key).word("=").number(value); }
    void send(int descriptor) {
        word("\n");
        rt::write_all(descriptor, text_, used_);
    }

  private:
    char text_[longest_line];
    std::size_t used_ = 0;
};

class Reader {
  public:
    explicit Reader(int descriptor) : descriptor_(descriptor) {}

    // The next line, without its end. Null at the end of input.
    char* next() {
        for (;;) {
            for (std::size_t i = begin_; i < end_; ++i) {
                if (text_[i] != '\n') continue;
                text_[i] = 0;
                char* line = text_ + begin_;
                begin_ = i + 1;
                return line;
            }
            memmove(text_, text_ + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
            if (end_ == sizeof text_) rt::fail("a line to the fork server is too long");
            const ssize_t got = read(descriptor_, text_ + end_, sizeof text_ - end_);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return nullptr;
            end_ += static_cast<std::size_t>(got);
        }
    }

  private:
    int descriptor_;
    char text_[longest_line];
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

struct Ending {
    int exit_code = -1;
    int signal = 0;
    bool timed_out = false;
};

// Waits for the child; kills it after `timeout` milliseconds, if that is not 0.
Ending await_child(pid_t child, std::uint64_t timeout) {
    Ending ending;
    if (timeout != 0) {
        const auto handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
        if (handle < 0) rt::fail("this kernel cannot wait for a process with a timeout (pidfd_open)");
        pollfd waiting{handle, POLLIN, 0};
        int ready = 0;
        do {
            ready = poll(&waiting, 1, static_cast<int>(timeout));
        } while (ready < 0 && errno == EINTR);
        close(handle);
        if (ready == 0) {
            kill(child, SIGKILL);
            ending.timed_out = true;
        }
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) rt::fail("a child of the fork server is lost");
    }
    if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
    return ending;
}

void share_outcome() {
    outcome = pages<Outcome>(1, true);
    if (outcome == nullptr) rt::fail("there is no memory to share with runs");
}

// The mean length of the runs that came to their end: PCT's k for the next one.
struct Mean {
    std::uint64_t runs = 0;
    std::uint64_t steps = 0;
    void add(std::uint64_t length) {
        ++runs;
        steps += length;
    }
    std::uint64_t value() const { return runs == 0 ? default_steps : (steps + runs / 2) / runs; }
};

Status status_of(const Ending& ending) {
    if (ending.timed_out) return Status::TimedOut;
    return ending.signal != 0 ? Status::Crashed : outcome->status;
}

void describe(Line& line, const Ending& ending) {
    line.word(" status=").word(name_of(status_of(ending)));
    if (ending.exit_code >= 0) line.pair("exit", static_cast<std::uint64_t>(ending.exit_code));
    if (ending.signal != 0) line.pair("signal", static_cast<std::uint64_t>(ending.signal));
    line.pair("steps", outcome->steps).pair("switches", outcome->switches).pair("threads", outcome->threads);
    line.pair("violations", outcome->violations).pair("races", outcome->races);
}

// What a line to the server may say beside options.
struct Extras {
    std::uint64_t timeout = 0;  // milliseconds; 0: none
    std::uint64_t runs = 0;     // of an exploration; 0: no bound
    bool stop_at_deadlock = true;
};

struct Exploration {
    std::uint64_t runs = 0;
    std::uint64_t findings = 0;
    bool complete = false;
    Ending ending;
};

// Reads "key=value .." into options. Returns the word that is wrong, or null.
const char* read_pairs(char* text, rt::Options& options, Extras& extras) {
    const char* problem = nullptr;
    for (char* word = strtok(text, " "); word != nullptr; word = strtok(nullptr, " ")) {
        if (strncmp(word, "timeout=", 8) == 0) {
            extras.timeout = strtoull(word + 8, nullptr, 10);
        } else if (strncmp(word, "runs=", 5) == 0) {
            extras.runs = strtoull(word + 5, nullptr, 10);
        } else if (strcmp(word, "deadlocks=0") == 0) {
            extras.stop_at_deadlock = false;
        } else if (!rt::parse_option(word, options, problem)) {
            return word;
        }
    }
    return nullptr;
}

bool goes_on_after(Status status, const Extras& extras) {
    return status == Status::Ok || status == Status::Redundant ||
           (status == Status::Deadlock && !extras.stop_at_deadlock);
}

// Explores until the first finding, or to the end. True: this is a child, which shall run main.
bool explore(const Extras& extras, Exploration& result) {
    if (!explorer.on() && !explorer.create()) rt::fail("there is no memory to explore schedules");
    explorer.restart();
    while (extras.runs == 0 || result.runs < extras.runs) {
        const pid_t child = fork();
        if (child < 0) rt::fail("the fork server cannot fork");
        if (child == 0) return true;
        result.ending = await_child(child, extras.timeout);
        ++result.runs;
        result.findings = outcome->violations + outcome->races;
        if (result.findings != 0 || !goes_on_after(status_of(result.ending), extras)) return false;
        if (!explorer.advance()) {
            result.complete = true;
            return false;
        }
    }
    return false;
}

}  // namespace

void serve(int in, int out) {
    share_outcome();
    static Reader reader(in);
    static rt::Options given = rt::options();
    Mean mean;
    std::uint64_t number = 0;
    Line().word("ready").pair("pid", static_cast<std::uint64_t>(getpid())).send(out);
    for (char* line = reader.next(); line != nullptr; line = reader.next()) {
        char* rest = line;
        const char* command = strsep(&rest, " ");
        if (rest == nullptr) rest = line + strlen(line);
        if (strcmp(command, "quit") == 0) break;
        if (strcmp(command, "set") == 0) {
            char* value = rest;
            const char* name = strsep(&value, "=");
            if (value != nullptr) setenv(name, value, 1);
            continue;
        }
        const bool explores = strcmp(command, "explore") == 0;
        if (!explores && strcmp(command, "run") != 0) {
            Line().word("error unknown command ").word(command).send(out);
            continue;
        }
        rt::Options options = given;
        if (options.steps == 0) options.steps = mean.value();
        Extras extras;
        if (const char* wrong = read_pairs(rest, options, extras)) {
            Line().word("error not understood: ").word(wrong).send(out);
            continue;
        }
        if (explores) options.schedule = "exhaustive";
        options.run = ++number;
        rt::options_for_change() = options;
        if (explores) {
            Exploration exploration;
            if (explore(extras, exploration)) {
                start_run(rt::options());
                return;
            }
            Line answer;
            answer.word("explored").pair("run", number).pair("runs", exploration.runs);
            answer.pair("complete", exploration.complete ? 1 : 0);
            describe(answer, exploration.ending);
            answer.send(out);
            continue;
        }
        const bool is_one_of_all = strcmp(options.schedule, "exhaustive") == 0;
        if (is_one_of_all && !explorer.on()) {
            if (!explorer.create()) rt::fail("there is no memory to explore schedules");
            explorer.restart();
        }
        pid_t child = 0;
        Ending ending;
        bool is_last = false;
        do {  // schedules that are like one before are no runs
            child = fork();
            if (child < 0) rt::fail("the fork server cannot fork");
            if (child == 0) {
                start_run(rt::options());
                return;
            }
            ending = await_child(child, extras.timeout);
            is_last = is_one_of_all && !explorer.advance();
        } while (is_one_of_all && !is_last && status_of(ending) == Status::Redundant);
        if (status_of(ending) == Status::Ok && outcome->contested != 0) mean.add(outcome->contested);
        Line answer;
        answer.word("done").pair("run", number).pair("pid", static_cast<std::uint64_t>(child));
        describe(answer, ending);
        answer.pair("seed", outcome->seed)
            .word(" schedule=")
            .word(name_of(outcome->kind))
            .pair("depth", outcome->depth);
        if (is_one_of_all) answer.pair("complete", is_last ? 1 : 0);
        answer.pair("k", options.steps).word(" hash=").number(outcome->hash, 16);
        answer.send(out);
    }
    rt::leave_process(0);
}

void explore_alone(std::uint64_t runs) {
    share_outcome();
    Extras extras;
    extras.runs = runs;
    Exploration result;
    if (explore(extras, result)) {
        start_run(rt::options());
        return;
    }
    const Status status = status_of(result.ending);
    Line answer;
    answer.word("fencepost: ")
        .number(result.runs)
        .word(result.runs == 1 ? " schedule was run, " : " schedules were run, ");
    if (result.complete) {
        answer.word("and all others are like one of them: nothing was found");
    } else if (result.findings != 0) {
        answer.word("and in the last of them something was found");
    } else if (!goes_on_after(status, extras)) {
        answer.word("and the last one ended with: ").word(name_of(status));
    } else {
        answer.word("which are not all");
    }
    answer.send(2);
    constexpr int unknown = 2;
    const bool found = result.findings != 0 || status == Status::Deadlock;
    rt::leave_process(result.complete ? 0 : found ? rt::options().exitcode : unknown);
}

}  // namespace fencepost::sched
