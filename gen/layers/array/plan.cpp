// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "gen/blocks/requant/float_lane.h"
#include "gen/config/messages.h"
#include "gen/layers/array/hardware/lane.h"
#include "gen/layers/array/hardware/steps.h"
#include "gen/layers/array/refusal.h"

namespace kumiki::gen::array {
namespace {

int over(int a, int b) { return static_cast<int>(ceil_div(a, b)); }
int power_of_two(int n) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))); }

void require(const char* key, const char* what, int value, int low, int high) {
  if (value < low || value > high)
    throw Refusal(code::out_of_range, "", key, fmt::format("{} is {}", what, value),
                  fmt::format("it must be {} to {}", low, high));
}

}  // namespace

Phases phases_of(int kernel, int stride, int dilation) {
  const int common = std::gcd(stride, dilation);
  Phases p;
  p.phases = std::min(kernel, stride / common);
  p.taps = over(kernel, p.phases);
  p.high = kernel - (p.taps - 1) * p.phases;
  p.step = dilation / common;
  return p;
}

int ArrayPlan::operand_bits() const {
  return std::max(request.data_bits, request.coefficient_bits);
}
bool ArrayPlan::packed() const { return operand_bits() <= 8; }
bool ArrayPlan::swapped() const { return request.data_bits > ir::arch::dsp48e2.multiplier_b; }
bool ArrayPlan::pairs() const { return packed() && !request.narrow_slices; }
int ArrayPlan::slices() const { return pairs() ? over(elements(), 2) : elements(); }
int ArrayPlan::output_slices() const { return packed() ? 2 * request.output_words : 0; }
Cut ArrayPlan::cut_down() const {
  return request.split == 1 ? Cut{} : cut(rows(), 2, pairs() && columns() % 2 != 0);
}
Cut ArrayPlan::cut_across() const {
  return request.split == 1 ? Cut{} : cut(columns(), 2, pairs());
}
int ArrayPlan::chunk() const { return over(chain(), depth()); }
int ArrayPlan::stream_words() const {
  return request.stream_words == 0 ? chunk() : request.stream_words;
}
int ArrayPlan::fc_elements() const { return std::min(stream_words(), elements()); }
int ArrayPlan::direct_words() const {
  return request.batched_fc ? std::max(fc_elements(), rows() + columns()) : fc_elements();
}
int ArrayPlan::banks_a_beat() const { return std::min(banks(), stream_words() / chunk()); }
int ArrayPlan::bank_groups() const { return over(banks(), banks_a_beat()); }
int ArrayPlan::window_depth() const { return power_of_two(request.window_words); }
int ArrayPlan::layer_depth() const { return power_of_two(std::max(2, request.layers)); }
int ArrayPlan::common_depth() const {
  // Four clocks after a read, its place is free again and the next word is there. Eight places take
  // no more LUTs than two.
  return power_of_two(std::max(8, request.common_words));
}

int ArrayPlan::feed_clocks() const {
  return bank_clocks + clocks_to_choose(static_cast<std::size_t>(request.reach)) + 1;
}
int ArrayPlan::drain_clocks() const {
  const int steps = steps_of(static_cast<std::uint32_t>(sum_bits()));
  int clocks = memory_clocks + clocks_to_choose(static_cast<std::size_t>(rows()));
  if (pairs()) clocks += steps_of(static_cast<std::uint32_t>(lane_bits()));
  if (cuts_across()) ++clocks;
  if (request.max_pool || request.average_pool) clocks += (columns() > 2 ? 2 : 1) * steps + 1;
  // The sum, its carries, the comparison of its words with a beat, and the queue.
  return clocks + steps + 1 + queue_clocks;
}
requant::FloatLanePlan ArrayPlan::float_lane() const {
  return requant::FloatLanePlan::of(request.data_bits, request.slice().multiplier_a);
}
int ArrayPlan::lane_latency() const {
  if (request.float32) return float_lane().latency();
  return LanePlan{.packed = packed(), .sum_bits = sum_bits(), .data_bits = request.data_bits}
      .latency();
}

std::string ArrayPlan::module_name() const {
  return fmt::format("pe_array_{}x{}_t{}_b{}{}", rows(), columns(), depth(), operand_bits(),
                     request.float32 ? "_f32" : "");
}

ArrayPlan plan(const ArrayRequest& r) {
  require("rows", "rows of the array", r.rows, 1, 1024);
  require("columns", "columns of the array", r.columns, 1, 1024);
  require("accumulators", "accumulators", r.accumulators, 1, 32);
  require("bits", "bits of the data", r.data_bits, 2, r.slice().multiplier_a);
  require("coefficient_bits", "bits of the coefficients", r.coefficient_bits, 2,
          ir::arch::dsp48e2.multiplier_b);
  require("reach", "reach", r.reach, 1, 21);
  require("window_words", "window_words", r.window_words, 1, 4096);
  require("common_words", "common_words", r.common_words, 2, 1 << 20);
  require("output_words", "output_words", r.output_words, 1, r.columns);
  require("descriptors", "layers", r.layers, 1, 64);
  require("split", "split of the hardware", r.split, 1, 2);
  const ArrayPlan p{r};
  if (r.float32) {
    require("bits", "bits of an operand, requantised as float32,", p.operand_bits(), 2, 8);
    if (r.average_pool)
      throw Refusal(code::conflicting_keys, "", "average_pool",
                    "\"average_pool\" does not work with requantisation as float32, which "
                    "onnxruntime does before it takes a mean",
                    "set \"average_pool\" to false");
  }
  if (p.pairs()) require("columns", "columns of an array of pairs", r.columns, 2, 1024);
  const int batch = r.batched_fc ? r.rows + r.columns : 1;
  if (r.stream_words != 0 || r.batched_fc)
    require("stream_words", "stream_words", p.stream_words(), std::max(batch, p.chunk()),
            std::max({batch, p.elements(), p.banks() * p.chunk()}));
  return p;
}

}  // namespace kumiki::gen::array
