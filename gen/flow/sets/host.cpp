// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sets/host.h"

#include <algorithm>

#include "gen/flow/slots.h"
#include "gen/hdl/limbs.h"

namespace kumiki::flow {
namespace {

bool is_one(const ir::PortLayout& ports, const std::string& name, const ir::Frame& in,
            const ir::Frame& out) {
  if (const ir::PortSlot* p = find_slot(ports.outputs, name)) return (out[p->limb] & 1) != 0;
  if (const ir::PortSlot* p = find_slot(ports.inputs, name)) return (in[p->limb] & 1) != 0;
  return false;
}

std::size_t late_of(const gen::Beat& b, std::size_t element) {
  return b.late.empty() ? 0 : b.late[element % b.late.size()];
}

}  // namespace

SetHost::SetHost(const SetShape& shape, const std::vector<std::vector<std::int64_t>>& in,
                 std::vector<std::vector<std::int64_t>>& out, std::size_t first, std::size_t count)
    : shape_(shape),
      in_(in),
      out_(out),
      first_(first),
      count_(count),
      offered_(shape.latest + 1, none),
      arrived_(shape.out.size(), std::vector<std::int64_t>(shape.latest + 1, none)),
      begun_(shape.out.size(), 0),
      ended_(shape.out.size(), 0) {}

std::int64_t SetHost::word_at(const std::vector<std::int64_t>& history, std::size_t late) const {
  const auto at = clock_ - static_cast<std::int64_t>(late);
  return at < 0 ? none : history[static_cast<std::size_t>(at) % history.size()];
}

void SetHost::drive(ir::Frame& in) {
  std::ranges::fill(in, 0);
  for (const ir::PortSlot& p : shape_.ones) in[p.limb] |= 1;
  const auto words = static_cast<std::int64_t>(shape_.words);
  const bool offers = next_ < words * static_cast<std::int64_t>(count_);
  offered_[static_cast<std::size_t>(clock_) % offered_.size()] = offers ? next_ : none;
  if (offers && shape_.valid && (!shape_.runs_on || next_ % words == 0))
    in[shape_.valid->limb] |= 1;
  for (std::size_t i = 0; i < shape_.in.size(); ++i) {
    const Operand& o = shape_.in[i];
    for (std::size_t e = 0; e < o.place[0].size(); ++e) {
      const std::int64_t word = word_at(offered_, late_of(o.beat, e));
      if (word == none) continue;
      const auto row = static_cast<std::size_t>(word % words) % o.place.size();
      const std::int64_t place = o.place[row][e];
      if (place < 0) continue;
      const std::size_t set = first_ + static_cast<std::size_t>(word / words);
      const auto element = static_cast<std::int64_t>(e);
      const std::uint32_t width = o.beat.width_of(element);
      gen::put_bits(
          in.data() + o.slot.limb, o.beat.low_of(element), width,
          gen::arith::raw_of(in_[i][set * o.size() + static_cast<std::size_t>(place)], width));
    }
  }
}

std::optional<std::size_t> SetHost::set_driven() const {
  const std::int64_t word = word_at(offered_, 0);
  if (word == none) return std::nullopt;
  return first_ + static_cast<std::size_t>(word) / shape_.words;
}

void SetHost::watch(const ir::Frame& in, const ir::Frame& out) {
  ++idle_;
  const bool taken = std::ranges::all_of(
      shape_.ready, [&](const ir::PortSlot& p) { return (out[p.limb] & 1) != 0; });
  if (taken && word_at(offered_, 0) != none) {
    ++next_;
    idle_ = 0;
  }
  for (std::size_t i = 0; i < shape_.out.size(); ++i) {
    const Operand& o = shape_.out[i];
    const auto words = static_cast<std::int64_t>(o.place.size());
    const std::int64_t all = words * static_cast<std::int64_t>(count_);
    const bool there =
        begun_[i] < all && std::ranges::all_of(o.beat.when, [&](const std::string& name) {
          return is_one(shape_.ports, name, in, out);
        });
    arrived_[i][static_cast<std::size_t>(clock_) % arrived_[i].size()] = there ? begun_[i]++ : none;
    if (there) idle_ = 0;
    for (std::size_t e = 0; e < o.place[0].size(); ++e) {
      const std::int64_t word = word_at(arrived_[i], late_of(o.beat, e));
      if (word == none) continue;
      const std::int64_t place = o.place[static_cast<std::size_t>(word % words)][e];
      if (place < 0) continue;
      const std::size_t set = first_ + static_cast<std::size_t>(word / words);
      const auto element = static_cast<std::int64_t>(e);
      const auto& format = o.beat.format_of(element);
      out_[i][set * o.size() + static_cast<std::size_t>(place)] = gen::arith::value_of(
          gen::bits_at(out.data() + o.slot.limb, o.beat.low_of(element), o.beat.width_of(element)),
          format);
    }
    const std::int64_t whole = word_at(arrived_[i], shape_.latest);
    if (whole != none) ended_[i] = whole + 1;
  }
  ++clock_;
}

std::size_t SetHost::sets_done() const {
  std::size_t least = count_;
  for (std::size_t i = 0; i < ended_.size(); ++i)
    least = std::min(least, static_cast<std::size_t>(ended_[i]) / shape_.out[i].place.size());
  return least;
}

}  // namespace kumiki::flow
