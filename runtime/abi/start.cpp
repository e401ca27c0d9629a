// Start of the runtime. Every module calls __tsan_init from a constructor.

#include "abi/entry.hpp"
#include "base/options.hpp"

namespace fencepost::rt {

FENCEPOST_ABI void __tsan_init() { options(); }

}  // namespace fencepost::rt
