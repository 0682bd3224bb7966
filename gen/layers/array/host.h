// SPDX-License-Identifier: Apache-2.0
// A program on a machine that has the ports of its array: one image, or an image in each of 64
// lanes. The timing of an array does not depend on its numbers, so one player speaks for all lanes;
// what its streams have of a layer's input is every lane's own.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gen/layers/array/player.h"
#include "ir/lane_machine.h"

namespace kumiki::gen::array {

struct Played {
  std::vector<std::vector<Tensor>> results;  // [image][layer]
  std::int64_t clocks = 0;                   // from the first register written to the last beat
  std::vector<Measured> measured;            // of every layer
};

class ProgramMachine {
 public:
  using Inputs = std::vector<std::vector<std::optional<Tensor>>>;  // [image][layer], as in Player
  using Progress = std::function<void(std::int64_t clocks)>;       // now and then

  virtual ~ProgramMachine() = default;
  virtual std::size_t most_images() const = 0;  // at once
  // Programs one after the other, with nothing in between but the next one's registers: only what
  // comes first finds the array as it powers up. DesignError: the array breaks the rules of its
  // streams, or hangs; then this machine is of no more use. Interrupted.
  virtual Played play(const Program& program, const Inputs& images,
                      const Progress& progress = {}) = 0;
};

// They power the machine up. `prefix`: of the names of the array's ports among those of the
// machine, "array_" below a top.
std::unique_ptr<ProgramMachine> on_machine(ir::Machine& machine, const ir::PortLayout& ports,
                                           const std::string& prefix);
std::unique_ptr<ProgramMachine> on_lanes(ir::LaneMachine& machine, const std::string& prefix);

}  // namespace kumiki::gen::array
