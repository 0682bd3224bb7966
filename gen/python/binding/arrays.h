// SPDX-License-Identifier: Apache-2.0
// Converts arrays of numpy to those of gen/config, without a copy, and back.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "gen/config/array_file.h"

namespace kumiki::python {

namespace nb = nanobind;

// Accepts read-only arrays too. nanobind requires C order; the Python code arranges that.
using Given = nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>;

// The result is valid only as long as `given`. UsageError: numbers of another kind.
gen::config::Array array_of(const Given& given, const std::string& name);

nb::object to_numpy(std::string bytes, gen::config::NumberType type,
                    const gen::config::ArrayShape& shape);

}  // namespace kumiki::python
