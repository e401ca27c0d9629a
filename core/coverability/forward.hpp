// What a crowd can do at most: an over-approximation of its reachable states, found forwards.
//
// For each global state it has the local states that some member may be in, and the pairs that two members may be in at
// once: views of size two (Abdulla, Haziza, Holik, "All for the price of few", VMCAI 2013). A step of a member keeps a
// pair of others only if both may stand beside the one that moves.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <vector>

#include "coverability/crowd.hpp"

namespace fencepost {

// A set of numbers that grows with what is put in.
class NumberSet {
public:
    bool has(std::uint32_t n) const { return n / 64 < words_.size() && (words_[n / 64] >> n % 64 & 1); }
    bool add(std::uint32_t n) {
        if (n / 64 >= words_.size()) words_.resize(n / 64 + 1);
        std::uint64_t& word = words_[n / 64];
        const std::uint64_t before = word;
        word |= std::uint64_t{1} << n % 64;
        return word != before;
    }
    // Adds what `one` and `other` share. Whether that is anything new.
    bool add_common(const NumberSet& one, const NumberSet& other) {
        const std::size_t size = std::min(one.words_.size(), other.words_.size());
        if (size > words_.size()) words_.resize(size);
        std::uint64_t fresh = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint64_t added = one.words_[i] & other.words_[i] & ~words_[i];
            words_[i] |= added;
            fresh |= added;
        }
        return fresh != 0;
    }
    bool add_all(const NumberSet& other) { return add_common(other, other); }
    template <class Visitor>
    void each(Visitor&& visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
                visit(static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(word)));
    }

private:
    std::vector<std::uint64_t> words_;
};

// A step of the crowd, or (`to` is none) an error.
struct CrowdStep {
    std::uint32_t from;
    std::uint32_t mover;  // local state of the member that moves; none: the global state itself
    std::uint32_t to;
    std::uint32_t moved;  // what becomes of the member, or who joins; none: nobody
    ViolationKind error = ViolationKind::none;
};

class ForwardViews {
public:
    static constexpr std::uint32_t none = Crowd::none;

    explicit ForwardViews(Crowd& crowd) : crowd_(crowd) {
        add_entries(crowd_.start());
        touch(crowd_.start());
    }

    // Works for a while. True once everything is known.
    bool advance() {
        const std::uint64_t enough = passed_ + 200'000;  // which takes some milliseconds
        while (passed_ < enough && !waiting_.empty()) {
            const std::uint32_t g = *waiting_.rbegin();
            waiting_.erase(g);
            globals_[g].waits = false;
            process(g);
        }
        return waiting_.empty();
    }

    const std::vector<CrowdStep>& steps() const { return steps_; }
    const std::vector<CrowdStep>& errors() const { return errors_; }
    std::uint64_t globals() const { return known_; }

    bool may_hold(std::uint32_t global, std::uint32_t local) const {
        return global < globals_.size() && globals_[global].present.has(local);
    }
    bool may_hold(std::uint32_t global, std::uint32_t one, std::uint32_t other) const {
        const Row* row = global < globals_.size() ? globals_[global].row(one) : nullptr;
        return row != nullptr && row->beside.has(other);
    }
    std::uint64_t bytes() const {
        return bytes_ + globals_.capacity() * sizeof(Global) + (steps_.capacity() + errors_.capacity()) * sizeof(CrowdStep);
    }

private:
    struct Row {
        NumberSet beside;  // whom a member in this state may stand beside
        std::uint64_t changed = 0;
    };
    struct Transfer {
        std::uint32_t mover;
        std::uint32_t to;
        std::uint32_t moved;
    };
    struct Global {
        NumberSet present;
        NumberSet expanded;
        std::vector<Row> rows;
        std::vector<std::uint32_t> places;  // of the rows, by local state
        std::vector<Transfer> transfers;
        std::uint64_t passed_on = 0;  // the clock when all transfers were last made
        std::size_t settled = 0;  // how many transfers existed then
        bool waits = false;
        bool known = false;
        bool moved_itself = false;

        const Row* row(std::uint32_t local) const {
            const std::uint32_t place = local < places.size() ? places[local] : none;
            return place == none ? nullptr : &rows[place];
        }
    };

    // What expanding one state shows.
    struct Expansion {
        void step(std::uint32_t to, std::uint32_t moved, const Move&) {
            if (to == from && moved == mover) return;
            views.steps_.push_back(CrowdStep{from, mover, to, moved});
            views.at(from).transfers.push_back(Transfer{mover, to, moved});
        }
        void error(const Violation& violation) { views.errors_.push_back(CrowdStep{from, mover, none, none, violation.kind}); }

        ForwardViews& views;
        std::uint32_t from;
        std::uint32_t mover;
    };

    Global& at(std::uint32_t g) {
        if (g >= globals_.size()) globals_.resize(std::max<std::size_t>(g + 1, globals_.size() * 2));
        if (!globals_[g].known) {
            globals_[g].known = true;
            ++known_;
        }
        return globals_[g];
    }

    void touch(std::uint32_t g) {
        Global& global = at(g);
        if (global.waits) return;
        global.waits = true;
        waiting_.insert(g);
    }

    Row& row_of(Global& global, std::uint32_t local) {
        if (local >= global.places.size()) {
            bytes_ += (local + 1 - global.places.size()) * sizeof(std::uint32_t);
            global.places.resize(local + 1, none);
        }
        std::uint32_t& place = global.places[local];
        if (place != none) return global.rows[place];
        place = static_cast<std::uint32_t>(global.rows.size());
        bytes_ += sizeof(Row) + crowd_.locals() / 8 + 16;
        return global.rows.emplace_back();
    }

    // Entries stand beside everyone, everywhere.
    void add_entries(std::uint32_t g) {
        for (std::uint32_t entry : crowd_.entries()) add_local(g, entry);
    }

    // A member that may be there, beside the entries. Returns whether that is new.
    bool add_local(std::uint32_t g, std::uint32_t local) {
        Global& global = at(g);
        if (!global.present.add(local)) return false;
        (void)row_of(global, local);
        for (std::uint32_t entry : crowd_.entries()) add_pair(g, local, entry);
        return true;
    }

    bool add_pair(std::uint32_t g, std::uint32_t one, std::uint32_t other) {
        Global& global = at(g);
        Row& row = row_of(global, one);
        if (!row.beside.add(other)) return false;
        row.changed = ++clock_;
        Row& twin = row_of(global, other);
        twin.beside.add(one);
        twin.changed = clock_;
        return true;
    }

    void process(std::uint32_t g) {
        ++passed_;
        expand(g);
        const std::uint64_t since = at(g).passed_on;
        const std::size_t settled = at(g).settled;
        const std::uint64_t now = clock_;
        const std::size_t count = at(g).transfers.size();
        for (std::size_t i = 0; i < count; ++i) {
            const Transfer transfer = at(g).transfers[i];
            if (pass_on(g, transfer, i < settled ? since : 0)) touch(transfer.to);
        }
        at(g).passed_on = now;
        at(g).settled = count;
    }

    void expand(std::uint32_t g) {
        if (!at(g).moved_itself) {
            at(g).moved_itself = true;
            Expansion expansion{*this, g, none};
            crowd_.expand(g, none, expansion);
        }
        fresh_.clear();
        at(g).present.each([&](std::uint32_t local) {
            if (!globals_[g].expanded.has(local)) fresh_.push_back(local);
        });
        for (const std::uint32_t local : fresh_) {
            globals_[g].expanded.add(local);
            Expansion expansion{*this, g, local};
            crowd_.expand(g, local, expansion);
        }
    }

    // What may be at `transfer.to` after the step. `since`: what did not change later has been passed on before.
    bool pass_on(std::uint32_t g, const Transfer& transfer, std::uint64_t since) {
        ++passed_;
        const bool met = transfer.to < globals_.size() && globals_[transfer.to].known;
        at(transfer.to);  // before references into the vector are taken
        const Global& from = globals_[g];
        const Row* mover = nullptr;
        NumberSet others;  // who may stand beside the mover
        bool all = true;
        if (transfer.mover == none) {
            others = from.present;
        } else {
            mover = from.row(transfer.mover);
            others = mover->beside;
            all = mover->changed > since;
        }
        if (since == 0) all = true;
        bool news = !met;
        if (since == 0) {
            add_entries(transfer.to);
            if (transfer.moved != none) news |= add_local(transfer.to, transfer.moved);
        }
        others.each([&](std::uint32_t one) {
            ++passed_;
            const Row* row = globals_[g].row(one);
            if (!all && row->changed <= since) return;
            news |= add_local(transfer.to, one);
            if (transfer.moved != none) news |= add_pair(transfer.to, one, transfer.moved);
            Row& target = row_of(globals_[transfer.to], one);
            row = globals_[g].row(one);  // the rows may have moved, where both are the same
            if (target.beside.add_common(row->beside, others)) {
                target.changed = ++clock_;
                news = true;
            }
        });
        return news;
    }

    Crowd& crowd_;
    std::vector<Global> globals_;
    std::vector<CrowdStep> steps_;
    std::vector<CrowdStep> errors_;
    std::set<std::uint32_t> waiting_;  // the newest first: 2 visits a state on a ticket lock, where oldest first takes 48
    std::vector<std::uint32_t> fresh_;
    std::uint64_t passed_ = 0;  // states, steps and rows that have been looked at
    std::uint64_t clock_ = 0;
    std::uint64_t known_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace fencepost
