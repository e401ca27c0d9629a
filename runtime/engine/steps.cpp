#include "engine/steps.hpp"

#include <cstring>

#include "base/options.hpp"
#include "base/pool.hpp"
#include "engine/psc.hpp"
#include "engine/table.hpp"

namespace fencepost::rt {

unsigned history_kept = 7;

namespace {

enum Which : unsigned { ReleaseClock, ScWrite, ScAll };

Publication& publication(Location& location, Which which) {
    return which == ReleaseClock ? location.release : which == ScWrite ? location.sc_write : location.sc_all;
}

void make_room(Location& location, unsigned wanted) {
    if (__builtin_expect(location.capacity >= wanted, 1)) return;
    unsigned capacity = location.capacity ? location.capacity : 4;
    while (capacity < wanted) capacity *= 2;
    const std::size_t bytes = Pool::rounded(Location::clocks * capacity * sizeof(Epoch));
    Epoch* const arrays = static_cast<Epoch*>(pool.take(bytes));
    if (location.arrays) {
        for (unsigned i = 0; i < Location::clocks; ++i)
            std::memcpy(arrays + i * capacity, location.arrays + i * location.capacity, location.capacity * sizeof(Epoch));
        pool.give(location.arrays, Pool::rounded(Location::clocks * location.capacity * sizeof(Epoch)));
    }
    location.arrays = arrays;
    location.capacity = static_cast<std::uint16_t>(capacity);
}

// The location's clock := what the thread knew at `event`; nothing of others since `since`.
void publish(Location& location, Which which, const Epoch* clock, unsigned width, Event event, Epoch since) {
    Publication& to = publication(location, which);
    if (!to.mixed && to.since == since && to.owner.slot() == event.slot() && to.owner) {
        to.owner = event;
        return;
    }
    make_room(location, width);
    copy_epochs(location.arrays + which * location.capacity, clock, width);
    to.owner = event;
    to.since = since;
    to.width = static_cast<unsigned>(width);
    to.mixed = false;
}

// The location's clock |_|= what the thread knew at `event`. `knows_all`: it knew the clock.
void publish_too(Location& location, Which which, const Epoch* clock, unsigned width, Event event, Epoch since,
                 bool knows_all) {
    Publication& to = publication(location, which);
    if (to.empty() || (knows_all && !to.mixed)) {
        publish(location, which, clock, width, event, since);
        return;
    }
    make_room(location, width);
    Epoch* const array = location.arrays + which * location.capacity;
    if (!to.mixed) {
        make_room(location, to.owner.slot() + 1);
        Epoch* const moved = location.arrays + which * location.capacity;
        if (to.width <= to.owner.slot()) {
            const unsigned wider = rounded_width(to.owner.slot() + 1);
            clear_epochs(moved + to.width, moved + wider);
            to.width = wider;
        }
        moved[to.owner.slot()] = to.owner.epoch();
        to.mixed = true;
        to.owner = Event();
        publish_too(location, which, clock, width, event, since, false);
        return;
    }
    if (to.width < width) {
        clear_epochs(array + to.width, array + width);
        to.width = static_cast<unsigned>(width);
    }
    // Who was here since it last learnt something has left all that already.
    if (since == 0 || array[event.slot()] < since) join_epochs(array, clock, width);
    if (array[event.slot()] < event.epoch()) array[event.slot()] = event.epoch();
}

// The thread's clock |_|= the location's. False if it knew all that.
bool learn(ThreadState& thread, ThreadState::Family family, const Location& location, Which which) {
    const Publication& from = publication(const_cast<Location&>(location), which);
    const Epoch* const array = location.arrays + which * location.capacity;
    if (from.mixed) {
        bool is_new = thread.width < from.width;
        thread.widen(from.width);
        Epoch* const mine = thread.clock(family);
        for (unsigned i = 0; i < from.width; ++i)
            if (mine[i] < array[i]) {
                mine[i] = array[i];
                is_new = true;
            }
        return is_new;
    }
    if (!from.owner) return false;
    const Slot owner = from.owner.slot();
    const View known = thread.view(family);
    if (known[owner] >= from.owner.epoch()) return false;
    if (known[owner] < from.since || from.since == 0) {
        thread.widen(from.width > owner ? static_cast<unsigned>(from.width) : owner + 1);
        join_epochs(thread.clock(family), array, from.width);
    }
    thread.clock(family)[owner] = from.owner.epoch();
    return true;
}

void remember_edge(ThreadState& thread, const Location& location, Event from, const Access& access) {
    const unsigned made = thread.edges_made.load(std::memory_order_relaxed);
    Edge& edge = thread.edges[made % ThreadState::edges_kept];
    edge.epoch.store(thread.epoch, std::memory_order_relaxed);
    edge.from.store(from.bits, std::memory_order_relaxed);
    edge.address.store(location.address(), std::memory_order_relaxed);
    edge.stack.store(access.place ? thread.stack.name(access.place) : 0, std::memory_order_relaxed);
    edge.kind.store(static_cast<std::uint8_t>(access.kind), std::memory_order_relaxed);
    edge.order.store(access.order, std::memory_order_relaxed);
    thread.edges_made.store(made + 1, std::memory_order_release);
}

// What the newest write released reaches the thread: at once, or when it comes to an acquire fence.
// Returns whether its clock of happens-before has grown.
bool acquire_clock(ThreadState& thread, const Location& location, bool is_acquire) {
    const Publication& from = location.release;
    if (from.empty()) return false;
    if (is_acquire) {
        if (!learn(thread, ThreadState::Current, location, ReleaseClock)) return false;
        if (psc_matters()) psc_acquire(thread, location);
        return true;
    }
    if (!from.mixed && thread.knows(from.owner)) return false;
    if (learn(thread, ThreadState::Pending, location, ReleaseClock)) {
        thread.has_pending = true;
        if (psc_matters()) psc_acquire_later(thread, location);
    }
    return false;
}

bool has_read(const ThreadState& thread, const Location& location) {
    for (unsigned age = 0; age < location.reads_known; ++age) {
        const Read& read = location.read(age);
        if (read.stamp == location.stamp && read.by.slot() == thread.slot) return true;
    }
    return false;
}

void remember_read(const ThreadState& thread, Location& location) {
    if (location.reads_known == location.reads_room) {
        const unsigned most = history_kept;
        if (location.reads_room < most) {
            const unsigned room = location.reads_room ? location.reads_room * 2U : 4U;
            const std::size_t bytes = Pool::rounded(room * sizeof(Read));
            Read* const reads = static_cast<Read*>(pool.take(bytes));
            for (unsigned age = 0; age < location.reads_known; ++age)
                reads[location.reads_known - 1U - age] = location.read(age);
            if (location.reads) pool.give(location.reads, Pool::rounded(location.reads_room * sizeof(Read)));
            location.reads = reads;
            location.reads_first = 0;
            location.reads_room = static_cast<std::uint8_t>(room);
        } else {
            // Forgetting errs towards "everybody knows".
            const Read& oldest = location.read(location.reads_known - 1U);
            if (older(location.floor, oldest.stamp)) location.floor = oldest.stamp;
            location.reads_first = static_cast<std::uint8_t>((location.reads_first + 1U) % location.reads_room);
            --location.reads_known;
        }
    }
    const unsigned index = (location.reads_first + location.reads_known) % location.reads_room;
    location.reads[index] = {thread.now(), location.stamp};
    ++location.reads_known;
}

// Most options want no longer history than a location has room for in itself.
void make_room_for_writes(Location& location) {
    unsigned room = history_kept + 1U;
    if (room <= Location::writes_inside) {
        location.writes = location.inside;
    } else {
        if (location.written) room = location.room * 2U < room ? location.room * 2U : room;
        else room = Location::writes_inside;
        Write* const writes = room == Location::writes_inside
                                  ? location.inside
                                  : static_cast<Write*>(pool.take(Pool::rounded(room * sizeof(Write))));
        for (unsigned age = 0; age < location.written; ++age) writes[location.written - 1U - age] = location.write(age);
        if (location.writes != location.inside && location.writes)
            pool.give(location.writes, Pool::rounded(location.room * sizeof(Write)));
        location.writes = writes;
    }
    location.first = 0;
    location.room = static_cast<std::uint8_t>(room);
}

void remember_write(Location& location, const Write& write) {
    if (location.written == location.room) {
        if (location.room <= history_kept) {
            make_room_for_writes(location);
        } else {
            if (++location.first == location.room) location.first = 0;
            --location.written;
        }
    }
    unsigned index = location.first + location.written;
    if (index >= location.room) index -= location.room;
    location.writes[index] = write;
    ++location.written;
    // Stamps wrap around: what is older than all writes here says nothing any more, and must not seem new one day.
    if ((location.stamp & 0xffffff) == 0) {
        const Stamp oldest = location.stamp - (location.written - 1U);
        if (older(location.floor, oldest)) location.floor = oldest;
        while (location.reads_known && older(location.read(location.reads_known - 1U).stamp, oldest)) {
            location.reads_first = static_cast<std::uint8_t>((location.reads_first + 1U) % location.reads_room);
            --location.reads_known;
        }
    }
}

// M_SC |_|= T_SC(t), after a read.
void publish_read(ThreadState& thread, Location& location) {
    const Publication& all = location.sc_all;
    const bool knows_all = !all.mixed && thread.knows_sc(all.empty() ? location.sc_write.owner : all.owner);
    if (all.empty() && !knows_all) return;  // cannot be: it has just read that write
    publish_too(location, ScAll, thread.sc(), thread.width, thread.now(), thread.sc_since, knows_all);
}

// W_SC := M_SC := T_SC(t) |_| M_SC, before a write.
void sc_write_clocks(ThreadState& thread, Location& location, const Access& access) {
    if (location.is_ignored) return;
    const bool same = location.sc_all.empty();
    const Event from = same || location.sc_all.mixed ? location.sc_write.owner : location.sc_all.owner;
    if (learn(thread, ThreadState::Sc, location, same ? ScWrite : ScAll)) {
        thread.sc_since = thread.epoch;
        remember_edge(thread, location, from, access);
    }
    location.sc_all.owner = Event();
    location.sc_all.mixed = false;
    publish(location, ScWrite, thread.sc(), thread.width, thread.now(), thread.sc_since);
}

bool means_psc(const Access& access) { return access.order == SeqCst && options().sc == ScAccesses::Rc11; }

void enter_psc(ThreadState& thread, Location& location, bool is_sc, void (*sc_access)(ThreadState&, Location&)) {
    if (is_sc && !psc_in_use.load(std::memory_order_relaxed)) psc_in_use.store(true, std::memory_order_relaxed);
    if (!psc_matters()) return;
    psc_enter(thread, location, is_sc);
    if (is_sc) sc_access(thread, location);
}

void note_fences(const ThreadState& thread, Location& location) {
    const Epoch known = thread.clocks[fence_slot];
    if (__builtin_expect(known != 0, 0) && location.fences < known) location.fences = static_cast<std::uint32_t>(known);
}

void push_write(ThreadState& thread, Location& location, const Access& access, std::uint64_t value, bool is_rmw) {
    ++location.stamp;
    remember_write(location, {Write::pack(thread.now(), access.order, is_rmw), value,
                              access.place ? thread.stack.name(access.place) : 0,
                              fences_executed.load(std::memory_order_relaxed)});
}

// W := or |_|= what the thread releases.
void release_clock(ThreadState& thread, Location& location, bool is_release, bool is_rmw) {
    if (is_release) {
        thread.released = thread.epoch;
        thread.segment = no_segment;
    }
    if (is_release || thread.fence) {
        const Epoch* const clock = is_release ? thread.current() : thread.clock(ThreadState::Released);
        const Event event = is_release ? thread.now() : thread.fence;
        // What a fence released does not change until the next one.
        const Epoch since = is_release ? thread.current_since : thread.fence.epoch();
        if (is_rmw) {
            const Publication& old = location.release;
            const bool knows_all =
                !old.mixed && (is_release ? thread.knows(old.owner)
                                          : View{clock, thread.width}.knows(old.owner));
            publish_too(location, ReleaseClock, clock, thread.width, event, since, knows_all);
        } else {
            publish(location, ReleaseClock, clock, thread.width, event, since);
        }
    } else if (!is_rmw) {
        location.release.owner = Event();
        location.release.mixed = false;
    }
}

}  // namespace

void begin_history(Location& location, std::uint64_t value) {
    remember_write(location, {Write::pack(Event(), Plain, false), value, 0, fences_executed.load(std::memory_order_relaxed)});
}

void read_slowly(ThreadState& thread, Location& location, const Access& access) {
    const bool is_acquire = acquires(access.order);
    const bool is_sc = means_psc(access);
    enter_psc(thread, location, is_sc, psc_sc_read);
    const bool grown = acquire_clock(thread, location, is_acquire);
    const bool grown_sc = !location.is_ignored && learn(thread, ThreadState::Sc, location, ScWrite);
    const bool is_first = !thread.knows(location.sc_write.owner) && !has_read(thread, location);
    // What a thread knows changes here, or at its writes. Other reads are no events of their own.
    if (grown || grown_sc || is_first) thread.tick();
    if (grown) thread.current_since = thread.epoch;
    if (grown_sc) {
        thread.sc_since = thread.epoch;
        remember_edge(thread, location, location.sc_write.owner, access);
    }
    if (!location.is_ignored) publish_read(thread, location);
    if (is_first) remember_read(thread, location);
    note_fences(thread, location);
}

void write_step(ThreadState& thread, Location& location, const Access& access, std::uint64_t value) {
    const bool is_sc = means_psc(access);
    const bool is_release = releases(access.order);
    thread.tick();
    sc_write_clocks(thread, location, access);
    enter_psc(thread, location, is_sc, psc_sc_write);
    if (psc_matters()) psc_release(thread, location, is_release, false, is_sc);
    release_clock(thread, location, is_release, false);
    push_write(thread, location, access, value, false);
    note_fences(thread, location);
}

void rmw_step(ThreadState& thread, Location& location, const Access& access, std::uint64_t value) {
    const bool is_sc = means_psc(access);
    const bool is_release = releases(access.order);
    thread.tick();
    sc_write_clocks(thread, location, access);
    enter_psc(thread, location, is_sc, psc_sc_write);
    if (acquire_clock(thread, location, acquires(access.order))) {
        thread.current_since = thread.epoch;
    }
    if (psc_matters()) psc_release(thread, location, is_release, true, is_sc);
    release_clock(thread, location, is_release, true);
    push_write(thread, location, access, value, true);
    note_fences(thread, location);
}

namespace {

void acquire_fence(ThreadState& thread) {
    if (thread.has_pending) {
        Epoch* const current = thread.current();
        join_epochs(current, thread.clock(ThreadState::Pending), thread.width);
        clear_epochs(thread.clock(ThreadState::Pending), thread.clock(ThreadState::Pending) + thread.width);
        thread.has_pending = false;
        thread.tick();
        thread.current_since = thread.epoch;
    }
    if (psc_matters()) psc_acquire_fence(thread);
}

void release_fence(ThreadState& thread) {
    thread.tick();
    copy_epochs(thread.clock(ThreadState::Released), thread.current(), thread.width);
    thread.fence = thread.now();
    thread.released = thread.epoch;
    thread.segment = no_segment;
    if (psc_matters()) psc_release_fence(thread);
}

// fence(acq); FADD(f, 0, acqrel); fence(rel) on a hidden location f (appendix A).
Location fence_location;

}  // namespace

void fence_step(ThreadState& thread, Order order, std::uintptr_t place) {
    if (order == Relaxed) return;
    if (acquires(order)) acquire_fence(thread);
    if (order == SeqCst) {
        const Guard guard(fence_location.lock);
        Access access{Kind::Fence, AcqRel, 0, 0, place};
        thread.tick();
        sc_write_clocks(thread, fence_location, access);
        if (acquire_clock(thread, fence_location, true)) thread.current_since = thread.epoch;
        const std::uint32_t number = fences_executed.load(std::memory_order_relaxed) + 1;
        fences_executed.store(number, std::memory_order_relaxed);
        thread.current()[fence_slot] = number;
        thread.current_since = thread.epoch;
        if (psc_matters()) psc_release(thread, fence_location, true, true, false);
        release_clock(thread, fence_location, true, true);
    }
    if (releases(order)) release_fence(thread);
}

void acquire_step(ThreadState& thread, Location& location) {
    const Access access{Kind::Sync, Acquire, 0, location.address(), 0};
    thread.tick();
    if (acquire_clock(thread, location, true)) {
        thread.current_since = thread.epoch;
    }
    const Event from = location.sc_write.owner;
    if (learn(thread, ThreadState::Sc, location, ScWrite)) {
        thread.sc_since = thread.epoch;
        remember_edge(thread, location, from, access);
    }
}

void release_step(ThreadState& thread, Location& location) {
    thread.tick();
    if (psc_matters()) {
        thread.run_address = 0;
        psc_release(thread, location, true, true, false);
    }
    release_clock(thread, location, true, true);
    const Publication& old = location.sc_write;
    publish_too(location, ScWrite, thread.sc(), thread.width, thread.now(), thread.sc_since,
                !old.mixed && thread.knows_sc(old.owner));
}

}  // namespace fencepost::rt
