// SPDX-License-Identifier: Apache-2.0
// One clock of the model: first the combinational nets, then the clock edge.
#include <algorithm>

#include "gen/layers/array/model.h"

namespace kumiki::gen::array {

using namespace fields;

namespace {

// Counts up and wraps to 0 after the last value.
void count(std::uint32_t& counter, bool last) { counter = last ? 0 : counter + 1; }

}  // namespace

std::uint32_t ArrayModel::last_tap(std::uint32_t phase) const {
  const int l = compute_.layer;
  return field(compute_taps, l) - (phase > field(compute_high, l) ? 1 : 0);
}

void ArrayModel::wires_of_results(Wires& w, const ArrayIn<Values>& in) const {
  const bool leaving = words_left_ > 0;
  w.last_words = words_left_ <= plan_.request.output_words;
  w.leave = leaving && in.par_valid && beat_room_.left;
  w.row_done = w.leave && w.last_words;
  w.load_row = !waiting_rows_.empty() && (!leaving || w.row_done);
  w.par_ready = leaving && beat_room_.left && (leaving_.fc || (leaving_.row_last && w.last_words));
  w.drain_reads = row_room_.left && drain_.running() && ready_ > 0;
  w.out_taken = !waiting_beats_.empty() && (!shown_.valid || in.out_ready);
}

void ArrayModel::wires_of_steps(Wires& w) const {
  const bool computing = compute_.running();
  const int cl = compute_.layer;
  w.fc = field(compute_fc, cl) != 0;
  w.batch = asks(compute_batch, cl, plan_.request.batched_fc);
  w.down = asks(compute_down, cl, plan_.cuts_down());
  w.across = asks(compute_across, cl, plan_.cuts_across());
  const auto phases = field(compute_phases, cl);
  w.slot_last = slot_ == plan_.depth() - 1;
  w.tap_last = tap_b_ == last_tap(b_);
  w.window_last = w.tap_last && b_ == phases && tap_a_ == last_tap(a_) && a_ == phases;
  w.capture = w.fc ? remaining_ < static_cast<std::uint32_t>(plan_.depth())
                   : w.window_last && remaining_ == 0;
  const bool operand_wanted = w.fc || slot_ == 0;
  // A block starts only if there will be room for its results. Until then empty steps push the
  // previous blocks through the pipeline.
  w.no_room = computing && first_round_ && slot_ == 0 && claimed_ == 2;
  w.issue = computing && !w.no_room && (common_full_ || w.batch) &&
            (!operand_wanted || operand_ == Operand::ready);
  w.take_common = w.issue && !w.batch;
  w.block_end = w.issue && (w.fc ? remaining_ == 0 : w.slot_last && w.capture);
  w.blocks_over = block_ == field(compute_blocks, cl);
  w.consume = w.issue && operand_wanted;
  w.last_operand = w.blocks_over && (w.fc ? remaining_ == 0 : w.window_last && remaining_ == 0);
  w.want_load = computing && (operand_ == Operand::load ||
                              (w.consume && (w.fc || w.tap_last) && !w.last_operand));
  w.load_direct = w.want_load && w.fc && !direct_.empty();
  w.load_shadow = w.want_load && !w.fc && w.shadow_there;
  w.shift = computing && (operand_ == Operand::shift || (w.consume && !w.fc && !w.tap_last));
}

// A chain begins when the previous one is taken. It counts as present when its last chunk is read:
// the chunk takes as long to reach the rows as a step.
void ArrayModel::wires_of_feed(Wires& w) const {
  w.read = feeder_.running() && full_[at(feed_half_)] && (feed_chunk_ > 0 || !shadow_full_);
  w.shadow_there = shadow_full_ || (plan_.chunks() == 1 && w.read);
}

void ArrayModel::wires_of_operands(Wires& w, const ArrayIn<Values>& in) const {
  const int ll = loader_.layer;
  w.load_fc = field(loader_fc, ll) != 0;
  w.ind_ready = loader_.running() && (w.load_fc ? direct_room_.left : !full_[at(load_half_)]);
  w.ind_take = in.ind_valid && w.ind_ready;

  w.com_ready = common_room_;
  w.none = asks(common_none, common_.layer, plan_.request.batched_fc);
  w.fetch = common_.running() && common_there_ && (!common_full_ || w.take_common);
}

void ArrayModel::show(const Wires& w) {
  out_.busy = busy_;
  out_.computing = compute_.state == State::init || compute_.state == State::run ||
                   compute_.state == State::flush;
  out_.ind_ready = w.ind_ready;
  out_.com_ready = w.com_ready;
  out_.par_ready = w.par_ready;
  out_.out_valid = shown_.valid;
  out_.out_last = shown_.last;
  if (shown_.valid) {
    out_.out_data = shown_.data;
    out_.out_keep = shown_.keep;
  }
}

// Updates the beat at the port, the lanes, and the words of the leaving row.
void ArrayModel::leave(const Wires& w, const ArrayIn<Values>& in) {
  const int words = plan_.request.output_words;
  if (!shown_.valid || in.out_ready) shown_ = {};
  if (w.out_taken) {
    shown_ = std::move(waiting_beats_.front());
    waiting_beats_.pop_front();
  }
  Beat beat;
  beat.valid = w.leave;
  if (w.leave) {
    beat.last = leaving_.last && w.last_words;
    beat.final = leaving_.final && w.last_words;
    for (int i = 0; i < words; ++i) {
      const std::uint64_t parameter = in.par_data[leaving_.fc ? at(i) : 0];
      beat.data.push_back(requantised(words_[at(i)], parameter, leaving_));
      beat.keep.push_back(i < words_left_);
    }
    words_left_ = std::max(0, words_left_ - words);
    for (std::size_t i = 0; i + at(words) < words_.size(); ++i) words_[i] = words_[i + at(words)];
  }
  lanes_.push_front(std::move(beat));
  if (lanes_.back().valid) waiting_beats_.push_back(std::move(lanes_.back()));
  lanes_.pop_back();
  beat_room_.step(w.leave, w.out_taken);
  if (!w.load_row) return;
  leaving_ = std::move(waiting_rows_.front());
  waiting_rows_.pop_front();
  words_ = leaving_.lanes;
  words_left_ = leaving_.words;
}

// Reads a row and advances the others. Returns whether a block has been read completely.
bool ArrayModel::drain(const Wires& w) {
  bool released = false;
  Row row;
  if (w.drain_reads)
    released = read_row(row);
  else
    advance(drain_);
  row_room_.step(row.valid && row.emit, w.load_row);
  rows_.push_front(std::move(row));
  Row done = std::move(rows_.back());
  rows_.pop_back();
  if (done.valid) combine(done);
  if (done.valid && done.emit) waiting_rows_.push_back(std::move(done));
  return released;
}

// Returns whether the block ends with this row.
bool ArrayModel::read_row(Row& row) {
  const int dl = drain_.layer;
  auto of = [&](const Field& f) { return static_cast<int>(field(f, dl)); };
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
  row.layer = dl;
  row.first_slot = drain_count_ == 0;
  const bool slot_over = drain_count_ == of(turn_over ? drain_slots_last : drain_slots);
  row.row_last = drain_row_ == of(strip_over ? drain_rows_last : drain_rows);
  row.emit = row.fc          ? slot_over
             : row.pool == 0 ? true
             : row.pool == 1 ? row.odd
                             : !row.odd && drain_row_ > 0;
  const bool batched = asks(drain_batch, dl, plan_.request.batched_fc);
  row.words =
      1 + (row.fc && row.row_last && !batched ? of(strip_over ? drain_tail_last : drain_tail)
                                              : of(block_over ? drain_words_last : drain_words));
  row.lanes = captured_row(row, asks(drain_down, dl, plan_.cuts_down()),
                           asks(drain_across, dl, plan_.cuts_across()));
  const bool block_done = slot_over && row.row_last;
  row.last = block_done && block_over && strip_over && turn_over && group_over;
  row.final = row.last && drain_.layer == last_layer_;
  // A convolution reads all rows of a slot first, a fully connected layer all slots of a row.
  if (row.fc || row.row_last) {
    const bool part_over = slot_over || drain_slot_ == plan_.depth() - 1;
    drain_count_ = slot_over ? 0 : drain_count_ + 1;
    drain_slot_ = part_over ? 0 : drain_slot_ + 1;
    if (part_over) drain_part_ = slot_over ? 0 : drain_part_ + 1;
  }
  if (!row.fc || slot_over) drain_row_ = row.row_last ? 0 : drain_row_ + 1;
  if (block_done) {
    drain_half_ ^= 1;
    drain_block_ = block_over ? 0 : drain_block_ + 1;
    if (block_over) drain_strip_ = strip_over ? 0 : drain_strip_ + 1;
    if (block_over && strip_over) drain_turn_ = turn_over ? 0 : drain_turn_ + 1;
    if (block_over && strip_over && turn_over) drain_group_ = group_over ? 0 : drain_group_ + 1;
  }
  if (row.last) next_layer(drain_);
  return block_done;
}

// Advances the rows' copy of the step by one stage, then inserts the issued step.
void ArrayModel::step_elements(const Wires& w, bool released) {
  const bool captured_block = go_ && ends_[3];
  if (go_) {
    for (std::size_t i = 3; i > 0; --i) ends_[i] = ends_[i - 1];
    ends_[0] = end_;
  }
  ready_ += captured_block - released;
  claimed_ += w.block_end - released;
  issued_.push_front({w.issue || w.no_room || compute_.state == State::flush, w.block_end});
  go_ = issued_.back().go;
  end_ = issued_.back().end;
  issued_.pop_back();
  if (w.issue) elements_multiply(w);
}

// Runs after the operands have been taken from the chain.
void ArrayModel::move_chain(const Wires& w) {
  const int positions = plan_.chunks() * plan_.chunk();
  const auto border = static_cast<int>(plan_.cut_across().offset);
  if (w.load_direct) {
    std::fill(chain_.begin(), chain_.end(), 0);
    const int columns = plan_.columns();
    if (w.batch)
      for (int r = 0; r < plan_.rows(); ++r)
        std::copy_n(direct_.front().begin(), columns, chain_.begin() + r * plan_.chain());
    else
      for (int e = 0; e < plan_.fc_elements(); ++e)
        chain_[at(e / columns * plan_.chain() + e % columns)] = direct_.front()[at(e)];
    if (plan_.request.batched_fc)
      std::copy_n(direct_.front().begin() + columns, plan_.rows(), weights_.begin());
  } else if (w.load_shadow) {
    // Both parts get the same pixels.
    for (int r = 0; r < plan_.rows(); ++r) {
      const auto row = chain_.begin() + r * plan_.chain(), from = shadow_.begin() + r * positions;
      std::copy_n(from, plan_.chain(), row);
      if (w.across) std::copy_n(from, plan_.chain() - border, row + border);
    }
  } else if (w.shift) {
    for (int r = 0; r < plan_.rows(); ++r) {
      auto row = chain_.begin() + r * plan_.chain();
      // The first part is followed by the same pixels as the second one.
      const std::int64_t after = 2 * border < plan_.chain() ? row[2 * border] : 0;
      std::copy(row + 1, row + plan_.chain(), row);
      row[plan_.chain() - 1] = 0;
      if (w.across) row[border - 1] = after;
    }
  }
}

void ArrayModel::next_operand(const Wires& w) {
  const bool second_shift = field(compute_step, compute_.layer) != 0;
  if (w.consume && w.last_operand)
    operand_ = Operand::hold;
  else if (w.load_direct || w.load_shadow)
    operand_ = Operand::ready;
  else if (w.want_load)
    operand_ = Operand::load;
  else if (w.consume)
    operand_ = second_shift ? Operand::shift : Operand::ready;
  else if (w.shift)
    operand_ = Operand::ready;
}

void ArrayModel::next_place(const Wires& w) {
  if (!w.issue) return;
  slot_ = w.slot_last || w.block_end ? 0 : slot_ + 1;
  first_round_ = w.block_end || (first_round_ && !w.slot_last);
  if (w.block_end) {
    capture_half_ ^= 1;
    block_ = w.blocks_over ? 0 : block_ + 1;
  }
  if (!w.fc && w.slot_last) {
    const auto phases = field(compute_phases, compute_.layer);
    const bool over_b = w.tap_last && b_ == phases, over_tap = over_b && tap_a_ == last_tap(a_);
    const bool over_tap_b = w.tap_last, over_a = over_tap && a_ == phases;
    if (over_tap) count(a_, over_a);
    if (over_b) count(tap_a_, over_tap);
    if (over_tap_b) count(b_, over_b);
    count(tap_b_, w.tap_last);
  }
  if (w.fc || (w.slot_last && w.window_last))
    remaining_ = remaining_ == 0 ? field(compute_channels, compute_.layer) : remaining_ - 1;
}

void ArrayModel::next_state(const Wires& w) {
  if (compute_.state == State::flush) {
    if (++flush_ == 4) {
      flush_ = 0;
      next_layer(compute_);
    }
  } else if (w.block_end && w.blocks_over) {
    compute_.state = State::flush;
  } else {
    if (compute_.begins()) {
      remaining_ = field(compute_channels, compute_.layer);
      operand_ = Operand::load;
    }
    advance(compute_);
  }
}

// Reads a chunk for every row into the shadow. If the array is cut, the rows of the lower part read
// the same banks as those of the upper part.
void ArrayModel::read_banks() {
  const int chunk = plan_.chunk(), positions = plan_.chunks() * chunk, fl = feeder_.layer;
  const std::uint32_t pass = feed_a_ * (field(feeder_phases, fl) + 1) + feed_b_;
  const std::uint32_t address = pass * static_cast<std::uint32_t>(plan_.chunks()) + feed_chunk_;
  const auto down = static_cast<int>(feed_tap_ * (field(feeder_step, fl) + 1));
  const bool cut = asks(feeder_down, fl, plan_.cuts_down());
  const auto lower = static_cast<int>(plan_.cut_down().offset);
  for (int r = 0; r < plan_.rows(); ++r) {
    const int first = cut && r >= lower ? r - lower : r;
    const std::int64_t* word =
        &banks_[bank_word(std::min(first + down, plan_.banks() - 1), feed_half_, address)];
    auto row = shadow_.begin() + r * positions;
    std::copy(row + chunk, row + positions, row);
    std::copy_n(word, chunk, row + positions - chunk);
  }
}

// The index of a bank's word.
std::size_t ArrayModel::bank_word(int bank, int half, std::uint32_t address) const {
  const auto depth = static_cast<std::uint32_t>(plan_.window_depth());
  return (at(bank * 2 + half) * depth + address % depth) * at(plan_.chunk());
}

void ArrayModel::feed(const Wires& w) {
  const int fl = feeder_.layer;
  const auto feed_phases = field(feeder_phases, fl);
  const auto feed_last_tap = field(feeder_taps, fl) - (feed_a_ > field(feeder_high, fl) ? 1 : 0);
  const auto chunk = static_cast<int>(feed_chunk_);
  const bool chunk_last = chunk == plan_.chunks() - 1;
  const bool feed_b_last = feed_b_ == feed_phases, feed_tap_last = feed_tap_ == feed_last_tap;
  const bool feed_a_last = feed_a_ == feed_phases;
  const bool fed = w.read && chunk_last && feed_b_last && feed_tap_last && feed_a_last;
  shadow_full_ = (w.shadow_there && !w.load_shadow) || (w.read && chunk == plan_.chunks() - 2);
  if (w.read) {
    read_banks();
    feed_chunk_ = chunk_last ? 0 : feed_chunk_ + 1;
    if (chunk_last) feed_b_ = feed_b_last ? 0 : feed_b_ + 1;
    if (chunk_last && feed_b_last) feed_tap_ = feed_tap_last ? 0 : feed_tap_ + 1;
    if (chunk_last && feed_b_last && feed_tap_last) feed_a_ = feed_a_last ? 0 : feed_a_ + 1;
  }
  // A fully connected layer reads nothing.
  bool windows_over = feeder_.begins() && field(feeder_fc, fl) != 0;
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
}

// Words that are not kept are padding.
void ArrayModel::write_banks(const ArrayIn<Values>& in) {
  const int chunk = plan_.chunk();
  const int first = static_cast<int>(group_) * plan_.banks_a_beat();
  const std::int64_t padding =
      plan_.request.float32 ? signed_field(loader_pad, loader_.layer, plan_.operand_bits()) : 0;
  for (int j = 0; j < plan_.banks_a_beat() && first + j < plan_.banks(); ++j) {
    const std::size_t word = bank_word(first + j, load_half_, load_address_);
    for (int i = 0; i < chunk; ++i) {
      const std::size_t lane = at(j * chunk + i);
      const auto pixel = static_cast<std::int64_t>(in.ind_data[lane]);
      banks_[word + at(i)] = in.ind_keep[lane] ? wrapped(pixel, plan_.operand_bits()) : padding;
    }
  }
}

void ArrayModel::load(const Wires& w, const ArrayIn<Values>& in) {
  const int ll = loader_.layer;
  if (w.load_direct) direct_.pop_front();
  direct_room_.step(w.ind_take && w.load_fc, direct_taken_.back());
  direct_taken_.pop_back();
  direct_taken_.push_front(w.load_direct);
  if (!direct_coming_.empty()) {
    direct_.push_back(std::move(direct_coming_.front()));
    direct_coming_.pop_front();
  }
  bool loaded = false;
  if (w.ind_take && w.load_fc) {
    std::vector<std::int64_t> beat;
    for (const auto word : in.ind_data)
      beat.push_back(wrapped(static_cast<std::int64_t>(word), plan_.operand_bits()));
    direct_coming_.push_back(std::move(beat));
    loaded = true;
  } else if (w.ind_take) {
    write_banks(in);
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
}

void ArrayModel::remember(const Wires& w, const ArrayIn<Values>& in) {
  const int ml = common_.layer;
  const auto depth = static_cast<std::uint32_t>(plan_.common_depth());
  const std::uint32_t written = write_, base = base_;
  bool lots_over = common_.begins() && w.none;
  bool again = false;
  const std::uint32_t place = read_at_ % depth;
  if (w.fetch) {
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
    else if (length_over) {
      again = true;
      read_at_ = base_;
    }
  }
  if (in.com_valid && w.com_ready) {
    for (std::size_t i = 0; i < common_word_.size(); ++i)
      kept_[write_ % depth * common_word_.size() + i] =
          wrapped(static_cast<std::int64_t>(in.com_data[i]), plan_.operand_bits());
    ++write_;
  }
  // What the other side did in this clock does not count yet. Words that are read again are always
  // present.
  common_there_ = again || read_at_ != written;
  common_room_ = write_ - base != depth;
  common_full_ = w.fetch || (common_full_ && !w.take_common);
  if (lots_over)
    next_layer(common_);
  else
    advance(common_);
}

void ArrayModel::configure(const ArrayIn<Values>& in) {
  if (!in.cfg_valid) return;
  const auto most = static_cast<std::uint64_t>(plan_.layer_depth());
  if (in.cfg_addr == start_address) {
    last_layer_ = static_cast<int>(in.cfg_data % most);
    busy_ = true;
    for (Walk* w : {&loader_, &feeder_, &common_, &compute_, &drain_}) *w = {State::fetch, 0};
  } else if (in.cfg_addr / 8 % 64 < most) {
    descriptors_[in.cfg_addr] = static_cast<std::uint32_t>(in.cfg_data);
  }
}

const ArrayOut<Values>& ArrayModel::step(const ArrayIn<Values>& in) {
  Wires w;
  wires_of_results(w, in);
  wires_of_feed(w);
  wires_of_steps(w);
  wires_of_operands(w, in);
  show(w);

  // From the last stage to the first, so that each sees the old value of the previous stage.
  if (shown_.valid && in.out_ready && shown_.final) busy_ = false;
  leave(w, in);
  step_elements(w, drain(w));
  feed(w);
  move_chain(w);
  next_operand(w);
  next_place(w);
  next_state(w);
  load(w, in);
  remember(w, in);
  configure(in);
  if (in.rst) reset();
  return out_;
}

}  // namespace kumiki::gen::array
