// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/axi_stream/wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "gen/flow/axi_stream/flow.h"
#include "gen/flow/axi_stream/model.h"
#include "gen/flow/axi_stream/place.h"
#include "gen/hdl/skid.h"
#include "gen/layer/host.h"

namespace kumiki::gen::axi_stream {
namespace {

// A wrapper under construction.
class Build {
 public:
  Build(Builder& builder, const Ports& ports, ir::Module& layer, ir::OriginId origin)
      : p_(ports),
        layer_(layer),
        module_(builder.design().add_module(
            builder.free_module_name(fmt::format("axis_{}", layer.name())))),
        s_(builder, module_, origin),
        at_(s_.at(SourceLocation::current())) {
    module_.set_about(fmt::format("{} between AXI4-Streams", layer.name()));
  }

  ir::Module& run() {
    for (const ir::PortSlot& slot : p_.outer.inputs)
      outer_.emplace_back(
          s_.run(module_.add_input(slot.name, slot.width, slot.is_signed, at_), slot.width, at_));
    const Net reset = s_.net(~outer_[0][0]);
    for (std::size_t i = 0; i < p_.inner.inputs.size(); ++i)
      to_layer_.push_back(UInt(outer_[p_.input[i]]).slice(0, p_.inner.inputs[i].width));
    to_layer_[p_.reset] = bits(s_, {reset});
    for (const Stream& stream : p_.streams) add_skid(stream, reset);
    from_layer_ = place(s_, layer_, p_.inner, to_layer_, at_);
    for (std::size_t i = 0; i < p_.streams.size(); ++i) connect(p_.streams[i], i);
    for (std::size_t i = 0; i < from_layer_.size(); ++i) {
      const ir::PortSlot& slot = p_.outer.outputs[p_.output[i]];
      module_.add_output(slot.name, from_layer_[i].nets(), slot.is_signed, at_);
    }
    s_.finish();
    return module_;
  }

 private:
  void add_skid(const Stream& stream, Net reset) {
    // The layer's answer: ready for an incoming stream, valid for an outgoing one.
    answers_.emplace_back(s_);
    const Net answer = answers_.back();
    const auto prefix = stream.name + "_";
    if (!stream.goes_in) {
      skids_.emplace_back(s_, reset, answer, outer_[p_.input[stream.ready]][0], prefix);
      to_layer_[stream.ready] = bits(s_, {skids_.back().ready()});
      return;
    }
    skids_.emplace_back(s_, reset, outer_[p_.input[stream.valid]][0], answer, prefix);
    to_layer_[stream.valid] = bits(s_, {skids_.back().valid()});
    for (const auto& port : {stream.data, stream.last})
      if (port) to_layer_[*port] = skids_.back().pass(to_layer_[*port]);
  }

  void connect(const Stream& stream, std::size_t index) {
    Skid& skid = skids_[index];
    if (stream.goes_in) {
      answers_[index].drive(from_layer_[stream.ready][0]);
      from_layer_[stream.ready] = bits(s_, {skid.ready()});
      return;
    }
    answers_[index].drive(from_layer_[stream.valid][0]);
    from_layer_[stream.valid] = bits(s_, {skid.valid()});
    for (const auto& port : {stream.data, stream.last})
      if (port)
        from_layer_[*port] =
            zext(s_, skid.pass(from_layer_[*port]), p_.outer.outputs[p_.output[*port]].width);
  }

  const Ports& p_;
  ir::Module& layer_;
  ir::Module& module_;
  Scope s_;
  PlaceId at_;
  std::vector<UInt> outer_, to_layer_, from_layer_;
  std::deque<Wire<Net>> answers_;  // for each stream
  std::deque<Skid> skids_;
};

class AxiStreamLayer : public Layer {
 public:
  AxiStreamLayer(std::shared_ptr<const Layer> layer, Ports ports)
      : layer_(std::move(layer)), p_(std::move(ports)) {}

  const Layer& inside() const { return *layer_; }
  std::string plan_text() const override {
    std::string text = layer_->plan_text() + "AXI4-Stream\n";
    for (const Stream& s : p_.streams)
      text += fmt::format("  {}*  {}, two words of room\n", s.prefix(),
                          s.goes_in ? "into the layer" : "out of the layer");
    text += gen::to_text(host_facts());
    return text;
  }
  void write_plan(config::Writer& w) const override {
    layer_->write_plan(w);
    w.texts("axi_streams", p_.streams, [](const Stream& s) { return s.prefix(); });
    const Facts all = facts();
    if (!all.host.empty()) w.object("host", [&] { write(w, all.host); });
    if (all.latency) w.member("latency", *all.latency);
  }
  Facts facts() const override {
    Facts all = layer_->facts();
    for (HostFact& mine : host_facts()) {
      const auto at = std::ranges::find(all.host, mine.topic, &HostFact::topic);
      if (at == all.host.end())
        all.host.push_back(std::move(mine));
      else
        *at = std::move(mine);
    }
    if (all.latency) *all.latency += 2;  // a word waits a clock in either buffer
    if (all.levels) *all.levels += stream_levels;
    return all;
  }
  std::vector<Picture> pictures() const override { return layer_->pictures(); }
  Definition definition() const override {
    return Definition::none("the definition covers only the layer without its streams");
  }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return Build(builder, p_, layer_->build(builder, origin), origin).run();
  }
  std::unique_ptr<ir::Machine> model() const override { return make_model(p_, layer_->model()); }

  std::vector<Beat> beats() const override {
    const auto rename = [&](std::string& name) {
      const auto in = [&](const auto& inner, const auto& outer, const auto& index) {
        const auto at = std::ranges::find(inner, name, &ir::PortSlot::name);
        if (at == inner.end()) return false;
        name = outer[index[static_cast<std::size_t>(at - inner.begin())]].name;
        return true;
      };
      if (!in(p_.inner.inputs, p_.outer.inputs, p_.input))
        in(p_.inner.outputs, p_.outer.outputs, p_.output);
    };
    auto all = layer_->beats();
    for (Beat& b : all) rename_ports(b, rename);
    return all;
  }
  void constrain(ir::Frame& frame) const override {
    ir::Frame inner;
    to_layer(p_, frame, inner);
    layer_->constrain(inner);
    from_layer(p_, inner, frame);
  }
  Drive drive() const override {
    return [this, drive = layer_->drive()](std::uint64_t cycle, ir::Frame& frame) {
      ir::Frame inner;
      to_layer(p_, frame, inner);
      drive(cycle, inner);
      from_layer(p_, inner, frame);
    };
  }

 private:
  HostFacts host_facts() const {
    std::string in, last;
    for (const Stream& s : p_.streams) {
      if (s.goes_in) in += fmt::format("{}{}tready", in.empty() ? "" : ", ", s.prefix());
      if (s.last) last += fmt::format("{}{}tlast", last.empty() ? "" : ", ", s.prefix());
    }
    return {
        {"aresetn", fmt::format("{} may be 1 while it is 0; words that come then are lost", in)},
        {"tlast", last.empty() ? std::string("none: words are counted")
                               : fmt::format("{}; other streams have none, their words are "
                                             "counted",
                                             last)}};
  }

  std::shared_ptr<const Layer> layer_;
  Ports p_;
};

}  // namespace

const Layer& inside(const Layer& layer) {
  const auto* wrapped = dynamic_cast<const AxiStreamLayer*>(&layer);
  return wrapped ? wrapped->inside() : layer;
}

bool wrap(std::shared_ptr<const Layer>& layer, ir::Family family, const ir::Limits& limits) {
  auto ports = layout_of(*layer, family, limits);
  if (is_enabled_pipeline(ports) && layer->clocks_of_set() > 0) {
    layer = as_flow(std::move(layer), ports);
    ports = flow_ports(ports).outer;
  }
  auto outer = wrapped_ports(ports);
  if (!outer) return false;
  layer = std::make_unique<AxiStreamLayer>(std::move(layer), std::move(*outer));
  return true;
}

}  // namespace kumiki::gen::axi_stream
