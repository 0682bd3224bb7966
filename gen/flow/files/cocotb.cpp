// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/cocotb.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/messages.h"
#include "backends/emit/project/cocotb.h"
#include "backends/sim/lockstep/stimulus.h"
#include "gen/flow/files/output.h"
#include "gen/flow/slots.h"
#include "ir/activity.h"
#include "ir/error.h"

namespace kumiki::flow {
namespace {

using backends::Role;
using Told = backends::CocotbOptions::Layer;

constexpr std::string_view valid_ending = "_tvalid";

std::string at_top(const gen::BuiltLayer& l, std::string_view port) {
  return fmt::format("{}_{}", l.layer->name, port);
}

bool is_reset(const ir::PortSlot& p) {
  const auto role = backends::default_role(p);
  return role == Role::reset || role == Role::reset_low;
}

// The stream of this port: s_axis_in for s_axis_in_tdata. Streams with strobes are excluded: a test
// cannot send them.
std::string stream_of(const std::vector<ir::PortSlot>& slots, const ir::PortSlot& p) {
  if (!p.name.ends_with(valid_ending)) return {};
  const auto stream = p.name.substr(0, p.name.size() - valid_ending.size());
  if (find_slot(slots, stream + "_tkeep")) return {};
  return stream;
}

void tell_ports(Told& told, const gen::BuiltLayer& l) {
  for (const auto& p : l.ports.inputs) {
    told.inputs.push_back(at_top(l, p.name));
    if (is_reset(p)) told.reset = at_top(l, p.name);
    if (backends::default_role(p) == Role::reset_low) told.resets_low = true;
    if (backends::default_role(p) == Role::enable) told.enable = at_top(l, p.name);
    if (const auto s = stream_of(l.ports.inputs, p); !s.empty())
      told.sources.push_back(at_top(l, s));
  }
  for (const auto& p : l.ports.outputs) {
    told.outputs.push_back(at_top(l, p.name));
    if (const auto s = stream_of(l.ports.outputs, p); !s.empty())
      told.sinks.push_back(at_top(l, s));
  }
  // AXI4-Lite reads change nothing.
  told.only_streams = std::ranges::all_of(l.ports.inputs, [&](const ir::PortSlot& p) {
    const auto port = at_top(l, p.name);
    const auto belongs = [&](const std::string& s) { return port.starts_with(s + "_t"); };
    return is_reset(p) || p.name.starts_with("s_axi_") ||
           std::ranges::any_of(told.sources, belongs) || std::ranges::any_of(told.sinks, belongs);
  });
}

void tell_numbers(Told& told, const gen::BuiltLayer& l, const std::vector<gen::Numbers>& all) {
  for (const auto* slots : {&l.ports.inputs, &l.ports.outputs})
    for (const ir::PortSlot& p : *slots)
      for (const gen::Numbers& n : all) {
        if (n.port != at_top(l, p.name)) continue;
        const auto bits = n.bits == 0 ? p.width - n.low : n.bits;
        told.numbers.push_back({n.port, n.part, n.low, n.width, bits / n.width, n.is_signed});
      }
}

// Every output must be valid at least once; otherwise its tests would compare nothing.
void require_compared(const gen::BuiltLayer& l, const backends::Vectors& v) {
  for (const auto& p : l.ports.outputs) {
    const auto first = l.first_output_limb + p.limb;
    const auto counts = [&](const ir::Frame& valid) {
      return std::any_of(valid.begin() + first, valid.begin() + first + p.limbs(),
                         [](std::uint64_t limb) { return limb != 0; });
    };
    if (!std::ranges::any_of(v.valid, counts))
      throw DesignError(code::nothing_compared,
                        fmt::format("in {} cycles output {} means nothing; ask for more vectors",
                                    v.inputs.size(), at_top(l, p.name)));
  }
}

// Every stream must give a frame, or a word if it has no frames: a sink reports nothing smaller.
void require_frames(const gen::BuiltLayer& l, const backends::Vectors& v) {
  for (const auto& p : l.ports.outputs) {
    const auto stream = stream_of(l.ports.outputs, p);
    const auto* ready = find_slot(l.ports.inputs, stream + "_tready");
    if (stream.empty() || !ready) continue;
    const auto* last = find_slot(l.ports.outputs, stream + "_tlast");
    bool any = false;
    for (std::size_t c = 0; c < v.inputs.size() && !any; ++c) {
      const auto out = [&](const ir::PortSlot& of) {
        return (v.outputs[c][l.first_output_limb + of.limb] & 1) != 0;
      };
      any = out(p) && (!last || out(*last)) && (v.inputs[c][l.first_input_limb + ready->limb] & 1);
    }
    if (!any)
      throw DesignError(
          code::nothing_compared,
          fmt::format("in {} cycles stream {} gives no whole {}; ask for more vectors",
                      v.inputs.size(), at_top(l, stream), last ? "frame" : "word"));
  }
}

// Asks the model from which cycle the vectors hold after a reset as the tests make it: after
// power-up, after all vectors, and after the first half of them. Registers without a reset hold
// other numbers than at power-up until these have left.
class Again {
 public:
  Again(const Project& project, const backends::Vectors& vectors)
      : layers_(project.network.layers),
        vectors_(vectors),
        model_(gen::network_model(project.network)),
        resting_(ir::layout(project.top()).input_limbs),
        settled_(layers_.size()) {
    for (const auto& l : layers_)
      for (const auto& p : l.ports.inputs)
        resting_[l.first_input_limb + p.limb] = backends::default_role(p) == Role::reset;
    const auto all = vectors_.inputs.size();
    model_->power_up();
    for (const std::size_t cycles : {all, all, backends::cocotb_middle(all), all}) {
      model_->step(resting_, out_);
      run(cycles);
    }
  }
  // Empty if hardly any vectors would remain.
  std::optional<std::size_t> settled(std::size_t layer) const {
    if (settled_[layer] > vectors_.inputs.size() / 2) return {};
    return settled_[layer];
  }

 private:
  void run(std::size_t cycles) {
    for (std::size_t c = 0; c < cycles; ++c) {
      model_->step(vectors_.inputs[c], out_);
      for (std::size_t i = 0; i < layers_.size(); ++i)
        if (differs(layers_[i], c)) settled_[i] = std::max(settled_[i], c + 1);
    }
  }
  bool differs(const gen::BuiltLayer& l, std::size_t cycle) const {
    for (std::uint32_t i = 0; i < l.ports.output_limbs; ++i) {
      const auto at = l.first_output_limb + i;
      if ((out_[at] ^ vectors_.outputs[cycle][at]) & vectors_.valid[cycle][at]) return true;
    }
    return false;
  }

  const std::vector<gen::BuiltLayer>& layers_;
  const backends::Vectors& vectors_;
  std::unique_ptr<ir::Machine> model_;
  ir::Frame resting_, out_;
  std::vector<std::size_t> settled_;
};

}  // namespace

void add_cocotb(const Project& project, const ir::Names& names, const backends::Vectors& vectors,
                backends::OutputSet& files) {
  const ir::Activity doing("writing the testbench for cocotb");
  backends::CocotbOptions options{.generator = generator(), .cycles = vectors.inputs.size()};
  const auto numbers = gen::numbers(project.network);
  const Again again(project, vectors);
  for (const gen::BuiltLayer& l : project.network.layers) {
    require_compared(l, vectors);
    Told told{.name = l.layer->name};
    tell_ports(told, l);
    if (told.only_streams) require_frames(l, vectors);
    tell_numbers(told, l, numbers);
    told.settled = again.settled(options.layers.size());
    options.layers.push_back(std::move(told));
  }
  backends::write_cocotb(names, files, options);
}

}  // namespace kumiki::flow
