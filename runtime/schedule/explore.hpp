// All schedules of a small program, one after the other: depth first, with sleep sets (Godefroid, LNCS 1032), so that
// of schedules that differ only in the order of independent operations one is run to its end. The tree's current path
// lies in memory shared by the runs, each of which is a process forked off the one that calls `advance`.
#pragma once

#include <cstdint>

#include "task.hpp"

namespace fencepost::sched {

class Explorer {
  public:
    static constexpr int most_tasks = 64;
    static constexpr int longest_path = 1 << 14;

    bool create();  // the shared memory; once
    bool on() const { return path_ != nullptr; }
    void restart();               // of another program
    void begin() { depth_ = 0; }  // a run
    bool advance();               // after it: to the next schedule. False: there is none

    // In a run. Null: every way on from here is the beginning of a schedule that has been run.
    Task* pick(Task* const* ready, int count, const Task* current);
    int choose(int count);
    const char* trouble() const { return trouble_; }  // why the exploration cannot go on

  private:
    struct Node {
        bool is_choice;
        int chosen;  // a task's id, or the choice
        int choices;
        std::uint64_t ready;  // sets of tasks' ids
        std::uint64_t sleep;  // need not be explored: the schedules that begin so have been
        std::uint64_t done;
        Operation operation[most_tasks];
    };

    struct Path {
        int length;                       // nodes that the next run follows
        int last_schedule[longest_path];  // the newest node before this that is no choice, or -1
        Node nodes[longest_path];
    };

    Node* next_node(bool is_choice);

    Path* path_ = nullptr;
    int depth_ = 0;
    const char* trouble_ = nullptr;
};

}  // namespace fencepost::sched
