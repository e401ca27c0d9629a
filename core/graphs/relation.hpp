// Relations between at most 64 * W events, as one bit set of successors per event; the operations of models/axiomatic.
#pragma once

#include <bit>
#include <cstdint>

#include "machine/bits.hpp"

namespace fencepost::graphs {

template <int W, typename Visit>
inline void for_each(const Bits<W>& set, Visit visit) {
    for (int w = 0; w < W; ++w)
        for (std::uint64_t rest = set.word[static_cast<std::size_t>(w)]; rest != 0; rest &= rest - 1)
            visit(w * 64 + std::countr_zero(rest));
}

template <int W>
inline Bits<W> first(int count) {  // {0 .. count-1}
    Bits<W> set;
    for (int w = 0; w < W; ++w) {
        const int here = count - w * 64;
        set.word[static_cast<std::size_t>(w)] = here <= 0 ? 0 : here >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
    }
    return set;
}

// All functions work on `n` rows; `out` differs from the arguments unless said otherwise.

template <int W>
void sequence(Bits<W>* out, const Bits<W>* a, const Bits<W>* b, int n) {
    for (int i = 0; i < n; ++i) {
        Bits<W> row{};
        for_each<W>(a[i], [&](int j) { row |= b[j]; });
        out[i] = row;
    }
}

template <int W>
void inverse(Bits<W>* out, const Bits<W>* a, int n) {
    for (int i = 0; i < n; ++i) out[i] = Bits<W>{};
    for (int i = 0; i < n; ++i) for_each<W>(a[i], [&](int j) { out[j].set(i); });
}

// In place: after round k, paths may pass through events 0..k.
template <int W>
void close(Bits<W>* a, int n) {
    for (int k = 0; k < n; ++k) {
        const Bits<W> through = a[k];
        if (!through.any()) continue;
        for (int i = 0; i < n; ++i)
            if (a[i].test(k)) a[i] |= through;
    }
}

// Takes away events without successors until none is left, or only cycles are (and what leads to them).
template <int W>
bool is_acyclic(const Bits<W>* a, int n) {
    Bits<W> left = first<W>(n);
    for (bool changed = true; changed;) {
        changed = false;
        Bits<W> next = left;
        for_each<W>(left, [&](int i) {
            if (!(a[i] & next).any()) {
                next.word[static_cast<std::size_t>(i >> 6)] &= ~(std::uint64_t{1} << (i & 63));
                changed = true;
            }
        });
        left = next;
    }
    return !left.any();
}

template <int W>
bool is_irreflexive(const Bits<W>* a, int n) {
    for (int i = 0; i < n; ++i)
        if (a[i].test(i)) return false;
    return true;
}

template <int W>
bool is_empty(const Bits<W>* a, int rows) {
    for (int i = 0; i < rows; ++i)
        if (a[i].any()) return false;
    return true;
}

}  // namespace fencepost::graphs
