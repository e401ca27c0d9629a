#include <cstring>
#include <string>

#include "base/options.hpp"
#include "testing.hpp"

using namespace fencepost::rt;

namespace {

bool accepts(const char* text) {
    Options options;
    const char* problem = nullptr;
    return parse_options(text, options, problem);
}

}  // namespace

TEST("options are read, in any order and between any separators") {
    Options options;
    const char* problem = nullptr;
    CHECK(parse_options("races=0:seed=18446744073709551614,sc=fence exitcode=7", options, problem));
    CHECK(!options.races);
    CHECK(options.seed == 18446744073709551614U);
    CHECK(options.sc == ScAccesses::Fence);
    CHECK(options.exitcode == 7);
}

TEST("options that do not exist, and values that make no sense, are told") {
    Options options;
    const char* problem = nullptr;
    CHECK(!parse_options("race=0", options, problem));
    CHECK(std::string(problem).find("there is no option 'race=0'") != std::string::npos);
    CHECK(!parse_options("exitcode=256", options, problem));
    CHECK(std::string(problem).find("'exitcode=256'") != std::string::npos);
    CHECK(!accepts("races"));
    CHECK(!accepts("seed=-1"));
    CHECK(!accepts("sc=strong"));
    CHECK(!accepts("seed=18446744073709551616"));
    CHECK(accepts(""));
    CHECK(accepts("::"));
}
