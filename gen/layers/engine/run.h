// SPDX-License-Identifier: Apache-2.0
// What operations do, without clocks: the definition that the hardware is compared with.
#pragma once
#include <span>

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
  void store(const Store& store, const graph::Tensor& tensor,
             std::vector<std::int32_t>& numbers) const;
  // The numbers of a map, [channel][line][column].
  std::vector<std::int32_t> numbers(const Map& map, const graph::Tensor& tensor) const;

 private:
  std::int32_t written(const Op& op, std::int64_t channel, std::int64_t sum,
                       std::int8_t other) const;
  EngineShape shape_;
  std::vector<std::int8_t> bytes_;
};

// The stored result of a stored number from the lanes and the second number.
std::int8_t stored_result(const Second& second, std::int8_t fresh, std::int8_t other);

// The numbers of every output, in order. `seen` is called after every step with its number.
std::vector<std::vector<std::int32_t>> run(
    const Program& program, std::span<const std::int32_t> image,
    const std::function<void(std::size_t, const Machine&)>& seen = {});

}  // namespace kumiki::gen::engine
