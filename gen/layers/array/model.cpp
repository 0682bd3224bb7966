// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/model.h"

#include <algorithm>

#include "gen/arith/float_factor.h"

namespace kumiki::gen::array {

ArrayModel::ArrayModel(const ArrayPlan& plan) : plan_(plan) {
  const auto words = at(plan.request.output_words);
  out_.out_data.assign(words, 0);
  out_.out_keep.assign(words, false);
  power_up();
}

void ArrayModel::power_up() {
  const ArrayPlan& p = plan_;
  descriptors_.assign(8 * 512, 0);
  last_layer_ = 0;
  banks_.assign(at(p.banks() * 2 * p.window_depth() * p.chunk()), 0);
  shadow_.assign(at(p.rows() * p.chunks() * p.chunk()), 0);
  chain_.assign(at(p.rows() * p.chain()), 0);
  weights_.assign(at(p.rows()), 0);
  kept_.assign(at(p.common_depth() * p.commons()), 0);
  common_word_.assign(at(p.commons()), 0);
  operands_.assign(at(p.elements()), 0);
  sums_.assign(at(p.depth() * p.elements()), 0);
  for (auto& half : captured_) half = sums_;
  running_.assign(at(p.columns()), 0);
  words_ = running_;
  leaving_ = {};
  reset();
}

// Clears the control registers; data keep their values, as in the hardware.
void ArrayModel::reset() {
  busy_ = false;
  loader_ = feeder_ = common_ = compute_ = drain_ = {};
  full_ = {};
  load_half_ = 0;
  group_ = load_address_ = loaded_ = 0;
  direct_coming_.clear();
  direct_.clear();
  direct_room_ = {};
  direct_taken_.assign(at(plan_.feed_clocks()), false);
  feed_half_ = 0;
  feed_chunk_ = feed_b_ = feed_tap_ = feed_a_ = fed_ = 0;
  shadow_full_ = false;
  write_ = read_at_ = base_ = word_ = repeat_ = outer_ = 0;
  common_there_ = common_full_ = false;
  common_room_ = true;
  operand_ = Operand::hold;
  slot_ = capture_half_ = claimed_ = flush_ = 0;
  tap_b_ = b_ = tap_a_ = a_ = remaining_ = block_ = 0;
  first_round_ = true;
  go_ = end_ = false;
  issued_.assign(at(plan_.feed_clocks()), Issued{});
  ends_ = {};
  ready_ = drain_half_ = drain_count_ = drain_slot_ = drain_part_ = drain_row_ = 0;
  drain_block_ = drain_strip_ = drain_turn_ = drain_group_ = 0;
  rows_.assign(at(plan_.drain_clocks() - 1), Row{});
  waiting_rows_.clear();
  row_room_ = {};
  words_left_ = 0;
  // A register before the lanes and the queue after them; a beat counts as waiting from its last
  // clock on.
  lanes_.assign(at(1 + plan_.lane_latency() + ArrayPlan::queue_clocks - 1), Beat{});
  waiting_beats_.clear();
  beat_room_ = {};
  shown_ = {};
}

std::uint32_t ArrayModel::field(const Field& f, int layer) const {
  const std::uint32_t word = descriptors_[address(f.engine, layer, f.word)];
  return static_cast<std::uint32_t>(std::uint64_t{word} >> f.low &
                                    ((std::uint64_t{1} << f.width) - 1));
}

void ArrayModel::next_layer(Walk& walk) const {
  walk.state = walk.layer == last_layer_ ? State::idle : State::fetch;
  ++walk.layer;
}

void ArrayModel::advance(Walk& walk) const {
  if (walk.state == State::fetch) {
    walk.state = State::init;
    walk.waits = &walk == &drain_ ? drain_init_clocks : init_clocks;
  } else if (walk.state == State::init && --walk.waits == 0) {
    walk.state = State::run;
  }
}

void ArrayModel::elements_multiply(const Wires& w) {
  const int columns = plan_.columns(), elements = plan_.elements();
  if (w.consume)
    for (int r = 0; r < plan_.rows(); ++r)
      std::copy_n(chain_.begin() + r * plan_.chain(), columns, operands_.begin() + r * columns);
  std::int64_t* sum = sums_.data() + slot_ * elements;
  constexpr int port_b = ir::arch::dsp48e2.b;
  const bool wide = plan_.swapped() && w.fc && !w.batch;  // the common operand is wide and on A
  for (int r = 0; r < plan_.rows(); ++r)
    for (int half = 0; half < 2; ++half) {
      const int border = w.across ? static_cast<int>(plan_.cut_across().offset) : columns;
      const int lane =
          plan_.common_lane(w.down && r >= plan_.cut_down().offset, w.across && half == 1);
      std::int64_t common = w.batch ? weights_[at(r)] : common_word_[at(lane)];
      // In fully connected layers the wide data are on A and the weights on B.
      if (plan_.swapped() && !wide) common = wrapped(common, port_b);
      for (int c = half == 0 ? 0 : border; c < (half == 0 ? border : columns); ++c) {
        const int e = r * columns + c;
        const std::int64_t x = operands_[at(e)];
        sum[e] = (first_round_ ? 0 : sum[e]) + (wide ? wrapped(x, port_b) : x) * common;
      }
    }
  if (w.capture)
    std::copy_n(sum, elements, captured_[at(capture_half_)].begin() + slot_ * elements);
}

// The value of an accumulator as the drain computes it. If a packed one overflows, it is wrong as
// in the hardware: the high lane is the field of the slice minus the counter of the low lane's
// overflows.
std::int64_t ArrayModel::captured(int half, int slot, int row, int column) const {
  const std::int64_t* sum = captured_[at(half)].data() + slot * plan_.elements();
  auto value = [&](int r, int c) { return sum[r * plan_.columns() + c]; };
  const bool across = column < plan_.columns() / 2 * 2;  // an odd last column pairs downwards
  const bool high = plan_.pairs() && (across ? column % 2 : row % 2) != 0;
  if (!high) return wrapped(value(row, column), plan_.lane_bits());
  const std::int64_t over =
      (across ? value(row, column - 1) : value(row - 1, column)) >> low_lane_bits;
  return wrapped(value(row, column) + over - wrapped(over, overflow_bits), plan_.lane_bits());
}

// A row of a part, from the part's first column on.
std::vector<std::int64_t> ArrayModel::captured_row(const Row& row, bool down, bool across) const {
  const bool right = across && row.part % 2 != 0;
  const bool low = down && (across ? row.part / 2 : row.part) % 2 != 0;
  const int r = (low ? static_cast<int>(plan_.cut_down().offset) : 0) + row.row;
  const int by = right ? static_cast<int>(plan_.cut_across().offset) : 0;
  std::vector<std::int64_t> lanes;
  for (int c = 0; c < plan_.columns(); ++c)
    lanes.push_back(captured(row.half, row.slot, r, c + by < plan_.columns() ? c + by : c));
  return lanes;
}

// Sums slots and pools. Afterwards `row.lanes` holds the words that may leave.
void ArrayModel::combine(Row& row) {
  const int bits = plan_.sum_bits();
  auto& lane = row.lanes;
  if (row.fc) {
    for (std::size_t c = 0; c < lane.size(); ++c)
      lane[c] = running_[c] = wrapped((row.first_slot ? 0 : running_[c]) + lane[c], bits);
    return;
  }
  if (row.pool == 0) return;
  auto both = [&](std::int64_t a, std::int64_t b) {
    return row.average ? wrapped(a + b, bits) : std::max(a, b);
  };
  for (std::size_t j = 0; j < lane.size() / 2; ++j) {
    std::int64_t across = both(lane[2 * j], lane[2 * j + 1]);
    if (row.pool == 2 && 2 * j + 2 < lane.size()) across = both(across, lane[2 * j + 2]);
    const std::int64_t window = both(running_[j], across);
    running_[j] = row.odd ? window : across;
    lane[j] = window;
  }
}

// The bounds are arbitrary: the upper one is applied first.
std::int64_t ArrayModel::by_float32(std::int64_t biased, std::uint64_t p, int layer) const {
  const auto of_layer = [&](const Field& f) {
    return signed_field(f, layer, plan_.request.data_bits);
  };
  auto factor_bits = static_cast<std::uint32_t>(p >> 32 & 0x3FFFFFF);
  if (plan_.float_lane().shifts_sum) factor_bits = arith::of_a_float32(factor_bits);
  const arith::FloatFactor factor{factor_bits, static_cast<int>(p >> 58 & 15)};
  const std::int64_t v =
      arith::requantised(factor, of_layer(fields::results_zero), arith::signed_range(62), biased);
  const std::int64_t low = of_layer(fields::results_low), high = of_layer(fields::results_high);
  return v > high ? high : v < low ? low : v;
}

std::uint64_t ArrayModel::requantised(std::int64_t v, std::uint64_t p, const Row& row) const {
  const int bits = plan_.request.data_bits, wide = plan_.sum_bits();
  const auto shift = static_cast<int>(p >> shift_place & 63);
  const std::int64_t biased = wrapped(v + wrapped(static_cast<std::int64_t>(p), wide), wide);
  if (plan_.request.float32)
    return arith::raw_of(by_float32(biased, p, row.layer), plan_.operand_bits());
  const auto multiplier = plan_.packed() ? static_cast<std::int64_t>(p >> 32 & 0xFFFF) : 1;
  const std::int64_t rounded = ((biased * multiplier >> shift) + 1) >> 1;
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  return arith::raw_of(std::clamp<std::int64_t>(rounded, row.relu ? 0 : -most - 1, most),
                       plan_.operand_bits());
}

}  // namespace kumiki::gen::array
