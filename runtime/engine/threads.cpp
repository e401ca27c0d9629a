#include "engine/threads.hpp"

#include <cstring>
#include <new>

#include "base/busy.hpp"
#include "base/options.hpp"
#include "base/os.hpp"
#include "base/pool.hpp"
#include "engine/shadow.hpp"
#include "report/injection.hpp"

namespace fencepost::rt {

constinit thread_local ThreadState* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;
std::atomic<bool> any_discarded{false};
std::atomic<Epoch> discarded[most_slots];

namespace {

enum class Use : std::uint8_t { Free, Taken, Left };

struct Place {
    Use use = Use::Free;
    Epoch last = 0;  // of its last owner
    ThreadState* thread = nullptr;
    unsigned number = 0;  // of the thread that has it, or had it last
    unsigned number_before = 0;
    Epoch first = 0;  // epoch of that thread
};

SpinLock lock;  // creation and end of threads
Place places[most_slots];
Slot places_used = fence_slot + 1;
unsigned threads_made = 0;
std::uint64_t ended_accesses = 0;
ThreadState* threads = nullptr;   // all, for reports
ThreadState* unused = nullptr;    // states of threads that have ended

constexpr ThreadState::Family passed_on[] = {ThreadState::Current, ThreadState::Sc, ThreadState::Psc};
constexpr unsigned families_passed_on = 3;

std::size_t clock_bytes(unsigned count, unsigned capacity) {
    return Pool::rounded(std::size_t{count} * capacity * sizeof(Epoch));
}

// A slot for a thread whose creator knows what `known` says. The order of events of the slot's former owner and the
// new one is then one of happens-before.
Slot take_slot(const View& known) {
    for (Slot slot = fence_slot + 1; slot < places_used; ++slot)
        if (places[slot].use == Use::Left && known[slot] >= places[slot].last) return slot;
    if (places_used < most_slots) return places_used++;
    for (Slot slot = fence_slot + 1; slot < places_used; ++slot) {
        if (places[slot].use != Use::Left) continue;
        discarded[slot].store(places[slot].last, std::memory_order_relaxed);
        any_discarded.store(true, std::memory_order_relaxed);
        return slot;
    }
    fail("more threads at once than the sanitizer has room for (4095)");
}

ThreadToken* make_token() {
    void* const memory = pool.take(Pool::rounded(sizeof(ThreadToken)));
    return new (memory) ThreadToken();
}

void release_token(ThreadToken* token) {
    if (token->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (token->clocks) pool.give(token->clocks, clock_bytes(families_passed_on, token->capacity));
    pool.give(token, Pool::rounded(sizeof(ThreadToken)));
}

void pack(ThreadToken& token, ThreadState& thread) {
    if (token.clocks) pool.give(token.clocks, clock_bytes(families_passed_on, token.capacity));
    token.width = thread.width;
    token.capacity = thread.width;
    token.clocks = static_cast<Epoch*>(pool.take(clock_bytes(families_passed_on, token.capacity)));
    for (unsigned i = 0; i < families_passed_on; ++i)
        std::memcpy(token.clocks + i * token.capacity, thread.clock(passed_on[i]), token.width * sizeof(Epoch));
}

void unpack(const ThreadToken& token, ThreadState& thread) {
    thread.widen(token.width);
    for (unsigned i = 0; i < families_passed_on; ++i)
        join_epochs(thread.clock(passed_on[i]), token.clocks + i * token.capacity, token.width);
    const Epoch* const psc = token.clocks + 2 * token.capacity;
    for (unsigned i = 0; i < token.width; ++i) thread.has_psc |= psc[i] != 0;
    thread.run_address = thread.psc_again = 0;
    thread.tick();
    thread.current_since = thread.sc_since = thread.epoch;
}

ThreadState* begin(ThreadToken* token) {
    ThreadState* thread;
    {
        const Guard guard(lock);
        thread = unused;
        ShadowStack stack;
        if (thread) {
            unused = thread->next;
            stack = thread->stack;
            thread->~ThreadState();
        } else {
            thread = static_cast<ThreadState*>(allocate_forever(sizeof(ThreadState), "threads"));
        }
        new (thread) ThreadState();
        thread->stack = stack;
        thread->slot = token->slot;
        thread->epoch = places[token->slot].last;
        thread->number = token->number;
        thread->busy = &busy;
        thread->inside = &inside_of_slot[token->slot];
        places[token->slot].thread = thread;
        places[token->slot].number_before = places[token->slot].number;
        places[token->slot].number = token->number;
        places[token->slot].first = thread->epoch + 1;
        thread->next = threads;
        threads = thread;
    }
    thread->token = token;
    thread->random = 0x9e3779b97f4a7c15U * (thread->number + 1);
    thread->widen(thread->slot + 1);
    thread->stack.begin();
    begin_plain_accesses(*thread);
    thread->tick();
    thread->current_since = thread->sc_since = thread->epoch;
    if (token->clocks) unpack(*token, *thread);
    thread->released = thread->epoch;
    this_thread = thread;
    return thread;
}

ThreadToken* make_thread(const View& known) {
    ThreadToken* const token = make_token();
    token->holders.store(2, std::memory_order_relaxed);  // the thread, and who may join it
    const Guard guard(lock);
    token->slot = take_slot(known);
    token->number = threads_made++;
    places[token->slot].use = Use::Taken;
    return token;
}

void leave_slot(Slot slot, Epoch last) {
    places[slot].use = Use::Left;
    places[slot].last = last;
    places[slot].thread = nullptr;
}

}  // namespace

void ThreadState::widen_slowly(unsigned wanted) {
    wanted = rounded_width(wanted);
    if (wanted > capacity) {
        unsigned larger = capacity ? capacity : 8;
        while (larger < wanted) larger *= 2;
        const std::size_t bytes = clock_bytes(families, larger);
        Epoch* const fresh = static_cast<Epoch*>(pool.take(bytes));
        std::memset(fresh, 0, bytes);
        for (unsigned i = 0; i < families && clocks; ++i)
            std::memcpy(fresh + i * larger, clocks + i * capacity, width * sizeof(Epoch));
        if (clocks) pool.give(clocks, clock_bytes(families, capacity));
        clocks = fresh;
        capacity = larger;
    }
    width = wanted;
}

unsigned number_of_event(Event event) {
    const Guard guard(lock);
    const Place& place = places[event.slot()];
    return event.epoch() >= place.first ? place.number : place.number_before;
}

std::uint64_t accesses_of_ended_threads() { return ended_accesses; }

ThreadState* all_threads() { return threads; }
ThreadState* thread_of_slot(Slot slot) { return slot < most_slots ? places[slot].thread : nullptr; }

ThreadState* current() {
    if (__builtin_expect(this_thread != nullptr, 1)) return this_thread;
    return begin(make_thread({nullptr, 0}));
}

ThreadToken* thread_created(ThreadState* parent) {
    parent->tick();
    ThreadToken* const token = make_thread(parent->view(ThreadState::Current));
    pack(*token, *parent);
    parent->released = parent->epoch;
    parent->segment = no_segment;
    return token;
}

void thread_not_created(ThreadToken* token) {
    {
        const Guard guard(lock);
        leave_slot(token->slot, places[token->slot].last);
    }
    release_token(token);
    release_token(token);
}

void thread_started(ThreadToken* token) { begin(token); }

void thread_finished() {
    ThreadState* const thread = this_thread;
    if (!thread) return;
    if (thread->injection && thread->injection->is_open) settle_injection(*thread, nullptr);
    this_thread = nullptr;
    thread->tick();
    end_plain_accesses(*thread);
    ThreadToken* const token = thread->token;
    {
        const Guard guard(token->lock);
        pack(*token, *thread);
        token->finished = true;
    }
    thread->stack.end();
    {
        const Guard guard(lock);
        leave_slot(thread->slot, thread->epoch);
        ended_accesses += thread->accesses;
        ThreadState** link = &threads;
        while (*link != thread) link = &(*link)->next;
        *link = thread->next;
        pool.give(thread->clocks, clock_bytes(ThreadState::families, thread->capacity));
        thread->clocks = nullptr;
        thread->capacity = thread->width = 0;
        thread->next = unused;
        unused = thread;
    }
    release_token(token);
}

void thread_joined(ThreadState* by, ThreadToken* token) {
    {
        const Guard guard(token->lock);
        if (token->finished) unpack(*token, *by);
    }
    release_token(token);
}

void prepare_for_threads(unsigned count) {
    const Guard guard(lock);
    for (unsigned i = 0; i < count; ++i) {
        ThreadState* const thread = new (allocate_forever(sizeof(ThreadState), "threads")) ThreadState();
        thread->stack.begin();
        thread->next = unused;
        unused = thread;
        if (places_used + i < most_slots) prepare_plain_accesses(places_used + i);
    }
}

void thread_detached(ThreadToken* token) { release_token(token); }

ThreadToken* token_of(ThreadState* thread) { return thread->token; }
unsigned thread_number(const ThreadState* thread) { return thread->number; }

void lock_threads() { lock.lock(); }

bool others_are_busy() {
    for (const ThreadState* thread = threads; thread; thread = thread->next)
        if (thread != this_thread && __atomic_load_n(thread->busy, __ATOMIC_ACQUIRE) != 0) return true;
    return false;
}
void unlock_threads() { lock.unlock(); }

// The child of a fork has one thread; the others' slots are not to be used by it.
void only_this_thread_left() {
    for (ThreadState* thread = threads; thread; thread = thread->next)
        if (thread != this_thread) places[thread->slot].use = Use::Taken;
    threads = this_thread;
    if (this_thread) this_thread->next = nullptr;
}

}  // namespace fencepost::rt
