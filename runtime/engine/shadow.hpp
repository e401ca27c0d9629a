#pragma once
#include "engine/table.hpp"
#include "engine/thread.hpp"
namespace fencepost::rt {
inline void begin_plain_accesses(ThreadState&) {}
inline void end_plain_accesses(ThreadState&) {}
}
