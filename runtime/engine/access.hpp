// What a thread is about to do to an atomic location, and what may be wrong with that.
#pragma once

#include <cstdint>

#include "engine/history.hpp"

namespace fencepost::rt {

enum class Kind : std::uint8_t { Load, Store, Rmw, CasWeak, CasStrong, Wait, BlockingCas, Fence, Read, Write, Sync };

enum Order : std::uint8_t { Relaxed, Consume, Acquire, Release, AcqRel, SeqCst, Plain };

// memory_order as compilers pass it; the upper bits are gcc's hints for lock elision.
inline Order order_of(int order) {
    const int low = order & 7;
    return low > SeqCst ? SeqCst : static_cast<Order>(low);
}
// gcc and clang make an acquire of consume.
inline bool acquires(Order order) { return order == Consume || order == Acquire || order == AcqRel || order == SeqCst; }
inline bool releases(Order order) { return order == Release || order == AcqRel || order == SeqCst; }

struct Access {
    Kind kind;
    Order order;
    std::uint8_t size;
    std::uintptr_t address;
    std::uintptr_t place;          // in the code
    std::uint64_t expected = 0;    // of a compare-and-swap, and of a wait
    unsigned comparison = 0;       // of a wait, as in fencepost.h
};

// A violation of robustness: `missed` is the newest write that comes first under SC, and the access need not see it.
struct Finding {
    bool found = false;
    bool has_stale = false;
    Write missed;  // these two only if found
    Write stale;   // could have been read (or overwritten) instead
};

}  // namespace fencepost::rt
