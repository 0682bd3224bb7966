// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/native/simulator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/sim/messages.h"
#include "backends/sim/native/engine.h"
#include "backends/support/flat/flatten.h"
#include "ir/activity.h"

namespace kumiki::backends {

using ir::Lanes;

struct NativeSimulator::Inside {
  // Set until the members are constructed.
  std::optional<ir::Activity> compiling{std::in_place, "compiling the simulator"};
  native::Flat flat;
  native::Engine engine;
  bool is_settled = false;

  Inside(native::Flat f, native::LookUps look_ups)
      : flat(std::move(f)), engine(native::compile(flat), look_ups) {
    flat.driver = {};  // the program has the slots
    compiling.reset();
  }
  const native::Program& program() const { return engine.program(); }
  // Without a fast clock this is the slot of the constant 0.
  bool is_second_half() const { return engine.slots()[program().half_slot] != 0; }
  Lanes* input_bits(unsigned port) {
    if (is_second_half())
      throw DesignError(code::late_input,
                        fmt::format("input {} changes after an output of this clock was read: the "
                                    "fast clock has taken it",
                                    program().ports.inputs.at(port).name));
    is_settled = false;
    return engine.slots() + program().input_slot.at(port);
  }
  void settle() {
    if (program().half_slot != 0 && !is_second_half()) enter_second_half();
    settle_half();
  }
  void settle_half() {
    if (!is_settled) engine.settle();
    is_settled = true;
  }
  void enter_second_half() {
    settle_half();
    engine.clock();
    set_half(true);
  }
  void set_half(bool second) {
    engine.set_half(second);
    is_settled = false;
  }
};

namespace {

unsigned find(const std::vector<ir::PortSlot>& ports, std::string_view name, const char* kind) {
  for (unsigned i = 0; i < ports.size(); ++i)
    if (ports[i].name == name) return i;
  std::vector<std::string_view> names;
  for (auto& p : ports) names.push_back(p.name);
  throw DesignError(code::unknown_port, fmt::format("unknown {} port {}; use one of [{}]", kind,
                                                    name, fmt::join(names, ", ")));
}

void check_width(const ir::PortSlot& port, std::size_t got) {
  if (port.width != got)
    throw DesignError(code::port_width, fmt::format("port {} has {} bits, but {} are given",
                                                    port.name, port.width, got));
}

void check_one_limb(const ir::PortSlot& port) {
  if (port.width > 64)
    throw DesignError(
        code::port_width,
        fmt::format("port {} has {} bits: values of more than 64 bits go in frames or bit slices",
                    port.name, port.width));
}

void check_lanes(std::size_t frames) {
  if (frames > lane_count)
    throw DesignError(code::lane_range,
                      fmt::format("there are {} frames for {} lanes", frames, lane_count));
}

// The bits of one limb of a port.
std::uint32_t limb_bits(const ir::PortSlot& port, std::uint32_t limb) {
  return std::min(64u, port.width - 64 * limb);
}

}  // namespace

NativeSimulator::NativeSimulator(const ir::Design& design, NativeOptions options)
    : inside_(std::make_unique<Inside>(
          native::flatten(design),
          options.portable ? native::portable_look_ups() : native::fastest_look_ups())) {}
NativeSimulator::~NativeSimulator() = default;
NativeSimulator::NativeSimulator(NativeSimulator&&) noexcept = default;
NativeSimulator& NativeSimulator::operator=(NativeSimulator&&) noexcept = default;

const ir::PortLayout& NativeSimulator::ports() const { return inside_->program().ports; }
unsigned NativeSimulator::input(std::string_view name) const {
  return find(ports().inputs, name, "input");
}
unsigned NativeSimulator::output(std::string_view name) const {
  return find(ports().outputs, name, "output");
}

void NativeSimulator::set_bits(unsigned input, std::span<const Lanes> bits) {
  check_width(ports().inputs.at(input), bits.size());
  std::copy(bits.begin(), bits.end(), inside_->input_bits(input));
}

void NativeSimulator::get_bits(unsigned output, std::span<Lanes> bits) {
  check_width(ports().outputs.at(output), bits.size());
  settle();
  auto& slots = inside_->program().output_slots[output];
  for (std::size_t b = 0; b < bits.size(); ++b) bits[b] = inside_->engine.slots()[slots[b]];
}

void NativeSimulator::set(unsigned input, unsigned lane, std::uint64_t value) {
  auto& port = ports().inputs.at(input);
  check_one_limb(port);
  Lanes* bits = inside_->input_bits(input);
  for (std::uint32_t b = 0; b < port.width; ++b)
    bits[b] = (bits[b] & ~(Lanes{1} << lane)) | (value >> b & 1) << lane;
}

void NativeSimulator::set_all(unsigned input, std::uint64_t value) {
  auto& port = ports().inputs.at(input);
  check_one_limb(port);
  Lanes* bits = inside_->input_bits(input);
  for (std::uint32_t b = 0; b < port.width; ++b) bits[b] = all_lanes(value >> b & 1);
}

void NativeSimulator::set_each(unsigned input, std::span<const std::uint64_t, lane_count> values) {
  auto& port = ports().inputs.at(input);
  check_one_limb(port);
  slice(values, {inside_->input_bits(input), port.width});
}

std::uint64_t NativeSimulator::get(unsigned output, unsigned lane) {
  check_one_limb(ports().outputs.at(output));
  settle();
  std::uint64_t value = 0;
  auto& slots = inside_->program().output_slots[output];
  for (std::size_t b = 0; b < slots.size(); ++b)
    value |= (inside_->engine.slots()[slots[b]] >> lane & 1) << b;
  return value;
}

void NativeSimulator::get_each(unsigned output, std::span<std::uint64_t, lane_count> values) {
  auto& port = ports().outputs.at(output);
  check_one_limb(port);
  std::array<Lanes, 64> bits;
  get_bits(output, std::span(bits).first(port.width));
  unslice(std::span(bits).first(port.width), values);
}

void NativeSimulator::set_frame(const ir::Frame& in) {
  for (unsigned i = 0; i < ports().inputs.size(); ++i) {
    auto& port = ports().inputs[i];
    Lanes* bits = inside_->input_bits(i);
    for (std::uint32_t b = 0; b < port.width; ++b)
      bits[b] = all_lanes(in[port.limb + b / 64] >> (b % 64) & 1);
  }
}

void NativeSimulator::set_frames(std::span<const ir::Frame> in) {
  check_lanes(in.size());
  std::array<std::uint64_t, lane_count> values{};
  for (unsigned i = 0; i < ports().inputs.size(); ++i) {
    auto& port = ports().inputs[i];
    Lanes* bits = inside_->input_bits(i);
    for (std::uint32_t limb = 0; limb < port.limbs(); ++limb) {
      for (std::size_t lane = 0; lane < in.size(); ++lane)
        values[lane] = in[lane][port.limb + limb];
      slice(values, {bits + 64 * limb, limb_bits(port, limb)});
    }
  }
}

void NativeSimulator::get_frame(ir::Frame& out, unsigned lane) {
  settle();
  out.assign(ports().output_limbs, 0);
  for (unsigned i = 0; i < ports().outputs.size(); ++i) {
    auto& slots = inside_->program().output_slots[i];
    for (std::size_t b = 0; b < slots.size(); ++b)
      out[ports().outputs[i].limb + b / 64] |= (inside_->engine.slots()[slots[b]] >> lane & 1)
                                               << (b % 64);
  }
}

void NativeSimulator::get_frames(std::span<ir::Frame> out) {
  check_lanes(out.size());
  settle();
  for (auto& frame : out) frame.resize(ports().output_limbs);
  std::array<std::uint64_t, lane_count> values;
  std::array<Lanes, 64> bits;
  for (unsigned i = 0; i < ports().outputs.size(); ++i) {
    auto& port = ports().outputs[i];
    auto& slots = inside_->program().output_slots[i];
    for (std::uint32_t limb = 0; limb < port.limbs(); ++limb) {
      auto width = limb_bits(port, limb);
      for (std::uint32_t b = 0; b < width; ++b)
        bits[b] = inside_->engine.slots()[slots[64 * limb + b]];
      unslice(std::span(bits).first(width), values);
      for (std::size_t lane = 0; lane < out.size(); ++lane)
        out[lane][port.limb + limb] = values[lane];
    }
  }
}

void NativeSimulator::power_up() {
  inside_->engine.power_up();
  inside_->is_settled = false;
}

void NativeSimulator::settle() { inside_->settle(); }

void NativeSimulator::clock() {
  settle();
  inside_->engine.clock();
  inside_->is_settled = false;
  if (inside_->is_second_half()) inside_->set_half(false);
}

void NativeSimulator::step(std::uint64_t cycles) {
  for (; cycles > 0; --cycles) clock();
}

const ir::Module& NativeSimulator::module(NativeScope scope) const {
  return inside_->flat.module(inside_->flat.scopes.at(scope.index));
}

NativeScope NativeSimulator::child(NativeScope scope, ir::CellId instance) const {
  auto& flat = inside_->flat;
  const native::Scope* found = flat.child(flat.scopes.at(scope.index), instance);
  if (!found)
    throw DesignError(code::unknown_instance,
                      fmt::format("cell {} of module {} is not an instance of a module",
                                  instance.value, module(scope).name()));
  return {static_cast<std::uint32_t>(found - flat.scopes.data())};
}

NativeScope NativeSimulator::scope(std::span<const ir::CellId> path) const {
  NativeScope at;
  for (ir::CellId id : path) at = child(at, id);
  return at;
}

NativeScope NativeSimulator::scope(std::string_view path) const {
  auto& flat = inside_->flat;
  NativeScope at;
  while (!path.empty()) {
    auto name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    const native::Scope& here = flat.scopes[at.index];
    auto children = std::span(flat.scopes).subspan(here.first_child, here.child_count);
    auto it = std::find_if(children.begin(), children.end(), [&](const native::Scope& s) {
      return native::own_name(flat, s) == name;
    });
    if (it == children.end())
      throw DesignError(code::unknown_instance,
                        fmt::format("module {} has no instance {}", module(at).name(), name));
    at.index = static_cast<std::uint32_t>(&*it - flat.scopes.data());
  }
  return at;
}

std::string NativeSimulator::path(NativeScope scope) const {
  return inside_->flat.path(scope.index);
}

std::string NativeSimulator::name(NativeScope scope) const {
  auto& flat = inside_->flat;
  return scope.index == 0 ? std::string() : native::own_name(flat, flat.scopes.at(scope.index));
}

NativeScope NativeSimulator::parent(NativeScope scope) const {
  return {inside_->flat.scopes.at(scope.index).parent};
}

std::vector<NativeScope> NativeSimulator::children(NativeScope scope) const {
  const native::Scope& s = inside_->flat.scopes.at(scope.index);
  std::vector<NativeScope> all;
  for (std::uint32_t i = 0; i < s.child_count; ++i) all.push_back({s.first_child + i});
  return all;
}

NativeProbe NativeSimulator::probe(NativeScope scope, ir::Net net) const {
  auto& flat = inside_->flat;
  return {inside_->program().net_slot.at(flat.net(flat.scopes.at(scope.index), net))};
}

bool NativeSimulator::has_fast_clock() const { return inside_->program().half_slot != 0; }

Lanes NativeSimulator::read_first_half(NativeProbe probe) {
  if (inside_->is_second_half())
    throw DesignError(code::late_input,
                      "the first half of this clock is over: it is read before any output");
  inside_->settle_half();
  return inside_->engine.slots()[probe.slot];
}

Lanes NativeSimulator::read(NativeProbe probe) {
  settle();
  return inside_->engine.slots()[probe.slot];
}

Lanes NativeSimulator::peek(NativeScope scope, ir::Net net) {
  NativeProbe where = probe(scope, net);
  if (!where.is_driven())
    throw DesignError(code::undriven, fmt::format("net {} of module {} is driven by nothing",
                                                  net.index, module(scope).name()));
  return read(where);
}

NativeSize NativeSimulator::size() const {
  auto& p = inside_->program();
  NativeSize size;
  for (native::FlatCell c : inside_->flat.cells) size.cells += inside_->flat.cell(c).width;
  for (auto& b : p.batches) size.operations += b.count;
  size.levels = p.levels;
  size.bytes = inside_->engine.bytes();
  return size;
}

}  // namespace kumiki::backends
