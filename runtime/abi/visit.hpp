// Atomic accesses as they are in general: the scheduler is asked, the location locked, the check made, the operation done, the
// clocks moved. Most accesses have a shorter way: atomic.hpp.
#pragma once

#include <cstdint>

#include "abi/width.hpp"
#include "base/busy.hpp"
#include "base/options.hpp"
#include "engine/mixed.hpp"
#include "engine/psc.hpp"
#include "engine/robustness.hpp"
#include "engine/shadow.hpp"
#include "engine/steps.hpp"
#include "engine/table.hpp"
#include "engine/thread.hpp"
#include "report/injection.hpp"
#include "report/report.hpp"
#include "schedule/schedule.hpp"

namespace fencepost::rt {

enum class CasKind : std::uint8_t { Weak, Strong, Unknown };

inline ThreadState& self() {
    ThreadState* const thread = this_thread;
    return __builtin_expect(thread != nullptr, 1) ? *thread : *fencepost::rt::current();
}

// With sc=fence, a seq_cst access lies between two fences.
inline bool is_fenced(Order order) {
    return __builtin_expect(order == SeqCst, 0) && __builtin_expect(options().sc == ScAccesses::Fence, 0);
}

template <class T>
std::uint64_t word(T value) {
    return static_cast<std::uint64_t>(value);
}

// The location of an access, locked. Unlocks, reports and unfences at the end.
class Visit {
  public:
    __attribute__((always_inline)) Visit(ThreadState& thread, const volatile void* address, const Access& access)
        : thread_(thread), access_(access), fenced_(is_fenced(access.order)) {
        if (__builtin_expect(waits_are_confirmed, 0) && thread.injection && thread.injection->is_open)
            settle_injection(thread, &access);
        if (fenced_) fence_step(thread, SeqCst, access.place);
        location_ = &locked_location(access.address, access.size, false);
        if (__builtin_expect(location_->is_mixed, 0)) {
            location_->lock.unlock();
            release_to_overlapping(thread, address, access.size);
            location_ = &locked_location(access.address, access.size, false);
        }
        ++thread.accesses;
        if (access.kind != Kind::Load && access.kind != Kind::Wait) {
            location_->begin_change();
            thread.may_have_buffered = true;
        }
    }
    __attribute__((always_inline)) ~Visit() {
        const bool is_mixed = location_->is_mixed;
        location_->lock.unlock();
        if (__builtin_expect(is_mixed, 0))
            acquire_from_overlapping(thread_, reinterpret_cast<const void*>(access_.address), access_.size);
        if (__builtin_expect(finding_.found, 0)) report_violation(thread_, access_, finding_, false);
        if (fenced_) fence_step(thread_, SeqCst, access_.place);
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

    Location& location() { return *location_; }
    // For a load that may be given an old value. Returns whether it is.
    bool take_stale(std::uint64_t seen, std::uint64_t& stale) {
        if (__builtin_expect(!finding_.found || !waits_are_confirmed, 1)) return false;
        if (access_.kind != Kind::Load || finding_.stale.value == seen) return false;
        finding_.found = false;
        if (run_has_left_sc || !inject(thread_, access_, finding_, seen)) return false;
        stale = finding_.stale.value;
        return true;
    }
    void begin(std::uint64_t value) {
        if (__builtin_expect(location_->written == 0, 0)) begin_history(*location_, value);
    }
    void judge(const Access& access) {
        if (__builtin_expect(!thread_.knows(location_->sc_write.owner), 0) && !location_->is_ignored &&
            !location_->is_mixed)
            if (!run_has_left_sc) check_slowly(thread_, *location_, access, finding_);
        if (__builtin_expect(location_->plain_seen, 0))
            check_atomic_against_plain(thread_, *location_, access.size, access.kind != Kind::Load && access.kind != Kind::Wait,
                                       access.order, access.place);
    }

  private:
    Busy busy_;
    ThreadState& thread_;
    const Access& access_;
    Location* location_;
    Finding finding_;
    bool fenced_;
};

// What an annotation says of the next access.
inline void apply_annotations(ThreadState& thread, Access& access) {
    if (__builtin_expect(thread.wait.address == 0 && thread.strong_cas_address == 0, 1)) return;
    if (thread.strong_cas_address == access.address && access.kind == Kind::CasWeak) access.kind = Kind::CasStrong;
    thread.strong_cas_address = 0;
    if (thread.wait.address != access.address) return;
    constexpr unsigned repeated_cas = 6;
    if (access.kind == Kind::Load && thread.wait.comparison != repeated_cas) access.kind = Kind::Wait;
    else if (thread.wait.comparison == repeated_cas && (access.kind == Kind::CasWeak || access.kind == Kind::CasStrong))
        access.kind = Kind::BlockingCas;
    else return;
    access.expected = thread.wait.value;
    access.comparison = thread.wait.comparison;
}

template <class T>
__attribute__((noinline)) T load_slowly(volatile T* address, int order, std::uintptr_t place) {
    T* const plain = const_cast<T*>(address);
    ThreadState& thread = self();
    sched::point(sched::Point::Load, plain, false);
    T value;
    for (bool waits = true; waits;) {
        waits = false;
        if (__builtin_expect(thread.ignoring != 0, 0)) {
            value = load_word(address);
            break;
        }
        Access access{Kind::Load, order_of(order), sizeof(T), reinterpret_cast<std::uintptr_t>(plain), place};
        apply_annotations(thread, access);
        {
            Visit visit(thread, address, access);
            value = load_word(address);
            visit.begin(word(value));
            visit.judge(access);
            // What does not end a wait is no event.
            waits = access.kind == Kind::Wait && !ends_wait(access, word(value));
            std::uint64_t stale = 0;
            if (visit.take_stale(word(value), stale)) value = static_cast<T>(stale);  // no event, until it turns out to be one
            else if (!waits) read_step(thread, visit.location(), access);
        }
        if (!waits || !sched::controlled()) break;
        sched::await_write(plain, place);
    }
    sched::observed(plain, word(value), false);
    return value;
}

template <class T>
__attribute__((noinline)) void store_slowly(volatile T* address, T value, int order, std::uintptr_t place) {
    T* const plain = const_cast<T*>(address);
    ThreadState& thread = self();
    sched::point(sched::Point::Store, plain, true);
    if (__builtin_expect(thread.ignoring != 0, 0)) {
        store_word(address, value);
    } else {
        const Access access{Kind::Store, order_of(order), sizeof(T), reinterpret_cast<std::uintptr_t>(plain), place};
        Visit visit(thread, address, access);
        if (__builtin_expect(visit.location().written == 0, 0)) visit.begin(word(load_word(address)));
        visit.judge(access);
        store_word(address, value);
        write_step(thread, visit.location(), access, word(value));
    }
    sched::observed(plain, word(value), true);
}

template <class Operation, class T>
__attribute__((noinline)) T update_slowly(volatile T* address, T operand, int order, std::uintptr_t place) {
    T* const plain = const_cast<T*>(address);
    ThreadState& thread = self();
    sched::point(sched::Point::Rmw, plain, true);
    T old;
    if (__builtin_expect(thread.ignoring != 0, 0)) {
        old = Operation::perform(address, operand);
    } else {
        const Access access{Kind::Rmw, order_of(order), sizeof(T), reinterpret_cast<std::uintptr_t>(plain), place};
        Visit visit(thread, address, access);
        old = Operation::perform(address, operand);
        visit.begin(word(old));
        visit.judge(access);
        rmw_step(thread, visit.location(), access, word(Operation::result(old, operand)));
    }
    sched::observed(plain, word(old), Operation::result(old, operand) != old);
    return old;
}

template <class T>
__attribute__((noinline)) int cas_slowly(volatile T* address, T* expected, T wanted, int order, int failure, CasKind kind, std::uintptr_t place) {
    T* const plain = const_cast<T*>(address);
    ThreadState& thread = self();
    sched::point(sched::Point::Rmw, plain, true);
    T old;
    for (;;) {
        if (__builtin_expect(thread.ignoring != 0, 0)) {
            old = compare_and_swap(address, *expected, wanted);
            break;
        }
        // clang does not tell which it is. What is wrong with a strong one is wrong with both.
        Access access{kind == CasKind::Weak ? Kind::CasWeak : Kind::CasStrong, order_of(order), sizeof(T),
                      reinterpret_cast<std::uintptr_t>(plain), place, word(*expected)};
        apply_annotations(thread, access);
        {
            Visit visit(thread, address, access);
            old = compare_and_swap(address, *expected, wanted);
            visit.begin(word(old));
            visit.judge(access);
            if (old == *expected) {
                rmw_step(thread, visit.location(), access, word(wanted));
            } else if (access.kind != Kind::BlockingCas) {
                access.order = order_of(failure);
                read_step(thread, visit.location(), access);
            }
        }
        if (old == *expected || access.kind != Kind::BlockingCas || !sched::controlled()) break;
        sched::await_write(plain, place);
    }
    const bool done = old == *expected;
    sched::observed(plain, word(old), done && wanted != old);
    *expected = old;
    return done;
}

}  // namespace fencepost::rt
