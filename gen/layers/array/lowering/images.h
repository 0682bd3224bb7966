// SPDX-License-Identifier: Apache-2.0
// Runs images through a graph whose layers run on an array, and compares every result of the array
// with the graph's definition.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gen/graph/interpret.h"
#include "gen/layers/array/host.h"
#include "gen/layers/array/lowering/lowering.h"

namespace kumiki::gen::array {

class GraphOnArray {
 public:
  // The program must have a lowering and outlive this object.
  explicit GraphOnArray(const Program& program);

  using Memory = graph::Interpreter::Memory;
  struct Options {
    std::string machine;          // for messages: "native"
    std::size_t first_image = 0;  // the number of the first image
    std::function<void(double share)> progress = {};
  };
  // Runs up to most_images() images, stored one after the other. `memories`: one for each image,
  // with the numbers of every tensor that the array or the host computed. Returns the clocks of an
  // image: the array's, from the first register of each start to its last result. DesignError:
  // array_differs, and those of the machine. Interrupted.
  std::int64_t run(std::span<const std::int32_t> images, ProgramMachine& machine,
                   std::vector<Memory>& memories, const Options& options) const;
  // The planned clocks of an image.
  std::int64_t planned_clocks() const;

 private:
  std::int64_t play(const Action& action, const Program& part, ProgramMachine& machine,
                    std::vector<Memory>& memories, const ProgramMachine::Progress& progress) const;
  void compare(std::size_t layer, const Memory& made, const Memory& wanted, std::size_t image,
               const std::string& machine) const;

  const Program& program_;
  const Lowering& lowering_;
  graph::Interpreter definition_;
  std::vector<Program> parts_;  // one for each action on the array
};

}  // namespace kumiki::gen::array
