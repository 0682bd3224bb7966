// SPDX-License-Identifier: Apache-2.0
// Arrays of numpy as those of gen/config, without a copy, and back.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "gen/config/array_file.h"

namespace kumiki::python {

namespace nb = nanobind;

// Read-only ones too; as numpy has them they lie in C order.
using Given = nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>;

// Lives no longer than what it is made of. UsageError: numbers of another kind.
gen::config::Array array_of(const Given& given, const std::string& name);

nb::object to_numpy(std::string bytes, gen::config::NumberType type,
                    const gen::config::ArrayShape& shape);

}  // namespace kumiki::python
