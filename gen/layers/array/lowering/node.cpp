// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/lowering/node.h"

#include <fmt/format.h>

namespace kumiki::gen::array {

std::string both(const std::array<int, 2>& a) { return fmt::format("{}x{}", a[0], a[1]); }

std::optional<int> offset_of(const graph::Tensor& tensor, int bits) {
  const arith::Interval range = tensor.format.range(), held = arith::signed_range(bits);
  const int half = 1 << (bits - 1);
  if (range.within(held)) return 0;
  if ((range - arith::Exact(half)).within(held)) return half;
  return std::nullopt;
}

bool set_numbers(NodeLayer& out, NetworkLayer& l, const graph::Tensor& from,
                 const graph::Tensor& to, int bits) {
  const auto in = offset_of(from, bits), result = offset_of(to, bits);
  if (!in || !result) {
    const graph::Tensor& wide = in ? to : from;
    out.why = fmt::format("{} is {}: the array has numbers of {} bits", wide.name,
                          to_string(wide.format), bits);
    return false;
  }
  out.output_offset = *result;
  l.input_zero_point = from.zero_point - *in;
  l.zero_point = to.zero_point - *result;
  const arith::Interval range = to.format.range() - arith::Exact(*result);
  if (range != arith::signed_range(bits))
    l.clamp = {static_cast<std::int64_t>(range.lo), static_cast<std::int64_t>(range.hi)};
  return true;
}

std::variant<std::int64_t, std::vector<std::int64_t>> padding_of(const std::array<int, 2>& before,
                                                                 const std::array<int, 2>& after) {
  if (before[0] != before[1] || after[0] != after[1])
    return std::vector<std::int64_t>{before[0], before[1], after[0], after[1]};
  if (before[0] != after[0]) return std::vector<std::int64_t>{before[0], after[0]};
  return std::int64_t{before[0]};
}

}  // namespace kumiki::gen::array
