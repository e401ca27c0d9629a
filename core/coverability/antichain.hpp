// A set of multisets of numbers, none of which includes another: a trie over their sorted sequences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace fencepost {

class AntichainTrie {
public:
    static constexpr std::uint32_t none = 0xffffffffu;
    using Sequence = std::span<const std::uint32_t>;  // sorted, repetitions allowed

    // One trie holds many antichains; `root` is which one, `none` at first.
    // Whether the antichain has a member that is included in `query`.
    bool has_subset(std::uint32_t root, Sequence query) const { return root != none && find_subset(root, query); }

    // Adds a member that `has_subset` denied, and calls `removed(value)` for those that include it, which go.
    template <class Removed>
    void insert(std::uint32_t& root, Sequence member, std::uint32_t value, Removed&& removed) {
        if (root == none) root = make(0);
        else remove_supersets(root, member, removed);
        std::uint32_t at = root;
        ++nodes_[at].members;
        for (const std::uint32_t label : member) {
            at = child(at, label);
            ++nodes_[at].members;
        }
        nodes_[at].value = value;
    }

    std::uint64_t bytes() const { return nodes_.capacity() * sizeof(Node); }

private:
    struct Node {
        std::uint32_t label;
        std::uint32_t first_child = none;
        std::uint32_t sibling = none;  // children are sorted by label
        std::uint32_t value = none;
        std::uint32_t members = 0;  // in the subtree
    };

    std::uint32_t make(std::uint32_t label) {
        nodes_.push_back(Node{label});
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }

    std::uint32_t child(std::uint32_t parent, std::uint32_t label) {
        std::uint32_t before = none;
        std::uint32_t at = nodes_[parent].first_child;
        while (at != none && nodes_[at].label < label) {
            before = at;
            at = nodes_[at].sibling;
        }
        if (at != none && nodes_[at].label == label) return at;
        const std::uint32_t fresh = make(label);
        nodes_[fresh].sibling = at;
        if (before == none) nodes_[parent].first_child = fresh;
        else nodes_[before].sibling = fresh;
        return fresh;
    }

    bool find_subset(std::uint32_t at, Sequence query) const {
        if (nodes_[at].value != none) return true;
        for (std::uint32_t c = nodes_[at].first_child; c != none; c = nodes_[c].sibling) {
            if (nodes_[c].members == 0) continue;
            const auto place = std::lower_bound(query.begin(), query.end(), nodes_[c].label);
            if (place == query.end()) return false;
            const auto rest = static_cast<std::size_t>(place - query.begin()) + 1;
            if (*place == nodes_[c].label && find_subset(c, query.subspan(rest))) return true;
        }
        return false;
    }

    // Returns how many members went from the subtree.
    template <class Removed>
    std::uint32_t remove_supersets(std::uint32_t at, Sequence included, Removed& removed) {
        std::uint32_t gone = 0;
        if (included.empty() && nodes_[at].value != none) {
            removed(nodes_[at].value);
            nodes_[at].value = none;
            ++gone;
        }
        for (std::uint32_t c = nodes_[at].first_child; c != none; c = nodes_[c].sibling) {
            if (nodes_[c].members == 0) continue;
            if (!included.empty() && nodes_[c].label > included.front()) break;
            const bool match = !included.empty() && nodes_[c].label == included.front();
            gone += remove_supersets(c, match ? included.subspan(1) : included, removed);
        }
        nodes_[at].members -= gone;
        return gone;
    }

    std::vector<Node> nodes_;
};

}  // namespace fencepost
