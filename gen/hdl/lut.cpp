// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/lut.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/cone.h"
#include "gen/hdl/lut_pairs.h"

namespace kumiki::gen {
namespace detail {
using ir::Kind;

namespace {

// All bits have the same table and no constants: one cell, or one of pairs and one for an odd bit.
UInt lut_vector(Scope& s, const Table& t, std::span<const LutInput> in, std::uint32_t width,
                bool may_pair, PlaceId at) {
  auto words =
      static_cast<unsigned>(std::count_if(in.begin(), in.end(), [](auto& i) { return i.word; }));
  bool pairs = may_pair && width > 1 && 2 * words + (t.inputs - words) <= 5;
  std::uint32_t half = pairs ? width / 2 : 0;
  Net* out = s.builder().allocate(width);
  auto pick = [&](const LutInput& i, std::uint32_t bit) { return i.word ? (*i.word)[bit] : i.net; };
  std::vector<Net> pins;
  if (half > 0) {
    // Bit e sits on O5, bit e + half on O6: both are slices of the word. Nets first, then the bits
    // of the lower half, then those of the upper.
    std::array<unsigned, 6> low{}, high{};
    unsigned used = 0;
    auto place_inputs = [&](bool want_words, std::array<unsigned, 6>& position,
                            std::uint32_t offset) {
      for (unsigned i = 0; i < t.inputs; ++i) {
        if ((in[i].word != nullptr) != want_words) continue;
        for (std::uint32_t e = 0; e < half; ++e) pins.push_back(pick(in[i], e + offset));
        position[i] = used++;
      }
    };
    place_inputs(false, low, 0);
    high = low;
    place_inputs(true, low, 0);
    place_inputs(true, high, half);
    pins.insert(pins.end(), (5 - used) * half, ir::net_zero);
    pins.insert(pins.end(), half, ir::net_one);
    std::uint64_t init = 0;
    for (unsigned index = 0; index < 32; ++index) {
      unsigned at_low = 0, at_high = 0;
      for (unsigned i = 0; i < t.inputs; ++i) {
        at_low |= (index >> low[i] & 1) << i;
        at_high |= (index >> high[i] & 1) << i;
      }
      init |= std::uint64_t{t.at(at_low)} << index | std::uint64_t{t.at(at_high)} << (index + 32);
    }
    Net first = s.cell(Kind::lut6_2, half, pins, std::span(&init, 1), at);
    for (std::uint32_t e = 0; e < half; ++e) {
      out[half + e] = Net{first.index + e};
      out[e] = Net{first.index + half + e};
    }
  }
  if (std::uint32_t rest = width - 2 * half; rest > 0) {
    pins.clear();
    for (const LutInput& i : in)
      for (std::uint32_t e = 0; e < rest; ++e) pins.push_back(pick(i, 2 * half + e));
    Net first = s.cell(lut_kind(t.inputs), rest, pins, std::span(&t.bits, 1), at);
    for (std::uint32_t e = 0; e < rest; ++e) out[2 * half + e] = Net{first.index + e};
  }
  return {out, width, at};
}

}  // namespace

Net lut_net(Scope& s, const Table& t, std::span<const Net> in, PlaceId at) {
  const Cone f = folded(t, in);
  if (f.is_constant() || f.is_wire()) return f.net();
  return s.cell(lut_kind(f.table.inputs), 1, f.inputs(), std::span(&f.table.bits, 1), at);
}

UInt lut_word(Scope& s, const Table& t, std::span<const LutInput> in, SourceLocation here,
              bool pairs) {
  const Word* first = nullptr;
  bool plain = true;
  for (const LutInput& i : in) {
    if (i.word && first) want_equal_widths("lut", *first, *i.word, here);
    if (i.word && !first) first = i.word;
  }
  std::uint32_t width = first->width();
  auto nets_of = [&](std::uint32_t bit) {
    std::array<Net, 6> nets{};
    for (std::size_t i = 0; i < in.size(); ++i)
      nets[i] = in[i].word ? (*in[i].word)[bit] : in[i].net;
    return nets;
  };
  for (std::uint32_t bit = 0; plain && bit < width; ++bit) {
    auto nets = nets_of(bit);
    plain = is_folded(t, std::span(nets).first(t.inputs));
  }
  if (width == 0) return UInt(s.word({}, s.at(here)));
  if (plain && !(t.inputs == 1 && t.bits == 0b10))
    return lut_vector(s, t, in, width, pairs, s.at(here));
  if (pairs) {
    std::vector<Cone> cones;
    for (std::uint32_t bit = 0; bit < width; ++bit) {
      auto nets = nets_of(bit);
      cones.push_back(folded(t, std::span(nets).first(t.inputs)));
    }
    return lut_pairs(s, std::move(cones), s.at(here));
  }
  Net* out = s.builder().allocate(width);
  for (std::uint32_t bit = 0; bit < width; ++bit) {
    auto nets = nets_of(bit);
    out[bit] = lut_net(s, t, std::span(nets).first(t.inputs), s.at(here));
  }
  return {out, width, s.at(here)};
}

}  // namespace detail

UInt lut_buffer(Scope& s, const Word& a, bool inverted, SourceLocation here) {
  std::uint64_t init = inverted ? 0b01 : 0b10;
  Net* out = s.builder().allocate(a.width());
  // Runs of nets become one cell, constants stay constants.
  for (std::uint32_t i = 0; i < a.width();) {
    if (a[i].is_constant()) {
      out[i] = ir::constant((a[i] == ir::net_one) != inverted);
      ++i;
      continue;
    }
    std::uint32_t n = 1;
    while (i + n < a.width() && !a[i + n].is_constant()) ++n;
    Net first = s.cell(ir::Kind::lut1, n, a.nets().subspan(i, n), std::span(&init, 1), s.at(here));
    for (std::uint32_t e = 0; e < n; ++e) out[i + e] = Net{first.index + e};
    i += n;
  }
  return {out, a.width(), s.at(here)};
}

namespace {

// Uses the fewest levels possible. A level has only the LUTs that the levels after it need: a net
// that fits there goes there directly.
Net reduce(Scope& s, std::span<const Net> in, bool is_and, PlaceId at) {
  constexpr std::size_t most = 6;
  std::vector<Net> level(in.begin(), in.end());
  if (level.empty()) return ir::constant(is_and);
  do {
    std::size_t room = 1;  // of the level above
    while (room * most < level.size()) room *= most;
    std::vector<Net> next;
    std::size_t i = 0;
    while (level.size() - i + next.size() > room || (room == 1 && i == 0)) {
      const std::size_t n = std::min(most, level.size() - i + next.size() - room + 1);
      const auto inputs = static_cast<unsigned>(n);
      const Table t{is_and ? std::uint64_t{1} << ((1u << inputs) - 1)
                           : detail::full_mask(inputs) & ~std::uint64_t{1},
                    inputs, false};
      next.push_back(detail::lut_net(s, t, std::span(level).subspan(i, n), at));
      i += n;
    }
    next.insert(next.end(), level.begin() + static_cast<std::ptrdiff_t>(i), level.end());
    level = std::move(next);
  } while (level.size() > 1);
  return level[0];
}

}  // namespace

Net all_of(Scope& s, std::span<const Net> in, SourceLocation here) {
  return reduce(s, in, true, s.at(here));
}
Net any_of(Scope& s, std::span<const Net> in, SourceLocation here) {
  return reduce(s, in, false, s.at(here));
}

}  // namespace kumiki::gen
