// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/placement.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "backends/emit/project/paths.h"
#include "backends/support/tool.h"
#include "ir/arch.h"
#include "ir/primitives/dsp48e2_pins.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

using ir::Kind;

constexpr std::uint32_t none = ~0u;

// The first nets of a wire between neighbours, as indices among the outputs and inputs of their
// cells. The design's checks ensure that a cascade is whole and in order.
struct Wire {
  std::uint32_t output, input;
};

std::uint32_t start_of(std::span<const ir::Pin> pins, std::string_view name) {
  std::uint32_t start = 0;
  for (const ir::Pin& p : pins) {
    if (p.name == name) return start;
    start += p.width;
  }
  throw std::logic_error(fmt::format("a primitive has no pin {}", name));
}

std::vector<Wire> wires_of(Kind kind) {
  const ir::Prototype& cell = ir::prototype(kind);
  const auto wire = [&](std::string_view output, std::string_view input, std::uint32_t bit = 0) {
    return Wire{start_of(cell.outputs, output) + bit, start_of(cell.inputs, input)};
  };
  if (kind == Kind::carry4) return {wire("CO", "CI", 3)};
  if (kind == Kind::carry8) return {wire("CO", "CI", 7)};
  std::vector<Wire> all;
  for (const auto& [output, input] : ir::dsp_cascades) all.push_back(wire(output, input));
  return all;
}

// Cells of one kind, and their vertical order.
class Stack {
 public:
  Stack(const native::Flat& flat, Kind kind) : flat_(flat), wires_(wires_of(kind)) {
    for (const native::FlatCell& c : flat.cells)
      if (flat.cell(c).kind == kind) add(c);
    find_below();
    find_above();
  }

  void take_columns(bool is_dsp, std::vector<Column>& out) const {
    for (std::uint32_t i = 0; i < cells_.size(); ++i) {
      if (below_[i] != none || above_[i] == none) continue;
      Column column{.is_dsp = is_dsp, .cells = {}};
      for (auto at = i; at != none; at = above_[at]) column.cells.push_back(cells_[at]);
      out.push_back(std::move(column));
    }
  }

 private:
  void add(native::FlatCell c) {
    for (const Wire& w : wires_)
      driving_.emplace(flat_.output(c) + w.output, static_cast<std::uint32_t>(cells_.size()));
    cells_.push_back(c);
  }

  void find_below() {
    for (const native::FlatCell& c : cells_) {
      const auto inputs = flat_.module(c).inputs(flat_.cell(c));
      auto below = none;
      for (const Wire& w : wires_) {
        const auto from = driving_.find(flat_.driver_of(flat_.scopes[c.scope], inputs[w.input]));
        if (from != driving_.end() && flat_.output(cells_[from->second]) + w.output == from->first)
          below = from->second;
      }
      below_.push_back(below);
    }
  }

  // A carry into two blocks reaches one of them through the fabric, and Vivado decides which. So
  // neither is placed.
  void find_above() {
    std::vector<unsigned> readers(cells_.size());
    for (auto below : below_)
      if (below != none) ++readers[below];
    above_.assign(cells_.size(), none);
    for (std::uint32_t i = 0; i < cells_.size(); ++i) {
      if (below_[i] != none && readers[below_[i]] > 1) below_[i] = none;
      if (below_[i] != none) above_[below_[i]] = i;
    }
  }

  const native::Flat& flat_;
  std::vector<Wire> wires_;
  std::vector<native::FlatCell> cells_;
  std::unordered_map<std::uint32_t, std::uint32_t> driving_;  // by the driven net
  std::vector<std::uint32_t> below_, above_;                  // by cell
};

}  // namespace

std::vector<Column> find_columns(const native::Flat& flat) {
  std::vector<Column> columns;
  Stack(flat, ir::arch::of(flat.design->family()).dsp.kind).take_columns(true, columns);
  // If a slice has eight positions, Vivado turns two CARRY4 into one CARRY8, so no CARRY4 remains
  // to be placed.
  const bool has_carry4 = flat.design->family() == ir::Family::series7;
  Stack(flat, has_carry4 ? Kind::carry4 : Kind::carry8).take_columns(false, columns);
  return columns;
}

std::string write_placement(const ir::Names& names) {
  const native::Flat flat = native::flatten(names.design());
  const Paths paths(names, flat);
  const auto top = names.module(names.design().top_id());
  std::array<unsigned, 2> count{};
  std::string macros;
  for (const Column& column : find_columns(flat)) {
    const auto name =
        fmt::format("{}_{}_{}", top, column.is_dsp ? "dsp" : "carry", count[column.is_dsp]++);
    macros += fmt::format("create_macro {0}\nupdate_macro {0} {{\n", name);
    unsigned y = 0;
    for (const native::FlatCell& c : column.cells)
      macros += fmt::format("  {} X0Y{}\n", paths.of(c.scope, c.id), y++);
    macros += "}\n";
  }
  if (macros.empty()) macros = "# There are none.\n";
  macros.pop_back();
  return fill(templates::text("project/placement.xdc.in"),
              {{"TOP", std::string(top)}, {"MACROS", macros}});
}

}  // namespace kumiki::backends
