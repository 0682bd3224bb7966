// SPDX-License-Identifier: Apache-2.0
// A configured layer: the interface of every generator to the rest of the program.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gen/config/document.h"
#include "gen/config/writer.h"
#include "gen/hdl/scope.h"
#include "gen/layer/beats/beats.h"
#include "gen/layer/host.h"
#include "gen/layer/reference.h"
#include "ir/machine.h"

namespace kumiki::gen {

struct Picture {
  std::string name;  // "packing"
  std::string svg;
};

using Drive = std::function<void(std::uint64_t cycle, ir::Frame& inputs)>;

// What a layer must compute, in plain Verilog; or why there is no such definition.
struct Definition {
  std::optional<proof::Reference> reference;
  std::string why_not;

  Definition(proof::Reference written) : reference(std::move(written)) {}
  static Definition none(std::string why) { return Definition(std::move(why)); }

 private:
  explicit Definition(std::string why) : why_not(std::move(why)) {}
};

// Facts of a layer that takes its input in frames.
struct FrameFacts {
  std::int64_t clocks = 0;  // from frame to frame
  std::int64_t bits_in = 0, bits_out = 0;
};

// What the program asks of every layer; a caller that needs more reads the plan itself.
struct Facts {
  std::optional<std::int64_t> latency = {};  // clocks from operands to results, if it is one number
  std::optional<double> macs_per_clock = {};  // of layers that multiply
  std::int64_t slices = 0;                    // DSP48E2
  std::optional<FrameFacts> frame = {};
  HostFacts host = {};
  HostRegisters registers = {};
  // Levels of logic between registers, at most (docs/timing.md); empty if there is no clock.
  std::optional<int> levels = {};
};

class Layer : public config::Planned {
 public:
  // The plan, which is only arithmetic. Text for people, members with documented keys for
  // programs.
  virtual std::string plan_text() const = 0;
  virtual void write_plan(config::Writer& w) const = 0;
  virtual Facts facts() const = 0;
  // Other plans for the same request, best first, and why others are refused (`plan --all`).
  virtual std::string alternatives_text() const { return {}; }
  virtual void write_alternatives(config::Writer&) const {}
  virtual std::vector<Picture> pictures() const { return {}; }

  // The netlist that follows the plan, as a module of the builder's design.
  virtual ir::Module& build(Builder& builder, ir::OriginId origin) const = 0;

  // What it must compute, in integers.
  virtual std::unique_ptr<ir::Machine> model() const = 0;

  // For `prove`: the same in plain Verilog, written without knowledge of the netlist.
  virtual Definition definition() const {
    return Definition::none("this type has no definition yet; check it in lockstep (kumiki sim)");
  }

  // Files that a host needs beside the netlist: their names and bytes.
  virtual std::vector<std::pair<std::string, std::string>> files() const { return {}; }

  // The beats of every port of more than one bit.
  virtual std::vector<Beat> beats() const { return {}; }

  // For a layer with the ports rst, en, in_valid, out_valid: the enabled clocks that a set of
  // operands takes, the first of them with in_valid. 0: a set does not enter with all its ports
  // side by side.
  virtual std::uint32_t clocks_of_set() const { return 1; }

  // Turns a random frame of inputs into a valid one, for a layer with restricted
  // operands.
  virtual void constrain(ir::Frame&) const {}
  // The same if inputs make sense only as a sequence, such as the frames of a video: called in
  // every cycle, beginning with cycle 0. The layer outlives what it returns.
  virtual Drive drive() const {
    return [this](std::uint64_t, ir::Frame& inputs) { constrain(inputs); };
  }
  // Clocks of it that reach most of the layer: so long a changed cell is looked for.
  virtual std::size_t clocks_of_drive() const { return 400; }
};

struct NamedLayer {
  std::string name;
  std::string type;
  ir::OriginId origin;  // "cfg.json: /layers/3"
  std::shared_ptr<const Layer> layer;
};

}  // namespace kumiki::gen
