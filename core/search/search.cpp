#include "search/search.hpp"

#include <stdexcept>

#include "monitors/rc20.hpp"
#include "search/explorer.hpp"

namespace fencepost {

namespace {

template <class Monitor>
std::unique_ptr<Search> explore(Program program, const SearchSpec& spec, auto make_monitor) {
    using System = Interleaving<Monitor>;
    return std::make_unique<Explorer<System>>(std::move(program), spec, [&](const Program& owned) {
        return System(owned, make_monitor(owned), spec.reductions);
    });
}

template <int W>
std::unique_ptr<Search> explore_rc20(Program program, const SearchSpec& spec) {
    return explore<Rc20Monitor<W>>(std::move(program), spec, [&](const Program& owned) {
        return Rc20Monitor<W>(owned, Rc20Options{spec.observational, spec.forget});
    });
}

}  // namespace

std::unique_ptr<Search> Search::create(Program program, const SearchSpec& spec) {
    program.validate();
    if (spec.monitor == MonitorKind::attacks) {
        for (const Thread& thread : program.threads) {
            const std::size_t points = static_cast<std::size_t>(thread.size()) + 1;
            if (thread.locked.size() != points || thread.open_loads.size() != points)
                throw std::invalid_argument("the analysis of delays does not cover every control point");
        }
        return std::make_unique<Explorer<Attacks>>(std::move(program), spec, [&](const Program& owned) {
            return Attacks(owned, spec.goal, spec.reductions);
        });
    }
    if (spec.monitor == MonitorKind::none)
        return explore<NoMonitor>(std::move(program), spec, [](const Program& owned) { return NoMonitor(owned); });
    const int bits = Rc20Monitor<1>::view_bits(program);
    if (bits <= 64) return explore_rc20<1>(std::move(program), spec);
    if (bits <= 128) return explore_rc20<2>(std::move(program), spec);
    if (bits <= 512) return explore_rc20<8>(std::move(program), spec);
    if (bits <= 2048) return explore_rc20<32>(std::move(program), spec);
    throw std::invalid_argument("the views would need " + std::to_string(bits) +
                                " entries a row, and 2048 are supported: lower max_value");
}

}  // namespace fencepost
