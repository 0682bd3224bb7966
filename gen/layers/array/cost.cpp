// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "gen/layers/array/messages.h"
#include "gen/layers/common/messages.h"
#include "ir/error.h"

namespace kumiki::gen::array {
namespace {

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t all = 1;
  for (const std::int64_t f : factors)
    if (__builtin_mul_overflow(all, f, &all))
      throw DesignError(code::too_many_cycles,
                        "the layer takes more cycles or words than 2^63; use a smaller one");
  return all;
}

void require(bool good, Code code, const char* what, std::int64_t value, const char* required) {
  if (!good) throw DesignError(code, fmt::format("{} is {}; it must be {}", what, value, required));
}

void check(const Array& a) {
  require(a.rows >= 1, code::out_of_range, "rows of the array", a.rows, "1 or more");
  require(a.columns >= 1, code::out_of_range, "columns of the array", a.columns, "1 or more");
  require(a.accumulators >= 1, code::out_of_range, "accumulators", a.accumulators, "1 or more");
  require(a.batch >= 1, code::out_of_range, "batch", a.batch, "1 or more");
  require(a.split >= 1, code::out_of_range, "split", a.split, "1 or more");
  require(a.fc_elements >= 0 && a.fc_elements <= a.elements(), code::out_of_range, "fc_elements",
          a.fc_elements, "at most rows x columns");
}

void check(const ConvShape& s) {
  require(
      s.in_channels >= 1 && s.out_channels >= 1 && s.height >= 1 && s.width >= 1 && s.kernel >= 1 &&
          s.stride >= 1 && s.dilation >= 1,
      code::out_of_range, "the smallest size of a convolution",
      std::min({s.in_channels, s.out_channels, s.height, s.width, s.kernel, s.stride, s.dilation}),
      "1 or more");
  require(s.groups >= 1 && s.in_channels % s.groups == 0 && s.out_channels % s.groups == 0,
          code::groups_do_not_divide, "groups", s.groups, "a divisor of both channel counts");
  const std::int64_t padding = std::min({s.above(), s.left(), s.below(), s.right()});
  require(padding >= 0, code::out_of_range, "padding", padding, "0 or more");
  require(s.out_height() >= 1 && s.out_width() >= 1, code::kernel_beyond_map,
          "the span of the kernel", s.span(), "at most the padded map");
}

}  // namespace

SubBlocks sub_blocks(const Array& a, const ConvShape& s) {
  SubBlocks best{a.cut_down(1), a.cut_across(1)};
  auto turns = [&](const SubBlocks& b) {
    return ceil_div(s.group_out(), a.accumulators * b.parts());
  };
  for (std::int64_t d = 1; d <= a.split; ++d)
    for (std::int64_t c = 1; c <= a.split; ++c) {
      const SubBlocks b{a.cut_down(d), a.cut_across(c)};
      if ((d > 1 && b.down.size < s.out_height()) || (c > 1 && b.across.size < s.out_width()))
        continue;
      if (turns(b) < turns(best) || (turns(b) == turns(best) && b.parts() < best.parts())) best = b;
    }
  return best;
}

Cost cost(const Array& array, const ConvShape& s) {
  check(array);
  check(s);
  const std::int64_t taps = s.kernel * s.kernel, t = array.accumulators;
  const SubBlocks sub = sub_blocks(array, s);
  const std::int64_t rows = sub.down.size, columns = sub.across.size;
  const std::int64_t strips = ceil_div(s.out_height(), rows);
  const std::int64_t blocks = ceil_div(s.out_width(), columns);
  Cost c;
  c.sub_blocks = sub.parts();
  // Groups of T output channels, in sequence, in every part of the array.
  const std::int64_t turns = product({s.groups, ceil_div(s.group_out(), t * c.sub_blocks)});
  c.cycles = product({array.batch, turns, taps, s.group_in(), t, strips, blocks});
  c.macs =
      product({array.batch, s.out_channels, s.out_height(), s.out_width(), s.group_in(), taps});
  // The rows of a strip plus those that the kernel reaches beyond it, read once for T channels.
  const std::int64_t high = rows + 2 * (s.kernel / 2);
  c.in = {product({high, s.width}), product({taps, t, blocks})};
  c.input_words = product({array.batch, turns, s.group_in(), strips, c.in.words});
  c.fetched_words = product(
      {array.batch, turns, s.group_in(), strips, (rows - 1) * s.stride + s.span(), s.width});
  c.out = {array.elements(), product({taps, s.group_in()})};
  c.output_words = product({array.batch, turns, t, strips, blocks, array.elements()});
  c.weight_words = product({s.out_channels, s.group_in(), taps});
  return c;
}

Cost cost(const Array& array, const FcShape& s) {
  check(array);
  require(s.inputs >= 1 && s.outputs >= 1, code::out_of_range,
          "the smaller side of a fully connected layer", std::min(s.inputs, s.outputs),
          "1 or more");
  Cost c;
  c.macs = product({array.batch, s.inputs, s.outputs});
  c.weight_words = product({s.inputs, s.outputs});
  std::int64_t elements = array.fc_working();
  if (array.batched_fc && array.batch > 1) {
    // Rows are outputs, columns are images. In a cycle a row gets a weight, a column an input.
    elements = array.elements();
    c.cycles =
        product({s.inputs, ceil_div(s.outputs, array.rows), ceil_div(array.batch, array.columns)});
    c.in = {array.rows + array.columns, 1};
  } else {
    c.cycles = product({array.batch, s.inputs, ceil_div(s.outputs, elements)});
    c.in = {1 + elements, 1};
  }
  c.input_words = product({c.cycles, c.in.words});
  c.fetched_words = c.input_words;
  c.out = {elements, s.inputs};
  c.output_words = product({c.cycles / s.inputs, elements});
  return c;
}

Cost cost(const Array& array, const LayerShape& layer) {
  return layer.kind == Kind::conv ? cost(array, layer.conv) : cost(array, layer.fc);
}

NetworkCost cost(const Array& array, const std::vector<LayerShape>& network) {
  NetworkCost all;
  for (const LayerShape& layer : network) {
    const Cost c = cost(array, layer);
    all.cycles += c.cycles;
    all.macs += c.macs;
    if (layer.kind == Kind::conv) {
      all.conv_cycles += c.cycles;
      all.conv_macs += c.macs;
    }
    all.layers.push_back(c);
  }
  return all;
}

}  // namespace kumiki::gen::array
