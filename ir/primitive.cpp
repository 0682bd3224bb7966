// SPDX-License-Identifier: Apache-2.0
#include "ir/primitive.h"

#include <array>
#include <unordered_map>

namespace kumiki::ir {
namespace {

const Prototype instance_prototype{.kind = Kind::instance, .name = "instance"};

using Prototypes = std::array<const Prototype*, kind_count>;

const Prototypes& prototypes() {
  static const Prototypes all = [] {
    Prototypes t{};
    auto put = [&](const Prototype& p) { t[static_cast<unsigned>(p.kind)] = &p; };
    put(instance_prototype);
    for (unsigned k = 1; k <= 6; ++k) put(lut_prototype(k));
    put(lut6_2_prototype());
    for (Kind k : {Kind::carry4, Kind::carry8}) put(carry_prototype(k));
    for (Kind k : {Kind::muxf7, Kind::muxf8}) put(muxf_prototype(k));
    for (Kind k : {Kind::fdre, Kind::fdse}) put(flop_prototype(k));
    for (Kind k : {Kind::srl16e, Kind::srlc32e}) put(shift_register_prototype(k));
    for (Kind k : {Kind::dsp48e1, Kind::dsp48e2}) put(dsp_prototype(k));
    put(uram288_prototype());
    put(memory_prototype());
    return t;
  }();
  return all;
}

}  // namespace

std::string_view family_name(Family family) {
  switch (family) {
    case Family::series7:
      return "7series";
    case Family::ultrascale:
      return "ultrascale";
    case Family::ultrascale_plus:
      return "ultrascale+";
  }
  return "";
}

bool family_from_name(std::string_view name, Family& family) {
  for (Family f : {Family::series7, Family::ultrascale, Family::ultrascale_plus})
    if (family_name(f) == name) return family = f, true;
  return false;
}

Cost& Cost::operator+=(const Cost& other) {
  luts += other.luts;
  lut_rams += other.lut_rams;
  ffs += other.ffs;
  carry_bits += other.carry_bits;
  muxes += other.muxes;
  dsps += other.dsps;
  brams_18k += other.brams_18k;
  urams += other.urams;
  return *this;
}

const Prototype& prototype(Kind kind) { return *prototypes()[static_cast<unsigned>(kind)]; }

const Prototype* find_prototype(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Prototype*> m;
    for (const Prototype* p : prototypes())
      if (p && p->kind != Kind::instance) m.emplace(p->name, p);
    return m;
  }();
  auto it = by_name.find(name);
  return it == by_name.end() ? nullptr : it->second;
}

std::vector<std::string_view> primitive_names() {
  std::vector<std::string_view> names;
  for (const Prototype* p : prototypes())
    if (p && p->kind != Kind::instance) names.push_back(p->name);
  return names;
}

std::uint32_t pin_width(const Pin& pin, const CellView& cell) {
  auto bits = pin.width_param < 0
                  ? pin.width
                  : static_cast<std::uint32_t>(cell.params[static_cast<unsigned>(pin.width_param)]);
  return pin.shared ? bits : bits * cell.width;
}

std::uint32_t total_width(std::span<const Pin> pins, const CellView& cell) {
  std::uint32_t sum = 0;
  for (const Pin& pin : pins) sum += pin_width(pin, cell);
  return sum;
}

std::optional<std::uint32_t> clock_input(Kind kind, const CellView& cell) {
  std::uint32_t at = 0;
  for (const Pin& pin : prototype(kind).inputs) {
    if (pin.clock) return at;
    at += pin_width(pin, cell);
  }
  return std::nullopt;
}

namespace {

struct PinTotals {
  std::uint32_t shared = 0, each = 0;  // nets of all elements together, and of every element
  bool by_param = false;
};

PinTotals totals_of(std::span<const Pin> pins) {
  PinTotals t;
  for (const Pin& pin : pins) {
    (pin.shared ? t.shared : t.each) += pin.width;
    t.by_param |= pin.width_param >= 0;
  }
  return t;
}

using AllTotals = std::array<PinTotals, kind_count>;

AllTotals all_totals(std::span<const Pin> Prototype::*pins) {
  AllTotals all;
  for (const Prototype* p : prototypes())
    if (p) all[static_cast<unsigned>(p->kind)] = totals_of(p->*pins);
  return all;
}

}  // namespace

std::uint32_t input_width(Kind kind, const CellView& cell) {
  static const AllTotals all = all_totals(&Prototype::inputs);
  const PinTotals& t = all[static_cast<unsigned>(kind)];
  return t.by_param ? total_width(prototype(kind).inputs, cell) : t.shared + t.each * cell.width;
}

std::uint32_t output_width(Kind kind, const CellView& cell) {
  static const AllTotals all = all_totals(&Prototype::outputs);
  const PinTotals& t = all[static_cast<unsigned>(kind)];
  return t.by_param ? total_width(prototype(kind).outputs, cell) : t.shared + t.each * cell.width;
}

}  // namespace kumiki::ir
