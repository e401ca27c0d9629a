#include "processors.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace fencepost::sched {

namespace {

cpu_set_t before;
bool shares = false;

}  // namespace

void share_processor() {
    unsigned processor = 0;
    if (shares || syscall(SYS_getcpu, &processor, nullptr, nullptr) != 0 || processor >= CPU_SETSIZE) return;
    CPU_ZERO(&before);
    if (syscall(SYS_sched_getaffinity, 0, sizeof before, &before) <= 0) return;  // more processors than there is room for
    if (CPU_COUNT(&before) < 2) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    shares = syscall(SYS_sched_setaffinity, 0, sizeof one, &one) == 0;
}

const cpu_set_t* processors_before() { return shares ? &before : nullptr; }
void forget_processors_before() { shares = false; }

}  // namespace fencepost::sched
