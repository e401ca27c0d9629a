// One choice of a path for every thread: all events, and all relations that do not depend on who reads from whom.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "graphs/paths.hpp"
#include "graphs/relation.hpp"

namespace fencepost::graphs {

// Events: the initial writes of the cells that are accessed, then those of each thread in program order.
template <int W>
struct Skeleton {
    int events = 0;
    int initial = 0;
    std::vector<const Path*> paths;
    std::vector<int> offset;       // of each thread's first event
    std::vector<int> thread_of;    // -1 for initial writes
    std::vector<int> cell_of;      // -1 for fences
    std::vector<int> initial_of;   // cell -> its initial write, or -1

    Bits<W> reads{}, writes{}, fences{};
    std::vector<Bits<W>> tags;
    std::vector<Bits<W>> po, loc, same_thread;
    std::vector<std::vector<Bits<W>>> given;

    Skeleton(const PathProgram& program, const std::vector<const Path*>& chosen) : paths(chosen) {
        initial_of.assign(program.initial.size(), -1);
        for (const Path* path : paths)
            for (const PathEvent& event : path->events)
                if (event.cell >= 0) initial_of[static_cast<std::size_t>(event.cell)] = 0;
        for (std::size_t cell = 0; cell < initial_of.size(); ++cell)
            if (initial_of[cell] == 0) {
                initial_of[cell] = events++;
                thread_of.push_back(-1);
                cell_of.push_back(static_cast<int>(cell));
            }
        initial = events;
        for (std::size_t t = 0; t < paths.size(); ++t) {
            offset.push_back(events);
            for (const PathEvent& event : paths[t]->events) {
                thread_of.push_back(static_cast<int>(t));
                cell_of.push_back(event.cell);
                ++events;
            }
        }
        fill(program);
    }

    static int size_of(const PathProgram& program, const std::vector<const Path*>& chosen) {
        std::vector<bool> accessed(program.initial.size());
        std::size_t count = 0;
        for (const Path* path : chosen) {
            count += path->events.size();
            for (const PathEvent& event : path->events)
                if (event.cell >= 0) accessed[static_cast<std::size_t>(event.cell)] = true;
        }
        return static_cast<int>(count) + static_cast<int>(std::count(accessed.begin(), accessed.end(), true));
    }

    const PathEvent& event(int number) const {
        const auto thread = static_cast<std::size_t>(thread_of[static_cast<std::size_t>(number)]);
        return paths[thread]->events[static_cast<std::size_t>(number - offset[thread])];
    }

private:
    void fill(const PathProgram& program) {
        const auto n = static_cast<std::size_t>(events);
        tags.assign(static_cast<std::size_t>(program.tags), Bits<W>{});
        po.assign(n, Bits<W>{});
        loc.assign(n, Bits<W>{});
        same_thread.assign(n, Bits<W>{});
        given.assign(static_cast<std::size_t>(program.relations), std::vector<Bits<W>>(n));
        for (int i = 0; i < events; ++i) {
            if (i < initial) {
                writes.set(i);
            } else {
                const PathEvent& here = event(i);
                (here.kind == EventKind::read ? reads : here.kind == EventKind::write ? writes : fences).set(i);
                for (int tag = 0; tag < program.tags; ++tag)
                    if (here.tags >> tag & 1) tags[static_cast<std::size_t>(tag)].set(i);
            }
            const auto a = static_cast<std::size_t>(i);
            for (int j = 0; j < events; ++j) {
                const auto b = static_cast<std::size_t>(j);
                if (thread_of[a] == thread_of[b]) {
                    same_thread[a].set(j);
                    if (i < j && thread_of[a] >= 0) po[a].set(j);
                }
                if (cell_of[a] >= 0 && cell_of[a] == cell_of[b]) loc[a].set(j);
            }
        }
        for (std::size_t t = 0; t < paths.size(); ++t)
            for (std::size_t k = 0; k < paths[t]->relations.size(); ++k)
                for (const auto& [a, b] : paths[t]->relations[k])
                    given[k][static_cast<std::size_t>(offset[t] + a)].set(offset[t] + b);
    }
};

}  // namespace fencepost::graphs
