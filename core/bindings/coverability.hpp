#pragma once

#include <nanobind/nanobind.h>

namespace fencepost::bindings {

void bind_coverability(nanobind::module_& m);

}  // namespace fencepost::bindings
