// From the options to a run, or to many: the fork server and the exploration of all schedules.
#pragma once

namespace fencepost::sched {

// Called once, when main is about to begin. Returns in the process that shall run main: this one, or a child of it.
void prepare_run();

}  // namespace fencepost::sched
