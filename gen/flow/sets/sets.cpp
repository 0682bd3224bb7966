// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sets/sets.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "backends/sim/native/machine.h"
#include "gen/config/array_file.h"
#include "gen/flow/messages.h"
#include "gen/flow/usage.h"
#include "ir/check.h"
#include "ir/interrupt.h"
#include "ir/limits.h"

namespace kumiki::flow {
namespace {

// `constrain` may do more than restrict: requant aims at corners. A restriction leaves its own
// results unchanged.
bool is_restriction(const gen::Layer& layer, const ir::PortLayout& ports) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 32; ++i) {
    ir::Frame once(ports.input_limbs);
    for (const ir::PortSlot& p : ports.inputs)
      for (std::uint32_t l = 0; l < p.limbs(); ++l)
        once[p.limb + l] = random() >> (l + 1 < p.limbs() ? 0 : (64 - p.width % 64) % 64);
    layer.constrain(once);
    ir::Frame twice = once;
    layer.constrain(twice);
    if (once != twice) return false;
  }
  return true;
}

Sets::Arrays room(const std::vector<Operand>& operands, std::size_t count) {
  Sets::Arrays all;
  for (const Operand& o : operands) all.emplace_back(o.size() * count);
  return all;
}

std::string place_in(const Operand& o, std::size_t number) {
  return o.shape.empty() ? std::string() : gen::config::place_in(o.shape, number);
}

// How long a layer may neither show nor take anything.
std::int64_t patience(const gen::Layer& layer) {
  const gen::Facts facts = layer.facts();
  return 100'000 + 4 * (facts.latency.value_or(0) + (facts.frame ? facts.frame->clocks : 0));
}

constexpr std::int64_t looks_every = 256;  // clocks between checks for Ctrl-C

}  // namespace

Sets::Sets(const gen::NamedLayer& layer, ir::Family family, const ir::Limits& limits)
    : layer_(layer), builder_(family, limits) {
  const ir::Module& top = layer_.layer->build(builder_, layer_.origin);
  builder_.design().set_top(top.id());
  ir::require_few_cells(builder_.design());
  ir::require_legal(builder_.design());
  shape_ = shape_of_sets(layer_, ir::layout(top));
  restricts_ = is_restriction(*layer_.layer, shape_.ports);
}

void Sets::require_numbers(const Arrays& in, std::size_t count) const {
  for (std::size_t i = 0; i < shape_.in.size(); ++i) {
    const Operand& o = shape_.in[i];
    for (std::size_t at = 0; at < in[i].size(); ++at) {
      const gen::arith::Interval legal = o.formats[at % o.size()].range();
      if (legal.contains(in[i][at])) continue;
      throw UsageError(
          code::image_range,
          fmt::format("{}: set {} of {}, number {}{} is {}, but {} holds {}", layer_.name,
                      at / o.size(), count, o.name, place_in(o, at % o.size()), in[i][at], o.name,
                      to_string(legal)));
    }
  }
}

void Sets::require_legal(const ir::Frame& in, std::size_t set) const {
  if (!restricts_) return;
  ir::Frame legal = in;
  layer_.layer->constrain(legal);
  if (legal == in) return;
  throw UsageError(code::image_range,
                   fmt::format("{}: set {} has numbers that this layer was not planned for; give "
                               "operands within the ranges of its plan",
                               layer_.name, set));
}

Sets::Arrays Sets::on_model(const Arrays& in, std::size_t count, const Progress& progress) const {
  require_numbers(in, count);
  Arrays out = room(shape_.out, count);
  SetHost host(shape_, in, out, 0, count);
  const auto model = layer_.layer->model();
  model->power_up();
  const std::int64_t most_idle = patience(*layer_.layer);
  ir::Frame frame(shape_.ports.input_limbs), shown;
  for (std::int64_t clock = 0; !host.is_through(); ++clock) {
    if (clock % looks_every == 0) {
      ir::stop_if_interrupted();
      if (progress) progress(host.sets_done());
    }
    host.drive(frame);
    if (const auto set = host.set_driven()) require_legal(frame, *set);
    model->step(frame, shown);
    host.watch(frame, shown);
    if (host.idle() > most_idle)
      throw DesignError(
          code::pipeline_stops,
          fmt::format("{}: nothing moved for {} clocks of its model", layer_.name, most_idle));
  }
  return out;
}

Sets::Arrays Sets::on_netlist(const Arrays& in, std::size_t count, const Progress& progress) const {
  const Arrays wanted = on_model(in, count, progress);
  Arrays out = room(shape_.out, count);
  constexpr std::size_t lanes = ir::LaneMachine::lanes;
  const std::size_t of_lane = (count + lanes - 1) / lanes;
  std::vector<SetHost> hosts;
  for (std::size_t first = 0; first < count; first += of_lane)
    hosts.emplace_back(shape_, in, out, first, std::min(of_lane, count - first));
  backends::NativeMachines netlist(builder_.design());
  netlist.power_up();
  const std::int64_t most_idle = patience(*layer_.layer);
  std::vector<ir::Frame> frames(lanes, ir::Frame(shape_.ports.input_limbs)), shown(lanes);
  const auto is_through = [&] { return std::ranges::all_of(hosts, &SetHost::is_through); };
  for (std::int64_t clock = 0; !is_through(); ++clock) {
    if (clock % looks_every == 0) ir::stop_if_interrupted();
    for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i].drive(frames[i]);
    netlist.step(frames, shown);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      hosts[i].watch(frames[i], shown[i]);
      if (!hosts[i].is_through() && hosts[i].idle() > most_idle)
        throw DesignError(
            code::pipeline_stops,
            fmt::format("{}: nothing moved for {} clocks of its netlist", layer_.name, most_idle));
    }
  }
  for (std::size_t o = 0; o < out.size(); ++o)
    for (std::size_t at = 0; at < out[o].size(); ++at)
      if (out[o][at] != wanted[o][at]) {
        const Operand& result = shape_.out[o];
        throw DesignError(
            code::result_differs,
            fmt::format("{}: set {}, {}{} is {} on the netlist, {} by the model", layer_.name,
                        at / result.size(), result.name, place_in(result, at % result.size()),
                        out[o][at], wanted[o][at]));
      }
  return out;
}

}  // namespace kumiki::flow
