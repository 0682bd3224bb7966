// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/mutation/mutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "backends/sim/messages.h"
#include "backends/sim/native/machine.h"
#include "ir/activity.h"
#include "ir/check.h"

namespace kumiki::backends {
namespace {

using ir::Net;

// Bits of a parameter that a mutation may flip; a text parameter counts as the index of its choice.
unsigned parameter_bits(const ir::Cell& cell, const ir::Param& p) {
  if (p.type == ir::Param::Type::text) return p.choices.size() > 2 ? 2 : 1;
  if (p.type == ir::Param::Type::bits) return p.width;
  return cell.kind == ir::Kind::memory ? 0
                                       : 2;  // register counts; the shape of a memory is its type
}

void set(ir::Design& design, const Mutation& m, std::uint64_t value) {
  ir::Module& module = design.module(m.module);
  if (m.kind == Mutation::Kind::parameter_bit)
    module.mutable_params(m.cell)[m.index] = value;
  else
    module.mutable_inputs(m.cell)[m.index] = Net{static_cast<std::uint32_t>(value)};
}

class Picker {
 public:
  Picker(const ir::Design& design, std::uint64_t seed) : design_(design), random_(seed) {
    for (ir::ModuleId id : design.bottom_up()) {
      const ir::Module& m = design.module(id);
      for (std::uint32_t i = 0; i < m.cells().size(); ++i)
        if (m.cells()[i].kind != ir::Kind::instance) cells_.push_back({id, {i}});
    }
  }
  bool empty() const { return cells_.empty(); }

  Mutation next() {
    for (;;) {
      auto [id, cell] = cells_[below(cells_.size())];
      const ir::Module& m = design_.module(id);
      // In half of the cases, mutate the parameter (a LUT's table), otherwise a wire.
      bool parameter = below(2) == 0;
      if (parameter)
        if (auto found = of_parameter(m, cell)) return *found;
      if (auto found = of_input(m, cell)) return *found;
    }
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  std::optional<Mutation> of_parameter(const ir::Module& m, ir::CellId id) {
    const ir::Cell& cell = m.cell(id);
    auto params = m.params(cell);
    if (params.empty()) return {};
    auto index = static_cast<std::uint32_t>(below(params.size()));
    const ir::Param& p = ir::prototype(cell.kind).params[index];
    unsigned bits = parameter_bits(cell, p);
    if (bits == 0) return {};
    auto value = params[index], changed = value ^ std::uint64_t{1} << below(bits);
    if (p.type == ir::Param::Type::text && changed >= p.choices.size()) return {};
    return Mutation{Mutation::Kind::parameter_bit, m.id(), id, index, value, changed};
  }

  std::optional<Mutation> of_input(const ir::Module& m, ir::CellId id) {
    auto inputs = m.inputs(m.cell(id));
    auto index = static_cast<std::uint32_t>(below(inputs.size()));
    Net before = inputs[index];
    if (before == ir::net_open) return {};
    if (before.is_constant())
      return Mutation{
          Mutation::Kind::constant_input, m.id(), id, index, before.index, before.index ^ 1};
    if (const auto other = other_clock(m, before))
      return Mutation{Mutation::Kind::rewired_input, m.id(), id, index, before.index, other->index};
    Net after{
        static_cast<std::uint32_t>(ir::first_free_net + below(m.net_count() - ir::first_free_net))};
    if (after == before) return {};
    return Mutation{Mutation::Kind::rewired_input, m.id(), id, index, before.index, after.index};
  }

  // A clock pin of a module with two clocks may be connected to the wrong one.
  static std::optional<Net> other_clock(const ir::Module& m, Net net) {
    const ir::Port *slow = m.find_port(ir::clock_port), *fast = m.find_port(ir::fast_clock_port);
    if (!slow || !fast) return {};
    const Net a = m.port_nets(*slow)[0], b = m.port_nets(*fast)[0];
    return net == a ? std::optional(b) : net == b ? std::optional(a) : std::nullopt;
  }

  const ir::Design& design_;
  std::mt19937_64 random_;
  std::vector<std::pair<ir::ModuleId, ir::CellId>> cells_;
};

using Trace = std::vector<std::vector<ir::Frame>>;  // cycle, lane

bool equal(const ir::Frame& a, const ir::Frame& b, const ir::Frame& valid) {
  for (std::size_t l = 0; l < a.size(); ++l)
    if (((a[l] ^ b[l]) & valid[l]) != 0) return false;
  return true;
}

// The model's outputs for all runs, and which of their bits are valid.
struct Expected {
  Trace values, valid;
};

Expected expected_of(const std::function<std::unique_ptr<ir::Machine>()>& model,
                     const Trace& inputs) {
  Expected all{Trace(inputs.size(), std::vector<ir::Frame>(lane_count)), {}};
  all.valid = all.values;
  for (unsigned run = 0; run < lane_count; ++run) {
    auto reference = model();
    reference->power_up();
    for (std::size_t c = 0; c < inputs.size(); ++c) {
      ir::Frame& out = all.values[c][run];
      reference->step(inputs[c][run], out);
      const ir::Frame* valid = reference->valid_mask();
      all.valid[c][run] = valid ? *valid : ir::Frame(out.size(), ~std::uint64_t{0});
    }
  }
  return all;
}

// Runs all 64 runs of a design; stops after the first cycle that differs from `expected`.
bool agrees(const ir::Design& design, const Trace& inputs, const Expected& expected) {
  NativeMachines machines(design);
  machines.power_up();
  std::vector<ir::Frame> out(lane_count);
  for (std::size_t cycle = 0; cycle < inputs.size(); ++cycle) {
    machines.step(inputs[cycle], out);
    for (unsigned run = 0; run < lane_count; ++run)
      if (!equal(out[run], expected.values[cycle][run], expected.valid[cycle][run])) return false;
  }
  return true;
}

}  // namespace

std::string to_string(const ir::Design& design, const Mutation& mutation) {
  const ir::Module& m = design.module(mutation.module);
  const ir::Cell& cell = m.cell(mutation.cell);
  const ir::Prototype& proto = ir::prototype(cell.kind);
  std::string what;
  if (mutation.kind == Mutation::Kind::parameter_bit) {
    what = fmt::format("{} {:#x} becomes {:#x}", proto.params[mutation.index].name, mutation.before,
                       mutation.after);
  } else {
    std::uint32_t at = mutation.index, pin = 0;
    for (; at >= ir::pin_width(proto.inputs[pin], m.view(cell)); ++pin)
      at -= ir::pin_width(proto.inputs[pin], m.view(cell));
    auto net = [](std::uint64_t n) { return n < 2 ? std::to_string(n) : fmt::format("net {}", n); };
    what = fmt::format("{}[{}] {} becomes {}", proto.inputs[pin].name, at, net(mutation.before),
                       net(mutation.after));
  }
  return fmt::format("module {}: {} at {}: {}", m.name(), proto.name, to_string(cell.place), what);
}

void apply(ir::Design& design, const Mutation& mutation) { set(design, mutation, mutation.after); }

std::vector<Mutation> random_mutations(const ir::Design& design, std::size_t count,
                                       std::uint64_t seed) {
  Picker picker(design, seed);
  std::vector<Mutation> all;
  while (!picker.empty() && all.size() < count) all.push_back(picker.next());
  return all;
}

MutationResult try_mutations(ir::Design& design,
                             const std::function<std::unique_ptr<ir::Machine>()>& model,
                             const std::function<void(unsigned, std::size_t, ir::Frame&)>& stimulus,
                             const MutationOptions& options) {
  const auto ports = ir::layout(design.top());
  auto inputs_of = [&](std::size_t from, std::size_t cycles) {
    Trace all(cycles, std::vector<ir::Frame>(lane_count, ir::Frame(ports.input_limbs)));
    for (std::size_t c = 0; c < cycles; ++c)
      for (unsigned run = 0; run < lane_count; ++run) stimulus(run, from + c, all[c][run]);
    return all;
  };
  const Trace inputs = inputs_of(0, options.cycles);
  const Expected expected = expected_of(model, inputs);
  if (!agrees(design, inputs, expected))
    throw DesignError(code::netlist_differs,
                      "the netlist differs from its model even without a mutation");
  // From the beginning: a stimulus may be in the middle of a stream.
  Trace long_inputs = inputs;
  std::ranges::move(inputs_of(options.cycles, options.survivor_cycles),
                    std::back_inserter(long_inputs));
  const Expected long_expected = expected_of(model, long_inputs);

  MutationResult result;
  ir::Activity doing("changing single cells");
  for (const Mutation& m : random_mutations(design, options.count, options.seed)) {
    doing.at(fmt::format("{} of {}", ++result.tried, options.count));
    set(design, m, m.after);
    auto findings = ir::check(design, {.warnings = false});
    if (!findings.empty())
      ++result.by_check;
    else if (!agrees(design, inputs, expected))
      ++result.by_lockstep;
    else
      (agrees(design, long_inputs, long_expected) ? result.equivalent : result.missed).push_back(m);
    set(design, m, m.before);
  }
  return result;
}

}  // namespace kumiki::backends
