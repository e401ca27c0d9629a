// What the engine remembers of code places, and how it is written down.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "base/pool.hpp"
#include "engine/engine.hpp"
#include "engine/shadow.hpp"
#include "engine/stacks.hpp"
#include "engine/threads.hpp"
#include "engine/trace.hpp"
#include "report/json.hpp"
#include "testing.hpp"

using namespace fencepost;

namespace {

std::string written(rt::Record& record) {
    char name[] = "/tmp/fencepost-record-XXXXXX";
    const int file = mkstemp(name);
    record.write(file);
    std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), ' ');
    CHECK(pread(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    close(file);
    unlink(name);
    return text;
}

}  // namespace

TEST("records are JSON, whatever the names in them are") {
    rt::Record record("module");
    record.number("id", 3).text("path", "/a \"b\"\\\n\xff").hex("base", 0xabc).real("seconds", 1.0625);
    record.begin_list("stack").begin_list().number_element(0).hex_element(16).end_list().end_list();
    CHECK(written(record) ==
          "{\"type\": \"module\", \"id\": 3, \"path\": \"/a \\\"b\\\"\\\\\\u000a\\u00ff\", \"base\": \"0xabc\", "
          "\"seconds\": 1.063, \"stack\": [[0, \"0x10\"]]}\n");
}

TEST("blocks of the pool are at least as large as wanted, and wanted again they are the same") {
    for (std::size_t bytes : {1U, 64U, 65U, 96U, 97U, 129U, 4000U, 100000U}) {
        const std::size_t size = rt::Pool::rounded(bytes);
        CHECK(size >= bytes);
        CHECK(rt::Pool::rounded(size) == size);
        CHECK(bytes < 64 || size < bytes + bytes / 2 + 2);
        void* const block = rt::pool.take(size);
        rt::pool.give(block, size);
        CHECK(rt::pool.take(size) == block);
        rt::pool.give(block, size);
    }
}

TEST("stacks have names, the same for the same calls") {
    rt::ShadowStack stack;
    stack.begin();
    stack.push(0x100);
    stack.push(0x200);
    const std::uint32_t inner = stack.name(0x300);
    stack.pop();
    const std::uint32_t outer = stack.name(0x300);
    stack.push(0x200);
    CHECK(stack.name(0x300) == inner);
    CHECK(inner != outer);
    std::uintptr_t frames[8];
    CHECK(rt::frames_of(inner, frames, 8) == 3);
    CHECK(frames[0] == 0x300 && frames[1] == 0x200 && frames[2] == 0x100);
    CHECK(rt::frames_of(inner, frames, 2) == 2);
    for (int i = 0; i < 200000; ++i) stack.push(0x400);  // deeper than is kept
    for (int i = 0; i < 200000; ++i) stack.pop();
    CHECK(stack.name(0x300) == inner);
    stack.end();
}

TEST("a trace tells the stack of a past access, across its parts, until it is overwritten") {
    rt::ThreadState& thread = *rt::current();
    rt::Trace& trace = *thread.trace;
    static std::uint64_t words[2];
    const std::uintptr_t wanted = reinterpret_cast<std::uintptr_t>(&words[0]);
    const std::uintptr_t other = reinterpret_cast<std::uintptr_t>(&words[1]);
    thread.stack.push(0x1000);
    rt::trace_event(thread, rt::Trace::call | 0x1000);
    for (unsigned i = 0; i < rt::Trace::part_events; ++i) {  // so that the call is in another part than the access
        rt::trace_event(thread, rt::Trace::call | 0x2000);
        rt::trace_event(thread, rt::Trace::ret);
    }
    rt::trace_event(thread, rt::Trace::segment | 77);
    rt::trace_event(thread, rt::Trace::of_access(wanted, 0x3000));
    rt::trace_event(thread, rt::Trace::of_access(other, 0x4000));
    rt::trace_event(thread, rt::Trace::segment | 78);
    std::uintptr_t frames[4];
    const std::uint32_t name = trace.find(77, wanted);
    CHECK(rt::frames_of(name, frames, 4) >= 2);
    CHECK(frames[0] == 0x3000 && frames[1] == 0x1000);
    CHECK(trace.find(78, wanted) == 0);
    for (unsigned i = 0; i < rt::Trace::parts * rt::Trace::part_events; ++i) rt::trace_event(thread, rt::Trace::call | 0x2000);
    CHECK(trace.find(77, wanted) == 0);
    thread.stack.pop();
}
