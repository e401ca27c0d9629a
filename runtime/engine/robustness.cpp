#include "engine/robustness.hpp"

#include "engine/psc.hpp"
#include "engine/threads.hpp"

// As in fencepost.h.
struct fencepost_condition {
    int (*holds)(const void* context, unsigned long long seen);
    const void* context;
};

namespace fencepost::rt {
namespace {

std::int64_t as_signed(std::uint64_t value, unsigned size) {
    const unsigned shift = size >= 8 ? 0 : 64 - 8 * size;
    return static_cast<std::int64_t>(value << shift) >> shift;
}

// May the access take the write with this age instead of what comes after it? `follower` is the write after it.
bool could_take(const Access& access, const Write& write, const Write& follower) {
    switch (access.kind) {
        case Kind::Load:
        case Kind::CasWeak: return true;
        // What is overwritten out of turn must not be what an RMW has read: its atomicity.
        case Kind::Store:
        case Kind::Rmw: return !follower.is_rmw();
        case Kind::Wait: return ends_wait(access, write.value);
        case Kind::BlockingCas: return write.value == access.expected && !follower.is_rmw();
        // It fails with another value, or succeeds where an RMW may still come.
        case Kind::CasStrong: return write.value != access.expected || !follower.is_rmw();
        default: return false;
    }
}

}  // namespace

// Numbers as in fencepost.h.
bool ends_wait(const Access& access, std::uint64_t seen) {
    const std::uint64_t mask = access.size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * access.size) - 1;
    const std::uint64_t wanted = access.expected & mask;
    seen &= mask;
    constexpr unsigned with_sign = 16;
    const bool is_signed = access.comparison & with_sign;
    const bool less = is_signed ? as_signed(seen, access.size) < as_signed(wanted, access.size) : seen < wanted;
    switch (access.comparison & ~with_sign) {
        case 0: return seen == wanted;
        case 1: return seen != wanted;
        case 2: return less;
        case 3: return less || seen == wanted;
        case 4: return !less && seen != wanted;
        case 5: return !less;
        case 7: {  // as the program says
            const auto* const condition = reinterpret_cast<const fencepost_condition*>(access.expected);
            return condition->holds(condition->context, seen) != 0;
        }
        default: return seen == wanted;
    }
}

// T_SC(t)(x) is the stamp of the newest write that the thread knows under SC; T_c(t)(x) that of the newest that it
// knows by happens-before or because somebody whom it knows has read it. Between the two lies what it may still take.
void check_slowly(const ThreadState& thread, const Location& location, const Access& access, Finding& finding) {
    unsigned missed = 0;
    while (missed < location.written) {
        const Write& write = location.write(missed);
        if (thread.knows(write.by())) return;
        if (thread.knows_sc(write.by()) && !is_discarded(write.by())) break;
        ++missed;
    }
    if (missed + 1 >= location.written) return;
    const Write& newest = location.write(missed);
    const Stamp newest_stamp = location.stamp - missed;
    if (!older(location.floor, newest_stamp)) return;
    Stamp known = location.floor;
    for (unsigned age = 0; age < location.reads_known; ++age) {
        const Read& read = location.read(age);
        if (!older(known, read.stamp) || !thread.knows(read.by)) continue;
        if (!older(read.stamp, newest_stamp)) return;
        known = read.stamp;
    }
    // From what must be seen at least (seq_cst accesses have their own reasons), the newest that may be taken.
    for (unsigned age = missed; age + 1 < location.written; ++age) {
        const Write& follower = location.write(age);
        if (!older(known, location.stamp - age)) return;
        if (thread.knows(follower.by()) || is_discarded(follower.by())) return;
        if (psc_forbids_missing(thread, location, access, follower)) return;
        const Write& stale = location.write(age + 1);
        if (!could_take(access, stale, follower)) continue;
        if (!finding.found || (finding.stale.value == newest.value && stale.value != newest.value)) {
            finding.found = finding.has_stale = true;
            finding.missed = newest;
            finding.stale = stale;
        }
        if (stale.value != newest.value) return;
    }
}

}  // namespace fencepost::rt
