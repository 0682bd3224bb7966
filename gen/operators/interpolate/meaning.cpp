// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/interpolate/meaning.h"

#include <algorithm>
#include <cmath>

namespace kumiki::gen::graph {
namespace {

// One axis: `from` and `parts` fit a map of this length.
bool fits(NodeCheck& node, const char* which, const std::vector<std::int32_t>& from,
          const std::vector<float>& parts, int length) {
  if (from.size() != parts.size() || from.empty() || from.size() > largest_axis) {
    node.say("has {} {} and {} parts of them; it must have as many of both, 1 to {}", from.size(),
             which, parts.size(), largest_axis);
    return false;
  }
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] < 0 || from[i] >= length || !(parts[i] >= 0 && parts[i] <= 1)) {
      node.say("has {} from {} on with the part {}; it must be 0 to {}, and the part 0 to 1", which,
               from[i], parts[i], length - 1);
      return false;
    }
  return true;
}

std::int32_t number_of(const Interpolate& op, float sum, const Tensor& out) {
  const float at = op.truncates != 0
                       ? std::trunc(sum)
                       : std::nearbyint(sum / out.scale) + static_cast<float>(out.zero_point);
  const arith::Interval range = numbers_of(out);
  return static_cast<std::int32_t>(
      std::clamp(at, static_cast<float>(static_cast<std::int64_t>(range.lo)),
                 static_cast<float>(static_cast<std::int64_t>(range.hi))));
}

}  // namespace

void check(const Interpolate& op, NodeCheck& node) {
  const Tensor &in = node.in(), &out = node.out();
  if (!node.is_map(in)) return;
  if (op.truncates != 0 && op.truncates != 1)
    return node.say("has truncates {}; it must be 0 or 1", op.truncates);
  if (!fits(node, "rows", op.rows, op.row_parts, in.shape[1]) ||
      !fits(node, "columns", op.columns, op.column_parts, in.shape[2]))
    return;
  if (in.format.bits > 16 || out.format.bits > 16)
    return node.say("makes {} bits of {}; numbers must have at most 16", out.format.bits,
                    in.format.bits);
  if (op.truncates != 0)
    node.means_as(in);
  else if (!std::isnormal(in.scale / out.scale) || !std::isfinite(in.scale * 0x1p18F) ||
           !std::isfinite(in.scale * 0x1p18F / out.scale))
    return node.say(
        "has the scales {} and {}: their ratio must be a normal float32; give them scales that are "
        "nearer to each other and to 1",
        in.scale, out.scale);
  node.makes({in.shape[0], static_cast<int>(op.rows.size()), static_cast<int>(op.columns.size())});
}

Compute computer(const Interpolate& op, const Ends& ends) {
  return [&op, ends](const Inputs& inputs, Results y) {
    const Tensor &in = ends.in(), &out = ends.out();
    const int channels = in.shape[0], rows = in.shape[1], columns = in.shape[2];
    std::size_t at = 0;
    for (int channel = 0; channel < channels; ++channel)
      for (std::size_t row = 0; row < op.rows.size(); ++row)
        for (std::size_t column = 0; column < op.columns.size(); ++column) {
          const int top = op.rows[row], left = op.columns[column];
          const float below = op.row_parts[row], above = 1 - below;
          const float after = op.column_parts[column], before = 1 - after;
          const auto real = [&](int r, int k) {
            const std::int32_t n = inputs[0][static_cast<std::size_t>(
                (channel * rows + std::min(r, rows - 1)) * columns + std::min(k, columns - 1))];
            return op.truncates != 0 ? static_cast<float>(n) : real_value(in, n);
          };
          float sum = above * before * real(top, left);
          sum += above * after * real(top, left + 1);
          sum += below * before * real(top + 1, left);
          sum += below * after * real(top + 1, left + 1);
          y[at++] = number_of(op, sum, out);
        }
  };
}

}  // namespace kumiki::gen::graph
