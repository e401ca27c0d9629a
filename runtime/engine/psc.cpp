#include "engine/psc.hpp"

#include <cstring>

#include "base/pool.hpp"

namespace fencepost::rt {

// The one is read at every access, the other changes with every fence.
alignas(64) std::atomic<bool> psc_in_use{false};
alignas(64) std::atomic<std::uint32_t> fences_executed{0};

namespace {

bool executed_before_fence(const Write& write, Epoch number) {
    return number != 0 && static_cast<std::int32_t>(write.fences - static_cast<std::uint32_t>(number)) < 0;
}

void join_from(ThreadState& thread, ThreadState::Family into, const Epoch* from, unsigned width) {
    if (!from) return;
    thread.widen(width);
    join_epochs(thread.clock(into), from, width);
    thread.has_psc = true;
    thread.psc_again = 0;
}

void make_room(ThreadState& thread, Location& location) {
    const unsigned wanted = thread.width;
    if (location.psc_capacity >= wanted) return;
    unsigned capacity = location.psc_capacity ? location.psc_capacity : 8;
    while (capacity < wanted) capacity *= 2;
    const std::size_t bytes = Pool::rounded(Location::clocks * capacity * sizeof(Epoch));
    Epoch* const arrays = static_cast<Epoch*>(pool.take(bytes));
    std::memset(arrays, 0, bytes);
    if (location.psc_arrays) {
        for (unsigned i = 0; i < Location::clocks; ++i)
            std::memcpy(arrays + i * capacity, location.psc_array(i), location.psc_capacity * sizeof(Epoch));
        pool.give(location.psc_arrays, Pool::rounded(Location::clocks * location.psc_capacity * sizeof(Epoch)));
    }
    location.psc_arrays = arrays;
    location.psc_capacity = static_cast<std::uint16_t>(capacity);
}

void put(ThreadState& thread, ThreadState::Family from, Location& location, PscClock into, bool join) {
    Epoch* const target = location.psc_array(into);
    const Epoch* const source = thread.clock(from);
    if (join) {
        join_epochs(target, source, thread.width);
        return;
    }
    copy_epochs(target, source, thread.width);
    clear_epochs(target + thread.width, target + location.psc_capacity);
}

void join_location(ThreadState& thread, ThreadState::Family into, const Location& location, PscClock from) {
    if (location.psc_arrays) join_from(thread, into, location.psc_array(from), location.psc_capacity);
}

}  // namespace

bool psc_forbids_missing(const ThreadState& thread, const Location&, const Access& access, const Write& write) {
    if (!psc_matters()) return false;
    const View current = thread.view(ThreadState::Current);
    const bool is_sc = write.order() == SeqCst;
    if (is_sc && executed_before_fence(write, current[fence_slot])) return true;
    if (access.order != SeqCst) return false;
    const View psc = thread.view(ThreadState::Psc);
    if (is_sc && psc.knows(write.by())) return true;
    const Epoch fence = psc[fence_slot] < current[fence_slot] ? current[fence_slot] : psc[fence_slot];
    return executed_before_fence(write, fence);
}

void psc_enter(ThreadState& thread, const Location& location, bool is_sc) {
    if (thread.run_address != location.address()) thread.run_address = 0;
    if (!is_sc || thread.run_address) return;
    copy_epochs(thread.clock(ThreadState::PscBefore), thread.clock(ThreadState::Psc), thread.width);
    thread.run_address = location.address();
}

void psc_sc_write(ThreadState& thread, Location& location) {
    join_location(thread, ThreadState::Psc, location, Accesses);
    make_room(thread, location);
    Epoch* const psc = thread.clock(ThreadState::Psc);
    if (psc[fence_slot] < location.fences) psc[fence_slot] = location.fences;
    psc[thread.slot] = thread.epoch;
    thread.has_psc = true;
    put(thread, ThreadState::Psc, location, Accesses, false);
    put(thread, ThreadState::Psc, location, Writes, false);
    thread.psc_again = location.address();
}

void psc_write_again(ThreadState& thread, Location& location) {
    if (thread.run_address != location.address()) {
        copy_epochs(thread.clock(ThreadState::PscBefore), thread.clock(ThreadState::Psc), thread.width);
        thread.run_address = location.address();
        put(thread, ThreadState::PscBefore, location, Flow, false);
    }
    thread.clock(ThreadState::Psc)[thread.slot] = thread.epoch;
    location.psc_array(Accesses)[thread.slot] = thread.epoch;
    location.psc_array(Writes)[thread.slot] = thread.epoch;
}

void psc_sc_read(ThreadState& thread, Location& location) {
    join_location(thread, ThreadState::Psc, location, Writes);
    make_room(thread, location);
    thread.clock(ThreadState::Psc)[thread.slot] = thread.epoch;
    thread.has_psc = true;
    thread.psc_again = 0;
    put(thread, ThreadState::Psc, location, Accesses, true);
}

void psc_acquire(ThreadState& thread, const Location& location) {
    join_location(thread, ThreadState::Psc, location, Flow);
    if (thread.run_address) join_location(thread, ThreadState::PscBefore, location, Flow);
}

void psc_acquire_later(ThreadState& thread, const Location& location) {
    join_location(thread, ThreadState::PscPending, location, Flow);
}

void psc_release(ThreadState& thread, Location& location, bool is_release, bool is_rmw, bool is_sc) {
    if (!thread.has_psc && !location.psc_arrays) return;
    make_room(thread, location);
    const ThreadState::Family own = is_release ? ThreadState::Psc : ThreadState::PscReleased;
    // A step to the location itself is none to another location: what happens-before carries on from here does not
    // include the thread's last seq_cst accesses, if they were to this location.
    const bool in_run = is_release && thread.run_address == location.address();
    put(thread, in_run ? ThreadState::PscBefore : own, location, Flow, is_rmw);
    if (!is_sc) put(thread, own, location, Writes, is_rmw);
}

void psc_acquire_fence(ThreadState& thread) {
    thread.run_address = thread.psc_again = 0;
    if (thread.has_psc) join_epochs(thread.clock(ThreadState::Psc), thread.clock(ThreadState::PscPending), thread.width);
}

void psc_release_fence(ThreadState& thread) {
    thread.run_address = thread.psc_again = 0;
    copy_epochs(thread.clock(ThreadState::PscReleased), thread.clock(ThreadState::Psc), thread.width);
}

}  // namespace fencepost::rt
