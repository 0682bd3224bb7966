// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/network.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ir/activity.h"
#include "ir/limits.h"

#include "gen/flow/messages.h"
#include "gen/layer/layer_error.h"
#include "ir/name_pool.h"

namespace kumiki::gen {
namespace {

// Port names of the top, ignoring case: "m" with in_data collides with "m_in" with data.
class TopPorts {
 public:
  explicit TopPorts(const std::vector<NamedLayer>& layers) : layers_(layers) {}

  std::string add(const NamedLayer& layer, std::string_view port) {
    auto name = fmt::format("{}_{}", layer.name, port);
    const auto [first, fresh] = owner_.emplace(ir::lower_case(name), &layer);
    if (!fresh)
      throw LayerError(
          code::ports_collide, fmt::format("/layers/{}/name", &layer - layers_.data()),
          fmt::format("\"{}\" makes a port {} beside that of /layers/{}; give another name",
                      layer.name, name, first->second - layers_.data()));
    return name;
  }

 private:
  const std::vector<NamedLayer>& layers_;
  std::map<std::string, const NamedLayer*> owner_;
};

}  // namespace

BuiltNetwork build_network(Builder& builder, const std::string& name,
                           const std::vector<NamedLayer>& layers) {
  BuiltNetwork network;
  // The top gets the user's name; a layer's module with the same name gets another one.
  ir::Module& top = builder.design().add_module(name);
  top.set_about(fmt::format("{}: {} layer{} side by side", name, layers.size(),
                            layers.size() == 1 ? "" : "s"));
  Scope s(builder, top);
  TopPorts ports_of_top(layers);
  std::uint32_t input_limb = 0, output_limb = 0;
  for (const NamedLayer& l : layers) {
    const ir::Activity doing(fmt::format("building the netlist of layer \"{}\"", l.name));
    ir::Module& child = l.layer->build(builder, l.origin);
    auto at = ir::place(SourceLocation::current(), l.origin);
    std::vector<Net> inputs;
    for (const ir::Port& p : child.ports()) {
      if (p.direction != ir::Direction::input) continue;
      auto port = builder.design().text(p.name);
      if (ir::is_clock_port(port)) {
        inputs.push_back(port == ir::clock_port ? s.clk() : s.fast_clk());
        continue;
      }
      Net first = top.add_input(ports_of_top.add(l, port), p.width, p.is_signed, at);
      for (std::uint32_t i = 0; i < p.width; ++i) inputs.push_back(Net{first.index + i});
    }
    Net out = top.cell(top.add_instance(child.id(), inputs, at, l.name)).out;
    for (const ir::Port& p : child.ports()) {
      if (p.direction != ir::Direction::output) continue;
      Word w = s.run(out, p.width, at);
      top.add_output(ports_of_top.add(l, builder.design().text(p.name)), w.nets(), p.is_signed, at);
      out.index += p.width;
    }
    auto ports = ir::layout(child);
    auto next_input = input_limb + ports.input_limbs,
         next_output = output_limb + ports.output_limbs;
    network.layers.push_back({&l, child.id(), input_limb, output_limb, std::move(ports)});
    input_limb = next_input;
    output_limb = next_output;
  }
  s.finish();
  builder.design().set_top(top.id());
  network.top = top.id();
  ir::require_few_cells(builder.design());
  return network;
}

namespace {

class NetworkModel : public ir::Machine {
 public:
  explicit NetworkModel(const BuiltNetwork& network) {
    for (const BuiltLayer& l : network.layers)
      parts_.push_back({l.layer->layer->model(), l.first_input_limb, l.ports.input_limbs});
  }
  void power_up() override {
    for (Part& p : parts_) p.model->power_up();
  }
  void step(const ir::Frame& in, ir::Frame& out) override {
    out.clear();
    valid_.clear();
    for (Part& p : parts_) {
      part_in_.assign(in.begin() + p.first, in.begin() + p.first + p.limbs);
      p.model->step(part_in_, part_out_);
      out.insert(out.end(), part_out_.begin(), part_out_.end());
      if (const ir::Frame* valid = p.model->valid_mask())
        std::copy(valid->begin(), valid->end(), std::back_inserter(valid_));
      valid_.resize(out.size(), ~std::uint64_t{0});
    }
  }
  const ir::Frame* valid_mask() const override { return &valid_; }

 private:
  struct Part {
    std::unique_ptr<ir::Machine> model;
    std::uint32_t first, limbs;
  };
  std::vector<Part> parts_;
  ir::Frame part_in_, part_out_, valid_;
};

}  // namespace

std::unique_ptr<ir::Machine> network_model(const BuiltNetwork& network) {
  return std::make_unique<NetworkModel>(network);
}

std::vector<Beat> beats(const BuiltNetwork& network) {
  std::vector<Beat> all;
  for (const BuiltLayer& l : network.layers) {
    const auto rename = [&](std::string& port) {
      if (!port.empty()) port = fmt::format("{}_{}", l.layer->name, port);
    };
    for (Beat b : l.layer->layer->beats()) {
      rename_ports(b, rename);
      all.push_back(std::move(b));
    }
  }
  return all;
}

std::vector<Numbers> numbers(const BuiltNetwork& network) { return numbers_of(beats(network)); }

std::vector<Numbers> input_numbers(const BuiltNetwork& network) {
  std::set<std::string> inputs;
  for (const BuiltLayer& l : network.layers)
    for (const ir::PortSlot& p : l.ports.inputs)
      inputs.insert(fmt::format("{}_{}", l.layer->name, p.name));
  auto all = numbers(network);
  std::erase_if(all, [&](const Numbers& n) { return !inputs.contains(n.port); });
  return all;
}

Drive drive(const BuiltNetwork& network) {
  struct Part {
    Drive drive;
    std::uint32_t first, limbs;
  };
  std::vector<Part> parts;
  for (const BuiltLayer& l : network.layers)
    parts.push_back({l.layer->layer->drive(), l.first_input_limb, l.ports.input_limbs});
  return [parts = std::move(parts)](std::uint64_t cycle, ir::Frame& inputs) {
    for (const Part& p : parts) {
      const auto first = inputs.begin() + p.first;
      ir::Frame own(first, first + p.limbs);
      p.drive(cycle, own);
      std::copy(own.begin(), own.end(), first);
    }
  };
}

}  // namespace kumiki::gen
