#include "machine/program.hpp"

#include <limits>
#include <stdexcept>

#include "programs.hpp"
#include "testing.hpp"

using namespace fencepost;
using fencepost::testing::Builder;

namespace {

std::int64_t value(ExprOp op, std::int64_t a, std::int64_t b) {
    return evaluate(Expr{{{ExprOp::constant, a}, {ExprOp::constant, b}, {op, 0}}}, nullptr);
}

}  // namespace

TEST("arithmetic is defined for all operands") {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(value(ExprOp::add, most, 1) == least);
    CHECK(value(ExprOp::subtract, least, 1) == most);
    CHECK(value(ExprOp::multiply, least, -1) == least);
    CHECK(value(ExprOp::divide, least, -1) == least);
    CHECK(value(ExprOp::modulo, least, -1) == 0);
    CHECK(value(ExprOp::divide, 1, 0) == 0);  // only where && or || discards it
    CHECK(value(ExprOp::shift_left, 1, 64) == 1);
    CHECK(evaluate(Expr{{{ExprOp::constant, least}, {ExprOp::negate, 0}}}, nullptr) == least);
}

TEST("values wrap around into the program's range") {
    Program program;
    program.max_value = 7;
    CHECK(program.wrap(8) == 0);
    CHECK(program.wrap(-1) == 7);
    CHECK(program.wrap(-9) == 7);
    CHECK(program.wrap(std::numeric_limits<std::int64_t>::min()) == 0);
}

TEST("malformed programs are refused") {
    CHECK_THROWS(std::invalid_argument, Program{}.validate());
    {
        Builder b(1);
        b.thread({b.jump(5)});
        CHECK_THROWS(std::invalid_argument, b.program.validate());
    }
    {
        Builder b(1);
        b.thread({b.load(9, 0)});
        CHECK_THROWS(std::invalid_argument, b.program.validate());
    }
    {
        Builder b(1);
        b.thread({b.load(0, 1)});
        CHECK_THROWS(std::invalid_argument, b.program.validate());
    }
    {
        Builder b(1);
        Instruction store = b.store(0, 1);
        store.first = b.add({{ExprOp::add, 0}});
        b.thread({store});
        CHECK_THROWS(std::invalid_argument, b.program.validate());
    }
    {
        Builder b(1);
        for (int i = 0; i <= max_threads; ++i) b.thread({});
        CHECK_THROWS(std::invalid_argument, b.program.validate());
    }
    fencepost::testing::store_buffering().validate();
}
