// What a state of the search for attacks consists of, as words to work on and as bytes to keep.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "machine/bits.hpp"
#include "machine/interleaving.hpp"
#include "machine/program.hpp"

namespace fencepost {

// What the helpers must reach: a happens-before cycle, a triangular race, or nothing (then the system is plain SC).
enum class AttackGoal : std::uint8_t { cycle, triangle, none };

class AttackConfiguration {
public:
    using Word = std::int64_t;

    AttackConfiguration(const Program& program, AttackGoal goal)
        : program_(program), goal_(goal), threads_(static_cast<int>(program.threads.size())),
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

    bool holds_lock(const Word* c, int t) const { return code_of(t).locked[static_cast<std::size_t>(pc(c, t))] != 0; }
    int lock_owner(const Word* c) const {
        for (int t = 0; t < threads_; ++t)
            if (holds_lock(c, t)) return t;
        return -1;
    }

protected:
    enum Role : Word { plain_role, delaying, stopped, on_path };
    enum Mark : Word { unmarked, loaded, stored };  // what the path has done to a cell; while delaying, `loaded` = hidden
    enum class Phase { plain, delaying, path };

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

    // What the thread sees at a cell: an attacker, its own newest delayed store there.
    Word seen(const Word* c, int t, int cell) const {
        const bool hidden = c[roles_at + t] == delaying && c[marks_at_ + cell] == loaded;
        return hidden ? c[shadow_at_ + cell] : memory(c)[cell];
    }

    Word dead_value() const { return std::clamp<Word>(0, program_.min_value, program_.max_value_signed()); }

    void initial_values(Word* config) const {
        std::fill(config, config + words_, Word{0});
        for (int t = 0; t < threads_; ++t)
            for (int r = 0; r < code_of(t).registers(); ++r) registers(config, t)[r] = code_of(t).initial[idx(r)];
        for (int x = 0; x < cells_; ++x) memory(config)[x] = program_.cells[idx(x)].initial;
    }

    void pack_words(const Word* c, std::uint8_t* out) const {
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

    void unpack_words(const std::uint8_t* head, const std::uint8_t* tail, Word* c) const {
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

    const Program& program_;
    AttackGoal goal_;
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
    std::vector<int> pc_at_;
    std::vector<int> register_at_;
    std::vector<int> pc_bits_;
    std::vector<std::pair<std::int64_t, int>> addresses_;  // sorted
};

}  // namespace fencepost
