// Execution graphs and the relations of RC20 and RC11 by their definitions, to compare the runtime's clocks with. Slow and plain.
#pragma once

#include <cstdint>
#include <vector>

namespace fencepost::testing {

struct Relation {
    std::uint64_t row[64] = {};

    void add(unsigned from, unsigned to) { row[from] |= std::uint64_t{1} << to; }
    bool has(unsigned from, unsigned to) const { return row[from] >> to & 1; }
    Relation operator|(const Relation& other) const {
        Relation result;
        for (unsigned i = 0; i < 64; ++i) result.row[i] = row[i] | other.row[i];
        return result;
    }
    // Composition.
    Relation operator*(const Relation& other) const {
        Relation result;
        for (unsigned i = 0; i < 64; ++i)
            for (std::uint64_t rest = row[i]; rest; rest &= rest - 1)
                result.row[i] |= other.row[static_cast<unsigned>(__builtin_ctzll(rest))];
        return result;
    }
    Relation reflexive() const {
        Relation result = *this;
        for (unsigned i = 0; i < 64; ++i) result.add(i, i);
        return result;
    }
    Relation transitive() const {
        Relation result = *this;
        for (unsigned k = 0; k < 64; ++k)
            for (unsigned i = 0; i < 64; ++i)
                if (result.has(i, k)) result.row[i] |= result.row[k];
        return result;
    }
    bool is_irreflexive() const {
        for (unsigned i = 0; i < 64; ++i)
            if (has(i, i)) return false;
        return true;
    }
    // [from]; this; [to]
    Relation between(std::uint64_t from, std::uint64_t to) const {
        Relation result;
        for (unsigned i = 0; i < 64; ++i)
            if (from >> i & 1) result.row[i] = row[i] & to;
        return result;
    }
};

enum class Type : std::uint8_t { Read, Write, Rmw, Fence };
enum Mode : std::uint8_t { Rlx, Acq, Rel, AcqRel, Sc };
inline bool is_acquire(Mode mode) { return mode == Acq || mode == AcqRel || mode == Sc; }
inline bool is_release(Mode mode) { return mode == Rel || mode == AcqRel || mode == Sc; }

struct Node {
    int thread;  // -1: the initial write
    Type type;
    Mode mode;
    int location;  // -1: a fence
    std::uint64_t value = 0;
    int from = -1;  // what a read reads

    bool reads() const { return type == Type::Read || type == Type::Rmw; }
    bool writes() const { return type == Type::Write || type == Type::Rmw; }
};

// Events in the order in which they were executed, so the modification order is that of the list unless `order` says more.
struct Graph {
    std::vector<Node> events;
    std::vector<std::vector<int>> order;  // of each location's writes

    explicit Graph(int locations) : order(static_cast<std::size_t>(locations)) {
        for (int x = 0; x < locations; ++x) add({-1, Type::Write, Rlx, x});
    }

    int add(const Node& node) {
        events.push_back(node);
        const int id = static_cast<int>(events.size()) - 1;
        if (node.writes()) order[static_cast<std::size_t>(node.location)].push_back(id);
        return id;
    }

    std::uint64_t mask(auto wanted) const {
        std::uint64_t result = 0;
        for (std::size_t i = 0; i < events.size(); ++i)
            if (wanted(events[i])) result |= std::uint64_t{1} << i;
        return result;
    }

    Relation po() const {
        Relation result;
        for (unsigned i = 0; i < events.size(); ++i)
            for (unsigned j = i + 1; j < events.size(); ++j)
                if (events[j].thread >= 0 && (events[i].thread < 0 || events[i].thread == events[j].thread)) result.add(i, j);
        return result;
    }
    Relation rf() const {
        Relation result;
        for (unsigned i = 0; i < events.size(); ++i)
            if (events[i].reads()) result.add(static_cast<unsigned>(events[i].from), i);
        return result;
    }
    Relation mo() const {
        Relation result;
        for (const auto& writes : order)
            for (std::size_t i = 0; i < writes.size(); ++i)
                for (std::size_t j = i + 1; j < writes.size(); ++j)
                    result.add(static_cast<unsigned>(writes[i]), static_cast<unsigned>(writes[j]));
        return result;
    }
    Relation fr() const {
        Relation result = inverse(rf()) * mo();
        for (unsigned i = 0; i < 64; ++i) result.row[i] &= ~(std::uint64_t{1} << i);
        return result;
    }
    static Relation inverse(const Relation& of) {
        Relation result;
        for (unsigned i = 0; i < 64; ++i)
            for (unsigned j = 0; j < 64; ++j)
                if (of.has(i, j)) result.add(j, i);
        return result;
    }

    // sw = [REL]; ([F]; po)?; rf+; (po; [F])?; [ACQ]
    Relation sw() const {
        const std::uint64_t fences = mask([](const Node& e) { return e.type == Type::Fence; });
        const std::uint64_t rel = mask([](const Node& e) { return is_release(e.mode) && e.type != Type::Read; });
        const std::uint64_t acq = mask([](const Node& e) { return is_acquire(e.mode) && e.type != Type::Write; });
        const std::uint64_t all = ~std::uint64_t{0};
        const Relation before = po().between(fences, all).reflexive();
        const Relation after = po().between(all, fences).reflexive();
        return (before * rf().transitive() * after).between(rel, acq);
    }
    Relation hb() const { return (po() | sw()).transitive(); }
    Relation hb_sc() const { return (po() | rf() | mo() | fr()).transitive(); }
    bool is_sc() const { return hb_sc().is_irreflexive(); }

    // RC11 (Lahav et al., PLDI 2017), with its psc, which is empty where nothing is seq_cst.
    bool is_consistent() const {
        const Relation happens = hb();
        const Relation eco = (rf() | mo() | fr()).transitive();
        if (!happens.is_irreflexive() || !(happens * eco).is_irreflexive() || !eco.is_irreflexive()) return false;
        if (!(po() | rf()).transitive().is_irreflexive()) return false;
        if (!(fr() * mo()).is_irreflexive()) return false;
        return psc().transitive().is_irreflexive();
    }
    Relation psc() const {
        const std::uint64_t all = ~std::uint64_t{0};
        const std::uint64_t sc = mask([](const Node& e) { return e.mode == Sc && e.type != Type::Fence; });
        const std::uint64_t fences = mask([](const Node& e) { return e.mode == Sc && e.type == Type::Fence; });
        const Relation happens = hb();
        Relation other_location, same_location;
        const Relation program = po();
        for (unsigned i = 0; i < events.size(); ++i)
            for (unsigned j = 0; j < events.size(); ++j) {
                const bool same = events[i].location >= 0 && events[i].location == events[j].location;
                if (program.has(i, j) && !same) other_location.add(i, j);
                if (happens.has(i, j) && same) same_location.add(i, j);
            }
        const Relation scb = program | other_location * happens * other_location | same_location | mo() | fr();
        Relation left = happens.between(fences, all);
        Relation right = happens.between(all, fences);
        for (unsigned i = 0; i < 64; ++i)
            if ((sc | fences) >> i & 1) {
                left.add(i, i);
                right.add(i, i);
            }
        const Relation eco = (rf() | mo() | fr()).transitive();
        return left * scb * right | (happens | happens * eco * happens).between(fences, fences);
    }

    int newest(int location) const { return order[static_cast<std::size_t>(location)].back(); }
    // The paper's timestamps of a write.
    int stamp(int write) const {
        const auto& writes = order[static_cast<std::size_t>(events[static_cast<std::size_t>(write)].location)];
        int result = 0;
        while (writes[static_cast<std::size_t>(result)] != write) ++result;
        return result;
    }
};

}  // namespace fencepost::testing
