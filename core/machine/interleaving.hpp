// The system that explorers search: the program under SC, instrumented by a monitor.
//
// A step of a thread is one shared access and then local instructions up to the next access or the end of the thread
// (local instructions, and fences, commute with everything that other threads do). A configuration is a flat array of
// 64-bit words; a packed state is its canonical form in bytes: the head (the machine) and the tail (what the monitor, and
// taint, add: the more bits there, the more can go wrong, and the machine never asks).
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "machine/bits.hpp"
#include "machine/lagging.hpp"
#include "machine/program.hpp"
#include "monitors/monitor.hpp"

namespace fencepost {

struct Reductions {
    bool dead_registers = true;   // reset registers and locations whose value can no longer matter
    bool fuse_local = true;       // run local instructions together with the access before them
    bool partial_order = true;    // expand one thread only where the others cannot interfere
    bool symmetry = true;         // states of interchangeable threads are equal
};

inline constexpr int max_choices = 8;  // resolved within one step; a longer run of choices is cut into steps,
inline constexpr int max_ways = 256;   // and so is one with more alternatives altogether
inline constexpr int max_local_instructions = 200;

// What a step did, so that a schedule can be replayed instruction by instruction.
struct Move {
    std::uint16_t thread = 0;
    std::uint16_t instructions = 0;
    std::uint8_t choice_count = 0;
    bool delays = false;  // stores of the thread are delayed from here on
    std::uint8_t choices[max_choices] = {};
};

// `cycle`: a happens-before cycle, or what is looked for in its place. `range`: a run left the program's values, at `pc`.
enum class ViolationKind : std::uint8_t { none, stale_access, stale_use, race, assertion, deadlock, cycle, range };

struct Violation {
    ViolationKind kind = ViolationKind::none;
    int thread = -1;  // the thread whose next instruction is at fault, after `move`
    Move move;        // local instructions (and an access) that lead from the state to it
    int pc = -1;
};

template <class Monitor>
class Interleaving {
public:
    using Word = std::uint64_t;

    Interleaving(const Program& program, Monitor monitor, const Reductions& reductions)
        : program_(program), monitor_(std::move(monitor)), reductions_(reductions), lagging_(program) {
        threads_ = static_cast<int>(program.threads.size());
        cells_ = static_cast<int>(program.cells.size());
        int at = (threads_ + 1) / 2;  // two pcs a word
        taint_at_ = at;
        at += threads_;
        value_bits_ = bits_for(program.max_value);
        int values = 0;
        for (const Thread& thread : program.threads) {
            register_at_.push_back(at * 2 + values);
            values += thread.registers();
            pc_bits_.push_back(bits_for(static_cast<std::uint64_t>(thread.size())));
        }
        memory_at_ = at * 2 + values;
        at += (values + cells_ + 1) / 2;
        monitor_at_ = at;
        words_ = at + monitor_.words();
        int bits = 0;
        int taint_bits = 0;
        for (int t = 0; t < threads_; ++t) {
            const int registers = program.threads[idx(t)].registers();
            bits += pc_bits_[idx(t)] + registers * value_bits_;
            if (monitor_.tainting()) taint_bits += registers;
        }
        head_bytes_ = (bits + cells_ * value_bits_ + 7) / 8;
        tail_bytes_ = (taint_bits + monitor_.packed_bits() + 7) / 8;
    }

    int words() const { return words_; }
    int head_bytes() const { return head_bytes_; }
    int tail_bytes() const { return tail_bytes_; }
    int state_bytes() const { return head_bytes_ + tail_bytes_; }
    int threads() const { return threads_; }
    int most_successors() const { return threads_ * max_ways; }
    const Monitor& monitor() const { return monitor_; }

    void initial(Word* config) const {
        std::fill(config, config + words_, Word{0});
        for (int t = 0; t < threads_; ++t) {
            const Thread& thread = program_.threads[idx(t)];
            for (int r = 0; r < thread.registers(); ++r) registers(config, t)[r] = thread.initial[idx(r)];
        }
        for (int x = 0; x < cells_; ++x) memory(config)[x] = program_.cells[idx(x)].initial;
        monitor_.initial(config + monitor_at_);
        normalize(config);
    }

    // Scratch space of one worker: configurations for the steps under way.
    class Scratch {
    public:
        explicit Scratch(const Interleaving& system)
            : words_(system.words_), buffer_(static_cast<std::size_t>(system.words_) * (max_choices + 4)) {}
        Word* config(int depth) { return buffer_.data() + static_cast<std::size_t>(words_) * idx(depth); }

    private:
        int words_;
        std::vector<Word> buffer_;
    };

    // Visits every step from `config`, or a sufficient part of them. The visitor has
    //   bool successor(const Move&, Word* config)   the configuration is normalized, not canonical; true if it is new
    //   void violation(const Violation&)            checked before the step
    template <class Visitor>
    void expand(const Word* config, Scratch& scratch, Visitor& visitor) const {
        int first = -1;
        if (reductions_.partial_order && (first = sufficient_thread(config)) >= 0) {
            Stepping<Visitor> stepping{*this, scratch, visitor};
            stepping.run(config, first);
            // The proviso: a state of which all successors are known may close a cycle, and then nobody may wait.
            if (stepping.fresh) return;
        }
        bool moved = first >= 0;
        bool blocked = false;
        for (int t = 0; t < threads_; ++t) {
            if (t == first) continue;
            Stepping<Visitor> stepping{*this, scratch, visitor};
            stepping.run(config, t);
            moved |= stepping.moved;
            blocked |= stepping.blocked;
        }
        if (!moved && blocked) visitor.violation(Violation{ViolationKind::deadlock, -1, Move{}});
    }

    // The steps of one thread alone.
    template <class Visitor>
    void expand_thread(const Word* config, int thread, Scratch& scratch, Visitor& visitor) const {
        Stepping<Visitor> stepping{*this, scratch, visitor};
        stepping.run(config, thread);
    }

    // The canonical bytes of a normalized configuration, in which thread i is thread order[i] of `config`; `spare` is
    // scratch space.
    void pack(const Word* config, Word* spare, std::uint8_t* out, int* order) const {
        for (int t = 0; t < threads_; ++t) order[t] = t;
        const Word* canonical = reductions_.symmetry ? sorted(config, spare, order) : config;
        std::memset(out, 0, idx(state_bytes()));
        BitWriter head(out);
        for (int t = 0; t < threads_; ++t) {
            const int count = program_.threads[idx(t)].registers();
            head.write(pcs(canonical)[t], pc_bits_[idx(t)]);
            for (int r = 0; r < count; ++r) head.write(registers(canonical, t)[r], value_bits_);
        }
        for (int x = 0; x < cells_; ++x) head.write(memory(canonical)[x], value_bits_);
        head.finish();
        BitWriter tail(out + head_bytes_);
        for (int t = 0; t < threads_ && monitor_.tainting(); ++t)
            tail.write(canonical[taint_at_ + t], program_.threads[idx(t)].registers());
        monitor_.pack(tail, canonical + monitor_at_);
        tail.finish();
    }

    void unpack(const std::uint8_t* head, const std::uint8_t* tail, Word* config) const {
        std::fill(config, config + monitor_at_, Word{0});
        BitReader in(head, idx(head_bytes_));
        for (int t = 0; t < threads_; ++t) {
            const int count = program_.threads[idx(t)].registers();
            pcs(config)[t] = static_cast<std::uint32_t>(in.read(pc_bits_[idx(t)]));
            for (int r = 0; r < count; ++r) registers(config, t)[r] = static_cast<Value>(in.read(value_bits_));
        }
        for (int x = 0; x < cells_; ++x) memory(config)[x] = static_cast<Value>(in.read(value_bits_));
        BitReader rest(tail, idx(tail_bytes_));
        for (int t = 0; t < threads_ && monitor_.tainting(); ++t)
            config[taint_at_ + t] = rest.read(program_.threads[idx(t)].registers());
        monitor_.unpack(rest, config + monitor_at_);
    }

private:
    static std::size_t idx(int i) { return static_cast<std::size_t>(i); }

    std::uint32_t* pcs(Word* c) const { return reinterpret_cast<std::uint32_t*>(c); }
    const std::uint32_t* pcs(const Word* c) const { return reinterpret_cast<const std::uint32_t*>(c); }
    Value* registers(Word* c, int t) const { return reinterpret_cast<Value*>(c) + register_at_[idx(t)]; }
    const Value* registers(const Word* c, int t) const { return reinterpret_cast<const Value*>(c) + register_at_[idx(t)]; }
    Value* memory(Word* c) const { return reinterpret_cast<Value*>(c) + memory_at_; }
    const Value* memory(const Word* c) const { return reinterpret_cast<const Value*>(c) + memory_at_; }

    const Expr& expr(std::int32_t id) const { return program_.expressions[idx(id)]; }
    const Thread& code_of(int t) const { return program_.threads[idx(t)]; }
    static bool is_access(Op op) { return op >= Op::load && op <= Op::wait; }

    // The cell that an access names now, or -1 if its index is outside the array.
    int cell_of(const Instruction& i, const Value* regs) const {
        if (i.index < 0) return i.cell;
        const std::int64_t at = evaluate(expr(i.index), regs);
        return at >= 0 && at < i.cells ? i.cell + static_cast<int>(at) : -1;
    }

    // One thread's steps from one configuration.
    template <class Visitor>
    struct Stepping {
        const Interleaving& system;
        Scratch& scratch;
        Visitor& visitor;
        bool fresh = false;    // a successor was new
        bool emitted = false;  // there was one
        bool moved = false;    // there was a step
        bool blocked = false;  // the thread waits
        Mask many = 0;         // registers that stand for several values

        void run(const Word* config, int t) {
            const Thread& thread = system.code_of(t);
            const std::uint32_t pc = system.pcs(config)[t];
            if (pc >= thread.code.size()) return;
            many = system.lagging_.registers(t, system.registers(config, t), system.memory(config));
            Word* next = scratch.config(0);
            std::memcpy(next, config, idx(system.words_) * sizeof(Word));
            Move move;
            move.thread = static_cast<std::uint16_t>(t);
            const Instruction& i = thread.code[pc];
            if (is_access(i.op) && !access(next, t, i, move)) return;
            moved = true;
            if (is_access(i.op) && !system.reductions_.fuse_local) emit(next, move);
            else local(next, t, move, 0, 1);
        }

        // True if control goes on; false if the thread waits.
        bool access(Word* c, int t, const Instruction& i, Move& move) {
            const Value* regs = system.registers(c, t);
            Word& taint = c[system.taint_at_ + t];
            const int cell = system.cell_of(i, regs);
            if (unclear(c, t, i, cell)) return false;
            if (uses_stale(taint, i, cell)) visitor.violation(Violation{ViolationKind::stale_use, t, Move{}});
            if (cell < 0) return fail(c, t, move);
            Word* m = c + system.monitor_at_;
            switch (system.monitor_.check(m, t, i, cell, regs)) {
                case Finding::stale: visitor.violation(Violation{ViolationKind::stale_access, t, Move{}}); break;
                case Finding::race: visitor.violation(Violation{ViolationKind::race, t, Move{}}); break;
                case Finding::maybe: visitor.undecided_check(); break;
                case Finding::none: break;
            }
            const bool read_many = system.lagging_.stands_for_many(cell, system.memory(c));
            Value& memory = system.memory(c)[cell];
            const Value old = memory;
            Access done{AccessKind::read, cell, i.acquire, i.release, old};
            bool tainted = false;
            switch (i.op) {
                case Op::load:
                    tainted = system.monitor_.tainting() && system.monitor_.taints(m, t, cell);
                    break;
                case Op::store:
                    done.kind = AccessKind::write;
                    memory = system.program_.wrap(evaluate(system.expr(i.first), regs));
                    break;
                case Op::rmw:
                    done.kind = AccessKind::rmw;
                    memory = system.program_.wrap(apply(i.rmw_op, old, evaluate(system.expr(i.first), regs)));
                    break;
                case Op::cas:
                case Op::blocking_cas:
                    if (system.program_.wrap(evaluate(system.expr(i.first), regs)) == old) {
                        done.kind = AccessKind::rmw;
                        memory = system.program_.wrap(evaluate(system.expr(i.second), regs));
                        break;
                    }
                    if (i.op == Op::blocking_cas) return wait();
                    done.kind = AccessKind::read_star;
                    done.acquire = i.failure_acquire;
                    break;
                default:  // wait
                    if (evaluate(system.expr(i.first), regs, old) == 0) return wait();
                    done.kind = AccessKind::read_star;
            }
            if (memory < old && system.program_.cells[idx(cell)].rising) visitor.not_rising(cell);
            system.monitor_.access(m, t, done, tainted);
            if (i.reg >= 0) {
                system.registers(c, t)[i.reg] = old;
                const Word bit = Word{1} << i.reg;
                taint = tainted ? taint | bit : taint & ~bit;
                many = read_many ? many | bit : many & ~bit;
            }
            ++system.pcs(c)[t];
            ++move.instructions;
            return true;
        }

        // Whether what the program enables here depends on the tainted registers: some label always uses all of R_in
        // (program/lts.py, enabled_steps), but outside its array an access is a control event that uses the index alone.
        bool uses_stale(Word taint, const Instruction& i, int cell) const {
            return (taint & (cell < 0 ? registers_in(system.expr(i.index)) : i.used)) != 0;
        }

        // Whether the values that a register stands for would part ways here. That ends the search.
        bool unclear(const Word* c, int t, const Instruction& i, int cell) {
            if (many == 0 && !system.lagging_.moves()) return false;
            const auto apart = system.lagging_.tells_apart(t, i, cell, system.memory(c), system.registers(c, t), many);
            if (apart.yes) visitor.told_apart(t, apart.registers, apart.counters);
            return apart.yes;
        }

        bool wait() {
            blocked = true;
            return false;
        }

        // A false assertion, or an index outside its array: the thread is over.
        bool fail(Word* c, int t, Move& move) {
            visitor.violation(Violation{ViolationKind::assertion, t, move});
            system.pcs(c)[t] = static_cast<std::uint32_t>(system.code_of(t).size());
            ++move.instructions;
            return true;
        }

        // Runs local instructions up to the next access; every alternative of a choice goes its own way. `depth` and
        // `ways`: how many choices were made, and of how many ways to make them this is one.
        void local(Word* c, int t, Move move, int depth, std::size_t ways) {
            const Thread& thread = system.code_of(t);
            const bool one = !system.reductions_.fuse_local;
            for (int count = 0;; ++count) {
                std::uint32_t& pc = system.pcs(c)[t];
                if (pc >= thread.code.size() || count == max_local_instructions || (one && count == 1)) break;
                const Instruction& i = thread.code[pc];
                if (is_access(i.op)) break;
                Value* regs = system.registers(c, t);
                Word& taint = c[system.taint_at_ + t];
                const bool stale = (taint & i.used) != 0;
                if (unclear(c, t, i, -1)) return;
                if (stale && i.op != Op::assign) visitor.violation(Violation{ViolationKind::stale_use, t, move});
                if (i.op == Op::choose && (move.choice_count == max_choices || ways * i.targets.size() > max_ways)) break;
                if (i.op == Op::assert_ && evaluate(system.expr(i.first), regs) == 0) {
                    fail(c, t, move);
                    break;
                }
                ++move.instructions;
                switch (i.op) {
                    case Op::assign: {
                        regs[i.reg] = system.program_.wrap(evaluate(system.expr(i.first), regs));
                        const Word bit = Word{1} << i.reg;
                        taint = stale ? taint | bit : taint & ~bit;
                        many = (registers_in(system.expr(i.first)) & many) != 0 && system.lagging_.is_copy(i) ? many | bit : many & ~bit;
                        ++pc;
                        break;
                    }
                    case Op::branch: pc = evaluate(system.expr(i.first), regs) ? static_cast<std::uint32_t>(i.target) : pc + 1; break;
                    case Op::jump: pc = static_cast<std::uint32_t>(i.target); break;
                    case Op::assume:
                        pc = evaluate(system.expr(i.first), regs) ? pc + 1 : static_cast<std::uint32_t>(thread.code.size());
                        break;
                    case Op::fence:
                        system.monitor_.fence(c + system.monitor_at_, t, i);
                        ++pc;
                        break;
                    case Op::choose: {
                        if (seen_before(c, t, depth)) return;
                        const Mask many_here = many;
                        for (std::size_t k = 0; k < i.targets.size(); ++k) {
                            Word* branch = scratch.config(depth + 1);
                            std::memcpy(branch, c, idx(system.words_) * sizeof(Word));
                            system.pcs(branch)[t] = static_cast<std::uint32_t>(i.targets[k]);
                            Move chosen = move;
                            chosen.choices[chosen.choice_count++] = static_cast<std::uint8_t>(k);
                            many = many_here;
                            if (one) emit(branch, chosen);
                            else local(branch, t, chosen, depth + 1, ways * i.targets.size());
                        }
                        if (depth == 0 && !emitted) {  // it only goes round in circles: what came before has happened
                            --move.instructions;
                            emit(c, move);
                        }
                        return;
                    }
                    default: ++pc;  // an assertion that holds, a use
                }
            }
            emit(c, move);
        }

        // Whether this very choice has been made on the way here, since the last access: all that can follow does so from there.
        bool seen_before(const Word* c, int t, int depth) const {
            for (int earlier = 0; earlier < depth; ++earlier) {
                const Word* other = scratch.config(earlier);
                if (system.pcs(other)[t] == system.pcs(c)[t] && system.equally_placed(c, other, t)) return true;
            }
            return false;
        }

        void emit(Word* c, const Move& move) {
            emitted = true;
            system.normalize(c);
            fresh |= visitor.successor(move, c);
        }
    };

    // Resets what can no longer matter: dead registers, and locations that nobody will read.
    void normalize(Word* c) const {
        Mask reads = 0;
        Mask writes = 0;
        for (int t = 0; t < threads_; ++t) {
            const std::uint32_t pc = pcs(c)[t];
            reads |= code_of(t).future_reads[pc];
            writes |= code_of(t).future_writes[pc];
        }
        if (reductions_.dead_registers) {
            for (int t = 0; t < threads_; ++t) {
                const Mask live = code_of(t).live[pcs(c)[t]];
                for (int r = 0; r < code_of(t).registers(); ++r)
                    if (!(live >> r & 1)) registers(c, t)[r] = 0;
                c[taint_at_ + t] &= live;
            }
            Mask kept = reads;
            for (int t = 0; t < threads_; ++t) kept |= lagging_.counters(t, wanted(c, t));
            for (int x = 0; x < cells_; ++x)
                if (!(kept >> x & 1)) memory(c)[x] = program_.cells[idx(x)].initial;  // a value that it may hold
        }
        if (lagging_.any())
            lagging_.settle(memory(c), [&](int t) { return registers(c, t); }, [&](int t) { return wanted(c, t); });
        for (int t = 0; t < threads_; ++t)
            for (const StaleRule& rule : code_of(t).stale_rules) forget_outdated(c, t, rule);
        monitor_.normalize(c + monitor_at_, {pcs(c), idx(threads_)}, reads, writes);
    }

    // The registers whose values may still matter.
    Mask wanted(const Word* c, int t) const {
        return reductions_.dead_registers ? code_of(t).live[pcs(c)[t]] : ~Mask{0};
    }

    // Whether a thread that stands at one place in both configurations, which differ by local steps of it, can do the same.
    bool equally_placed(const Word* one, const Word* other, int t) const {
        const Mask used = wanted(one, t);
        for (int r = 0; r < code_of(t).registers(); ++r)
            if (used >> r & 1 && registers(one, t)[r] != registers(other, t)[r]) return false;
        return ((one[taint_at_ + t] ^ other[taint_at_ + t]) & used) == 0 &&
               std::equal(one + monitor_at_, one + words_, other + monitor_at_);
    }

    // The register keeps being outdated as 0. The monitor must see no difference either: both values in one class.
    void forget_outdated(Word* c, int t, const StaleRule& rule) const {
        const Mask kept = rule.kept[pcs(c)[t]];
        Value* regs = registers(c, t);
        if (kept == ~Mask{0} || regs[rule.reg] >= memory(c)[rule.cell]) return;
        const std::vector<std::uint16_t>& classes = program_.cells[idx(rule.cell)].classes;
        if (classes[regs[rule.reg]] != classes[0]) return;
        if (lagging_.any() &&
            !lagging_.stays_less(t, rule.reg, regs[rule.reg], rule.cell, lagging_.registers(t, regs, memory(c)))) return;
        for (int r = 0; r < code_of(t).registers(); ++r)
            if (!(kept >> r & 1)) regs[r] = 0;
    }

    // A thread whose next step no other thread can ever interfere with, or -1. Steps on different cells, and two
    // reads, commute exactly, for the monitor too (its state is a function of the execution graph).
    int sufficient_thread(const Word* c) const {
        for (int t = 0; t < threads_; ++t) {
            const std::uint32_t pc = pcs(c)[t];
            if (pc >= code_of(t).code.size()) continue;
            const Instruction& i = code_of(t).code[pc];
            if (!is_access(i.op)) return t;
            const Value* regs = registers(c, t);
            const int cell = cell_of(i, regs);
            if (cell < 0) return t;
            const Value old = memory(c)[cell];
            bool writes = i.op == Op::store || i.op == Op::rmw;
            if (i.op == Op::cas || i.op == Op::blocking_cas) {
                writes = program_.wrap(evaluate(expr(i.first), regs)) == old;
                if (!writes && i.op == Op::blocking_cas) continue;
            }
            if (i.op == Op::wait && evaluate(expr(i.first), regs, old) == 0) continue;
            Mask conflicting = 0;
            for (int p = 0; p < threads_; ++p) {
                if (p == t) continue;
                const std::uint32_t at = pcs(c)[p];
                conflicting |= code_of(p).future_writes[at] | (writes ? code_of(p).future_reads[at] : 0);
            }
            if (!(conflicting >> cell & 1)) return t;
        }
        return -1;
    }

    int compare(const Word* c, int one, int other) const {
        if (pcs(c)[one] != pcs(c)[other]) return pcs(c)[one] < pcs(c)[other] ? -1 : 1;
        const Value* a = registers(c, one);
        const Value* b = registers(c, other);
        for (int r = 0; r < code_of(one).registers(); ++r)
            if (a[r] != b[r]) return a[r] < b[r] ? -1 : 1;
        if (c[taint_at_ + one] != c[taint_at_ + other]) return c[taint_at_ + one] < c[taint_at_ + other] ? -1 : 1;
        return monitor_.compare(c + monitor_at_, one, other);
    }

    // `c` with the threads of every symmetric group in order. (Not always the same one for configurations that are equal
    // up to symmetry: where threads have cells of their own, those are compared as they are numbered now.)
    const Word* sorted(const Word* c, Word* spare, int* order) const {
        bool changed = false;
        for (const std::vector<int>& group : program_.symmetric)
            for (std::size_t i = 1; i < group.size(); ++i)
                for (std::size_t j = i; j > 0 && compare(c, order[group[j]], order[group[j - 1]]) < 0; --j) {
                    std::swap(order[group[j]], order[group[j - 1]]);
                    changed = true;
                }
        if (!changed) return c;
        std::memcpy(spare, c, idx(monitor_at_) * sizeof(Word));
        for (int t = 0; t < threads_; ++t) {
            if (order[t] == t) continue;
            pcs(spare)[t] = pcs(c)[order[t]];
            spare[taint_at_ + t] = c[taint_at_ + order[t]];
            std::copy_n(registers(c, order[t]), code_of(t).registers(), registers(spare, t));
        }
        monitor_.permute(spare + monitor_at_, c + monitor_at_, order);
        return spare;
    }

    const Program& program_;
    Monitor monitor_;
    Reductions reductions_;
    Lagging lagging_;
    int threads_ = 0;
    int cells_ = 0;
    int words_ = 0;
    int taint_at_ = 0;    // in words
    int memory_at_ = 0;   // in half words, as registers are
    int monitor_at_ = 0;  // in words
    int value_bits_ = 0;
    int head_bytes_ = 0;
    int tail_bytes_ = 0;
    std::vector<int> register_at_;
    std::vector<int> pc_bits_;
};

}  // namespace fencepost
