// SPDX-License-Identifier: Apache-2.0
// Runs the units of a network side by side: one machine of the array in each of 64 lanes, all
// stepped together. A lane that has finished takes the next unit.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gen/layers/array/player.h"
#include "gen/layers/array/units.h"
#include "ir/machine.h"

namespace kumiki::gen::array {

class SideBySide {
 public:
  static constexpr std::size_t lanes = 64;
  // The position of the array's ports in the machines' frames, and the length of the frames.
  struct Place {
    std::uint32_t first_input_limb = 0, first_output_limb = 0, input_limbs = 0;
  };
  struct Options {
    int stalls = 0;  // in 256 clocks, on every stream
    std::uint64_t seed = 1;
    std::function<void(std::int64_t steps)> progress = {};  // called occasionally with the steps so
                                                            // far
  };
  // One clock of all machines; frame i belongs to lane i.
  using Step = std::function<void(std::span<const ir::Frame> in, std::span<ir::Frame> out)>;

  // `inputs`: as for Player. The caller keeps the program alive.
  SideBySide(const Program& program, const std::vector<std::optional<Tensor>>& inputs, Place place,
             Options options);

  // The machines must be powered up. Returns the first difference from the layers by definition, if
  // any. DesignError: an array breaks the rules of its streams. Interrupted.
  std::optional<std::string> run(const Step& step);

  struct OfLayer {
    std::int64_t units = 0, clocks = 0;  // clocks: of all units together, counted at the ports
  };
  const std::vector<OfLayer>& layers() const { return layers_; }
  std::size_t units() const { return units_.size(); }
  std::int64_t steps() const { return steps_; }
  std::int64_t all_steps() const { return all_steps_; }
  std::int64_t clocks() const { return clocks_; }  // of all lanes at once

 private:
  struct Lane {
    const Unit* unit = nullptr;  // null: the lane is idle
    std::unique_ptr<Program> program;
    std::unique_ptr<Player> player;
    ArrayIn<Values> in;
    std::int64_t most_clocks = 0;
  };

  void begin(std::size_t lane);
  bool at_work() const;
  std::int64_t steps_so_far() const;
  void drive();
  std::optional<std::string> watch();
  std::optional<std::string> finish(const Lane& lane);

  const Program& program_;
  const std::vector<std::optional<Tensor>>& inputs_;
  Place place_;
  Options options_;
  ArrayIn<Hardware> in_shape_;
  ArrayOut<Hardware> out_shape_;
  std::vector<Unit> units_;
  std::vector<OfLayer> layers_;
  std::vector<Tensor> right_;  // every layer by definition
  std::array<Lane, lanes> lanes_;
  std::vector<ir::Frame> in_, out_;
  std::size_t next_ = 0;
  ir::Frame own_;
  ArrayOut<Values> result_;
  std::int64_t clocks_ = 0, steps_ = 0, all_steps_ = 0;
};

}  // namespace kumiki::gen::array
