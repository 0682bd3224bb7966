// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/axi_stream/flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/flow/axi_stream/place.h"
#include "gen/hdl/state.h"

namespace kumiki::gen::axi_stream {
namespace {

// Whether a set is in progress: never if a set is one word; otherwise a register, so that no
// comparison with the counter precedes the clock enable.
Net inside_set(Scope& s, std::uint32_t clocks_of_set, Net has_room, Net valid, Net rst) {
  if (clocks_of_set == 1) return ir::net_zero;
  const Net taken = s.net(has_room & valid);
  Reg<Net> inside(s, {.enable = taken, .reset = rst});
  s.named("inside", inside.q());
  const Counter word = counter(s, {.modulo = clocks_of_set, .enable = taken, .reset = rst});
  inside.next(~word.last);
  return inside.q();
}

ir::Module& build_flow(Builder& builder, const FlowPorts& p, std::uint32_t clocks_of_set,
                       const ir::Module& layer, const std::string& name, ir::OriginId origin) {
  ir::Module& module =
      builder.design().add_module(builder.free_module_name(fmt::format("flow_{}", name)));
  module.set_about(fmt::format("{} with valid and ready", name));
  Scope s(builder, module, origin);
  const PlaceId at = s.at(SourceLocation::current());
  std::vector<UInt> outer;
  for (const ir::PortSlot& slot : p.outer.inputs)
    outer.emplace_back(s.run(module.add_input(slot.name, slot.width, false, at), slot.width, at));
  const Net rst = outer[flow_rst][0], valid = outer[flow_in_valid][0],
            ready = outer[flow_out_ready][0];

  Wire<Net> result(s);
  const Net has_room = s.net(~result | ready);
  const Net inside = inside_set(s, clocks_of_set, has_room, valid, rst);
  const auto if_fed = [&](Net n) {  // within a set, only with its next word
    return s.net(n & (~inside | valid));
  };
  std::vector<UInt> inputs(p.inner.inputs.size());
  inputs[p.rst] = bits(s, {rst});
  inputs[p.en] = bits(s, {if_fed(has_room)});
  inputs[p.in_valid] = bits(s, {valid});
  for (const Field& f : p.in)
    inputs[f.port] = outer[flow_in_data].slice(f.low, p.inner.inputs[f.port].width);
  const auto outputs = place(s, layer, p.inner, inputs, at);
  result.drive(outputs[p.out_valid][0]);

  std::vector<Net> word(p.outer.outputs[flow_out_data].width, ir::net_zero);
  for (const Field& f : p.out) {
    const auto nets = outputs[f.port].nets();
    std::ranges::copy(nets, word.begin() + f.low);
  }
  module.add_output("in_ready", std::vector<Net>{has_room}, false, at);
  module.add_output("out_valid", std::vector<Net>{if_fed(outputs[p.out_valid][0])}, false, at);
  module.add_output("out_data", word, false, at);
  s.finish();
  return module;
}

class FlowLayer : public Layer {
 public:
  FlowLayer(std::shared_ptr<const Layer> layer, const ir::PortLayout& ports)
      : layer_(std::move(layer)), p_(flow_ports(ports)) {}

  std::string plan_text() const override {
    return layer_->plan_text() +
           (words() > 1 ? fmt::format("{} words of the stream are a set of operands\n", words())
                        : "");
  }
  void write_plan(config::Writer& w) const override {
    layer_->write_plan(w);
    w.object("stream", [&] {
      w.member("in", in());
      w.member("out", out());
      w.member("words_of_set", words());
    });
  }
  Facts facts() const override { return layer_->facts(); }
  std::vector<Picture> pictures() const override { return layer_->pictures(); }
  Definition definition() const override {
    return Definition::none("the definition covers only the layer without its streams");
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    const ir::Module& layer = layer_->build(builder, origin);
    return build_flow(builder, p_, words(), layer, std::string(layer.name()), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return make_flow_model(p_, words(), layer_->model());
  }
  // The ports of the layer become parts of a word.
  std::vector<Beat> beats() const override {
    auto all = layer_->beats();
    for (Beat& b : all) {
      b.part = b.part.empty() ? b.port : b.port + "_" + b.part;
      const auto field = [&](const auto& ports, const auto& fields, const char* stream) {
        for (const Field& f : fields) {
          if (ports[f.port].name != b.port) continue;
          b.low += f.low;
          b.port = std::string(stream) + "_data";
          b.when = {std::string(stream) + "_valid", std::string(stream) + "_ready"};
          // Every word of a set has its own valid.
          b.runs_on = false;
          return true;
        }
        return false;
      };
      if (!field(p_.inner.inputs, p_.in, "in")) field(p_.inner.outputs, p_.out, "out");
    }
    return all;
  }
  void constrain(ir::Frame& frame) const override {
    ir::Frame inner;
    unpack_flow(p_, frame, inner);
    layer_->constrain(inner);
    pack_flow(p_, inner, frame);
  }

 private:
  std::uint32_t words() const { return layer_->clocks_of_set(); }
  std::string in() const { return fields_text(p_.inner.inputs, p_.in); }
  std::string out() const { return fields_text(p_.inner.outputs, p_.out); }

  std::shared_ptr<const Layer> layer_;
  FlowPorts p_;
};

}  // namespace

std::shared_ptr<const Layer> as_flow(std::shared_ptr<const Layer> layer,
                                     const ir::PortLayout& ports) {
  return std::make_unique<FlowLayer>(std::move(layer), ports);
}

}  // namespace kumiki::gen::axi_stream
