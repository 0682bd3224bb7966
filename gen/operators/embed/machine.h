// SPDX-License-Identifier: Apache-2.0
// The numbers of a table's rows, for indices that come once for every column of the table.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"
#include "gen/layers/pipeline/machines/reorder.h"
#include "gen/layers/pipeline/machines/stages.h"

namespace kumiki::gen::pipeline {

// Each pixel of indices `times`, side by side in a line of its own.
ReorderPlan spread(const Stream& indices, std::int64_t times);

struct EmbedPlan {
  Stream stream;                      // of indices; its columns are those of the table
  arith::Format format;               // of a result
  std::vector<std::int16_t> vectors;  // of row 0, then of row 1, and so on

  std::optional<std::string> why_not() const;  // empty: it can be built
  std::int64_t rows() const { return std::ssize(vectors) / stream.width; }
  // The lowest bits of an index, which tell the rows apart: row i is also row i - rows.
  int index_bits() const;
  // The words of a lane's memory, by the bits of the index, and by the column above them.
  std::vector<std::uint64_t> contents() const;
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const { return stream.with(format); }
  Moving schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "embed"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const EmbedPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const EmbedPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const EmbedPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
