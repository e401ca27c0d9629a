// Atomic accesses: those that change little or nothing of what is known, in few steps; visit.hpp has the others.
//
// Whatever the processor's memory model, what is executed here is sequentially consistent, and has to be: a violation is
// found where a thread may still read something old, and does not. Every lock is a full fence; an owner of a lock
// passes one when somebody else comes; and who reads without a lock passes one first if it has stored anything since.
#pragma once

#include "abi/visit.hpp"

namespace fencepost::rt {

// A locked instruction drains the store buffer.
#if defined(__x86_64__)
constexpr bool locks_are_fences = true;
#else
constexpr bool locks_are_fences = false;
#endif

// No option asks for more than the plain course of things. Set before there are other threads.
extern bool is_usual __attribute__((visibility("hidden")));

// What the short way is for.
inline bool is_short(const ThreadState* thread) {
    return __builtin_expect(is_usual, 1) && __builtin_expect(thread != nullptr, 1) && __builtin_expect(!thread->is_special(), 1);
}

// The location of an access: locked, or entered by its owner. `end` must be called.
class Entry {
  public:
    __attribute__((always_inline)) Entry(ThreadState& thread, const volatile void* where, unsigned size, bool writes)
        : thread_(thread), where_(where), size_(size) {
        ++thread.accesses;
        begin(writes);
        if (__builtin_expect(location_->is_mixed, 0)) {
            leave();
            release_to_overlapping(thread, where, size);
            begin(writes);
        }
    }
    __attribute__((always_inline)) void end() {
        const bool is_mixed = location_->is_mixed;
        leave();
        if (__builtin_expect(is_mixed, 0)) acquire_from_overlapping(thread_, where_, size_);
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    Location& location() { return *location_; }
    bool is_owned() const { return is_owned_; }
    // After a write in a row of writes that all were by this thread: its next ones need no lock.
    void count_alone() {
        if (is_owned_ || !locks_can_be_owned) return;
        if (++location_->alone < least_alone << location_->ownerships) return;
        location_->alone = 0;
        if (location_->ownerships < most_ownerships) ++location_->ownerships;
        location_->lock.own(thread_.slot);
    }

  private:
    __attribute__((always_inline)) void begin(bool writes) {
        const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(where_);
        const std::uintptr_t key = Location::key_of(address, size_, false);
        std::atomic<std::uint32_t>* const head = table.head(address);
        __builtin_prefetch(const_cast<const void*>(where_), 1);  // what is not in the cache comes all at once
        location_ = location_of(head->load(std::memory_order_acquire));
        if (location_)
            for (unsigned line = 1; line < (writes ? sizeof(Location) / 64 : 2); ++line)
                __builtin_prefetch(reinterpret_cast<const char*>(location_) + line * 64, 1);
        if (__builtin_expect(location_ && location_->has_key(key), 1)) {
            if (location_->lock.enter(thread_.slot, *thread_.inside)) {
                is_owned_ = true;
                if (__builtin_expect(location_->has_key(key), 1)) return;
                BiasedLock::leave(*thread_.inside);
            }
            is_owned_ = false;
            location_->lock.lock();
            if (locks_are_fences) thread_.may_have_buffered = false;
            if (__builtin_expect(location_->has_key(key), 1)) return;
            location_->lock.unlock();
        }
        is_owned_ = false;
        location_ = &locked_location_slowly(address, size_, false);
    }
    __attribute__((always_inline)) void leave() {
        if (is_owned_) BiasedLock::leave(*thread_.inside);
        else location_->lock.unlock();
    }

    static constexpr unsigned least_alone = 500;  // what ends an ownership takes as long as a few hundred locks
    static constexpr unsigned most_ownerships = 7;

    ThreadState& thread_;
    const volatile void* where_;
    unsigned size_;
    Location* location_;
    bool is_owned_;
};

// What comes after the value is known, where `write_again` did not do: returns what is wrong with the access.
struct Judged {
    ThreadState& thread;
    Location& location;
    const Access& access;
    Finding finding;

    void begin(std::uint64_t value) {
        if (__builtin_expect(location.written == 0, 0)) begin_history(location, value);
    }
    void judge(bool is_write) {
        if (!thread.knows(location.sc_write.owner) && !location.is_ignored && !location.is_mixed && !run_has_left_sc)
            check_slowly(thread, location, access, finding);
        if (__builtin_expect(location.plain_seen, 0))
            check_atomic_against_plain(thread, location, access.size, is_write, access.order, access.place);
    }
};

void end_rmw(ThreadState& thread, Entry& entry, const Access& access, std::uint64_t old, std::uint64_t value);
void end_failed_cas(ThreadState& thread, Entry& entry, Access access, Order failure, std::uint64_t old);
void end_read(ThreadState& thread, Entry& entry, const Access& access, std::uint64_t value);

template <class T>
__attribute__((noinline)) void store_after_others(ThreadState& thread, Entry& entry, volatile T* address, T value, const Access& access) {
    Judged judged{thread, entry.location(), access, {}};
    if (entry.location().written == 0) judged.begin(word(load_word(address)));
    judged.judge(true);
    entry.location().alone = 0;
    store_word(address, value);
    write_step(thread, entry.location(), access, word(value));
    entry.end();
    if (__builtin_expect(judged.finding.found, 0)) report_violation(thread, access, judged.finding, false);
}

template <class T>
__attribute__((always_inline)) inline T load_quickly(ThreadState* thread, volatile T* address, int order, std::uintptr_t place) {
    const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(address);
    if (Location* const location = read_again(*thread, number, sizeof(T), order_of(order))) {
        if (thread->may_have_buffered) {
            std::atomic_thread_fence(std::memory_order_seq_cst);
            thread->may_have_buffered = false;
        }
        const T value = load_word(address);
        if (is_unchanged(*thread, number, *location)) {
            ++thread->accesses;
            return value;
        }
    }
    const Busy inside;
    Entry entry(*thread, address, sizeof(T), false);
    const T value = load_word(address);
    end_read(*thread, entry, {Kind::Load, order_of(order), sizeof(T), number, place}, word(value));
    return value;
}

template <class T>
__attribute__((always_inline)) inline void store_quickly(ThreadState* thread, volatile T* address, T value, int order, std::uintptr_t place) {
    const Busy inside;
    Entry entry(*thread, address, sizeof(T), true);
    thread->may_have_buffered = true;
    entry.location().begin_change();
    const Order wanted = order_of(order);
    if (__builtin_expect(writes_again(*thread, entry.location(), wanted, false), 1)) {
        store_word(address, value);
        write_again(*thread, entry.location(), wanted, place, word(value), false);
        entry.count_alone();
        entry.end();
        return;
    }
    store_after_others(*thread, entry, address, value, {Kind::Store, wanted, sizeof(T), reinterpret_cast<std::uintptr_t>(address), place});
}

template <class Operation, class T>
__attribute__((always_inline)) inline T update_quickly(ThreadState* thread, volatile T* address, T operand, int order, std::uintptr_t place) {
    const Busy inside;
    Entry entry(*thread, address, sizeof(T), true);
    entry.location().begin_change();
    const T old = Operation::perform(address, operand);
    if (locks_are_fences) thread->may_have_buffered = false;
    const std::uint64_t value = word(Operation::result(old, operand));
    const Order wanted = order_of(order);
    if (__builtin_expect(writes_again(*thread, entry.location(), wanted, true), 1)) {
        write_again(*thread, entry.location(), wanted, place, value, true);
        entry.count_alone();
        entry.end();
        return old;
    }
    end_rmw(*thread, entry, {Kind::Rmw, wanted, sizeof(T), reinterpret_cast<std::uintptr_t>(address), place}, word(old), value);
    return old;
}

template <class T>
__attribute__((always_inline)) inline bool cas_quickly(ThreadState* thread, volatile T* address, T* expected, T wanted, int order, int failure, CasKind kind,
                                                       std::uintptr_t place) {
    const Busy inside;
    Entry entry(*thread, address, sizeof(T), true);
    entry.location().begin_change();
    const T old = compare_and_swap(address, *expected, wanted);
    if (locks_are_fences) thread->may_have_buffered = false;
    if (old == *expected && writes_again(*thread, entry.location(), order_of(order), true)) {
        write_again(*thread, entry.location(), order_of(order), place, word(wanted), true);
        entry.count_alone();
        entry.end();
        return true;
    }
    // clang does not tell which it is. What is wrong with a strong one is wrong with both.
    Access access{kind == CasKind::Weak ? Kind::CasWeak : Kind::CasStrong, order_of(order), sizeof(T),
                  reinterpret_cast<std::uintptr_t>(address), place, word(*expected)};
    if (old == *expected) {
        end_rmw(*thread, entry, access, word(old), word(wanted));
        return true;
    }
    end_failed_cas(*thread, entry, access, order_of(failure), word(old));
    *expected = old;
    return false;
}

template <class T>
T atomic_load(volatile T* address, int order, std::uintptr_t place) {
    ThreadState* const thread = this_thread;
    if (!is_short(thread)) return load_slowly(address, order, place);
    void* const plain = const_cast<T*>(address);
    sched::point(sched::Point::Load, plain, false);
    const T value = load_quickly(thread, address, order, place);
    sched::observed(plain, word(value), false);
    return value;
}

template <class T>
void atomic_store(volatile T* address, T value, int order, std::uintptr_t place) {
    ThreadState* const thread = this_thread;
    if (!is_short(thread)) return store_slowly(address, value, order, place);
    void* const plain = const_cast<T*>(address);
    sched::point(sched::Point::Store, plain, true);
    store_quickly(thread, address, value, order, place);
    sched::observed(plain, word(value), true);
}

template <class Operation, class T>
T atomic_update(volatile T* address, T operand, int order, std::uintptr_t place) {
    ThreadState* const thread = this_thread;
    if (!is_short(thread)) return update_slowly<Operation>(address, operand, order, place);
    void* const plain = const_cast<T*>(address);
    sched::point(sched::Point::Rmw, plain, true);
    const T old = update_quickly<Operation>(thread, address, operand, order, place);
    sched::observed(plain, word(old), Operation::result(old, operand) != old);
    return old;
}

template <class T>
int atomic_cas(volatile T* address, T* expected, T wanted, int order, int failure, CasKind kind, std::uintptr_t place) {
    ThreadState* const thread = this_thread;
    if (!is_short(thread)) return cas_slowly(address, expected, wanted, order, failure, kind, place);
    void* const plain = const_cast<T*>(address);
    sched::point(sched::Point::Rmw, plain, true);
    const T old_expected = *expected;
    const bool done = cas_quickly(thread, address, expected, wanted, order, failure, kind, place);
    sched::observed(plain, word(done ? old_expected : *expected), done && wanted != old_expected);
    return done;
}

inline void atomic_fence(int order, std::uintptr_t place) {
    ThreadState& thread = self();
    const Order wanted = order_of(order);
    sched::point(wanted == SeqCst ? sched::Point::Fence : sched::Point::LocalFence, nullptr, false);
    if (!thread.ignoring) {
        const Busy inside;
        if (__builtin_expect(waits_are_confirmed, 0) && thread.injection && thread.injection->is_open) {
            const Access access{Kind::Fence, wanted, 0, 0, place};
            settle_injection(thread, &access);
        }
        fence_step(thread, wanted, place);
        if (locks_are_fences) {  // and of the others the processor needs none
            if (wanted == SeqCst) thread.may_have_buffered = false;
            return;
        }
    }
    if (wanted == SeqCst) __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

}  // namespace fencepost::rt
