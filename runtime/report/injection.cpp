#include "report/injection.hpp"

#include "base/options.hpp"
#include "base/os.hpp"
#include "engine/thread.hpp"
#include "report/report.hpp"

namespace fencepost::rt {

bool waits_are_confirmed = false;
bool run_has_left_sc = false;

namespace {

// Loads that are known to wait. When there is no room left, they are tried again.
constexpr unsigned most_known = 1024;
std::uintptr_t known_waits[most_known];
SpinLock lock;

bool is_known_wait(std::uintptr_t place) {
    const Guard guard(lock);
    return known_waits[place % most_known] == place;
}

void note_wait(std::uintptr_t place) {
    const Guard guard(lock);
    known_waits[place % most_known] = place;
}

}  // namespace

void settle_injection(ThreadState& thread, const Access* next) {
    Injection& injection = *thread.injection;
    injection.is_open = false;
    const bool is_wait = next && next->kind == Kind::Load && next->place == injection.access.place &&
                         next->address == injection.access.address && thread.stack.depth() == injection.depth;
    if (is_wait) note_wait(injection.access.place);
    else __atomic_store_n(&run_has_left_sc, true, __ATOMIC_RELAXED);
    report_violation(thread, injection.access, injection.finding, is_wait);
}

bool inject(ThreadState& thread, const Access& access, const Finding& finding, std::uint64_t seen) {
    if (access.kind != Kind::Load || !finding.has_stale || finding.stale.value == seen) return false;
    if (thread.benign || thread.ignoring) return false;
    if (is_known_wait(access.place)) {
        report_violation(thread, access, finding, true);
        return false;
    }
    if (!thread.injection) {
        thread.injection = static_cast<Injection*>(allocate_forever(sizeof(Injection), "confirmation of waits"));
    }
    *thread.injection = {true, thread.stack.depth(), access, finding};
    return true;
}

}  // namespace fencepost::rt
