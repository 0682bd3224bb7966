// SPDX-License-Identifier: Apache-2.0
// Everything that `gen` writes for a project.
#pragma once
#include <optional>

#include "gen/flow/files/output.h"

namespace kumiki::flow {

struct Generate {
  Extras extras = {};
  std::optional<std::uint64_t> seed = {};       // of the vectors
  const backends::Vectors* recorded = nullptr;  // replace those of a stimulus
  bool whole = false;                           // write streams of networks of any length
};

struct Generated {
  Json report;
  std::vector<std::string> left_out;  // descriptions of what only `whole` writes
};

// Generates into `files`, in memory; then only the commit remains. The project must have no errors.
Generated generate(const Project& project, const Source& source, const Generate& how,
                   backends::OutputSet& files);

}  // namespace kumiki::flow
