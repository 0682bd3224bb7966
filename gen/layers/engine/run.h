// SPDX-License-Identifier: Apache-2.0
// What loads and stores do, without clocks: the maps on the chip, and the memory outside.
#pragma once
#include <span>
#include <vector>

#include "gen/graph/interpret.h"
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

class Machine {
 public:
  explicit Machine(const EngineShape& shape);
  std::span<std::int8_t> word(std::int64_t place);
  void load(const Load& load, const graph::Tensor& tensor,
            const std::vector<std::int32_t>& numbers);
  // Into the numbers of the tensor; makes room for them first.
  void store(const Store& store, const graph::Tensor& tensor,
             std::vector<std::int32_t>& numbers) const;
  // The numbers of a map, [channel][line][column].
  std::vector<std::int32_t> numbers(const Map& map, const graph::Tensor& tensor) const;

 private:
  EngineShape shape_;
  std::vector<std::int8_t> bytes_;
};

// The stored result of a stored number from the lanes and the second number.
std::int8_t stored_result(const Second& second, std::int8_t fresh, std::int8_t other);

// The numbers of each input of each image: one image is behind the other, and in it one input.
std::vector<std::span<const std::int32_t>> inputs_of(const Program& program,
                                                     std::span<const std::int32_t> images);
// By tensor, the numbers that are the same for every image. Empty: it is no constant.
std::vector<graph::Numbers> constants_of(const Program& program);
// By tensor, what is in the memory outside before the first step: constants, and the inputs in
// the order of a host. Of the other tensors nothing is there.
std::vector<graph::Numbers> outside_of(const Program& program,
                                       std::span<const std::int32_t> images);
// The outputs for a host, behind the last step, likewise.
std::vector<graph::Numbers> results_of(const Program& program,
                                       const std::vector<graph::Numbers>& outside);

}  // namespace kumiki::gen::engine
