// Findings that the user does not want to hear of: lines `kind:what` of a file, kind being robustness, race or all, and
// `what` part of the path of a module, or of the name of a function that the dynamic linker knows. What needs the names in
// debug information is decided by `fencepost run`.
#pragma once

#include <cstdint>

namespace fencepost::rt {

bool is_suppressed(const char* kind, std::uint32_t stack);

}  // namespace fencepost::rt
