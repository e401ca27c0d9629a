// The rest of an atomic access that changes something of what is known.

#include "abi/atomic.hpp"

namespace fencepost::rt {

bool is_usual = false;

namespace {

void end(Entry& entry, Judged& judged) {
    entry.end();
    if (__builtin_expect(judged.finding.found, 0)) report_violation(judged.thread, judged.access, judged.finding, false);
}

}  // namespace

void end_rmw(ThreadState& thread, Entry& entry, const Access& access, std::uint64_t old, std::uint64_t value) {
    Judged judged{thread, entry.location(), access, {}};
    judged.begin(old);
    judged.judge(true);
    entry.location().alone = 0;
    rmw_step(thread, entry.location(), access, value);
    end(entry, judged);
}

void end_read(ThreadState& thread, Entry& entry, const Access& access, std::uint64_t value) {
    Judged judged{thread, entry.location(), access, {}};
    judged.begin(value);
    judged.judge(false);
    read_step(thread, entry.location(), access);
    remember_as_recent(thread, entry.location(), access.order);
    end(entry, judged);
}

void end_failed_cas(ThreadState& thread, Entry& entry, Access access, Order failure, std::uint64_t old) {
    Judged judged{thread, entry.location(), access, {}};
    judged.begin(old);
    judged.judge(true);
    access.order = failure;
    read_step(thread, entry.location(), access);
    end(entry, judged);
}

}  // namespace fencepost::rt
