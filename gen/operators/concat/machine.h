// SPDX-License-Identifier: Apache-2.0
// Joins several streams along the channels: for every pixel the blocks of the first input, then
// those of the next. Along columns it takes a line of each input in turn, along lines a whole map.
// The outputs of a network are joined map after map, whatever shapes they have. It takes from one
// input at a time, one beat in every clock.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

inline constexpr std::size_t most_concats = 16;

enum class Along : std::uint8_t { channels, lines, columns, frames };

struct ConcatPlan {
  std::vector<Stream> streams;
  Along along = Along::channels;
  std::vector<Stream> inputs() const { return streams; }
  Stream output() const;
  Turns schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return streams.size() > 8 ? 4 : 3; }
  std::string kind() const { return along == Along::frames ? "outputs" : "concat"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const ConcatPlan&) const = default;
};

// Whether there are 2 to 16 streams with the same lanes that differ in the joined axis alone;
// frames may have any shapes. Along the channels the lanes must divide the channels of all but the
// last stream; only its last block may be narrower.
bool legal(const ConcatPlan& plan);

MachineOut<Hardware> build(Scope& s, const ConcatPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const ConcatPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
