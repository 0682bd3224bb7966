// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/scope.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gen/hdl/merge.h"
#include "gen/hdl/messages.h"
#include "ir/machine.h"

namespace kumiki::gen {

std::string Builder::free_module_name(std::string_view wish) const {
  std::string name(wish);
  for (unsigned n = 2; design_.find_module(name); ++n) name = fmt::format("{}_{}", wish, n);
  return name;
}

Net Scope::clock_of(std::string_view port, Net& known) {
  if (known != ir::net_open) return known;
  const ir::Port* p = module_.find_port(port);
  return known = p ? module_.port_nets(*p)[0] : module_.add_input(port, 1);
}

Net Scope::clk() {
  const Net slow = clock_of(ir::clock_port, clock_);
  return is_fast_ ? fast_clk() : slow;
}

// A module with clk2x also has clk.
Net Scope::fast_clk() {
  clock_of(ir::clock_port, clock_);
  return clock_of(ir::fast_clock_port, fast_clock_);
}

// A flip-flop on clk changes at every edge, and a register on the fast clock copies it one fast
// period later. So the two differ in the first half and agree in the second one, whichever edge
// comes first after power-up.
Net Scope::half_register(std::uint64_t table, Net& compared) {
  const PlaceId here = at(SourceLocation::current());
  const auto on_fast = [&](Net d, bool one) {
    const ir::CellId made =
        module_.add_cell(one ? ir::Kind::fdse : ir::Kind::fdre, 1,
                         std::array{fast_clock_, ir::net_one, d, ir::net_zero}, {}, here);
    module_.set_crossing(made, ir::Crossing::each);
    return module_.cell(made).out;
  };
  if (toggle_ == ir::net_open) {
    fast_clk();
    const Net inverted = module_.fresh_nets(1);
    toggle_ =
        cell(ir::Kind::fdre, 1, std::array{clock_, ir::net_one, inverted, ir::net_zero}, {}, here);
    const std::uint64_t invert = 1;
    module_.add_cell_driving(inverted, ir::Kind::lut1, 1, std::span(&toggle_, 1),
                             std::span(&invert, 1), here);
    seen_ = on_fast(toggle_, true);
  }
  if (compared == ir::net_open)
    compared = cell(ir::Kind::lut2, 1, std::array{toggle_, seen_}, std::span(&table, 1), here);
  return on_fast(compared, table == in_first_half);
}

Net Scope::phase() {
  if (phase_ == ir::net_open) phase_ = half_register(in_second_half, compared_[0]);
  return phase_;
}
Net Scope::first_half() {
  if (first_half_ == ir::net_open) first_half_ = half_register(in_first_half, compared_[1]);
  return first_half_;
}

Word Scope::run(Net first, std::uint32_t width, PlaceId at) {
  Net* nets = builder_.allocate(width);
  for (std::uint32_t i = 0; i < width; ++i) nets[i] = Net{first.index + i};
  return {nets, width, at};
}

Word Scope::word(std::span<const Net> from, PlaceId at) {
  Net* nets = builder_.allocate(static_cast<std::uint32_t>(from.size()));
  std::copy(from.begin(), from.end(), nets);
  return {nets, static_cast<std::uint32_t>(from.size()), at};
}

UInt Scope::constant(std::uint64_t value, std::uint32_t width, SourceLocation here) {
  if (width < 64 && value >> width != 0)
    refuse(here, code::value_does_not_fit,
           fmt::format("the constant {} does not fit {} bits", value, width));
  Net* nets = builder_.allocate(width);
  for (std::uint32_t i = 0; i < width; ++i) nets[i] = ir::constant(i < 64 && (value >> i & 1));
  return {nets, width, at(here)};
}

SInt Scope::signed_constant(std::int64_t value, std::uint32_t width, SourceLocation here) {
  if (width == 0 || (width < 64 && value >> (width - 1) != 0 && value >> (width - 1) != -1))
    refuse(here, code::value_does_not_fit,
           fmt::format("the constant {} does not fit {} signed bits", value, width));
  Net* nets = builder_.allocate(width);
  for (std::uint32_t i = 0; i < width; ++i) nets[i] = ir::constant(value >> std::min(i, 63u) & 1);
  return {nets, width, at(here)};
}

void Scope::output(std::string_view name, const UInt& w, SourceLocation here) {
  module_.add_output(name, w.nets(), false, at(here));
}

void Scope::output(std::string_view name, const SInt& w, SourceLocation here) {
  module_.add_output(name, w.nets(), true, at(here));
}

Net Scope::cell(ir::Kind kind, std::uint32_t width, std::span<const Net> inputs,
                std::span<const std::uint64_t> params, PlaceId at, ir::BlobId contents) {
  return module_.cell(module_.add_cell(kind, width, inputs, params, at, contents)).out;
}

std::size_t Scope::promise(const Word& word, Promise promise) {
  promises_.push_back({word, promise});
  return promises_.size() - 1;
}

void Scope::require_promises() const {
  std::string broken;
  for (const Promised& p : promises_) {
    if (p.kept || p.word.width() == 0) continue;
    // The nets are consecutive, because they were fresh.
    const auto first = p.word[0].index, end = first + p.word.width();
    const auto reads = [&](Net n) { return n.index >= first && n.index < end; };
    const auto& pins = module_.all_inputs();
    bool read = std::any_of(pins.begin(), pins.end(), reads);
    for (const ir::Port& port : module_.ports()) {
      const auto nets = module_.port_nets(port);
      read = read || std::any_of(nets.begin(), nets.end(), reads);
    }
    if (read)
      broken += fmt::format("{}{}: a {} of {} bit{} of module {} is read but never driven; call {}",
                            broken.empty() ? "" : "\n", to_string(p.word.place()), p.promise.what,
                            p.word.width(), p.word.width() == 1 ? "" : "s", module_.name(),
                            p.promise.how);
  }
  if (!broken.empty()) throw DesignError(code::never_driven, broken);
}

void Scope::finish() {
  module_.resolve_joins();
  require_promises();
  module_.put_port_first(ir::fast_clock_port);
  module_.put_port_first(ir::clock_port);
  module_.sweep();
  if (detail::merge_luts(module_, written_)) {
    module_.resolve_joins();
    module_.sweep();
  }
  module_.shrink();
}

UInt cat(Scope& s, std::span<const Word> high_to_low, SourceLocation here) {
  std::uint32_t width = 0;
  for (const Word& w : high_to_low) width += w.width();
  Net* nets = s.builder().allocate(width);
  Net* at = nets;
  for (std::size_t i = high_to_low.size(); i-- > 0;)
    at = std::copy(high_to_low[i].nets().begin(), high_to_low[i].nets().end(), at);
  return {nets, width, s.at(here)};
}

UInt cat(Scope& s, std::initializer_list<Word> high_to_low, SourceLocation here) {
  return cat(s, std::span(high_to_low.begin(), high_to_low.size()), here);
}

UInt bits(Scope& s, std::span<const Net> low_to_high, SourceLocation here) {
  return UInt(s.word(low_to_high, s.at(here)));
}

UInt bits(Scope& s, std::initializer_list<Net> low_to_high, SourceLocation here) {
  return bits(s, std::span(low_to_high.begin(), low_to_high.size()), here);
}

namespace {

Word extend(Scope& s, const Word& a, std::uint32_t width, Net with, const char* what,
            SourceLocation here) {
  if (width < a.width())
    refuse(here, code::silent_cut,
           fmt::format("{} of {} bits to {} would cut the word; use slice to cut it", what,
                       a.width(), width));
  if (width == a.width()) return a;
  Net* nets = s.builder().allocate(width);
  std::fill(std::copy(a.nets().begin(), a.nets().end(), nets), nets + width, with);
  return {nets, width, s.at(here)};
}

}  // namespace

UInt zext(Scope& s, const UInt& a, std::uint32_t width, SourceLocation here) {
  return UInt(extend(s, a, width, ir::net_zero, "zext", here));
}

SInt sext(Scope& s, const SInt& a, std::uint32_t width, SourceLocation here) {
  if (a.width() == 0) refuse(here, code::no_bits, "sext of a word of no bits");
  return SInt(extend(s, a, width, a.msb(), "sext", here));
}

UInt repeat(Scope& s, Net n, std::uint32_t width, SourceLocation here) {
  Net* nets = s.builder().allocate(width);
  std::fill_n(nets, width, n);
  return {nets, width, s.at(here)};
}

Wire<Net>::Wire(Scope& s, SourceLocation here)
    : scope_(s),
      net_(s.module().fresh_nets(1)),
      promise_(s.promise(s.run(net_, 1, s.at(here)), {"wire", "drive()"})) {}

void Wire<Net>::drive(Net with, SourceLocation here) {
  scope_.module().join(net_, std::span(&with, 1), scope_.at(here));
  scope_.keep(promise_);
}

}  // namespace kumiki::gen
