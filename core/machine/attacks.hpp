// The system that decides robustness against TSO: the program under SC, in which one thread may delay its stores.
//
// Thesis of Derevenetc, sections 6.1 and 6.2; src/fencepost/models/tso/attacks.py is the version to read, and rules. One
// search serves all attacks: the plain run under SC is common to them. Differences from the reading version, which
// change no verdict (tests/test_tso_differential.py):
// - The attacker's steps that nobody sees (local ones, delayed stores, loads that these hide or that nobody else can
//   write) belong to the step before them. So it always rests before a load that could be the attack's.
// - Until its first such load nobody else moves: what others do there they could have done before the first delay.
// - Once the attack's load is done, others only do what extends the path, or what leads out of a locked block:
//   witnesses have nothing else after the load (WIT-D).
// - A delay is dropped as soon as the accesses that are still to come cannot join into a path (`possible`).
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "machine/bits.hpp"
#include "machine/interleaving.hpp"
#include "machine/program.hpp"

namespace fencepost {

// What the helpers must reach: a happens-before cycle, a triangular race, or nothing (then the system is plain SC).
enum class AttackGoal : std::uint8_t { cycle, triangle, none };

class Attacks {
public:
    using Word = std::int64_t;

    Attacks(const Program& program, AttackGoal goal, const Reductions& reductions)
        : program_(program), goal_(goal), reductions_(reductions), threads_(static_cast<int>(program.threads.size())),
          cells_(static_cast<int>(program.cells.size())) {
        value_bits_ = bits_for(static_cast<std::uint64_t>(program.max_value) - static_cast<std::uint64_t>(program.min_value));
        int bits = 0;
        int at = roles_at + threads_;
        for (const Thread& thread : program.threads) {
            pc_at_.push_back(at++);
            register_at_.push_back(at);
            at += thread.registers();
            pc_bits_.push_back(bits_for(static_cast<std::uint64_t>(thread.size())));
            bits += pc_bits_.back() + thread.registers() * value_bits_;
            for (std::uint8_t locked : thread.locked) block_bits_ |= locked != 0 ? static_cast<int>(program.cells.size()) : 0;
            for (const Instruction& i : thread.code) can_block_ |= i.op == Op::wait || i.op == Op::blocking_cas;
        }
        memory_at_ = at;
        shadow_at_ = memory_at_ + cells_;
        marks_at_ = shadow_at_ + cells_;
        words_ = marks_at_ + cells_;
        cell_bits_ = bits_for(static_cast<std::uint64_t>(cells_));
        head_bytes_ = (bits + cells_ * value_bits_ + 7) / 8;
        tail_bytes_ = goal == AttackGoal::none ? 0 : (cell_bits_ + 1 + 2 * block_bits_ + threads_ * 2 + cells_ * (value_bits_ + 2) + 7) / 8;
        for (int cell = 0; cell < cells_; ++cell)
            if (program.cells[idx(cell)].has_address) addresses_.emplace_back(program.cells[idx(cell)].address, cell);
        std::sort(addresses_.begin(), addresses_.end());
    }

    int words() const { return words_; }
    int head_bytes() const { return head_bytes_; }
    int tail_bytes() const { return tail_bytes_; }
    int state_bytes() const { return head_bytes_ + tail_bytes_; }
    int threads() const { return threads_; }
    int most_successors() const { return threads_ * max_ways * 4; }

    // For coverability/crowd.hpp, where there are more threads than a configuration has. These may do at any time
    // whatever the given threads may do.
    void set_crowd(const std::vector<int>& threads) {
        for (int t : threads) {
            crowd_reads_ |= code_of(t).future_reads[0];
            crowd_writes_ |= code_of(t).future_writes[0];
        }
    }
    bool is_over(const Word* c, int t) const { return pc(c, t) >= code_of(t).size(); }
    bool attacks(const Word* c, int t) const { return c[roles_at + t] == delaying || c[roles_at + t] == stopped; }
    // A thread as an array of `local_words`: its role, its pc, its registers.
    int local_words(int t) const { return 2 + code_of(t).registers(); }
    void get_local(const Word* c, int t, Word* local) const {
        local[0] = c[roles_at + t];
        local[1] = pc(c, t);
        std::copy_n(registers(c, t), code_of(t).registers(), local + 2);
    }
    void set_local(Word* c, int t, const Word* local) const {
        c[roles_at + t] = local[0];
        pc(c, t) = local[1];
        std::copy_n(local + 2, code_of(t).registers(), registers(c, t));
    }
    void end_thread(Word* c, int t) const {
        c[roles_at + t] = plain_role;
        pc(c, t) = code_of(t).size();
        std::fill_n(registers(c, t), code_of(t).registers(), dead_value());
    }

    void initial(Word* config) const {
        std::fill(config, config + words_, Word{0});
        for (int t = 0; t < threads_; ++t)
            for (int r = 0; r < code_of(t).registers(); ++r) registers(config, t)[r] = code_of(t).initial[idx(r)];
        for (int x = 0; x < cells_; ++x) memory(config)[x] = program_.cells[idx(x)].initial;
        normalize(config);
    }

    // Scratch space of one worker: configurations for the steps under way.
    class Scratch {
    public:
        explicit Scratch(const Attacks& system)
            : words_(system.words_), buffer_(static_cast<std::size_t>(system.words_) * (max_choices + 5)) {}
        Word* config(int depth) { return buffer_.data() + static_cast<std::size_t>(words_) * idx(depth); }

    private:
        int words_;
        std::vector<Word> buffer_;
    };

    template <class Visitor>
    void expand(const Word* config, Scratch& scratch, Visitor& visitor) const {
        const int owner = lock_owner(config);
        if (owner >= 0) return expand_thread(config, owner, scratch, visitor);
        int first = -1;
        bool moved = false;
        bool blocked = false;
        if (reductions_.partial_order && (first = sufficient_thread(config)) >= 0) {
            Stepping<Visitor> stepping{*this, scratch, visitor};
            stepping.run(config, first);
            // The proviso: a state of which all successors are known may close a cycle, and then nobody may wait.
            if (stepping.fresh) return;
            moved = true;
        }
        for (int t = 0; t < threads_; ++t) {
            if (t == first) continue;
            Stepping<Visitor> stepping{*this, scratch, visitor};
            stepping.run(config, t);
            moved |= stepping.moved;
            blocked |= stepping.blocked;
        }
        if (!moved && blocked && phase(config) == Phase::plain)
            visitor.violation(Violation{ViolationKind::deadlock, -1, Move{}});
    }

    // The steps of one thread alone: none while another one has locked the memory.
    template <class Visitor>
    void expand_thread(const Word* config, int thread, Scratch& scratch, Visitor& visitor) const {
        const int owner = lock_owner(config);
        if (owner >= 0 && owner != thread) return;
        Stepping<Visitor> stepping{*this, scratch, visitor};
        stepping.run(config, thread);
    }

    void pack(const Word* config, Word* spare, std::uint8_t* out, int* order) const {
        for (int t = 0; t < threads_; ++t) order[t] = t;
        const Word* c = reductions_.symmetry ? sorted(config, spare, order) : config;
        std::memset(out, 0, idx(state_bytes()));
        BitWriter head(out);
        for (int t = 0; t < threads_; ++t) {
            head.write(static_cast<std::uint64_t>(pc(c, t)), pc_bits_[idx(t)]);
            for (int r = 0; r < code_of(t).registers(); ++r) head.write(offset(registers(c, t)[r]), value_bits_);
        }
        for (int x = 0; x < cells_; ++x) head.write(offset(memory(c)[x]), value_bits_);
        head.finish();
        if (tail_bytes_ == 0) return;
        BitWriter tail(out + head_bytes_);
        tail.write(static_cast<std::uint64_t>(c[first_at]), cell_bits_);
        tail.write(static_cast<std::uint64_t>(c[goal_at]), 1);
        tail.write(static_cast<std::uint64_t>(c[block_loads_at]), block_bits_);
        tail.write(static_cast<std::uint64_t>(c[block_stores_at]), block_bits_);
        for (int t = 0; t < threads_; ++t) tail.write(static_cast<std::uint64_t>(c[roles_at + t]), 2);
        for (int x = 0; x < cells_; ++x) {
            tail.write(static_cast<std::uint64_t>(c[marks_at_ + x]), 2);
            tail.write(offset(c[shadow_at_ + x]), value_bits_);
        }
        tail.finish();
    }

    void unpack(const std::uint8_t* head, const std::uint8_t* tail, Word* c) const {
        BitReader in(head, idx(head_bytes_));
        std::fill(c, c + words_, Word{0});
        for (int t = 0; t < threads_; ++t) {
            pc(c, t) = static_cast<Word>(in.read(pc_bits_[idx(t)]));
            for (int r = 0; r < code_of(t).registers(); ++r) registers(c, t)[r] = value(in.read(value_bits_));
        }
        for (int x = 0; x < cells_; ++x) memory(c)[x] = value(in.read(value_bits_));
        if (tail_bytes_ == 0) return;
        BitReader rest(tail, idx(tail_bytes_));
        c[first_at] = static_cast<Word>(rest.read(cell_bits_));
        c[goal_at] = static_cast<Word>(rest.read(1));
        c[block_loads_at] = static_cast<Word>(rest.read(block_bits_));
        c[block_stores_at] = static_cast<Word>(rest.read(block_bits_));
        for (int t = 0; t < threads_; ++t) c[roles_at + t] = static_cast<Word>(rest.read(2));
        for (int x = 0; x < cells_; ++x) {
            c[marks_at_ + x] = static_cast<Word>(rest.read(2));
            c[shadow_at_ + x] = value(rest.read(value_bits_));
        }
    }

    bool holds_lock(const Word* c, int t) const { return code_of(t).locked[static_cast<std::size_t>(pc(c, t))] != 0; }
    int lock_owner(const Word* c) const {
        for (int t = 0; t < threads_; ++t)
            if (holds_lock(c, t)) return t;
        return -1;
    }

    // Resets what can no longer matter.
    void normalize(Word* c) const {
        if (!reductions_.dead_registers) return;
        const int attacking = attacker(c);
        Mask reads = crowd_reads_;
        Mask helped = crowd_reads_ | crowd_writes_;
        for (int t = 0; t < threads_; ++t) {
            const bool delays = t == attacking && c[roles_at + t] == delaying;
            reads |= delays ? open_loads(c, t) : reads_of(c, t);
            if (t != attacking) helped |= reads_of(c, t) | writes_of(c, t);
            const Mask live = code_of(t).live[static_cast<std::size_t>(pc(c, t))];
            for (int r = 0; r < code_of(t).registers(); ++r)
                if (!(live >> r & 1)) registers(c, t)[r] = dead_value();
            for (const StaleRule& rule : code_of(t).stale_rules) forget_outdated(c, t, rule);
            if (c[roles_at + t] == on_path && !(reads_of(c, t) | writes_of(c, t)) && !holds_lock(c, t)) c[roles_at + t] = plain_role;
        }
        for (int x = 0; x < cells_; ++x)
            if (!(reads >> x & 1)) memory(c)[x] = program_.cells[idx(x)].initial;
        if (attacking < 0) return;
        const bool delays = c[roles_at + attacking] == delaying;
        const Mask matter = delays ? open_loads(c, attacking) : helped;
        for (int x = 0; x < cells_; ++x)
            if (!(matter >> x & 1)) {
                c[marks_at_ + x] = unmarked;
                c[shadow_at_ + x] = dead_value();
            }
        for (int x = 0; x < cells_; ++x)
            if (!delays || c[marks_at_ + x] == unmarked) c[shadow_at_ + x] = dead_value();
    }

private:
    enum Role : Word { plain_role, delaying, stopped, on_path };
    enum Mark : Word { unmarked, loaded, stored };  // what the path has done to a cell; while delaying, `loaded` = hidden
    enum class Phase { plain, delaying, path };
    enum class Effect { done, waits, over, left, useless, goal };

    // A configuration: the first delayed store's cell; a goal reached inside a locked block; the cells that the open block
    // of a helper has loaded and stored before it joins the path; the roles; then for each thread its pc and registers;
    // then memory, shadow values and marks.
    static constexpr int first_at = 0;
    static constexpr int goal_at = 1;
    static constexpr int block_loads_at = 2;
    static constexpr int block_stores_at = 3;
    static constexpr int roles_at = 4;

    static std::size_t idx(int i) { return static_cast<std::size_t>(i); }
    std::uint64_t offset(Word v) const { return static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(program_.min_value); }
    Word value(std::uint64_t packed) const { return static_cast<Word>(packed + static_cast<std::uint64_t>(program_.min_value)); }

    Word& pc(Word* c, int t) const { return c[pc_at_[idx(t)]]; }
    Word pc(const Word* c, int t) const { return c[pc_at_[idx(t)]]; }
    Word* registers(Word* c, int t) const { return c + register_at_[idx(t)]; }
    const Word* registers(const Word* c, int t) const { return c + register_at_[idx(t)]; }
    Word* memory(Word* c) const { return c + memory_at_; }
    const Word* memory(const Word* c) const { return c + memory_at_; }

    const Expr& expr(std::int32_t id) const { return program_.expressions[idx(id)]; }
    const Thread& code_of(int t) const { return program_.threads[idx(t)]; }
    Mask reads_of(const Word* c, int t) const { return code_of(t).future_reads[static_cast<std::size_t>(pc(c, t))]; }
    Mask writes_of(const Word* c, int t) const { return code_of(t).future_writes[static_cast<std::size_t>(pc(c, t))]; }
    Mask open_loads(const Word* c, int t) const { return code_of(t).open_loads[static_cast<std::size_t>(pc(c, t))]; }

    static bool is_access(Op op) { return op >= Op::load && op <= Op::wait; }
    static bool is_locked(Op op) { return op == Op::rmw || op == Op::cas || op == Op::blocking_cas; }

    int attacker(const Word* c) const {
        for (int t = 0; t < threads_; ++t)
            if (c[roles_at + t] == delaying || c[roles_at + t] == stopped) return t;
        return -1;
    }

    Phase phase(const Word* c) const {
        const int t = attacker(c);
        if (t < 0) return Phase::plain;
        return c[roles_at + t] == delaying ? Phase::delaying : Phase::path;
    }

    // The cell that an access names now, or -1 if there is none.
    int cell_of(const Instruction& i, const Word* regs) const {
        if (i.index < 0) return i.cell;
        const std::int64_t at = evaluate_signed(expr(i.index), regs);
        if (!i.by_address) return at >= 0 && at < i.cells ? i.cell + static_cast<int>(at) : -1;
        Word address = at;
        if (!fits(address)) return -1;
        const auto found = std::lower_bound(addresses_.begin(), addresses_.end(), std::pair<std::int64_t, int>(address, -1));
        return found != addresses_.end() && found->first == address ? found->second : -1;
    }

    // `v` as the program holds it; false if a program that does not wrap around leaves its range.
    bool fits(Word& v) const {
        const Word low = program_.min_value;
        const Word high = static_cast<Word>(program_.max_value_signed());
        if (v >= low && v <= high) return true;
        if (!program_.wraps) return false;
        const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
        const Word rest = (v - low) % static_cast<Word>(range);
        v = low + (rest < 0 ? rest + static_cast<Word>(range) : rest);
        return true;
    }

    // Whether what threads may still do can make a path from the attack's load to the first delayed store.
    bool possible(const Word* c) const {
        if (c[goal_at] != 0) return true;  // it is there, and only has to leave its locked block
        const int t = attacker(c);
        Mask loads = 0;
        Mask stores = 0;
        Mask touched = 0;
        std::uint32_t joined = 1u << t;
        if (c[roles_at + t] == delaying) {
            loads = open_loads(c, t);
            for (int x = 0; x < cells_; ++x)
                if (c[marks_at_ + x] == loaded) loads &= ~(Mask{1} << x);
        } else {
            for (int x = 0; x < cells_; ++x) {
                if (c[marks_at_ + x] == loaded) loads |= Mask{1} << x;
                if (c[marks_at_ + x] == stored) stores |= Mask{1} << x;
            }
        }
        const auto join = [&](int h) {
            joined |= 1u << h;
            Mask read = reads_of(c, h);
            Mask written = writes_of(c, h);
            if (holds_lock(c, h)) {
                read |= static_cast<Mask>(c[block_loads_at]);
                written |= static_cast<Mask>(c[block_stores_at]);
            }
            loads |= read;
            stores |= written;
            touched |= read | written;
        };
        if (goal_ == AttackGoal::triangle && (crowd_writes_ & loads)) return true;
        for (int h = 0; h < threads_; ++h) {
            if (h == t) continue;
            if (goal_ == AttackGoal::triangle && (writes_of(c, h) & loads)) return true;
            if (c[roles_at + h] == on_path) join(h);
        }
        bool crowd_joined = false;
        for (bool changed = goal_ == AttackGoal::cycle; changed;) {
            changed = false;
            if (!crowd_joined && ((crowd_writes_ & (loads | stores)) || (crowd_reads_ & stores))) {
                loads |= crowd_reads_;
                stores |= crowd_writes_;
                touched |= crowd_reads_ | crowd_writes_;
                crowd_joined = changed = true;
            }
            for (int h = 0; h < threads_; ++h) {
                if (joined >> h & 1) continue;
                if (!(writes_of(c, h) & (loads | stores)) && !(reads_of(c, h) & stores)) continue;
                join(h);
                changed = true;
            }
        }
        return touched >> c[first_at] & 1;
    }

    // One thread's steps from one configuration.
    template <class Visitor>
    struct Stepping {
        const Attacks& system;
        Scratch& scratch;
        Visitor& visitor;
        bool fresh = false;    // a successor was new
        bool moved = false;    // there was a step
        bool blocked = false;  // the thread waits
        int t = 0;

        void run(const Word* config, int thread) {
            t = thread;
            const Word role = config[roles_at + t];
            const Thread& code = system.code_of(t);
            if (role == stopped || system.pc(config, t) >= code.size()) return;
            Move move;
            move.thread = static_cast<std::uint16_t>(t);
            const Move begin = move;
            if (role == delaying) return attack(config, move);
            const Instruction& i = code.code[idx_pc(config)];
            const Phase phase = system.phase(config);
            Word* next = copy(config, 0);
            if (system.holds_lock(config, t) || !(is_access(i.op) || i.op == Op::lock)) {
                moved = true;
                advance(next, move, 0, 1, false);
            } else if (i.op == Op::lock) {
                moved = true;
                step_over(next, move);
                advance(next, move, 0, 1, false);
            } else {
                switch (access(next, i, move)) {
                    case Effect::done:
                        moved = true;
                        if (system.reductions_.fuse_local) advance(next, move, 0, 1, false);
                        else emit(next, move);
                        break;
                    case Effect::over:
                        moved = true;
                        emit(next, move);
                        break;
                    case Effect::waits: blocked = true; break;
                    default: moved = true;
                }
            }
            if (phase == Phase::plain && i.op == Op::store && system.goal_ != AttackGoal::none && !system.holds_lock(config, t))
                first_delay(config, i, begin);
        }

        // Rule 6.1. The attacker goes on to its first load that nothing hides, and through it.
        void first_delay(const Word* config, const Instruction& i, Move move) {
            Word* next = copy(config, 0);
            const int cell = system.cell_of(i, system.registers(next, t));
            Word written = evaluate_signed(system.expr(i.first), system.registers(next, t));
            if (cell < 0 || !system.fits(written)) return;
            if (written < system.memory(next)[cell]) decreases(cell);
            next[roles_at + t] = delaying;
            next[first_at] = cell;
            hide(next, cell, written);
            step_over(next, move);
            move.delays = true;
            if (!system.possible(next)) return;
            advance(next, move, 0, 1, true);
        }

        // The attacker rests before a load, or in the middle of a long run of local steps.
        void attack(const Word* config, Move move) {
            Word* next = copy(config, 0);
            const Instruction& i = system.code_of(t).code[idx_pc(config)];
            move.delays = true;
            if (is_visible(next, i)) through_load(next, i, move, 0, 1);
            else advance(next, move, 0, 1, false);
        }

        // Rules 6.5 and 6.3: the load is the attack's, or just one of those on the way to it.
        void through_load(Word* c, const Instruction& i, Move move, int depth, std::size_t ways) {
            const int cell = system.cell_of(i, system.registers(c, t));
            const Word read = system.memory(c)[cell];
            if (i.op == Op::wait && evaluate_signed(system.expr(i.first), system.registers(c, t), read) == 0) {
                blocked = true;
                return;
            }
            moved = true;
            Word* ended = copy(c, max_choices + 4);
            ended[roles_at + t] = stopped;
            system.pc(ended, t) = system.code_of(t).size();
            std::fill_n(ended + system.shadow_at_, system.cells_, Word{0});
            std::fill_n(ended + system.marks_at_, system.cells_, Word{unmarked});
            ended[system.marks_at_ + cell] = loaded;
            Move last = move;
            ++last.instructions;
            emit(ended, last);
            if (i.reg >= 0) system.registers(c, t)[i.reg] = read;
            step_over(c, move);
            if (system.reductions_.fuse_local) advance(c, move, depth, ways, false);
            else emit(c, move);
        }

        // Whether the attacker's next instruction is a load that others may interfere with.
        bool is_visible(const Word* c, const Instruction& i) const {
            if (i.op != Op::load && i.op != Op::wait) return false;
            const int cell = system.cell_of(i, system.registers(c, t));
            if (cell < 0 || c[system.marks_at_ + cell] == loaded) return false;
            Mask written = system.crowd_writes_;
            for (int p = 0; p < system.threads_; ++p)
                if (p != t) written |= system.writes_of(c, p);
            return written >> cell & 1;
        }

        // A shared access of a thread that does not delay. Whether its effects count is said by the result.
        Effect access(Word* c, const Instruction& i, Move& move) {
            Word* regs = system.registers(c, t);
            const int cell = system.cell_of(i, regs);
            if (cell < 0) return outside(c, move);
            Word& memory = system.memory(c)[cell];
            const Word old = memory;
            Word written = 0;
            bool writes = true;
            switch (i.op) {
                case Op::load: writes = false; break;
                case Op::store: written = evaluate_signed(system.expr(i.first), regs); break;
                case Op::rmw: written = apply(i.rmw_op, old, evaluate_signed(system.expr(i.first), regs, old)); break;
                case Op::wait:
                    if (evaluate_signed(system.expr(i.first), regs, old) == 0) return Effect::waits;
                    writes = false;
                    break;
                default: {  // a CAS
                    Word wanted = evaluate_signed(system.expr(i.first), regs);
                    if (!system.fits(wanted)) return left(c, move);
                    writes = wanted == old;
                    if (!writes && i.op == Op::blocking_cas) return Effect::waits;
                    if (writes) written = evaluate_signed(system.expr(i.second), regs);
                }
            }
            if (writes && !system.fits(written)) return left(c, move);
            if (writes && written < old) decreases(cell);
            bool reached = false;
            if (system.phase(c) == Phase::path) {
                Word& mark = c[system.marks_at_ + cell];
                const bool joins = mark == stored || (writes && mark == loaded);  // rules 6.7, 6.8
                if (c[roles_at + t] == on_path || joins) {
                    mark = std::max<Word>(mark, writes ? stored : loaded);  // rules 6.9, 6.10
                    const Mask before = c[roles_at + t] == on_path ? 0 : block_joins(c);
                    c[roles_at + t] = on_path;
                    reached = system.goal_ == AttackGoal::triangle || ((before | Mask{1} << cell) >> c[first_at] & 1);  // rule 6.6
                } else if (system.holds_lock(c, t)) {
                    c[writes ? block_stores_at : block_loads_at] |= static_cast<Word>(Mask{1} << cell);
                } else {
                    return Effect::useless;
                }
            }
            if (writes) memory = written;
            if (i.reg >= 0) regs[i.reg] = old;
            const bool inside = system.holds_lock(c, t);
            step_over(c, move);
            if (!reached) return Effect::done;
            if (inside) {
                c[goal_at] = 1;  // if the block ends, and others can go on
                return Effect::done;
            }
            visitor.violation(Violation{ViolationKind::cycle, t, move});
            return Effect::goal;
        }

        // A block is one step: what it has done joins the path with it. Which cells that is.
        Mask block_joins(Word* c) {
            const Mask loads = static_cast<Mask>(std::exchange(c[block_loads_at], 0));
            const Mask stores = static_cast<Mask>(std::exchange(c[block_stores_at], 0));
            for (Mask rest = loads | stores; rest != 0; rest &= rest - 1) {
                const int x = std::countr_zero(rest);
                Word& mark = c[system.marks_at_ + x];
                mark = std::max<Word>(mark, stores >> x & 1 ? stored : loaded);
            }
            return loads | stores;
        }

        // Runs what nobody else sees, up to the next shared access; every alternative of a choice goes its own way.
        // `depth` and `ways` are as in Interleaving. `through`: the attacker has not loaded anything yet, so it goes through its next load at once.
        // False if all alternatives end in a false assumption.
        bool advance(Word* c, Move move, int depth, std::size_t ways, bool through) {
            const Thread& thread = system.code_of(t);
            const bool one = !system.reductions_.fuse_local;
            const bool delays = c[roles_at + t] == delaying;
            for (int count = 0;; ++count) {
                if (system.pc(c, t) >= thread.size()) return delays || emit(c, move);
                if (count == max_local_instructions || (one && count == 1)) return emit(c, move);
                const Instruction& i = thread.code[idx_pc(c)];
                const bool inside = system.holds_lock(c, t);
                Word* regs = system.registers(c, t);
                if (is_access(i.op) && delays) {
                    if (is_locked(i.op)) return true;  // would flush
                    if (is_visible(c, i)) {
                        if (!through) return emit(c, move);
                        through_load(c, i, move, depth, ways);
                        return true;
                    }
                    if (!hidden_access(c, i, move)) return true;
                    continue;
                }
                if (is_access(i.op)) {
                    if (!inside) return emit(c, move);
                    if (access(c, i, move) != Effect::done) return true;  // stuck inside a lock: the block never happens
                    continue;
                }
                if (i.op == Op::lock) return delays || emit(c, move);
                if (i.op == Op::choose) {
                    if (move.choice_count == max_choices || ways * i.targets.size() > max_ways) return emit(c, move);
                    return choose(c, i, move, depth, ways * i.targets.size(), through);
                }
                if (i.op == Op::assert_ && evaluate_signed(system.expr(i.first), regs) == 0) {
                    if (delays) return true;
                    fail(c, move);
                    return inside || emit(c, move);
                }
                if (i.op == Op::assume && evaluate_signed(system.expr(i.first), regs) == 0) {
                    if (delays || inside) return true;
                    if (depth > 0 && !system.can_block_) return false;
                    system.pc(c, t) = thread.size();
                    ++move.instructions;
                    return emit(c, move);
                }
                if (i.op == Op::fence && i.flushes && delays) return true;
                ++move.instructions;
                switch (i.op) {
                    case Op::assign: {
                        Word result = evaluate_signed(system.expr(i.first), regs);
                        if (!system.fits(result)) {
                            --move.instructions;
                            left(c, move);
                            return true;
                        }
                        regs[i.reg] = result;
                        ++system.pc(c, t);
                        break;
                    }
                    case Op::branch: system.pc(c, t) = evaluate_signed(system.expr(i.first), regs) ? i.target : system.pc(c, t) + 1; break;
                    case Op::jump: system.pc(c, t) = i.target; break;
                    case Op::unlock:
                        ++system.pc(c, t);
                        if (c[goal_at] != 0) {
                            visitor.violation(Violation{ViolationKind::cycle, t, move});
                            return true;
                        }
                        if (system.phase(c) == Phase::path && c[roles_at + t] != on_path) return true;  // useless
                        break;
                    default: ++system.pc(c, t);  // an assumption or assertion that holds, a fence, a use
                }
            }
        }

        bool choose(Word* c, const Instruction& i, const Move& move, int depth, std::size_t ways, bool through) {
            bool any = false;
            for (std::size_t k = 0; k < i.targets.size(); ++k) {
                Word* branch = copy(c, depth + 1);
                system.pc(branch, t) = i.targets[k];
                Move chosen = move;
                ++chosen.instructions;
                chosen.choices[chosen.choice_count++] = static_cast<std::uint8_t>(k);
                any |= system.reductions_.fuse_local ? advance(branch, chosen, depth + 1, ways, through) : emit(branch, chosen);
            }
            if (any || depth > 0) return any;
            system.pc(c, t) = system.code_of(t).size();  // wherever it goes, it gets stuck
            return emit(c, move);
        }

        // Rules 6.2 and 6.3, where nobody else is concerned. False if the attacker cannot go on.
        bool hidden_access(Word* c, const Instruction& i, Move& move) {
            Word* regs = system.registers(c, t);
            const int cell = system.cell_of(i, regs);
            if (cell < 0) {
                outside(c, move);
                return false;
            }
            if (i.op == Op::store) {
                Word written = evaluate_signed(system.expr(i.first), regs);
                if (!system.fits(written)) {
                    left(c, move);
                    return false;
                }
                if (written < system.seen(c, t, cell)) decreases(cell);
                hide(c, cell, written);
            } else {
                const Word read = system.seen(c, t, cell);
                if (i.op == Op::wait && evaluate_signed(system.expr(i.first), regs, read) == 0) return false;
                if (i.reg >= 0) regs[i.reg] = read;
            }
            step_over(c, move);
            return true;
        }

        void decreases(int cell) {
            if (system.program_.cells[idx(cell)].rising) visitor.not_rising(cell);
        }

        void hide(Word* c, int cell, Word written) {
            c[system.shadow_at_ + cell] = written;
            c[system.marks_at_ + cell] = loaded;
        }

        // An index outside its array, or an address without memory.
        Effect outside(Word* c, Move& move) {
            if (!system.program_.wraps) return left(c, move);
            if (c[roles_at + t] == delaying) return Effect::left;
            fail(c, move);
            return Effect::over;
        }

        void fail(Word* c, Move& move) {
            if (system.phase(c) == Phase::plain) visitor.violation(Violation{ViolationKind::assertion, t, move});
            system.pc(c, t) = system.code_of(t).size();
            ++move.instructions;
        }

        // The run leaves the program's range of values: it is not followed further.
        Effect left(const Word* c, const Move& move) {
            Violation violation{ViolationKind::range, t, move};
            violation.pc = static_cast<int>(system.pc(c, t));
            visitor.violation(violation);
            return Effect::left;
        }

        void step_over(Word* c, Move& move) {
            ++system.pc(c, t);
            ++move.instructions;
        }

        std::size_t idx_pc(const Word* c) const { return static_cast<std::size_t>(system.pc(c, t)); }

        Word* copy(const Word* c, int depth) {
            Word* next = scratch.config(depth);
            std::memcpy(next, c, idx(system.words_) * sizeof(Word));
            return next;
        }

        bool emit(Word* c, const Move& move) {
            system.normalize(c);
            if (system.attacker(c) < 0 || system.possible(c)) fresh |= visitor.successor(move, c);
            return true;
        }
    };

    // What the thread sees at a cell: an attacker, its own newest delayed store there.
    Word seen(const Word* c, int t, int cell) const {
        const bool hidden = c[roles_at + t] == delaying && c[marks_at_ + cell] == loaded;
        return hidden ? c[shadow_at_ + cell] : memory(c)[cell];
    }

    // The register keeps being outdated as 0. What the thread sees there never decreases: delayed stores are watched too.
    void forget_outdated(Word* c, int t, const StaleRule& rule) const {
        const Mask kept = rule.kept[static_cast<std::size_t>(pc(c, t))];
        Word* regs = registers(c, t);
        if (kept == ~Mask{0} || regs[rule.reg] >= seen(c, t, rule.cell)) return;
        for (int r = 0; r < code_of(t).registers(); ++r)
            if (!(kept >> r & 1)) regs[r] = 0;
    }

    Word dead_value() const { return std::clamp<Word>(0, program_.min_value, program_.max_value_signed()); }

    // A thread whose next step no other thread can interfere with, and that matters to no attack but as a step; or -1.
    int sufficient_thread(const Word* c) const {
        const int attacking = attacker(c);
        const Phase now = phase(c);
        for (int t = 0; t < threads_; ++t) {
            if (t == attacking || pc(c, t) >= code_of(t).size()) continue;
            const Instruction& i = code_of(t).code[static_cast<std::size_t>(pc(c, t))];
            if (!is_access(i.op) && i.op != Op::lock) return t;
            if (now == Phase::path && c[roles_at + t] != on_path) continue;
            // The store that a triangular race begins with may be to where nobody else looks.
            if (goal_ == AttackGoal::triangle && now == Phase::plain && i.op == Op::store && open_loads(c, t)) continue;
            Mask reads = reads_of(c, t);  // of a locked block: all that is to come
            Mask writes = writes_of(c, t);
            if (is_access(i.op)) {
                const int cell = cell_of(i, registers(c, t));
                if (cell < 0) return t;
                const bool loads = i.op == Op::load || i.op == Op::wait;
                if ((i.op == Op::wait || i.op == Op::blocking_cas)) {
                    const Word old = memory(c)[cell];
                    const Word first = evaluate_signed(expr(i.first), registers(c, t), old);
                    if (i.op == Op::wait ? first == 0 : first != old) continue;
                }
                reads = i.op == Op::store ? 0 : Mask{1} << cell;
                writes = loads ? 0 : Mask{1} << cell;
            }
            if (now == Phase::path && ((reads | writes) >> c[first_at] & 1)) continue;
            bool conflict = false;
            for (int p = 0; p < threads_ && !conflict; ++p) {
                if (p == t) continue;
                const bool delays = p == attacking && now == Phase::delaying;
                const Mask theirs = delays ? open_loads(c, p) : reads_of(c, p);
                conflict = (writes & theirs) || (!delays && ((reads | writes) & writes_of(c, p)));
            }
            if (!conflict) return t;
        }
        return -1;
    }

    int compare(const Word* c, int one, int other) const {
        if (pc(c, one) != pc(c, other)) return pc(c, one) < pc(c, other) ? -1 : 1;
        if (c[roles_at + one] != c[roles_at + other]) return c[roles_at + one] < c[roles_at + other] ? -1 : 1;
        const Word* a = registers(c, one);
        const Word* b = registers(c, other);
        for (int r = 0; r < code_of(one).registers(); ++r)
            if (a[r] != b[r]) return a[r] < b[r] ? -1 : 1;
        return 0;
    }

    // `c` with the threads of every symmetric group in order.
    const Word* sorted(const Word* c, Word* spare, int* order) const {
        if (program_.symmetric.empty()) return c;
        bool changed = false;
        for (const std::vector<int>& group : program_.symmetric)
            for (std::size_t i = 1; i < group.size(); ++i)
                for (std::size_t j = i; j > 0 && compare(c, order[group[j]], order[group[j - 1]]) < 0; --j) {
                    std::swap(order[group[j]], order[group[j - 1]]);
                    changed = true;
                }
        if (!changed) return c;
        std::memcpy(spare, c, idx(words_) * sizeof(Word));
        for (int t = 0; t < threads_; ++t) {
            if (order[t] == t) continue;
            pc(spare, t) = pc(c, order[t]);
            spare[roles_at + t] = c[roles_at + order[t]];
            std::copy_n(registers(c, order[t]), code_of(t).registers(), registers(spare, t));
        }
        return spare;
    }

    const Program& program_;
    AttackGoal goal_;
    Reductions reductions_;
    int threads_;
    int cells_;
    int words_ = 0;
    int memory_at_ = 0;
    int shadow_at_ = 0;
    int marks_at_ = 0;
    int value_bits_ = 0;
    int cell_bits_ = 0;
    int block_bits_ = 0;  // for a set of cells, if there are blocks under a lock
    int head_bytes_ = 0;
    int tail_bytes_ = 0;
    bool can_block_ = false;
    Mask crowd_reads_ = 0;
    Mask crowd_writes_ = 0;
    std::vector<int> pc_at_;
    std::vector<int> register_at_;
    std::vector<int> pc_bits_;
    std::vector<std::pair<std::int64_t, int>> addresses_;  // sorted
};

}  // namespace fencepost
