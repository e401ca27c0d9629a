#include "explore.hpp"

#include "pages.hpp"

namespace fencepost::sched {

namespace {

std::uint64_t bit(int id) { return std::uint64_t{1} << id; }

constexpr char too_long[] = "a schedule is too long to explore all of them";
constexpr char too_many[] = "there are too many threads to explore all schedules";
constexpr char different[] = "the program does not do the same when it is scheduled in the same way";

}  // namespace

bool Explorer::create() {
    path_ = pages<Path>(1, true);
    return on();
}

void Explorer::restart() { path_->length = 0; }

Explorer::Node* Explorer::next_node(bool is_choice) {
    if (depth_ == longest_path) {
        trouble_ = too_long;
        return nullptr;
    }
    Node& node = path_->nodes[depth_];
    if (depth_ < path_->length && node.is_choice != is_choice) {
        trouble_ = different;
        return nullptr;
    }
    ++depth_;
    return &node;
}

Task* Explorer::pick(Task* const* ready, int count, const Task* current) {
    const bool known = depth_ < path_->length;
    const int last = depth_ == 0                          ? -1
                     : path_->nodes[depth_ - 1].is_choice ? path_->last_schedule[depth_ - 1]
                                                          : depth_ - 1;
    Node* node = next_node(false);
    if (node == nullptr) return nullptr;

    std::uint64_t mask = 0;
    std::uint64_t local = 0;
    for (int i = 0; i < count; ++i) {
        if (ready[i]->id >= most_tasks) {
            trouble_ = too_many;
            return nullptr;
        }
        mask |= bit(ready[i]->id);
        if (is_local(ready[i]->pending)) local |= bit(ready[i]->id);
    }
    if (local != 0)
        mask = local & -local;  // a step that nobody notices may as well come first: a persistent set of one
    const auto find = [&](int id) -> Task* {
        for (int i = 0; i < count; ++i) {
            if (ready[i]->id == id) return ready[i];
        }
        return nullptr;
    };
    if (known) {
        if (node->ready != mask) trouble_ = different;
        return node->ready == mask ? find(node->chosen) : nullptr;
    }

    node->is_choice = false;
    node->ready = mask;
    node->done = node->sleep = 0;
    for (int i = 0; i < count; ++i) node->operation[ready[i]->id] = ready[i]->pending;
    path_->last_schedule[depth_ - 1] = last;
    path_->length = depth_;
    if (last >= 0) {
        const Node& before = path_->nodes[last];
        const std::uint64_t asleep = (before.sleep | before.done) & ~bit(before.chosen);
        for (int id = 0; id < most_tasks; ++id) {
            if ((asleep & bit(id)) != 0 && !conflict(before.operation[id], before.operation[before.chosen]))
                node->sleep |= bit(id);
        }
    }
    const std::uint64_t open = mask & ~node->sleep;
    if (open == 0) {
        node->chosen = -1;
        return nullptr;
    }
    const bool stays = current != nullptr && current->id < most_tasks && (open & bit(current->id)) != 0;
    node->chosen = stays ? current->id : __builtin_ctzll(open);
    return find(node->chosen);
}

int Explorer::choose(int count) {
    const bool known = depth_ < path_->length;
    const int last = depth_ == 0                          ? -1
                     : path_->nodes[depth_ - 1].is_choice ? path_->last_schedule[depth_ - 1]
                                                          : depth_ - 1;
    Node* node = next_node(true);
    if (node == nullptr) return -1;
    if (!known) {
        node->is_choice = true;
        node->chosen = 0;
        node->choices = count;
        path_->last_schedule[depth_ - 1] = last;
        path_->length = depth_;
    }
    return node->chosen;
}

bool Explorer::advance() {
    // What lies beyond the point that the run came to is of an earlier one.
    for (; path_->length > 0; --path_->length) {
        Node& node = path_->nodes[path_->length - 1];
        if (node.is_choice) {
            if (++node.chosen < node.choices) return true;
            continue;
        }
        if (node.chosen >= 0) node.done |= bit(node.chosen);
        const std::uint64_t open = node.ready & ~node.sleep & ~node.done;
        if (open != 0) {
            node.chosen = __builtin_ctzll(open);
            return true;
        }
    }
    return false;
}

}  // namespace fencepost::sched
