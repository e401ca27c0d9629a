#include "base/busy.hpp"

namespace fencepost::rt {

constinit thread_local int busy __attribute__((tls_model("initial-exec"))) = 0;
constinit thread_local int held_back __attribute__((tls_model("initial-exec"))) = 0;
void (*deliver_signals)() = nullptr;

}  // namespace fencepost::rt
