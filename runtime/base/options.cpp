#include "base/options.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "base/os.hpp"

namespace fencepost::rt {
namespace {

const char help_text[] =
    "options in FENCEPOST_OPTIONS, key=value:key=value\n"
    "  races=1           races of plain accesses too\n"
    "  sc=rc11           meaning of seq_cst accesses: rc11, fence, acqrel\n"
    "  halt_on_error=0   end the program at the first finding\n"
    "  exitcode=66       of a program with findings that would have ended with 0\n"
    "  log_path=FILE     findings as JSON lines\n"
    "  schedule=native   native, random, pct, pos, mix (these by turns), exhaustive\n"
    "  seed= depth= steps= max_steps= record=FILE replay=FILE   of the schedule\n"
    "  lenient=0         replay follows its file as far as the program does\n"
    "  runs=0            bound on the schedules that exhaustive runs\n"
    "  benign_waits=0    confirm findings in wait loops\n"
    "  suppressions=FILE findings that are not told\n"
    "  history=7         writes remembered per atomic location, 2 to 64\n"
    "  verbosity=0       messages of the tool itself\n";

constexpr std::size_t text_capacity = 4096;
char text_storage[text_capacity];

bool number(const char* value, std::uint64_t low, std::uint64_t high, std::uint64_t& result) {
    if (!*value) return false;
    std::uint64_t sum = 0;
    for (; *value; ++value) {
        if (*value < '0' || *value > '9') return false;
        if (__builtin_mul_overflow(sum, std::uint64_t{10}, &sum)) return false;
        if (__builtin_add_overflow(sum, static_cast<std::uint64_t>(*value - '0'), &sum)) return false;
    }
    result = sum;
    return sum >= low && sum <= high;
}

template <class Target>
bool set(const char* value, std::uint64_t low, std::uint64_t high, Target& target) {
    std::uint64_t result = 0;
    if (!number(value, low, high, result)) return false;
    target = static_cast<Target>(result);
    return true;
}

bool set_sc(const char* value, ScAccesses& target) {
    if (!std::strcmp(value, "rc11")) target = ScAccesses::Rc11;
    else if (!std::strcmp(value, "fence")) target = ScAccesses::Fence;
    else if (!std::strcmp(value, "acqrel")) target = ScAccesses::AcqRel;
    else return false;
    return true;
}

// 0: done; 1: no such key; 2: bad value.
int assign(const char* key, const char* value, Options& into) {
    const auto is = [key](const char* name) { return !std::strcmp(key, name); };
    const auto good = [](bool holds) { return holds ? 0 : 2; };
    if (is("races")) return good(set(value, 0, 1, into.races));
    if (is("sc")) return good(set_sc(value, into.sc));
    if (is("halt_on_error")) return good(set(value, 0, 1, into.halt_on_error));
    if (is("exitcode")) return good(set(value, 0, 255, into.exitcode));
    if (is("log_path")) return into.log_path = value, good(*value != 0);
    if (is("schedule")) return into.schedule = value, good(*value != 0);
    if (is("seed")) return into.seed_given = true, good(set(value, 0, UINT64_MAX, into.seed));
    if (is("depth")) return good(set(value, 1, 1000, into.depth));
    if (is("steps")) return good(set(value, 0, UINT64_MAX, into.steps));
    if (is("max_steps")) return good(set(value, 0, UINT64_MAX, into.max_steps));
    if (is("record")) return into.record = value, good(*value != 0);
    if (is("replay")) return into.replay = value, good(*value != 0);
    if (is("benign_waits")) return good(set(value, 0, 1, into.benign_waits));
    if (is("suppressions")) return into.suppressions = value, good(*value != 0);
    if (is("history")) return good(set(value, 2, 64, into.history));
    if (is("runs")) return good(set(value, 0, UINT64_MAX, into.runs));
    if (is("lenient")) return good(set(value, 0, 1, into.lenient));
    if (is("server")) return good(set(value, 0, 1, into.server));
    if (is("server_in")) return good(set(value, 0, 1 << 20, into.server_in));
    if (is("server_out")) return good(set(value, 0, 1 << 20, into.server_out));
    if (is("verbosity")) return good(set(value, 0, 2, into.verbosity));
    if (is("help")) return good(set(value, 0, 1, into.help));
    return 1;
}

bool is_separator(char c) { return c == ':' || c == ',' || c == ' ' || c == '\t' || c == '\n'; }

char problem_text[300];

bool parse(char* text, Options& into, const char*& problem) {
    while (*text) {
        while (is_separator(*text)) ++text;
        if (!*text) break;
        char* const key = text;
        while (*text && !is_separator(*text) && *text != '=') ++text;
        const bool has_value = *text == '=';
        if (has_value) *text++ = 0;
        char* const value = text;
        while (*text && !is_separator(*text)) ++text;
        if (*text) *text++ = 0;
        const int outcome = has_value ? assign(key, value, into) : 2;
        if (outcome == 0) continue;
        const char* const parts[] = {outcome == 1 ? "FENCEPOST_OPTIONS: there is no option '"
                                                  : "FENCEPOST_OPTIONS: not a possible value: '",
                                     key, has_value ? "=" : "", has_value ? value : "",
                                     "' (help=1 lists the options)"};
        std::size_t used = 0;
        for (const char* part : parts)
            while (*part && used + 1 < sizeof problem_text) problem_text[used++] = *part++;
        problem_text[used] = 0;
        problem = problem_text;
        return false;
    }
    return true;
}

Options the_options;
bool is_read = false;

}  // namespace

bool parse_option(char* text, Options& into, const char*& problem) { return parse(text, into, problem); }

bool parse_options(const char* text, Options& into, const char*& problem) {
    const std::size_t length = std::strlen(text);
    if (length + 1 > text_capacity) {
        problem = "FENCEPOST_OPTIONS: longer than 4095 characters";
        return false;
    }
    std::memcpy(text_storage, text, length + 1);
    return parse(text_storage, into, problem);
}

Options& options_for_change() {
    if (is_read) return the_options;
    is_read = true;  // the first use is in the process' only thread: __tsan_init
    const char* problem = nullptr;
    const char* const text = getenv("FENCEPOST_OPTIONS");
    if (text && !parse_options(text, the_options, problem)) fail_usage(problem);
    if (the_options.help) write_all(2, help_text, sizeof help_text - 1);
    return the_options;
}

const Options& options() { return options_for_change(); }

}  // namespace fencepost::rt
