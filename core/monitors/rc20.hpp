// SC_M: the finite monitor of RC20 (observational-robustness-rc20, section 5.2, as repaired in design/semantics.md 2).
//
// A view V(row, x) is a set of *classes* of values of x; the views of one row for all x lie side by side in one bit
// set, the RMW twins behind them. Rows: V^a, V^c, V^r per thread, V^w per location. Non-atomic locations are split
// into one cell per thread (section 6), which is a column of the views but never a row. V_SC is three more families of
// bit sets, over locations (dynamic-robustness-rsan, Fig 2).
//
// `normalize` forgets what no future access can consult; each rule there says why that changes no answer.
#pragma once

#include <span>
#include <vector>

#include "machine/bits.hpp"
#include "machine/program.hpp"
#include "monitors/monitor.hpp"

namespace fencepost {

struct Rc20Options {
    bool observational = false;
    bool forget = true;  // the reduction "monitor entries that no future access can consult"
};

template <int W>
class Rc20Monitor {
public:
    using View = Bits<W>;

    // The bits that the views of `program` need; the caller picks W with it.
    static int view_bits(const Program& program);

    Rc20Monitor(const Program& program, const Rc20Options& options);

    int words() const { return sc_ + threads_ + 2 * rows_; }
    int packed_bits() const { return (3 * threads_ + rows_) * bits_ + (threads_ + 2 * rows_) * rows_; }
    bool tainting() const { return options_.observational; }

    void initial(std::uint64_t* m) const;
    // ERR-SC (and, for non-atomics, the race error) for the labels that `instruction`, at `cell`, enables.
    Finding check(const std::uint64_t* m, int thread, const Instruction& instruction, int cell, const Value* registers) const;
    // TAINT-READ: may a plain read of `cell` by `thread` be stale?
    bool taints(const std::uint64_t* m, int thread, int cell) const {
        return program_.cells[idx(cell)].atomic && knows(m, thread, cell) && (row(m, c_row(thread)) & normal_[idx(cell)]).any();
    }
    // Algorithms 1, 2, 4, 5 and V_SC. `tainted`: the read is a TAINT-READ, which leaves the views alone.
    void access(std::uint64_t* m, int thread, const Access& access, bool tainted) const;
    // Algorithm 3.
    void fence(std::uint64_t* m, int thread, const Instruction& fence) const;
    // `reads`, `writes`: cells that some thread may still read, write.
    void normalize(std::uint64_t* m, std::span<const std::uint32_t> pcs, Mask reads, Mask writes) const;

    int compare(const std::uint64_t* m, int one, int other) const;
    void permute(std::uint64_t* to, const std::uint64_t* from, const int* order) const;
    void pack(BitWriter& out, const std::uint64_t* m) const;
    void unpack(BitReader& in, std::uint64_t* m) const;

private:
    struct Needs {
        View a, c, r;  // of the thread's own rows
        bool operator==(const Needs&) const = default;
    };

    static std::size_t idx(int i) { return static_cast<std::size_t>(i); }
    int a_row(int thread) const { return thread; }
    int c_row(int thread) const { return threads_ + thread; }
    int r_row(int thread) const { return 2 * threads_ + thread; }
    int w_row(int location) const { return 3 * threads_ + location; }

    View row(const std::uint64_t* m, int number) const {
        View view;
        for (int i = 0; i < W; ++i) view.word[idx(i)] = m[number * W + i];
        return view;
    }
    void store(std::uint64_t* m, int number, const View& view) const {
        for (int i = 0; i < W; ++i) m[number * W + i] = view.word[idx(i)];
    }
    std::uint64_t& t_sc(std::uint64_t* m, int thread) const { return m[sc_ + thread]; }
    std::uint64_t& w_sc(std::uint64_t* m, int location) const { return m[sc_ + threads_ + location]; }
    std::uint64_t& m_sc(std::uint64_t* m, int location) const { return m[sc_ + threads_ + rows_ + location]; }
    bool knows(const std::uint64_t* m, int thread, int cell) const {
        return m[sc_ + thread] >> location_[idx(cell)] & 1;
    }

    void lay_out();
    void compute_needs();
    View consulted(int thread, const Instruction& instruction) const;
    View own_columns(const Instruction& instruction) const;
    Needs before(int thread, const Instruction& instruction, const Needs& after, bool learn, bool publishes);
    std::vector<std::vector<std::vector<View>>> learned(const std::vector<std::vector<Needs>>& needs, const auto& after) const;
    void forget_order(std::uint64_t* m, std::span<const std::uint32_t> pcs, const View* harmed, Mask reads, Mask writes) const;
    void learn(const Instruction& instruction, const View& bits);
    Finding check_classes(const View& stale, int cell, const Instruction& instruction, const Value* registers) const;
    void check_matching(Finding& finding, const View& stale, int cell, bool twin, Value value) const;
    void non_atomic(std::uint64_t* m, int thread, const Access& access) const;

    const Program& program_;
    Rc20Options options_;
    int threads_;
    int rows_ = 0;  // atomic cells
    int bits_ = 0;  // of one row
    int sc_ = 0;    // where V_SC begins, in words
    std::vector<int> location_;             // cell -> its number among the atomic cells, or -1
    std::vector<int> first_normal_, first_twin_;
    std::vector<View> normal_, twin_, own_;  // per cell: its columns
    std::vector<std::vector<Value>> class_size_;
    std::vector<std::vector<Needs>> needs_;                // per thread and pc: what it may consult or hand on
    std::vector<std::vector<Needs>> harms_;                // likewise, but only what it may consult itself
    std::vector<std::vector<View>> learns_;                // per thread and pc: of that, what a read may still tell it
    std::vector<std::vector<std::vector<View>>> wanted_;  // per thread, pc and location: what V^w(location) may still tell
    std::vector<View> ever_wanted_;                        // per location
    bool changed_ = false;
};

}  // namespace fencepost

#include "monitors/rc20_layout.hpp"
#include "monitors/rc20_rules.hpp"
