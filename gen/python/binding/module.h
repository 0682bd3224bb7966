// SPDX-License-Identifier: Apache-2.0
// What each file of this folder adds to the module.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace kumiki::python {

namespace nb = nanobind;

void add_errors(nb::module_& m);
void add_networks(nb::module_& m);
void add_projects(nb::module_& m);

}  // namespace kumiki::python
