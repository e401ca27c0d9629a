// What core/graphs offers to Python.
#pragma once

#include <nanobind/nanobind.h>

namespace fencepost::bindings {

void bind_graphs(nanobind::module_& m);

}  // namespace fencepost::bindings
