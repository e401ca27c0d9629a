// The visited states. A state is a head (the machine's bytes) and a tail (the monitor's bytes), and has a number.
//
// Tails are ordered by inclusion: the monitor's rules are monotone and the machine never asks it, so whatever goes wrong
// from (head, tail) goes wrong from (head, larger tail), in as many steps. `Antichains` therefore keep, for each head,
// only tails that no other includes; `ExactStates` keep all that differ.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "search/store.hpp"

namespace fencepost {

class States {
public:
    struct Cursors {
        Records::Cursor state, head, tail;
    };

    virtual ~States() = default;
    // The new state's number, or Store::none if the state is covered already. `level` tells the breadth-first levels.
    virtual std::uint32_t insert(const std::uint8_t* packed, std::uint32_t parent, std::uint64_t level, Cursors& cursors) = 0;
    virtual const std::uint8_t* head(std::uint32_t state) const = 0;
    virtual const std::uint8_t* tail(std::uint32_t state) const = 0;
    virtual std::uint32_t parent(std::uint32_t state) const = 0;
    // Another state of the same level covers it, so it need not be expanded.
    virtual bool covered(std::uint32_t state) const = 0;
    virtual bool wants_growth() const = 0;
    virtual void grow() = 0;
    virtual std::uint64_t count() const = 0;
    virtual std::uint64_t bytes() const = 0;
};

class ExactStates final : public States {
public:
    // `share`: equal tails are stored once. `burst`: as for Store.
    ExactStates(int head_bytes, int tail_bytes, bool share, std::size_t burst)
        : head_bytes_(head_bytes), share_(share), key_bytes_(share ? head_bytes + 4 : head_bytes + tail_bytes),
          tails_(tail_bytes, 0, burst), states_(key_bytes_, 4, burst) {}

    std::uint32_t insert(const std::uint8_t* packed, std::uint32_t parent, std::uint64_t, Cursors& cursors) override {
        std::uint8_t key[max_head_bytes + 4];
        const std::uint8_t* whole = packed;
        if (share_) {
            const std::uint32_t tail = tails_.insert(packed + head_bytes_, nullptr, cursors.tail).number;
            std::memcpy(key, packed, static_cast<std::size_t>(head_bytes_));
            std::memcpy(key + head_bytes_, &tail, 4);
            whole = key;
        }
        const auto result = states_.insert(whole, reinterpret_cast<const std::uint8_t*>(&parent), cursors.state);
        return result.inserted ? result.number : Store::none;
    }
    const std::uint8_t* head(std::uint32_t state) const override { return states_.record(state); }
    const std::uint8_t* tail(std::uint32_t state) const override {
        const std::uint8_t* rest = states_.record(state) + head_bytes_;
        if (!share_) return rest;
        std::uint32_t number;
        std::memcpy(&number, rest, 4);
        return tails_.record(number);
    }
    std::uint32_t parent(std::uint32_t state) const override {
        std::uint32_t number;
        std::memcpy(&number, states_.extra(state), 4);
        return number;
    }
    bool covered(std::uint32_t) const override { return false; }
    bool wants_growth() const override { return states_.wants_growth() || tails_.wants_growth(); }
    void grow() override {
        states_.grow();
        tails_.grow();
    }
    std::uint64_t count() const override { return states_.count(); }
    std::uint64_t bytes() const override { return states_.bytes() + tails_.bytes(); }

    static constexpr int max_head_bytes = 8192;  // 16 threads of 64 registers, and 64 cells, of 32 bits

private:
    int head_bytes_;
    bool share_;
    int key_bytes_;
    Store tails_;
    Store states_;
};

class Antichains final : public States {
public:
    Antichains(int head_bytes, int tail_bytes, bool share, std::size_t burst)
        : tail_bytes_(tail_bytes), head_bytes_(head_bytes), share_(share), heads_(head_bytes, 4, burst),
          tails_(tail_bytes, 0, burst), entries_(sizeof(Entry)) {}

    std::uint32_t insert(const std::uint8_t* packed, std::uint32_t parent, std::uint64_t level, Cursors& cursors) override {
        const std::uint32_t head =
            heads_.insert(packed, reinterpret_cast<const std::uint8_t*>(&end_of_list), cursors.head).number;
        const std::uint8_t* tail = packed + head_bytes_;
        const std::lock_guard lock(locks_[head % locks_.size()]);
        std::uint8_t* first = heads_.extra(head);
        const std::uint32_t parity = level & 1 ? odd_level : 0;
        // Where one old tail includes the new one, no other is included in it: the list is an antichain.
        std::uint32_t before = end_of_list;
        for (std::uint32_t number = load(first); number != end_of_list;) {
            Entry& entry = at(number);
            const std::uint32_t next = entry.next & end_of_list;
            const std::uint8_t* old = tails_.record(entry.tail);
            if (includes(old, tail)) {
                if (before != end_of_list) {  // to the front: who covers one will cover more
                    link(at(before), next, 0);
                    link(entry, load(first), 0);
                    std::memcpy(first, &number, 4);
                }
                return Store::none;
            }
            if (includes(tail, old)) {
                if (before == end_of_list) std::memcpy(first, &next, 4);
                else link(at(before), next, 0);
                // A state of an earlier level was or is being expanded, and may be the nearest to a violation.
                if ((entry.next & odd_level) == parity) link(entry, next, covered_flag);
            } else {
                before = number;
            }
            number = next;
        }
        auto* entry = reinterpret_cast<Entry*>(entries_.prepare(cursors.state));
        if (cursors.state.next >= end_of_list) throw std::length_error("more states than can be numbered");
        const std::uint32_t stored =
            share_ ? tails_.insert(tail, nullptr, cursors.tail).number : tails_.append(tail, nullptr, cursors.tail);
        *entry = Entry{head, stored, parent, load(first) | parity};
        std::memcpy(first, &cursors.state.next, 4);
        count_.fetch_add(1, std::memory_order_relaxed);
        return cursors.state.next++;
    }
    const std::uint8_t* head(std::uint32_t state) const override { return heads_.record(at(state).head); }
    const std::uint8_t* tail(std::uint32_t state) const override { return tails_.record(at(state).tail); }
    std::uint32_t parent(std::uint32_t state) const override { return at(state).parent; }
    bool covered(std::uint32_t state) const override {
        return std::atomic_ref(at(state).next).load(std::memory_order_relaxed) & covered_flag;
    }
    bool wants_growth() const override { return heads_.wants_growth() || tails_.wants_growth(); }
    void grow() override {
        heads_.grow();
        tails_.grow();
    }
    std::uint64_t count() const override { return count_.load(std::memory_order_relaxed); }
    std::uint64_t bytes() const override { return heads_.bytes() + tails_.bytes() + entries_.bytes(); }

private:
    struct Entry {
        std::uint32_t head;
        std::uint32_t tail;
        std::uint32_t parent;
        std::uint32_t next;  // in the list of the head's tails, and two flags
    };
    static constexpr std::uint32_t covered_flag = 1u << 31;
    static constexpr std::uint32_t odd_level = 1u << 30;
    static constexpr std::uint32_t end_of_list = odd_level - 1;

    Entry& at(std::uint32_t number) const { return *reinterpret_cast<Entry*>(entries_[number]); }

    static std::uint32_t load(const std::uint8_t* place) {
        std::uint32_t value;
        std::memcpy(&value, place, 4);
        return value;
    }

    // `covered` looks at the flags without the lock.
    static void link(Entry& entry, std::uint32_t next, std::uint32_t flags) {
        std::atomic_ref(entry.next).store(next | (entry.next & ~end_of_list) | flags, std::memory_order_relaxed);
    }

    bool includes(const std::uint8_t* large, const std::uint8_t* small) const {
        int at = 0;
        for (; at + 8 <= tail_bytes_; at += 8) {
            std::uint64_t l;
            std::uint64_t s;
            std::memcpy(&l, large + at, 8);
            std::memcpy(&s, small + at, 8);
            if (s & ~l) return false;
        }
        for (; at < tail_bytes_; ++at)
            if (small[at] & ~large[at]) return false;
        return true;
    }

    int tail_bytes_;
    int head_bytes_;
    bool share_;
    Store heads_;
    Store tails_;
    Records entries_;
    std::atomic<std::uint64_t> count_{0};
    std::array<std::mutex, 1024> locks_;
};

}  // namespace fencepost
