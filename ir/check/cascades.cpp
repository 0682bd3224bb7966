// SPDX-License-Identifier: Apache-2.0
// Checks the dedicated wires between a DSP slice and the one above it in its column. A cascade
// output drives the same input of one slice, whole and in order, and nothing else. All cascades
// into a slice come from one slice, all cascades out of it go to one slice. A column is no ring,
// and no higher than the device's columns.
//
// Slices are checked in the tree of instances, because a column may run through the ports of
// modules. A mistake inside a module is reported once, not for every placement.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "ir/arch.h"
#include "ir/check/flat.h"
#include "ir/label.h"
#include "ir/primitives/dsp48e2_pins.h"

namespace kumiki::ir::checking {
namespace {

constexpr std::uint32_t none = 0xffff'ffff;

// A kind of cascade: the positions of its pins among the nets of a slice.
struct Cascade {
  std::string_view output, input;
  std::uint32_t out_start = 0, in_start = 0, width = 0;
  Tie tie = Tie::open;
};

std::vector<Cascade> cascades_of(const Prototype& dsp) {
  std::vector<Cascade> found;
  for (const auto& [output, input] : dsp_cascades) {
    Cascade c{output, input};
    auto start_of = [](std::span<const ir::Pin> pins, std::string_view name) {
      std::uint32_t start = 0;
      for (const ir::Pin& p : pins) {
        if (p.name == name) return start;
        start += p.width;
      }
      return none;
    };
    c.out_start = start_of(dsp.outputs, output);
    c.in_start = start_of(dsp.inputs, input);
    for (const ir::Pin& p : dsp.inputs)
      if (p.name == input) c.width = p.width, c.tie = p.tie;
    if (c.out_start != none && c.in_start != none) found.push_back(c);
  }
  return found;
}

class CascadeCheck {
 public:
  explicit CascadeCheck(Checker& k) : k_(k), flat_(k), slice_(arch::of(k.design().family()).dsp) {}
  void run();

 private:
  struct Slice {
    Flat::ContextId context;
    std::uint32_t cell;
    std::uint32_t below = none, above = none;
    std::uint8_t by_below = 0, by_above = 0;  // the kind of cascade that set each
  };

  void find_slices();
  void collect(Flat::ContextId context);
  std::uint32_t slice_of(const Flat::Pin& pin) const;
  const Cell& cell(const Slice& s) const { return flat_.module(s.context).cells()[s.cell]; }
  std::string label(const Slice& s) {
    return fmt::format("{}{}{}", flat_.where(s.context),
                       cell_label(flat_.module(s.context), cell(s)), at(cell(s).place));
  }
  void complain(const Slice& s, unsigned topic, Code code, std::string text);
  bool is_unused(const Cascade& c, std::span<const Net> nets) const;
  void check_input(std::uint32_t slice, unsigned kind);
  void check_output(std::uint32_t slice, unsigned kind);
  void link(std::uint32_t below, std::uint32_t above, unsigned kind);
  void check_columns();
  std::string name(unsigned kind, bool output) const {
    return std::string(output ? cascades_[kind].output : cascades_[kind].input);
  }

  Checker& k_;
  Flat flat_;
  const arch::DspSlice& slice_;  // of the family; others are refused
  std::vector<Cascade> cascades_;
  std::vector<Slice> slices_;  // the slices of a context are neighbours
  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // by context and cell
  std::set<std::array<std::uint32_t, 3>> said_;             // module, cell, topic
};

void CascadeCheck::run() {
  find_slices();
  if (slices_.empty()) return;
  cascades_ = cascades_of(prototype(slice_.kind));
  for (std::uint32_t s = 0; s < slices_.size(); ++s)
    for (unsigned kind = 0; kind < cascades_.size(); ++kind) check_input(s, kind);
  for (std::uint32_t s = 0; s < slices_.size(); ++s)
    for (unsigned kind = 0; kind < cascades_.size(); ++kind) check_output(s, kind);
  check_columns();
}

void CascadeCheck::find_slices() {
  const Design& d = k_.design();
  for (std::uint32_t i = 0; i < d.module_count(); ++i)
    if (k_.facts(ModuleId{i}).holds_slices && k_.is_root(d.module({i})))
      collect(flat_.add_root({i}));
}

void CascadeCheck::collect(Flat::ContextId context) {
  const Module& m = flat_.module(context);
  for (std::uint32_t i = 0; i < m.cells().size(); ++i) {
    const Cell& c = m.cells()[i];
    if (c.kind == slice_.kind) {
      index_.emplace(std::uint64_t{context} << 32 | i, slices_.size());
      slices_.push_back({context, i});
    } else if (c.kind == Kind::instance && k_.facts(ModuleId{c.params}).holds_slices) {
      collect(flat_.child(context, i));
    }
  }
}

std::uint32_t CascadeCheck::slice_of(const Flat::Pin& pin) const {
  if (pin.is_port) return none;
  auto it = index_.find(std::uint64_t{pin.context} << 32 | pin.cell);
  return it == index_.end() ? none : it->second;
}

void CascadeCheck::complain(const Slice& s, unsigned topic, Code code, std::string text) {
  const Module& m = flat_.module(s.context);
  if (!said_.insert({m.id().value, s.cell, topic}).second || !k_.report().wants(code)) return;
  k_.report().add(code, m, cell(s).place, std::move(text));
}

bool CascadeCheck::is_unused(const Cascade& c, std::span<const Net> nets) const {
  return std::ranges::all_of(
      nets, [&](Net n) { return n == net_open || (c.tie == Tie::zero && n == net_zero); });
}

void CascadeCheck::check_input(std::uint32_t slice, unsigned kind) {
  const Cascade& c = cascades_[kind];
  const Slice& s = slices_[slice];
  const Module& m = flat_.module(s.context);
  auto nets = m.inputs(cell(s)).subspan(c.in_start, c.width);
  if (is_unused(c, nets)) return;
  std::uint32_t below = none;
  for (std::uint32_t i = 0; i < c.width; ++i) {
    auto from = flat_.source(s.context, nets[i]);
    auto driver = from ? slice_of(*from) : none;
    if (driver != none && (i == 0 || driver == below) && from->offset == c.out_start + i) {
      below = driver;
      continue;
    }
    return complain(
        s, kind, code::cascade_wiring,
        fmt::format(
            "{}: pin {} is {}; it must be {} of one {}, whole and in order, or open", label(s),
            input_label(m, cell(s), c.in_start + i),
            from ? "driven by " + flat_.describe(*from, true) : "on " + net_label(m, nets[i]),
            name(kind, true), slice_.name));
  }
  link(below, slice, kind);
}

void CascadeCheck::link(std::uint32_t below, std::uint32_t above, unsigned kind) {
  Slice &low = slices_[below], &high = slices_[above];
  if (high.below == none)
    high.below = below, high.by_below = static_cast<std::uint8_t>(kind);
  else if (high.below != below)
    complain(
        high, 10 + kind, code::cascade_wiring,
        fmt::format("{}: {} comes from {}, but {} from {}: all cascades into a slice come from "
                    "the slice below it",
                    label(high), name(high.by_below, false), label(slices_[high.below]),
                    name(kind, false), label(low)));
  if (low.above == none)
    low.above = above, low.by_above = static_cast<std::uint8_t>(kind);
  else if (low.above != above && low.by_above != kind)  // else: reported as read twice
    complain(low, 20 + kind, code::cascade_wiring,
             fmt::format("{}: {} goes to {}, but {} to {}: all cascades out of a slice go to the "
                         "slice above it",
                         label(low), name(low.by_above, true), label(slices_[low.above]),
                         name(kind, true), label(high)));
}

void CascadeCheck::check_output(std::uint32_t slice, unsigned kind) {
  const Cascade& c = cascades_[kind];
  const Slice& s = slices_[slice];
  const Module& m = flat_.module(s.context);
  for (std::uint32_t i = 0; i < c.width; ++i) {
    Net net{cell(s).out.index + c.out_start + i};
    std::optional<Flat::Pin> first;
    flat_.for_each_reader(s.context, net, [&](const Flat::Pin& to) {
      auto pin = [&] { return output_label(m, cell(s), c.out_start + i); };
      bool cascade =
          slice_of(to) != none && to.offset >= c.in_start && to.offset < c.in_start + c.width;
      if (!cascade)
        complain(s, 30 + kind, code::cascade_wiring,
                 fmt::format("{}: pin {} drives {}; {} of the slice above is all it may drive",
                             label(s), pin(), flat_.describe(to, false), name(kind, false)));
      else if (first && slice_of(*first) != slice_of(to))
        complain(s, 40 + kind, code::cascade_wiring,
                 fmt::format("{}: pin {} drives {} and {}; one slice stands above", label(s), pin(),
                             flat_.describe(*first, false), flat_.describe(to, false)));
      else
        first = to;
    });
  }
}

void CascadeCheck::check_columns() {
  std::vector<std::uint8_t> seen(slices_.size());
  auto limit = k_.options().cascade_height;
  // A slice with two slices above it was already refused. `above` is followed only if `below`
  // agrees, so that no slice is in two columns.
  auto next = [&](std::uint32_t s) {
    auto up = slices_[s].above;
    return up != none && slices_[up].below == s ? up : none;
  };
  auto starts = [&](std::uint32_t s) {
    auto below = slices_[s].below;
    return below == none || next(below) != s;
  };
  for (std::uint32_t s = 0; s < slices_.size(); ++s) {
    if (!starts(s)) continue;
    std::uint32_t height = 0, last = s;
    for (auto at = s; at != none; at = next(at)) seen[at] = 1, last = at, ++height;
    if (limit != 0 && height > limit)
      complain(slices_[s], 50, code::cascade_height,
               fmt::format("{}: a column of {} slices begins here and ends with {}, but the target "
                           "has {}; break it and enter again through C",
                           label(slices_[s]), height, label(slices_[last]), limit));
  }
  for (std::uint32_t s = 0; s < slices_.size(); ++s) {
    if (seen[s]) continue;
    std::uint32_t length = 0;
    for (auto at = s; !seen[at]; at = next(at)) seen[at] = 1, ++length;
    complain(slices_[s], 51, code::cascade_wiring,
             fmt::format("{}: cascades run in a ring of {} slices; a column has a lowest one",
                         label(slices_[s]), length));
  }
}

}  // namespace

void check_cascades(Checker& k) { CascadeCheck(k).run(); }

}  // namespace kumiki::ir::checking
