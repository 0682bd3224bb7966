// SPDX-License-Identifier: Apache-2.0
#include "gen/array/model.h"

#include <algorithm>

namespace kumiki::gen::array {
namespace {

std::int64_t wrapped(std::int64_t value, int bits) {
  const int up = 64 - bits;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << up) >> up;
}
std::uint64_t raw(std::int64_t value, int bits) {
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
}
std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int low_bits = 18;      // of the low lane in a slice
constexpr int counter_bits = 12;  // of its overflows

}  // namespace

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
  direct_.assign(at(p.stream_words()), 0);
  read_.assign(at(p.rows() * p.chunk()), 0);
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

// Control goes back, data stay.
void ArrayModel::reset() {
  busy_ = false;
  loader_ = feeder_ = common_ = compute_ = drain_ = {};
  full_ = {};
  load_half_ = 0;
  group_ = load_address_ = loaded_ = 0;
  direct_full_ = false;
  feed_half_ = 0;
  feed_chunk_ = feed_b_ = feed_tap_ = feed_a_ = fed_ = 0;
  read_valid_ = read_last_ = shadow_full_ = false;
  write_ = read_at_ = base_ = word_ = repeat_ = outer_ = 0;
  common_full_ = false;
  operand_ = Operand::hold;
  slot_ = capture_half_ = claimed_ = flush_ = 0;
  tap_b_ = b_ = tap_a_ = a_ = remaining_ = block_ = 0;
  first_round_ = true;
  go_ = end_ = false;
  ends_ = {};
  ready_ = drain_half_ = drain_count_ = drain_slot_ = drain_part_ = drain_row_ = 0;
  drain_block_ = drain_strip_ = drain_turn_ = drain_group_ = 0;
  for (Row& r : rows_) r = {};
  words_left_ = 0;
  lanes_.assign(at(plan_.lane_latency()), Beat{});
}

std::uint32_t ArrayModel::field(const Field& f, int layer) const {
  const std::uint32_t word = descriptors_[address(f.engine, layer, f.word)];
  return static_cast<std::uint32_t>(std::uint64_t{word} >> f.low &
                                    ((std::uint64_t{1} << f.width) - 1));
}

void ArrayModel::next_layer(Walk& walk) {
  walk.state = walk.layer == last_layer_ ? State::idle : State::fetch;
  ++walk.layer;
}

// From fetch to run; `init` is for the engine that sets a counter up.
void ArrayModel::advance(Walk& walk) const {
  if (walk.state == State::fetch)
    walk.state = &walk == &compute_ ? State::init : State::run;
  else if (walk.state == State::init)
    walk.state = State::run;
}

void ArrayModel::elements_multiply(bool fc, bool load, bool first, bool capture) {
  const int columns = plan_.columns(), elements = plan_.elements();
  if (load)
    for (int r = 0; r < plan_.rows(); ++r)
      std::copy_n(chain_.begin() + r * plan_.chain(), columns, operands_.begin() + r * columns);
  std::int64_t* sum = sums_.data() + slot_ * elements;
  const bool down = field(fields::compute_down, compute_.layer) != 0 && plan_.cuts_down();
  const bool across = field(fields::compute_across, compute_.layer) != 0 && plan_.cuts_across();
  const bool batch = field(fields::compute_batch, compute_.layer) != 0 && plan_.request.batched_fc;
  const bool wide = plan_.swapped() && fc && !batch;  // the common operand: then it is on A
  for (int r = 0; r < plan_.rows(); ++r)
    for (int half = 0; half < 2; ++half) {
      const int border = across ? static_cast<int>(plan_.cut_across().offset) : columns;
      const int lane = plan_.common_lane(down && r >= plan_.cut_down().offset, across && half == 1);
      std::int64_t common = batch ? weights_[at(r)] : common_word_[at(lane)];
      // B has 18 bits; fully connected, the wide data are on A and the weights on B.
      if (plan_.swapped() && !wide) common = wrapped(common, 18);
      for (int c = half == 0 ? 0 : border; c < (half == 0 ? border : columns); ++c) {
        const int e = r * columns + c;
        const std::int64_t x = operands_[at(e)];
        sum[e] = (first ? 0 : sum[e]) + (wide ? wrapped(x, 18) : x) * common;
      }
    }
  if (capture) std::copy_n(sum, elements, captured_[at(capture_half_)].begin() + slot_ * elements);
}

// What the drain makes of an accumulator. Beyond its bits a packed one is wrong in its own way: the
// high lane is what the slice holds less the counter of the low lane's overflows.
std::int64_t ArrayModel::captured(int half, int slot, int row, int column) const {
  const std::int64_t* sum = captured_[at(half)].data() + slot * plan_.elements();
  auto value = [&](int r, int c) { return sum[r * plan_.columns() + c]; };
  if (!plan_.packed()) return wrapped(value(row, column), 48);
  const bool across = column < plan_.columns() / 2 * 2;  // the last of odd columns pairs downwards
  const bool high = across ? column % 2 != 0 : row % 2 != 0;
  if (!high) return wrapped(value(row, column), plan_.lane_bits());
  const std::int64_t over = (across ? value(row, column - 1) : value(row - 1, column)) >> low_bits;
  return wrapped(value(row, column) + over - wrapped(over, counter_bits), plan_.lane_bits());
}

// A row of a part, its first column first.
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

// Sums of slots and pooling: `row.lanes` becomes what may leave.
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

std::uint64_t ArrayModel::requantised(std::int64_t v, std::uint64_t p, bool relu) const {
  const int bits = plan_.request.data_bits, wide = plan_.sum_bits();
  const auto shift = static_cast<int>(p >> 48 & 63);
  const std::int64_t biased = wrapped(v + wrapped(static_cast<std::int64_t>(p), wide), wide);
  const auto multiplier = plan_.packed() ? static_cast<std::int64_t>(p >> 32 & 0xFFFF) : 1;
  const std::int64_t rounded = ((biased * multiplier >> shift) + 1) >> 1;
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  return raw(std::clamp<std::int64_t>(rounded, relu ? 0 : -most - 1, most), plan_.operand_bits());
}

const ArrayOut<Values>& ArrayModel::step(const ArrayIn<Values>& in) {
  using namespace fields;
  const int positions = plan_.chunks() * plan_.chunk(), chunk = plan_.chunk();
  const int lanes_out = plan_.request.output_words;

  // Output: everything behind the words that leave stands while a beat is not taken.
  const Beat out_beat = lanes_.back();
  const bool flow = !out_beat.valid || in.out_ready;
  const bool leaving = words_left_ > 0;
  const bool last_words = words_left_ <= lanes_out;
  const bool leave = leaving && in.par_valid && flow;
  const bool row_done = leave && last_words;
  const bool par_ready = leaving && flow && (leaving_.fc || (leaving_.row_last && last_words));
  const bool drain_go = !(rows_[2].valid && rows_[2].emit) || !leaving || row_done;

  // Elements.
  const bool computing = compute_.running();
  const int cl = compute_.layer;
  const bool fc = field(compute_fc, cl) != 0;
  const auto phases = field(compute_phases, cl), high = field(compute_high, cl);
  auto last_tap_of = [&](std::uint32_t phase) {
    return field(compute_taps, cl) - (phase > high ? 1 : 0);
  };
  const bool slot_last = slot_ == plan_.depth() - 1;
  const bool tap_last = tap_b_ == last_tap_of(b_);
  const bool window_last = tap_last && b_ == phases && tap_a_ == last_tap_of(a_) && a_ == phases;
  const bool capture =
      fc ? remaining_ < static_cast<std::uint32_t>(plan_.depth()) : window_last && remaining_ == 0;
  const bool operand_wanted = fc || slot_ == 0;
  // A block starts when there will be room for its results. Until then steps that mean nothing move
  // the ends of the blocks before it on.
  const bool no_room = computing && first_round_ && slot_ == 0 && claimed_ == 2;
  const bool batch = field(compute_batch, cl) != 0 && plan_.request.batched_fc;
  const bool issue = computing && !no_room && (common_full_ || batch) &&
                     (!operand_wanted || operand_ == Operand::ready);
  const bool take_common = issue && !batch;
  const bool block_end = issue && (fc ? remaining_ == 0 : slot_last && capture);
  const bool blocks_over = block_ == field(compute_blocks, cl);
  const bool consume = issue && operand_wanted;
  const bool last_operand = blocks_over && (fc ? remaining_ == 0 : window_last && remaining_ == 0);
  const bool want_load =
      computing && (operand_ == Operand::load || (consume && (fc || tap_last) && !last_operand));
  const bool load_direct = want_load && fc && direct_full_;
  const bool load_shadow = want_load && !fc && shadow_full_;
  const bool shift = computing && (operand_ == Operand::shift || (consume && !fc && !tap_last));

  // Feeder.
  const int fl = feeder_.layer;
  const bool shift_in = read_valid_ && (!shadow_full_ || load_shadow);
  const bool feed_go = !read_valid_ || shift_in;
  const bool feeding = feeder_.running() && field(feeder_fc, fl) == 0;
  const bool read = feeding && full_[at(feed_half_)] && feed_go;

  // Loader.
  const int ll = loader_.layer;
  const bool load_fc = field(loader_fc, ll) != 0;
  const bool ind_ready =
      loader_.running() && (load_fc ? !direct_full_ || load_direct : !full_[at(load_half_)]);
  const bool ind_take = in.ind_valid && ind_ready;

  // Common memory.
  const int ml = common_.layer;
  const auto depth = static_cast<std::uint32_t>(plan_.common_depth());
  const bool com_ready = write_ - base_ != depth;
  const bool none = field(common_none, ml) != 0 && plan_.request.batched_fc;
  const bool fetch =
      common_.running() && !none && read_at_ != write_ && (!common_full_ || take_common);

  out_.busy = busy_;
  out_.computing = compute_.state == State::init || compute_.state == State::run ||
                   compute_.state == State::flush;
  out_.ind_ready = ind_ready;
  out_.com_ready = com_ready;
  out_.par_ready = par_ready;
  out_.out_valid = out_beat.valid;
  out_.out_last = out_beat.last;
  if (out_beat.valid) {
    out_.out_data = out_beat.data;
    out_.out_keep = out_beat.keep;
  }

  // The edge, from the last stage to the first: each takes what the one before it held.
  const bool start = in.cfg_valid && in.cfg_addr == start_address;
  if (out_beat.valid && in.out_ready && out_beat.final) busy_ = false;
  if (flow) {
    lanes_.pop_back();
    Beat beat;
    beat.valid = leave;
    if (leave) {
      beat.last = leaving_.last && last_words;
      beat.final = leaving_.final && last_words;
      for (int i = 0; i < lanes_out; ++i) {
        const std::uint64_t parameter = in.par_data[leaving_.fc ? at(i) : 0];
        beat.data.push_back(requantised(words_[at(i)], parameter, leaving_.relu));
        beat.keep.push_back(i < words_left_);
      }
    }
    lanes_.push_front(std::move(beat));
  }
  if (leave) {
    words_left_ = std::max(0, words_left_ - lanes_out);
    for (std::size_t i = 0; i + at(lanes_out) < words_.size(); ++i)
      words_[i] = words_[i + at(lanes_out)];
  }
  const bool drain_reads = drain_go && drain_.running() && ready_ > 0;
  bool release = false;
  if (drain_go) {
    if (rows_[2].valid) {
      combine(rows_[2]);
      if (rows_[2].emit) {
        words_ = rows_[2].lanes;
        words_left_ = rows_[2].words;
        leaving_ = rows_[2];
      }
    }
    rows_[2] = std::move(rows_[1]);
    rows_[1] = std::move(rows_[0]);
    rows_[0] = {};
    if (drain_reads) {
      const int dl = drain_.layer;
      auto of = [&](const Field& f) { return static_cast<int>(field(f, dl)); };
      Row& row = rows_[0];
      const bool strip_over = static_cast<int>(drain_strip_) == of(drain_strips);
      const bool block_over = static_cast<int>(drain_block_) == of(drain_blocks);
      const bool turn_over = static_cast<int>(drain_turn_) == of(drain_turns);
      const bool group_over = static_cast<int>(drain_group_) == of(drain_groups);
      row.valid = true;
      row.fc = of(drain_fc) != 0;
      row.half = drain_half_;
      row.slot = drain_slot_;
      row.part = drain_part_;
      row.row = drain_row_;
      row.odd = drain_row_ % 2 != 0;
      row.pool = of(drain_pool);
      row.average = of(drain_average) != 0;
      row.relu = of(drain_relu) != 0;
      row.first_slot = drain_count_ == 0;
      const bool slot_over = drain_count_ == of(turn_over ? drain_slots_last : drain_slots);
      row.row_last = drain_row_ == of(strip_over ? drain_rows_last : drain_rows);
      row.emit = row.fc          ? slot_over
                 : row.pool == 0 ? true
                 : row.pool == 1 ? row.odd
                                 : !row.odd && drain_row_ > 0;
      const bool batched = of(drain_batch) != 0 && plan_.request.batched_fc;
      row.words = 1 + (row.fc && row.row_last && !batched
                           ? of(strip_over ? drain_tail_last : drain_tail)
                           : of(block_over ? drain_words_last : drain_words));
      row.lanes = captured_row(row, of(drain_down) != 0 && plan_.cuts_down(),
                               of(drain_across) != 0 && plan_.cuts_across());
      const bool block_done = slot_over && row.row_last;
      row.last = block_done && block_over && strip_over && turn_over && group_over;
      row.final = row.last && drain_.layer == last_layer_;
      const bool last = row.last;
      // Convolution: rows of a slot; fully connected: slots of a row.
      if (row.fc || row.row_last) {
        const bool part_over = slot_over || drain_slot_ == plan_.depth() - 1;
        drain_count_ = slot_over ? 0 : drain_count_ + 1;
        drain_slot_ = part_over ? 0 : drain_slot_ + 1;
        if (part_over) drain_part_ = slot_over ? 0 : drain_part_ + 1;
      }
      if (!row.fc || slot_over) drain_row_ = row.row_last ? 0 : drain_row_ + 1;
      if (block_done) {
        release = true;
        drain_half_ ^= 1;
        drain_block_ = block_over ? 0 : drain_block_ + 1;
        if (block_over) drain_strip_ = strip_over ? 0 : drain_strip_ + 1;
        if (block_over && strip_over) drain_turn_ = turn_over ? 0 : drain_turn_ + 1;
        if (block_over && strip_over && turn_over) drain_group_ = group_over ? 0 : drain_group_ + 1;
      }
      if (last) next_layer(drain_);
    }
  }
  if (!drain_reads) advance(drain_);

  // Steps: the rows' copy moves on, then what is issued enters it.
  const bool captured_block = go_ && ends_[3];
  if (go_) {
    for (std::size_t i = 3; i > 0; --i) ends_[i] = ends_[i - 1];
    ends_[0] = end_;
  }
  ready_ += captured_block - release;
  claimed_ += block_end - release;
  go_ = issue || no_room || compute_.state == State::flush;
  end_ = block_end;
  if (issue) elements_multiply(fc, consume, first_round_, capture);

  // The chain moves behind the operands that were taken from it.
  const bool across = field(compute_across, cl) != 0 && plan_.cuts_across();
  const auto border = static_cast<int>(plan_.cut_across().offset);
  if (load_direct) {
    std::fill(chain_.begin(), chain_.end(), 0);
    const int columns = plan_.columns();
    if (batch)
      for (int r = 0; r < plan_.rows(); ++r)
        std::copy_n(direct_.begin(), columns, chain_.begin() + r * plan_.chain());
    else
      for (int e = 0; e < plan_.fc_elements(); ++e)
        chain_[at(e / columns * plan_.chain() + e % columns)] = direct_[at(e)];
    if (plan_.request.batched_fc)
      std::copy_n(direct_.begin() + columns, plan_.rows(), weights_.begin());
  } else if (load_shadow) {
    // Both parts see the same pixels.
    for (int r = 0; r < plan_.rows(); ++r) {
      const auto row = chain_.begin() + r * plan_.chain(), from = shadow_.begin() + r * positions;
      std::copy_n(from, plan_.chain(), row);
      if (across) std::copy_n(from, plan_.chain() - border, row + border);
    }
  } else if (shift) {
    for (int r = 0; r < plan_.rows(); ++r) {
      auto row = chain_.begin() + r * plan_.chain();
      // What comes after the first part is what comes after the second one.
      const std::int64_t after = 2 * border < plan_.chain() ? row[2 * border] : 0;
      std::copy(row + 1, row + plan_.chain(), row);
      row[plan_.chain() - 1] = 0;
      if (across) row[border - 1] = after;
    }
  }
  const bool second_shift = field(compute_step, cl) != 0;
  if (consume && last_operand)
    operand_ = Operand::hold;
  else if (load_direct || load_shadow)
    operand_ = Operand::ready;
  else if (want_load)
    operand_ = Operand::load;
  else if (consume)
    operand_ = second_shift ? Operand::shift : Operand::ready;
  else if (shift)
    operand_ = Operand::ready;

  if (issue) {
    slot_ = slot_last || block_end ? 0 : slot_ + 1;
    first_round_ = block_end || (first_round_ && !slot_last);
    if (block_end) {
      capture_half_ ^= 1;
      block_ = blocks_over ? 0 : block_ + 1;
    }
    if (!fc && slot_last) {
      auto count = [](std::uint32_t& counter, bool last) { counter = last ? 0 : counter + 1; };
      const bool over_b = tap_last && b_ == phases, over_tap = over_b && tap_a_ == last_tap_of(a_);
      const bool over_tap_b = tap_last, over_a = over_tap && a_ == phases;
      if (over_tap) count(a_, over_a);
      if (over_b) count(tap_a_, over_tap);
      if (over_tap_b) count(b_, over_b);
      count(tap_b_, tap_last);
    }
    if (fc || (slot_last && window_last))
      remaining_ = remaining_ == 0 ? field(compute_channels, cl) : remaining_ - 1;
  }
  if (compute_.state == State::flush) {
    if (++flush_ == 4) {
      flush_ = 0;
      next_layer(compute_);
    }
  } else if (block_end && blocks_over) {
    compute_.state = State::flush;
  } else {
    if (compute_.state == State::init) {
      remaining_ = field(compute_channels, cl);
      operand_ = Operand::load;
    }
    advance(compute_);
  }

  // Feeder: what was read goes to the shadow, then the next read.
  if (shift_in)
    for (int r = 0; r < plan_.rows(); ++r) {
      auto row = shadow_.begin() + r * positions;
      std::copy(row + chunk, row + positions, row);
      std::copy_n(read_.begin() + r * chunk, chunk, row + positions - chunk);
    }
  shadow_full_ = (shift_in && read_last_) || (shadow_full_ && !load_shadow);
  const auto feed_phases = field(feeder_phases, fl);
  const auto feed_last_tap = field(feeder_taps, fl) - (feed_a_ > field(feeder_high, fl) ? 1 : 0);
  const bool chunk_last = static_cast<int>(feed_chunk_) == plan_.chunks() - 1;
  const bool feed_b_last = feed_b_ == feed_phases, feed_tap_last = feed_tap_ == feed_last_tap;
  const bool feed_a_last = feed_a_ == feed_phases;
  const bool fed = read && chunk_last && feed_b_last && feed_tap_last && feed_a_last;
  if (feed_go) {
    if (read) {
      const auto address =
          (feed_a_ * (feed_phases + 1) + feed_b_) * static_cast<std::uint32_t>(plan_.chunks()) +
          feed_chunk_;
      const std::uint32_t down = feed_tap_ * (field(feeder_step, fl) + 1);
      const bool cut = field(feeder_down, fl) != 0 && plan_.cuts_down();
      const auto lower = static_cast<int>(plan_.cut_down().offset);
      for (int r = 0; r < plan_.rows(); ++r) {
        const int first = cut && r >= lower ? r - lower : r;
        const std::size_t bank = at(std::min(first + static_cast<int>(down), plan_.banks() - 1));
        std::copy_n(banks_.begin() + static_cast<std::ptrdiff_t>(
                                         ((bank * 2 + at(feed_half_)) * at(plan_.window_depth()) +
                                          address % at(plan_.window_depth())) *
                                         at(chunk)),
                    chunk, read_.begin() + r * chunk);
      }
    }
    read_valid_ = read;
    read_last_ = chunk_last;
  }
  if (read) {
    feed_chunk_ = chunk_last ? 0 : feed_chunk_ + 1;
    if (chunk_last) feed_b_ = feed_b_last ? 0 : feed_b_ + 1;
    if (chunk_last && feed_b_last) feed_tap_ = feed_tap_last ? 0 : feed_tap_ + 1;
    if (chunk_last && feed_b_last && feed_tap_last) feed_a_ = feed_a_last ? 0 : feed_a_ + 1;
  }
  bool windows_over = feeder_.running() && field(feeder_fc, fl) != 0;
  if (fed) {
    full_[at(feed_half_)] = false;
    feed_half_ ^= 1;
    const bool over = fed_ == field(feeder_windows, fl);
    fed_ = over ? 0 : fed_ + 1;
    windows_over = over;
  }
  if (windows_over)
    next_layer(feeder_);
  else
    advance(feeder_);

  // Loader.
  if (load_direct) direct_full_ = false;
  bool loaded = false;
  if (ind_take && load_fc) {
    for (std::size_t i = 0; i < direct_.size(); ++i)
      direct_[i] = wrapped(static_cast<std::int64_t>(in.ind_data[i]), plan_.operand_bits());
    direct_full_ = true;
    loaded = true;
  } else if (ind_take) {
    for (int j = 0; j < plan_.banks_a_beat(); ++j) {
      const int bank = static_cast<int>(group_) * plan_.banks_a_beat() + j;
      if (bank >= plan_.banks()) break;
      for (int i = 0; i < chunk; ++i) {
        const std::size_t lane = at(j * chunk + i);
        banks_[(at(bank * 2 + load_half_) * at(plan_.window_depth()) +
                load_address_ % at(plan_.window_depth())) *
                   at(chunk) +
               at(i)] = in.ind_keep[lane] ? wrapped(static_cast<std::int64_t>(in.ind_data[lane]),
                                                    plan_.operand_bits())
                                          : 0;
      }
    }
    const bool group_over = group_ == field(loader_groups, ll);
    const bool window_over = group_over && load_address_ == field(loader_window, ll);
    group_ = group_over ? 0 : group_ + 1;
    if (group_over) load_address_ = window_over ? 0 : load_address_ + 1;
    if (window_over) {
      full_[at(load_half_)] = true;
      load_half_ ^= 1;
      loaded = true;
    }
  }
  bool loads_over = false;
  if (loaded) {
    loads_over = loaded_ == field(loader_count, ll);
    loaded_ = loads_over ? 0 : loaded_ + 1;
  }
  if (loads_over)
    next_layer(loader_);
  else
    advance(loader_);

  // Common memory.
  bool lots_over = common_.running() && none;
  const std::uint32_t place = read_at_ % depth;
  if (fetch) {
    const bool keep = field(common_keep, ml) != 0;
    const bool length_over = word_ == field(common_length, ml);
    const bool repeat_over = length_over && repeat_ == field(common_repeats, ml);
    std::copy_n(kept_.begin() + place * common_word_.size(), common_word_.size(),
                common_word_.begin());
    word_ = length_over ? 0 : word_ + 1;
    if (length_over) repeat_ = repeat_over ? 0 : repeat_ + 1;
    lots_over = repeat_over && outer_ == field(common_outers, ml);
    if (repeat_over) outer_ = lots_over ? 0 : outer_ + 1;
    ++read_at_;
    if (!keep || repeat_over)
      base_ = read_at_;
    else if (length_over)
      read_at_ = base_;
  }
  if (in.com_valid && com_ready) {
    for (std::size_t i = 0; i < common_word_.size(); ++i)
      kept_[write_ % depth * common_word_.size() + i] =
          wrapped(static_cast<std::int64_t>(in.com_data[i]), plan_.operand_bits());
    ++write_;
  }
  common_full_ = fetch || (common_full_ && !take_common);
  if (lots_over)
    next_layer(common_);
  else
    advance(common_);

  if (in.cfg_valid) {
    const auto most = static_cast<std::uint64_t>(plan_.layer_depth());
    if (start) {
      last_layer_ = static_cast<int>(in.cfg_data % most);
      busy_ = true;
      for (Walk* w : {&loader_, &feeder_, &common_, &compute_, &drain_}) *w = {State::fetch, 0};
    } else if (in.cfg_addr / 8 % 64 < most) {
      descriptors_[in.cfg_addr] = static_cast<std::uint32_t>(in.cfg_data);
    }
  }
  if (in.rst) reset();
  return out_;
}

}  // namespace kumiki::gen::array
