// An execution that is both an execution graph and a run of the engine: the same random steps go to both.
#pragma once

#include <random>
#include <vector>

#include "base/options.hpp"
#include "engine/engine.hpp"
#include "engine/robustness.hpp"
#include "engine/steps.hpp"
#include "engine/table.hpp"
#include "engine/threads.hpp"
#include "graph.hpp"

namespace fencepost::testing {

class Execution {
  public:
    Execution(int threads, int locations) : graph(locations + 1), hidden_(locations) {
                rt::history_kept = 60;
        rt::this_thread = nullptr;
        main_ = rt::current();
        for (int i = 0; i < threads; ++i) {
            tokens_.push_back(rt::thread_created(main_));
            rt::thread_started(tokens_.back());
            states.push_back(rt::this_thread);
        }
        memory_.resize(static_cast<std::size_t>(locations) * 2);
        for (int x = 0; x < locations; ++x) at(x).lock.unlock();
    }
    ~Execution() {
        for (rt::ThreadState* state : states) {
            rt::this_thread = state;
            rt::thread_finished();
        }
        rt::this_thread = main_;
        for (rt::ThreadToken* token : tokens_) rt::thread_joined(main_, token);
        rt::memory_reset(memory_.data(), memory_.size() * 8);
        rt::thread_finished();
    }
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    // Locked.
    rt::Location& at(int location) {
        rt::Location& found = rt::locked_location(address(location), 8, false);
        if (found.written == 0) rt::begin_history(found, 0);
        return found;
    }
    std::uintptr_t address(int location) const {
        return reinterpret_cast<std::uintptr_t>(memory_.data() + 2 * static_cast<std::size_t>(location));
    }

    rt::Access access(rt::Kind kind, Mode mode, int location, std::uint64_t expected = 0) const {
        return {kind, order(mode), 8, address(location), 0, expected, 0};
    }
    static rt::Order order(Mode mode) {
        constexpr rt::Order orders[] = {rt::Relaxed, rt::Acquire, rt::Release, rt::AcqRel, rt::SeqCst};
        return orders[mode];
    }

    void read(int thread, int location, Mode mode) {
        const int from = graph.newest(location);
        rt::Location& found = at(location);
        rt::ThreadState& state = *states[static_cast<std::size_t>(thread)];
        const rt::Access wanted = access(rt::Kind::Load, mode, location);
        if (rt::read_again(state, wanted.address, 8, wanted.order) != &found || !rt::is_unchanged(state, wanted.address, found)) {
            rt::read_step(state, found, wanted);
            rt::remember_as_recent(state, found, wanted.order);
        }
        found.lock.unlock();
        graph.add({thread, Type::Read, mode, location, 0, from});
    }
    void write(int thread, int location, Mode mode, std::uint64_t value) {
        rt::Location& found = at(location);
        rt::ThreadState& state = *states[static_cast<std::size_t>(thread)];
        const rt::Access wanted = access(rt::Kind::Store, mode, location);
        found.begin_change();
        if (rt::writes_again(state, found, wanted.order, false)) rt::write_again(state, found, wanted.order, 0, value, false);
        else rt::write_step(state, found, wanted, value);
        found.lock.unlock();
        graph.add({thread, Type::Write, mode, location, value});
    }
    void rmw(int thread, int location, Mode mode, std::uint64_t value) {
        const int from = graph.newest(location);
        rt::Location& found = at(location);
        rt::ThreadState& state = *states[static_cast<std::size_t>(thread)];
        const rt::Access wanted = access(rt::Kind::Rmw, mode, location);
        found.begin_change();
        if (rt::writes_again(state, found, wanted.order, true)) rt::write_again(state, found, wanted.order, 0, value, true);
        else rt::rmw_step(state, found, wanted, value);
        found.lock.unlock();
        graph.add({thread, Type::Rmw, mode, location, value, from});
    }
    // A seq_cst fence is what the paper makes of it, and a seq_cst fence of RC11 beside that.
    void fence(int thread, Mode mode) {
        rt::fence_step(*states[static_cast<std::size_t>(thread)], order(mode), 0);
        if (mode != Sc) {
            graph.add({thread, Type::Fence, mode, -1});
            return;
        }
        graph.add({thread, Type::Fence, Sc, -1});
        graph.add({thread, Type::Rmw, AcqRel, hidden_, 0, graph.newest(hidden_)});
        graph.add({thread, Type::Fence, Sc, -1});
    }

    bool finds(int thread, int location, rt::Kind kind, Mode mode, std::uint64_t expected = 0) {
        rt::Location& found = at(location);
        const rt::Finding finding =
            rt::check(*states[static_cast<std::size_t>(thread)], found, access(kind, mode, location, expected));
        found.lock.unlock();
        return finding.found;
    }

    Graph graph;
    std::vector<rt::ThreadState*> states;

  private:
    int hidden_;
    rt::ThreadState* main_;
    std::vector<rt::ThreadToken*> tokens_;
    std::vector<std::uint64_t> memory_;
};

}  // namespace fencepost::testing
