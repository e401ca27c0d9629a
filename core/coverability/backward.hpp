// Backward coverability: the least states from which an error can be reached.
//
// A state is a global state and a multiset of local states, without the entries, of which there are always enough. A
// basis of least elements grows by their predecessors, smallest first, until it holds the start or nothing is new.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "coverability/antichain.hpp"
#include "coverability/forward.hpp"

namespace fencepost {

// The steps by the global state that they lead to.
class Predecessors {
public:
    explicit Predecessors(const std::vector<CrowdStep>& steps) : steps_(steps) {
        std::uint32_t most = 0;
        for (const CrowdStep& step : steps) most = std::max(most, step.to);
        first_.assign(static_cast<std::size_t>(most) + 2, 0);
        for (const CrowdStep& step : steps) ++first_[step.to + 1];
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
        order_.resize(steps.size());
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        for (std::uint32_t i = 0; i < steps.size(); ++i) order_[next[steps[i].to]++] = i;
    }

    // Numbers of steps.
    std::span<const std::uint32_t> of(std::uint32_t global) const {
        if (static_cast<std::size_t>(global) + 1 >= first_.size()) return {};
        return std::span(order_).subspan(first_[global], first_[global + 1] - first_[global]);
    }
    const CrowdStep& step(std::uint32_t number) const { return steps_[number]; }
    std::uint64_t bytes() const { return (first_.capacity() + order_.capacity()) * sizeof(std::uint32_t); }

private:
    const std::vector<CrowdStep>& steps_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> order_;
};

class BackwardSearch {
public:
    static constexpr std::uint32_t none = Crowd::none;

    BackwardSearch(const Crowd& crowd, const ForwardViews& views, const Predecessors& predecessors, bool prune)
        : crowd_(crowd), views_(views), predecessors_(predecessors), prune_(prune) {}

    // An error to look for.
    void add_target(const CrowdStep& error) {
        members_.clear();
        if (error.mover != none && !crowd_.is_entry(error.mover)) members_.push_back(error.mover);
        add(error, none);
    }

    // Works for a while. True once it has an answer.
    bool advance() {
        for (int i = 0; i < 256; ++i) {
            if (found_) return true;
            const std::uint32_t next = take();
            if (next == none) return true;
            expand(next);
        }
        return false;
    }

    bool found() const { return found_.has_value(); }
    std::uint64_t elements() const { return elements_.size(); }

    // The steps from the start to the error, which is the last. Every one by an entry is by a member of its own.
    std::vector<CrowdStep> path() const {
        std::vector<CrowdStep> steps;
        for (std::uint32_t at = *found_; at != none; at = elements_[at].next) steps.push_back(*elements_[at].step);
        return steps;
    }

    std::uint64_t bytes() const {
        return pool_.capacity() * sizeof(std::uint32_t) + elements_.capacity() * sizeof(Element) +
               roots_.capacity() * sizeof(std::uint32_t) + antichains_.bytes();
    }

private:
    struct Element {
        std::uint32_t global;
        std::uint32_t next;     // the element that the step from here leads to, none at an error
        const CrowdStep* step;  // or the error
        std::uint32_t size;
        std::uint32_t joins;  // copies that join on the way from here to the error
        std::uint64_t begin;  // in the pool
        bool live;
    };

    std::span<const std::uint32_t> members_of(const Element& element) const {
        return std::span(pool_).subspan(element.begin, element.size);
    }

    std::uint32_t take() {
        for (auto& sized : waiting_) {
            for (std::deque<std::uint32_t>& bucket : sized) {
                while (!bucket.empty()) {
                    const std::uint32_t element = bucket.front();
                    bucket.pop_front();
                    if (elements_[element].live) return element;
                }
            }
        }
        return none;
    }

    void expand(std::uint32_t element) {
        const std::uint32_t global = elements_[element].global;
        for (const std::uint32_t number : predecessors_.of(global)) {
            const CrowdStep& step = predecessors_.step(number);
            const auto here = members_of(elements_[element]);
            members_.assign(here.begin(), here.end());
            if (step.moved != none) {
                const auto place = std::lower_bound(members_.begin(), members_.end(), step.moved);
                if (place != members_.end() && *place == step.moved) members_.erase(place);
            }
            if (step.mover != none && !crowd_.is_entry(step.mover))
                members_.insert(std::upper_bound(members_.begin(), members_.end(), step.mover), step.mover);
            add(step, element);
            if (found_ || !elements_[element].live) return;
        }
    }

    // Adds what `members_` are before `step`, if it is possible and tells anything new.
    void add(const CrowdStep& step, std::uint32_t next) {
        const std::uint32_t global = step.from;
        if (prune_ && !possible(global)) return;
        if (roots_.size() <= global) roots_.resize(std::max<std::size_t>(global + 1, roots_.size() * 2), none);
        if (antichains_.has_subset(roots_[global], members_)) return;
        const auto number = static_cast<std::uint32_t>(elements_.size());
        const auto size = static_cast<std::uint32_t>(members_.size());
        const bool joining = step.mover != none && crowd_.is_entry(step.mover);
        const std::uint32_t joins = (next == none ? 0 : elements_[next].joins) + (joining ? 1 : 0);
        antichains_.insert(roots_[global], members_, number, [&](std::uint32_t larger) { elements_[larger].live = false; });
        elements_.push_back(Element{global, next, &step, size, joins, pool_.size(), true});
        pool_.insert(pool_.end(), members_.begin(), members_.end());
        if (waiting_.size() <= size) waiting_.resize(size + 1);
        if (waiting_[size].size() <= joins) waiting_[size].resize(joins + 1);
        waiting_[size][joins].push_back(number);
        if (global == crowd_.start() && members_.empty()) found_ = number;
    }

    bool possible(std::uint32_t global) const {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (!views_.may_hold(global, members_[i])) return false;
            for (std::size_t j = 0; j < i; ++j)
                if (!views_.may_hold(global, members_[i], members_[j])) return false;
        }
        return true;
    }

    const Crowd& crowd_;
    const ForwardViews& views_;
    const Predecessors& predecessors_;
    bool prune_;
    AntichainTrie antichains_;
    std::vector<std::uint32_t> roots_;  // by global state
    std::vector<Element> elements_;
    std::vector<std::uint32_t> pool_;
    std::vector<std::vector<std::deque<std::uint32_t>>> waiting_;  // by size, and by who joins later
    std::vector<std::uint32_t> members_;
    std::optional<std::uint32_t> found_;
};

}  // namespace fencepost
