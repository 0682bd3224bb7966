// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/mover.h"

#include <algorithm>

namespace kumiki::gen::engine {

MoverModel::MoverModel(const PortsPlan& plan)
    : plan_(plan),
      list_({plan.word_bytes(), PortsPlan::list_burst}),
      read_({plan.word_bytes(), PortsPlan::read_burst}),
      write_({plan.word_bytes(), PortsPlan::write_burst}),
      moves_(PortsPlan::list_depth),
      words_(PortsPlan::read_depth),
      order_(PortsPlan::most_reads),
      results_(PortsPlan::write_depth) {
  reset();
}

void MoverModel::reset() {
  for (BurstsModel* b : {&list_, &read_, &write_}) b->reset();
  moves_.reset();
  words_.reset();
  order_.reset();
  results_.reset();
  state_ = State::rests;
  move_.clear();
  begun_ = held_ = pending_ = 0;
  list_room_ = PortsPlan::list_depth;
  read_room_ = PortsPlan::read_depth;
  list_has_room_ = read_has_room_ = true;
  moved_ = asks_ = asks_to_write_ = has_enough_ = writes_ = false;
  arrival_.reset();
  wrong_.assign(wrongs_of_the_mover, false);
}

bool MoverModel::is_halted(const MoverIn<Values>& in) const {
  return in.halt || std::ranges::count(wrong_, true) != 0;
}

bool MoverModel::all_is_written() const {
  return !writes_ && !asks_to_write_ && pending_ == 0 && !write_.shown().busy;
}

std::uint64_t MoverModel::field(std::uint32_t place, std::uint32_t bits) const {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < bits; ++i)
    value |= (move_[(place + i) / 8] >> (place + i) % 8 & 1) << i;
  return value;
}

MoverOut<Values> MoverModel::shown(const MoverIn<Values>& in) const {
  MoverOut<Values> out{};
  out.done = state_ == State::ends && !read_.shown().busy && read_room_ == PortsPlan::read_depth &&
             all_is_written() && !is_halted(in);
  out.quiet = !asks_ && order_.is_empty() && !writes_ && !asks_to_write_ && pending_ == 0;
  out.begun = begun_;
  out.faults = wrong_;
  out.in_valid = words_.valid();
  out.in_data = words_.valid() ? words_.front() : Word(plan_.word_bytes(), 0);
  out.out_ready = results_.has_room();
  out.arvalid = asks_;
  out.araddr = araddr_;
  out.arlen = arlen_;
  out.rready = order_.valid();
  out.awvalid = asks_to_write_;
  out.awaddr = awaddr_;
  out.awlen = awlen_;
  out.wvalid = writes_ && results_.valid();
  out.wdata = out.wvalid ? results_.front().word : Word(plan_.word_bytes(), 0);
  out.wlast = left_ == 0;
  out.bready = pending_ != 0;
  const bool reads = in.rvalid && out.rready, leaves = out.wvalid && in.wready;
  out.moved = moved_;
  out.events = {in.in_ready && !out.in_valid,
                out.in_valid && !in.in_ready,
                in.out_valid && !out.out_ready,
                reads,
                leaves,
                (asks_ && !in.arready) || (asks_to_write_ && !in.awready),
                out.wvalid && !in.wready};
  return out;
}

void MoverModel::clock(const MoverIn<Values>& in) {
  if (in.rst) return reset();
  const MoverOut<Values> now = shown(in);
  const BurstsOut<Values> list = list_.shown(), read = read_.shown(), write = write_.shown();
  const bool is_halted = MoverModel::is_halted(in), all_is_written = MoverModel::all_is_written();

  // Which bursts begin.
  const bool may_ask = !asks_ && order_.has_room() && !is_halted,
             list_asks = list.valid && list_has_room_,
             read_asks = read.valid && read_has_room_ && !list_asks,
             takes_list = may_ask && list_asks, takes_read = may_ask && read_asks,
             takes_write = has_enough_ && !writes_ && !asks_to_write_ && !is_halted &&
                           pending_ != PortsPlan::most_writes;

  // The list.
  const bool gets = state_ == State::gathers && moves_.valid();
  bool starts_read = false, starts_write = false;
  const std::uint64_t kind = move_.empty() ? 0 : field(move_kind_place, 2);
  switch (state_) {
    case State::rests:
      if (!in.go) break;
      state_ = State::gathers;
      move_.clear();
      break;
    case State::gathers:
      if (!gets) break;
      move_.insert(move_.end(), moves_.front().begin(), moves_.front().end());
      if (move_.size() >= move_bits / 8) state_ = State::sums;
      break;
    case State::sums:
      state_ = State::checks;
      break;
    case State::checks:
      state_ = State::decides;
      break;
    case State::decides: {
      const std::uint64_t first = field(move_first_place, PortsPlan::word_bits),
                          less_1 = field(move_length_place, PortsPlan::word_bits);
      const auto is_zero = [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t i = from; i < to; ++i)
          if (field(i, 1) != 0) return false;
        return true;
      };
      const bool is_bad = kind == 0 || !is_zero(move_waits_place + 1, move_first_place) ||
                          !is_zero(move_first_place + PortsPlan::word_bits, move_length_place) ||
                          !is_zero(move_length_place + PortsPlan::word_bits, move_bits);
      const bool is_beyond = first + less_1 >= (kind == 1 ? in.program_words : in.data_words);
      add_wrong(Wrong::move, is_bad);
      add_wrong(Wrong::range, is_beyond);
      state_ = is_bad || is_beyond ? State::failed : State::waits;
      break;
    }
    case State::waits: {
      const bool is_store = kind == static_cast<std::uint64_t>(Move::Kind::to_data);
      const bool can =
          !is_halted &&
          (is_store ? all_is_written
                    : !read.busy && (field(move_waits_place, 1) == 0 || all_is_written));
      if (!can) break;
      (is_store ? starts_write : starts_read) = true;
      ++begun_;
      state_ = begun_ == in.moves ? State::ends : State::gathers;
      break;
    }
    case State::ends:
      if (now.done) state_ = State::rests;
      break;
    case State::failed:
      break;
  }
  if (in.go) begun_ = 0;

  const std::uint64_t first = starts_read || starts_write
                                  ? field(move_first_place, PortsPlan::word_bits)
                                  : 0,
                      less_1 = starts_read || starts_write
                                   ? field(move_length_place, PortsPlan::word_bits)
                                   : 0;
  if (starts_read || starts_write) move_.clear();
  list_.clock({.start = in.go,
               .base = in.program_base,
               .first = 0,
               .less_1 = in.moves * plan_.words_of_a_move() - 1,
               .taken = takes_list});
  read_.clock({.start = starts_read,
               .base = reads_program_ ? in.program_base : in.data_base,
               .first = first,
               .less_1 = less_1,
               .taken = takes_read});
  if (starts_read) reads_program_ = kind == static_cast<std::uint64_t>(Move::Kind::from_program);
  write_.clock({.start = starts_write,
                .base = in.data_base,
                .first = first,
                .less_1 = less_1,
                .taken = takes_write});

  // Reads.
  list_has_room_ = list_room_ >= PortsPlan::list_burst;
  read_has_room_ = read_room_ >= PortsPlan::read_burst;
  list_room_ += (gets ? 1 : 0) - (takes_list ? list.length + 1 : 0);
  read_room_ += (now.in_valid && in.in_ready ? 1 : 0) - (takes_read ? read.length + 1 : 0);
  if (takes_list || takes_read) {
    araddr_ = takes_list ? list.address : read.address;
    arlen_ = takes_list ? list.length : read.length;
  }
  asks_ = takes_list || takes_read || (asks_ && !in.arready);
  const bool comes = in.rvalid && order_.valid();
  moves_.clock(arrival_ && !arrival_->is_data ? std::optional(arrival_->word) : std::nullopt, gets);
  words_.clock(arrival_ && arrival_->is_data ? std::optional(arrival_->word) : std::nullopt,
               in.in_ready);
  add_wrong(Wrong::read, arrival_ && arrival_->is_wrong);
  arrival_.reset();
  if (comes) arrival_ = {order_.front(), (in.rresp >> 1 & 1) != 0, in.rdata};
  order_.clock(takes_list || takes_read ? std::optional(takes_read) : std::nullopt,
               comes && in.rlast);

  // Writes.
  const bool leaves = now.wvalid && in.wready, enters = in.out_valid && results_.has_room(),
             answers = in.bvalid && pending_ != 0;
  moved_ = comes || (now.in_valid && in.in_ready) || enters || leaves || answers;
  add_wrong(Wrong::write, answers && (in.bresp >> 1 & 1) != 0);
  if (leaves) add_wrong(Wrong::store, results_.front().is_last != (left_ == 0 && is_last_burst_));
  has_enough_ = write.valid && !writes_ && held_ > write.length;
  held_ += (enters ? 1 : 0) - (leaves ? 1 : 0);
  pending_ += (takes_write ? 1 : 0) - (answers ? 1 : 0);
  results_.clock(enters ? std::optional(Result{in.out_data, in.out_last}) : std::nullopt,
                 writes_ && in.wready);
  writes_ = takes_write || (writes_ && !(leaves && left_ == 0));
  asks_to_write_ = takes_write || (asks_to_write_ && !in.awready);
  if (takes_write) {
    awaddr_ = write.address;
    awlen_ = left_ = write.length;
    is_last_burst_ = write.last;
  } else if (leaves) {
    --left_;
  }
}

}  // namespace kumiki::gen::engine
