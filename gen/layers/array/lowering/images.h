// SPDX-License-Identifier: Apache-2.0
// Images through a graph whose layers run on an array: every result of the array is compared with
// the graph by its definition.
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
  // The program has a lowering, and lives as long.
  explicit GraphOnArray(const Program& program);

  using Memory = graph::Interpreter::Memory;
  struct Options {
    std::string machine;          // for messages: "native"
    std::size_t first_image = 0;  // the number of the first of them
    std::function<void(double share)> progress = {};
  };
  // Up to so many images as the machine takes at once, one behind the other. `memories`: one an
  // image, with the numbers of every tensor that the array or the host has made. Returns the clocks
  // of an image: the array's, from the first register of each start to its last result.
  // DesignError: array_differs, and those of the machine. Interrupted.
  std::int64_t run(std::span<const std::int32_t> images, ProgramMachine& machine,
                   std::vector<Memory>& memories, const Options& options) const;
  // Clocks of an image as the plan has them.
  std::int64_t planned_clocks() const;

 private:
  std::int64_t play(const Action& action, const Program& part, ProgramMachine& machine,
                    std::vector<Memory>& memories, const ProgramMachine::Progress& progress) const;
  void compare(std::size_t layer, const Memory& made, const Memory& wanted, std::size_t image,
               const std::string& machine) const;

  const Program& program_;
  const Lowering& lowering_;
  graph::Interpreter definition_;
  std::vector<Program> parts_;  // of the actions on the array
};

}  // namespace kumiki::gen::array
