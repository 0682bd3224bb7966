// SPDX-License-Identifier: Apache-2.0
// What operations do, without clocks: the definition that the hardware is compared with.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "gen/graph/interpret.h"
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

class Machine {
 public:
  explicit Machine(const EngineShape& shape);
  std::span<std::int8_t> word(std::int64_t place);
  void run(const Op& op);
  void load(const Load& load, const graph::Tensor& tensor,
            const std::vector<std::int32_t>& numbers);
  // Into the numbers of the tensor; makes room for them first.
  void store(const Store& store, const graph::Tensor& tensor,
             std::vector<std::int32_t>& numbers) const;
  // The numbers of a map, [channel][line][column].
  std::vector<std::int32_t> numbers(const Map& map, const graph::Tensor& tensor) const;

 private:
  // The sums of a pixel of the walk, or its maxima; `place` is that of the pixel.
  void sum(const Op& op, std::int64_t place, std::int64_t y, std::int64_t x,
           const std::int8_t* weights, std::vector<std::int64_t>& sums);
  void write(const Op& op, std::int64_t tile, std::int64_t y, std::int64_t x,
             const std::vector<std::int64_t>& sums);
  std::int64_t lanes(Unit unit) const {
    return unit == Unit::products ? shape_.columns : shape_.rows;
  }
  std::int32_t written(const Op& op, std::int64_t channel, std::int64_t sum,
                       std::int8_t other) const;
  EngineShape shape_;
  std::vector<std::int8_t> bytes_;
  std::vector<std::int8_t> padding_;  // a word of it, of the operation that runs
};

// The stored result of a stored number from the lanes and the second number.
std::int8_t stored_result(const Second& second, std::int8_t fresh, std::int8_t other);

// By tensor, what is in the memory outside before the first step: the inputs, which are one behind
// the other in the image. Of the other tensors nothing is there.
std::vector<graph::Numbers> outside_of(const Program& program, std::span<const std::int32_t> image);

// The numbers of every output, in order. `seen` is called after every step with its number.
std::vector<std::vector<std::int32_t>> run(
    const Program& program, std::span<const std::int32_t> image,
    const std::function<void(std::size_t, const Machine&)>& seen = {});

}  // namespace kumiki::gen::engine
