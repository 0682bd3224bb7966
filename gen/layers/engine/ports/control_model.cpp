// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/layers/engine/ports/control.h"

namespace kumiki::gen::engine {
namespace {

constexpr std::uint64_t whole_word = 0xf, bus_mask = 0xffffffff;
constexpr std::uint64_t page_mask = (1u << PortsPlan::page_bits) - 1;

bool is_set(std::uint64_t word, std::uint32_t place) { return (word >> place & 1) != 0; }

}  // namespace

ControlModel::ControlModel(const PortsPlan& plan) : plan_(plan), counters_(plan.counters()) {
  power_up();
}

void ControlModel::power_up() {
  counters_.power_up();
  reset();
}

void ControlModel::reset() {
  values_.fill(0);
  value(Register::patience) = PortsPlan::first_patience;
  run_ = Run::rests;
  is_to_run_ = is_to_reset_ = is_done_ = is_timed_out_ = has_expired_ = interrupt_ = false;
  since_ = 0;
  write_ = Write::free;
  read_ = Read::free;
}

ControlOut<Values> ControlModel::shown() const {
  const auto base = [&](Register low, Register high) {
    return (value(low) | value(high) << 32) >> PortsPlan::page_bits;
  };
  ControlOut<Values> out{};
  out.clear = run_ == Run::clears;
  out.go = run_ == Run::goes;
  out.halt = run_ == Run::stops || run_ == Run::failed;
  out.interrupt = interrupt_;
  out.program_base = base(Register::program_low, Register::program_high);
  out.program_words = value(Register::program_words);
  out.moves = value(Register::moves);
  out.data_base = base(Register::data_low, Register::data_high);
  out.data_words = value(Register::data_words);
  out.awready = out.wready = write_ == Write::taken;
  out.bvalid = write_ == Write::answers;
  out.bresp = writes_well_ ? pipeline::resp_okay : pipeline::resp_slave_error;
  out.arready = read_ == Read::free;
  out.rvalid = read_ == Read::answers;
  out.rresp = rresp_;
  out.rdata = rdata_;
  return out;
}

// Whether the write that was taken may be.
bool ControlModel::is_legal() const {
  if (!is_whole_ || write_index_ >= static_cast<std::size_t>(Register::count)) return false;
  const bool rests = run_ == Run::rests;
  switch (static_cast<Register>(write_index_)) {
    case Register::control: {
      const std::uint64_t moves = value(Register::moves);
      const bool may_start =
          rests && moves != 0 && moves * plan_.words_of_a_move() <= value(Register::program_words);
      return write_data_ < 8 && (!is_set(write_data_, start_place) ||
                                 (may_start && !is_set(write_data_, reset_place)));
    }
    case Register::status:
      return write_data_ == 0 || write_data_ == 1u << done_place;
    case Register::patience:
      return rests && write_data_ < 1u << PortsPlan::patience_bits;
    case Register::program_low:
    case Register::data_low:
      return rests && (write_data_ & page_mask) == 0;
    case Register::program_high:
    case Register::data_high:
      return rests && write_data_ < 1u << (PortsPlan::address_bits - 32);
    case Register::program_words:
    case Register::data_words:
      return rests && write_data_ < 1u << PortsPlan::word_bits;
    case Register::moves:
      return rests && write_data_ < 1u << PortsPlan::move_count_bits;
    default:
      return false;
  }
}

std::uint64_t ControlModel::status(const ControlIn<Values>& in) const {
  std::uint64_t word = std::uint64_t{run_ != Run::rests && run_ != Run::failed} << running_place |
                       std::uint64_t{is_done_} << done_place |
                       std::uint64_t{run_ == Run::failed} << failed_place |
                       std::uint64_t{is_timed_out_} << (wrong_place + in.faults.size());
  for (std::size_t i = 0; i < in.faults.size(); ++i)
    word |= std::uint64_t{in.faults[i]} << (wrong_place + i);
  return word;
}

void ControlModel::run(const ControlIn<Values>& in, bool starts, bool resets) {
  const Run now = run_;
  const bool is_wrong = std::ranges::count(in.faults, true) != 0 || is_timed_out_ || is_to_reset_;
  switch (now) {
    case Run::rests:
      if (is_to_run_ || is_to_reset_) run_ = Run::clears;
      break;
    case Run::clears:
      run_ = is_to_run_ ? Run::goes : Run::rests;
      break;
    case Run::goes:
      run_ = Run::runs;
      break;
    case Run::runs:
      if (in.done)
        run_ = Run::rests;
      else if (is_wrong)
        run_ = Run::stops;
      break;
    case Run::stops:
      if (in.quiet) run_ = is_to_reset_ ? Run::clears : Run::failed;
      break;
    case Run::failed:
      if (is_to_reset_) run_ = Run::clears;
      break;
  }
  is_to_run_ = starts || (is_to_run_ && !resets && now != Run::goes);
  is_to_reset_ = resets || (is_to_reset_ && now != Run::clears);
  is_timed_out_ = (now == Run::runs && has_expired_) || (is_timed_out_ && now != Run::clears);
  has_expired_ = is_set(since_, static_cast<std::uint32_t>(value(Register::patience)));
  since_ = in.moved || now != Run::runs ? 0 : (since_ + 1) & bus_mask;
}

void ControlModel::read(const ControlIn<Values>& in) {
  pipeline::CountersIn<Values> asked{.rst = in.rst,
                                     .araddr = read_address_ % PortsPlan::counters_from,
                                     .arvalid = read_ == Read::asks,
                                     .rready = read_ == Read::waits};
  asked.events = {run_ == Run::runs};
  for (const bool e : in.events) asked.events.push_back(e && run_ == Run::runs);
  const pipeline::CountersOut<Values> counted = counters_.step(asked);
  switch (read_) {
    case Read::free:
      if (!in.arvalid) break;
      read_address_ = in.araddr;
      read_ = Read::looks;
      break;
    case Read::looks: {
      const std::uint64_t index = read_address_ / 4;
      read_ = Read::answers;
      if (read_address_ >= PortsPlan::counters_from) read_ = Read::asks;
      const std::uint64_t near = index % (PortsPlan::counters_from / 4);
      const bool is_none = near >= static_cast<std::size_t>(Register::count);
      rresp_ = is_none ? pipeline::resp_slave_error : pipeline::resp_okay;
      rdata_ = 0;
      if (is_none) break;
      const CorePlan& core = plan_.engine.core;
      switch (const auto r = static_cast<Register>(near)) {
        case Register::identity:
          rdata_ = identity;
          break;
        case Register::build:
          rdata_ = plan_.build_hash();
          break;
        case Register::shape:
          rdata_ = static_cast<std::uint64_t>(core.shape.rows + core.shape.columns * 256) +
                   (core.is_double ? 65536 : 0);
          break;
        case Register::places:
          rdata_ = static_cast<std::uint64_t>(core.shape.places);
          break;
        case Register::status:
          rdata_ = status(in);
          break;
        case Register::moves_done:
          rdata_ = in.begun;
          break;
        default:
          rdata_ = value(r);
      }
      break;
    }
    case Read::asks:
      if (counted.arready) read_ = Read::waits;
      break;
    case Read::waits:
      if (!counted.rvalid) break;
      rdata_ = counted.rdata;
      rresp_ = counted.rresp;
      read_ = Read::answers;
      break;
    case Read::answers:
      if (in.rready) read_ = Read::free;
      break;
  }
}

void ControlModel::clock(const ControlIn<Values>& in) {
  const bool applies = write_ == Write::applies && writes_well_;
  const auto to = static_cast<Register>(write_index_);
  const bool orders = applies && to == Register::control,
             starts = orders && is_set(write_data_, start_place),
             resets = orders && is_set(write_data_, reset_place),
             heard = applies && to == Register::status && is_set(write_data_, done_place);
  const bool ends = run_ == Run::runs && in.done,
             interrupt = is_set(value(Register::control), interrupt_place) &&
                         (is_done_ || run_ == Run::failed);
  const bool is_legal = ControlModel::is_legal();
  read(in);
  run(in, starts, resets);
  interrupt_ = interrupt;
  is_done_ = ends || (is_done_ && !starts && !heard);
  if (orders) value(to) = write_data_ & 1u << interrupt_place;
  if (applies && to >= Register::patience) value(to) = write_data_;
  switch (write_) {
    case Write::free:
      if (in.awvalid && in.wvalid) write_ = Write::taken;
      break;
    case Write::taken:
      write_index_ = in.awaddr / 4;
      write_data_ = in.wdata;
      is_whole_ = in.wstrb == whole_word;
      write_ = Write::checked;
      break;
    case Write::checked:
      writes_well_ = is_legal;
      write_ = Write::decided;
      break;
    case Write::decided:
      write_ = Write::applies;
      break;
    case Write::applies:
      write_ = Write::answers;
      break;
    case Write::answers:
      if (in.bready) write_ = Write::free;
      break;
  }
  if (in.rst) reset();
}

}  // namespace kumiki::gen::engine
