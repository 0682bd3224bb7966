// SPDX-License-Identifier: Apache-2.0
// Repeats each line of a map several times, and each pixel in it. A memory holds two lines: one
// arrives while the other leaves.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"
#include "gen/layers/pipeline/machines/results.h"

namespace kumiki::gen::pipeline {

struct ResizePlan {
  Stream stream;
  std::array<int, 2> factor{2, 2};  // of rows, of columns; their product is more than 1

  std::optional<std::string> why_not() const;                           // empty: it can be built
  std::int64_t line() const { return stream.width * stream.blocks(); }  // beats
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const;
  Lines schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "resize"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const ResizePlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const ResizePlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const ResizePlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
