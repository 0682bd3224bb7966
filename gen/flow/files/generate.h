// SPDX-License-Identifier: Apache-2.0
// All that `gen` writes for a project.
#pragma once
#include <optional>

#include "gen/flow/files/output.h"

namespace kumiki::flow {

struct Generate {
  Extras extras = {};
  std::optional<std::uint64_t> seed = {};       // of the vectors
  const backends::Vectors* recorded = nullptr;  // in place of those of a stimulus
  bool whole = false;                           // streams of networks however long they are
};

struct Generated {
  Json report;
  std::vector<std::string> left_out;  // what only `whole` writes, in words
};

// Into `files`, in memory: what is left is to commit. The project has no mistakes.
Generated generate(const Project& project, const Source& source, const Generate& how,
                   backends::OutputSet& files);

}  // namespace kumiki::flow
