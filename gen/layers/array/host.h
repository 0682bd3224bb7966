// SPDX-License-Identifier: Apache-2.0
// A program on a machine with the ports of its array: one image, or one image in each of 64 lanes.
// The timing of an array does not depend on its numbers, so one player drives all lanes; only the
// values of a layer's input differ between lanes.
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
  std::int64_t clocks = 0;                   // from the first register write to the last beat
  std::vector<Measured> measured;            // one for each layer
};

class ProgramMachine {
 public:
  using Inputs = std::vector<std::vector<std::optional<Tensor>>>;  // [image][layer], as in Player
  using Progress = std::function<void(std::int64_t clocks)>;       // called occasionally

  virtual ~ProgramMachine() = default;
  virtual std::size_t most_images() const = 0;  // at once
  // Runs programs in sequence; only the registers of the next one are written in between. Only the
  // first program finds the array as after power-up. DesignError: the array breaks the rules of its
  // streams, or hangs; the machine is then unusable. Interrupted.
  virtual Played play(const Program& program, const Inputs& images,
                      const Progress& progress = {}) = 0;
};

// These functions power the machine up. `prefix`: of the array's port names on the machine,
// "array_" below a top.
std::unique_ptr<ProgramMachine> on_machine(ir::Machine& machine, const ir::PortLayout& ports,
                                           const std::string& prefix);
std::unique_ptr<ProgramMachine> on_lanes(ir::LaneMachine& machine, const std::string& prefix);

}  // namespace kumiki::gen::array
