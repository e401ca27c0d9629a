// The program with templates as a crowd: a global state, and any number of anonymous members, each in a local state.
//
// The global state is the memory, the threads that are no templates, and the attacker, who is one thread, of a template
// or not (thesis of Derevenetc, section 6.3); so is a member that has locked the memory. All other copies of templates
// are members. How they step is asked of `Attacks`, on a program that has two threads for each template: one to put the
// member in that moves, one for an attacker. The steps of each do not depend on how many others there are.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/attacks.hpp"
#include "search/store.hpp"

namespace fencepost {

struct TemplateSlots {
    int member;    // threads of the program
    int attacker;
};

class Crowd {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    Crowd(const Program& program, std::vector<TemplateSlots> templates, AttackGoal goal, const Reductions& reductions)
        : program_(program), templates_(std::move(templates)), system_(program_, goal, reductions), scratch_(system_),
          words_(static_cast<std::size_t>(system_.words())), base_(words_), moving_(words_), spare_(words_),
          packed_(static_cast<std::size_t>(system_.state_bytes()) + 16),
          globals_(system_.state_bytes(), 0, static_cast<std::size_t>(system_.most_successors())) {
        std::vector<int> members;
        for (const TemplateSlots& slots : templates_) members.push_back(slots.member);
        system_.set_crowd(members);
        system_.initial(base_.data());
        std::vector<std::vector<Word>> entries;
        for (std::size_t t = 0; t < templates_.size(); ++t) entries.push_back(local_of(base_.data(), t));
        for (std::size_t t = 0; t < templates_.size(); ++t) entries_.push_back(number(entries[t]));
        for (const TemplateSlots& slots : templates_) {
            system_.end_thread(base_.data(), slots.member);
            system_.end_thread(base_.data(), slots.attacker);
        }
        system_.normalize(base_.data());
        start_ = number(base_.data());
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    std::uint32_t start() const { return start_; }
    std::uint64_t globals() const { return globals_.count(); }
    std::uint32_t locals() const { return static_cast<std::uint32_t>(locals_.size()); }
    // Of members in these local states there are always enough: more can be added to the program.
    const std::vector<std::uint32_t>& entries() const { return entries_; }
    bool is_entry(std::uint32_t local) const { return local < entries_.size(); }
    int template_of(std::uint32_t local) const { return static_cast<int>(locals_[local][0]); }
    int templates() const { return static_cast<int>(templates_.size()); }
    std::uint64_t bytes() const { return globals_.bytes() + locals_.size() * (words_ + 8) * sizeof(Word); }

    // The steps of a member in state `local`, or (none) those of the global state itself. The visitor has
    //   void step(std::uint32_t global, std::uint32_t local, const Move&)   the member's next state, none if it is none
    //   void error(const Violation&)
    template <class Visitor>
    void expand(std::uint32_t global, std::uint32_t local, Visitor& visitor) {
        const std::uint8_t* stored = globals_.record(global);
        system_.unpack(stored, stored + system_.head_bytes(), base_.data());
        const int owner = system_.lock_owner(base_.data());
        Steps<Visitor> steps{*this, visitor};
        if (local == none) {
            for (int t = 0; t < system_.threads(); ++t)
                if (owner < 0 || t == owner) system_.expand_thread(base_.data(), t, scratch_, steps);
        } else if (owner < 0) {
            const int slot = templates_[static_cast<std::size_t>(template_of(local))].member;
            system_.set_local(base_.data(), slot, locals_[local].data() + 1);
            system_.expand_thread(base_.data(), slot, scratch_, steps);
        }
    }

private:
    using Word = Attacks::Word;

    template <class Visitor>
    struct Steps {
        bool successor(const Move& move, const Word* config) {
            Word* c = crowd.moving_.data();
            std::memcpy(c, config, crowd.words_ * sizeof(Word));
            const std::uint32_t local = crowd.take_member(c);
            visitor.step(crowd.number(c), local, move);
            return true;
        }
        void not_rising(int) {}  // crowds are searched without rules about versions
        void violation(const Violation& violation) { visitor.error(violation); }

        Crowd& crowd;
        Visitor& visitor;
    };

    // Takes the member that has moved out of the configuration, unless it is one that is part of the global state.
    std::uint32_t take_member(Word* c) {
        std::uint32_t local = none;
        for (std::size_t t = 0; t < templates_.size(); ++t) {
            const TemplateSlots& slots = templates_[t];
            if (system_.holds_lock(c, slots.member)) continue;
            if (system_.attacks(c, slots.member)) {
                const std::vector<Word> attacker = local_of(c, t);
                system_.set_local(c, slots.attacker, attacker.data() + 1);
            } else if (!system_.is_over(c, slots.member)) {
                local = number(local_of(c, t));
            }
            system_.end_thread(c, slots.member);
        }
        return local;
    }

    std::vector<Word> local_of(const Word* c, std::size_t t) const {
        const int slot = templates_[t].member;
        std::vector<Word> local(1 + static_cast<std::size_t>(system_.local_words(slot)));
        local[0] = static_cast<Word>(t);
        system_.get_local(c, slot, local.data() + 1);
        return local;
    }

    std::uint32_t number(const std::vector<Word>& local) {
        const std::string key(reinterpret_cast<const char*>(local.data()), local.size() * sizeof(Word));
        const auto [place, fresh] = numbers_.emplace(key, locals_.size());
        if (fresh) locals_.push_back(local);
        return place->second;
    }

    std::uint32_t number(const Word* config) {
        int order[max_threads];
        if (globals_.wants_growth()) globals_.grow();
        system_.pack(config, spare_.data(), packed_.data(), order);
        return globals_.insert(packed_.data(), nullptr, cursor_).number;
    }

    Program program_;
    std::vector<TemplateSlots> templates_;
    Attacks system_;
    Attacks::Scratch scratch_;
    std::size_t words_;
    std::vector<Word> base_;
    std::vector<Word> moving_;
    std::vector<Word> spare_;
    std::vector<std::uint8_t> packed_;
    Store globals_;
    Records::Cursor cursor_;
    std::vector<std::vector<Word>> locals_;  // template, role, pc, registers
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<std::uint32_t> entries_;
    std::uint32_t start_ = 0;
};

}  // namespace fencepost
