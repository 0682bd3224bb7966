// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machine.h"

#include <algorithm>
#include <stdexcept>

namespace kumiki::gen::pipeline {
namespace {

void append(std::vector<UInt>& lanes, const Stream& stream) {
  lanes.insert(lanes.end(), static_cast<std::size_t>(stream.lanes),
               UInt::shape(static_cast<std::uint32_t>(stream.format.bits)));
}

}  // namespace

MachineIn<Hardware> Machine::input_shape() const {
  MachineIn<Hardware> in{};
  for (const Stream& stream : inputs()) {
    in.in_valid.emplace_back();
    append(in.in_data, stream);
  }
  return in;
}

MachineOut<Hardware> Machine::output_shape() const {
  MachineOut<Hardware> out{};
  out.in_ready.resize(inputs().size());
  append(out.out_data, output());
  return out;
}

Taken::Taken(const Machine& machine) : output_(machine.output()) {
  for (const Stream& s : machine.inputs())
    inputs_.push_back({.lanes = s.lanes, .of_piece = s.beats() / machine.pieces()});
}

std::span<const std::uint64_t> Taken::at(std::size_t input, std::int64_t k) const {
  const Input& i = inputs_[input];
  const auto first = static_cast<std::size_t>((i.from + k) * i.lanes),
             lanes = static_cast<std::size_t>(i.lanes);
  if (i.missing > 0 || first + lanes > i.numbers.size())
    throw std::logic_error("a machine shows a result before it has taken what the result needs");
  return std::span(i.numbers).subspan(first, lanes);
}

void Taken::take(std::size_t input, std::span<const std::uint64_t> beat) {
  Input& i = inputs_[input];
  if (i.missing > 0)
    --i.missing;
  else
    i.numbers.insert(i.numbers.end(), beat.begin(), beat.end());
}

void Taken::next_piece() {
  for (Input& i : inputs_) {
    const std::int64_t there = std::ssize(i.numbers) / i.lanes;
    i.missing += std::max<std::int64_t>(i.from + i.of_piece - there, 0);
    i.from = std::min(i.from + i.of_piece, there);
    // Only once in a while, because what is left moves to the front.
    if (2 * i.from < there) continue;
    i.numbers.erase(i.numbers.begin(), i.numbers.begin() + i.from * i.lanes);
    i.from = 0;
  }
}

MachineModel::MachineModel(std::shared_ptr<const Machine> machine)
    : machine_(std::move(machine)),
      of_piece_(machine_->output().beats() / machine_->pieces()),
      counts_(machine_->counts()),
      taken_(*machine_) {
  reset();
}

void MachineModel::reset() {
  counts_ = Lazy(machine_->counts());
  taken_ = Taken(*machine_);
  shown_.in_ready.assign(machine_->inputs().size(), false);
  shown_.out_data.assign(static_cast<std::size_t>(taken_.output().lanes), 0);
  clock_ = beat_ = 0;
  is_computed_ = false;
  show();
}

void MachineModel::show() {
  const Shown& now = counts_.shown();
  for (std::size_t i = 0; i < shown_.in_ready.size(); ++i)
    shown_.in_ready[i] = (now.ready >> i & 1) != 0;
  shown_.out_valid = now.valid;
  if (now.valid && !is_computed_) shown_.out_data = machine_->result(beat_, taken_);
  is_computed_ = now.valid;
}

void MachineModel::clock(const MachineIn<Values>& in) {
  if (in.rst) return reset();
  Given given{.valid = 0, .ready = in.out_ready};
  auto numbers = in.in_data.begin();
  for (std::size_t i = 0; i < shown_.in_ready.size(); ++i) {
    const auto end = numbers + taken_.lanes(i);
    if (in.in_valid[i]) given.valid |= 1u << i;
    if (in.in_valid[i] && shown_.in_ready[i]) taken_.take(i, std::span(numbers, end));
    numbers = end;
  }
  const bool leaves = shown_.out_valid && in.out_ready;
  if (leaves) is_computed_ = false;
  if (leaves && ++beat_ == of_piece_) {
    beat_ = 0;
    taken_.next_piece();
  }
  counts_.give(given, clock_++);
  const bool wakes = counts_.next() == clock_ && counts_.wake();
  if (wakes || leaves) show();
}

}  // namespace kumiki::gen::pipeline
