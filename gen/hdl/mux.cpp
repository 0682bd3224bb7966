// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/mux.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/messages.h"

namespace kumiki::gen {

Net mux(Scope& s, Net choose, Net when_one, Net when_zero, SourceLocation here) {
  return lut(
      s, [](bool c, bool one, bool zero) { return c ? one : zero; }, choose, when_one, when_zero,
      here);
}

namespace {

bool is_all_constant_or_equal(const UInt& a, const UInt& b) {
  for (std::uint32_t i = 0; i < a.width(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

// A MUXF7 or MUXF8 is connected to LUTs of its own slice, so both inputs must be outputs of LUTs
// (or MUXF7).
UInt wide_mux(Scope& s, ir::Kind kind, Net choose, const UInt& one, const UInt& zero,
              SourceLocation here) {
  std::uint32_t w = one.width();
  std::vector<Net> in;
  in.insert(in.end(), zero.nets().begin(), zero.nets().end());
  in.insert(in.end(), one.nets().begin(), one.nets().end());
  in.insert(in.end(), w, choose);
  return UInt(s.run(s.cell(kind, w, in, {}, s.at(here)), w, s.at(here)));
}

// Four items in a LUT6 a bit that stays a LUT, whatever its inputs are, because a MUXF7 follows.
UInt four_in_lut(Scope& s, const UInt& index, std::span<const UInt> items, SourceLocation here) {
  std::uint32_t w = items[0].width();
  std::vector<Net> in;
  for (unsigned k = 0; k < 2; ++k) in.insert(in.end(), w, index[k]);
  for (unsigned k = 0; k < 4; ++k)
    in.insert(in.end(), items[k].nets().begin(), items[k].nets().end());
  static const Table t = table([](bool i0, bool i1, bool a, bool b, bool c, bool d) {
    return i1 ? (i0 ? d : c) : (i0 ? b : a);
  });
  return UInt(
      s.run(s.cell(ir::Kind::lut6, w, in, std::span(&t.bits, 1), s.at(here)), w, s.at(here)));
}

UInt up_to_sixteen(Scope& s, const UInt& index, std::vector<UInt> items, SourceLocation here) {
  auto digits = index.width();
  items.resize(std::size_t{1} << digits, items.back());
  if (digits == 0) return items[0];
  if (digits == 1) return mux(s, index[0], items[1], items[0], here);
  if (digits == 2)
    return lut(
        s,
        [](bool i0, bool i1, bool a, bool b, bool c, bool d) {
          return i1 ? (i0 ? d : c) : (i0 ? b : a);
        },
        index[0], index[1], items[0], items[1], items[2], items[3], here);
  auto all = std::span<const UInt>(items);
  // If the upper half is a single item, no MUXF7 of two equal halves is needed.
  if (digits == 3 && is_all_constant_or_equal(items[4], items[5]) &&
      is_all_constant_or_equal(items[5], items[6]) &&
      is_all_constant_or_equal(items[6], items[7])) {
    UInt low = up_to_sixteen(s, index.slice(0, 2, here), {items.begin(), items.begin() + 4}, here);
    return mux(s, index[2], items[4], low, here);
  }
  auto eight = [&](std::size_t from) {
    UInt two = index.slice(0, 2, here);
    return wide_mux(s, ir::Kind::muxf7, index[2],
                    four_in_lut(s, two, all.subspan(from + 4, 4), here),
                    four_in_lut(s, two, all.subspan(from, 4), here), here);
  };
  if (digits == 3) return eight(0);
  return wide_mux(s, ir::Kind::muxf8, index[3], eight(8), eight(0), here);
}

}  // namespace

namespace detail {

UInt select(Scope& s, const UInt& index, std::vector<UInt> items, SourceLocation here) {
  if (items.empty()) refuse(here, code::too_few, "select of no items");
  for (const UInt& w : items) want_equal_widths("select", items[0], w, here);
  std::uint32_t digits = 0;
  while ((std::size_t{1} << digits) < items.size()) ++digits;
  if (index.width() < digits)
    refuse(here, code::index_too_narrow,
           fmt::format("select of {} items needs an index of {} bits, not {}", items.size(), digits,
                       index.width()));
  if (index.width() > digits) {
    // An index past the end gives the last item: the extra digits show that it is past the end.
    Net past = any_of(s, index.slice(digits, index.width() - digits, here), here);
    UInt inside = select(s, index.slice(0, digits, here), items, here);
    return gen::mux(s, past, items.back(), inside, here);
  }
  if (digits <= 4) return up_to_sixteen(s, index, std::move(items), here);
  std::vector<UInt> groups;
  for (std::size_t i = 0; i < items.size(); i += 16) {
    std::vector<UInt> group(
        items.begin() + static_cast<std::ptrdiff_t>(i),
        items.begin() + static_cast<std::ptrdiff_t>(std::min(i + 16, items.size())));
    groups.push_back(up_to_sixteen(s, index.slice(0, 4, here), std::move(group), here));
  }
  return select(s, index.slice(4, digits - 4, here), std::move(groups), here);
}

}  // namespace detail
}  // namespace kumiki::gen
