// What an instrumented SC search asks of a monitor, and the monitor of plain SC, which watches nothing.
#pragma once

#include <cstdint>
#include <span>

#include "machine/bits.hpp"
#include "machine/program.hpp"

namespace fencepost {

// One shared access as the memory sees it. A CAS that fails, and a wait, are `read_star` (R* in the paper).
enum class AccessKind : std::uint8_t { read, write, rmw, read_star };

struct Access {
    AccessKind kind;
    int cell;
    bool acquire;
    bool release;
    Value old_value;  // M(x) before the step
};

// What a label would do under the weak model if it were taken now. `maybe`: the classes are too coarse to tell.
enum class Finding : std::uint8_t { none, maybe, stale, race };

struct NoMonitor {
    explicit NoMonitor(const Program&) {}
    int words() const { return 0; }
    int packed_bits() const { return 0; }
    void initial(std::uint64_t*) const {}
    bool tainting() const { return false; }
    Finding check(const std::uint64_t*, int, const Instruction&, int, const Value*) const { return Finding::none; }
    bool taints(const std::uint64_t*, int, int) const { return false; }
    void access(std::uint64_t*, int, const Access&, bool) const {}
    void fence(std::uint64_t*, int, const Instruction&) const {}
    void normalize(std::uint64_t*, std::span<const std::uint32_t>, Mask, Mask) const {}
    int compare(const std::uint64_t*, int, int) const { return 0; }
    void permute(std::uint64_t*, const std::uint64_t*, const int*) const {}
    void pack(BitWriter&, const std::uint64_t*) const {}
    void unpack(BitReader&, std::uint64_t*) const {}
};

}  // namespace fencepost
