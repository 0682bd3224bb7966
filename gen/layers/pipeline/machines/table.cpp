// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace kumiki::gen::pipeline {
namespace {

// A function of up to eight bits: its results in the order of the index.
using BitTable = std::vector<bool>;

bool is_constant(const BitTable& f) {
  return std::ranges::adjacent_find(f, std::ranges::not_equal_to{}) == f.end();
}

// The remaining function if input `pin` has this value.
BitTable cofactor(const BitTable& f, unsigned pin, bool value) {
  BitTable rest;
  for (std::size_t i = 0; i < f.size(); ++i)
    if ((i >> pin & 1) == (value ? 1u : 0u)) rest.push_back(f[i]);
  return rest;
}

BitTable inverse(BitTable f) {
  f.flip();
  return f;
}

Table as_table(const BitTable& f) {
  Table t{.inputs = static_cast<unsigned>(std::countr_zero(f.size()))};
  for (std::size_t i = 0; i < f.size(); ++i) t.bits |= std::uint64_t{f[i]} << i;
  return t;
}

// A LUT6 that must stay one, because a MUXF7 follows.
Net whole_lut(Scope& s, const BitTable& f, const std::vector<Net>& in) {
  return Lut{.init = as_table(f), .in = in}.add_to(s);
}

Net wide_mux_of(Scope& s, ir::Kind kind, Net choose, Net one, Net zero) {
  return s.cell(kind, 1, std::array{zero, one, choose}, {}, s.at(SourceLocation::current()));
}

// Four functions of six bits, selected by the two other bits, in the order of these two.
struct TableSplit {
  unsigned low = 0, high = 0;
  std::array<BitTable, 4> parts;
  std::vector<BitTable> kinds;  // parts that are neither constant nor the inverse of another
};

TableSplit split_by(const BitTable& f, unsigned low, unsigned high) {
  TableSplit all{.low = low, .high = high, .parts = {}, .kinds = {}};
  for (unsigned i = 0; i < 4; ++i) {
    all.parts[i] = cofactor(cofactor(f, high, i / 2 != 0), low, i % 2 != 0);
    const BitTable& part = all.parts[i];
    if (!is_constant(part) && std::ranges::find(all.kinds, part) == all.kinds.end() &&
        std::ranges::find(all.kinds, inverse(part)) == all.kinds.end())
      all.kinds.push_back(part);
  }
  return all;
}

// A function of eight bits. If at most three different functions remain to select from, two levels
// suffice.
Net of_eight(Scope& s, const BitTable& f, const std::vector<Net>& in) {
  std::optional<TableSplit> best;
  for (unsigned high = 1; high < 8; ++high)
    for (unsigned low = 0; low < high; ++low)
      if (TableSplit one = split_by(f, low, high); !best || one.kinds.size() < best->kinds.size())
        best = std::move(one);
  std::vector<Net> rest = in;
  rest.erase(rest.begin() + best->high);
  rest.erase(rest.begin() + best->low);
  const Net low = in[best->low], high = in[best->high];
  if (best->kinds.size() == 4) {
    const auto pair = [&](unsigned i) {
      return wide_mux_of(s, ir::Kind::muxf7, low, whole_lut(s, best->parts[i + 1], rest),
                         whole_lut(s, best->parts[i], rest));
    };
    const Net one = pair(2);
    return wide_mux_of(s, ir::Kind::muxf8, high, one, pair(0));
  }
  std::vector<Net> choice{low, high};
  for (const BitTable& kind : best->kinds)
    choice.push_back(detail::lut_net(s, as_table(kind), rest, s.at(SourceLocation::current())));
  return look_up(
      s, 1,
      [&](unsigned i) {
        const BitTable& part = best->parts[i % 4];
        if (is_constant(part)) return unsigned{part[0]};
        for (std::size_t k = 0; k < best->kinds.size(); ++k) {
          const bool bit = (i >> (2 + k) & 1) != 0;
          if (part == best->kinds[k]) return unsigned{bit};
          if (part == inverse(best->kinds[k])) return unsigned{!bit};
        }
        return 0u;
      },
      choice)[0];
}

Net function_in_luts(Scope& s, BitTable f, std::vector<Net> in) {
  for (unsigned pin = static_cast<unsigned>(in.size()); pin-- > 0;) {
    const BitTable zero = cofactor(f, pin, false);
    if (zero != cofactor(f, pin, true)) continue;
    f = zero;
    in.erase(in.begin() + pin);
  }
  if (in.size() <= 6) return detail::lut_net(s, as_table(f), in, s.at(SourceLocation::current()));
  if (in.size() == 8) return of_eight(s, f, in);
  const std::vector<Net> rest(in.begin(), in.begin() + 6);
  const Net one = whole_lut(s, cofactor(f, 6, true), rest);
  return wide_mux_of(s, ir::Kind::muxf7, in[6], one, whole_lut(s, cofactor(f, 6, false), rest));
}

}  // namespace

UInt table_in_luts(Scope& s, const UInt& index, std::span<const std::uint64_t> values,
                   std::uint32_t width) {
  std::vector<Net> out;
  for (std::uint32_t bit = 0; bit < width; ++bit) {
    BitTable f;
    for (const std::uint64_t value : values) f.push_back((value >> bit & 1) != 0);
    out.push_back(function_in_luts(s, f, {index.nets().begin(), index.nets().end()}));
  }
  return bits(s, out);
}

}  // namespace kumiki::gen::pipeline
