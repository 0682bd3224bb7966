// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/channel_model.h"

#include <algorithm>

#include "gen/arith/format.h"

namespace kumiki::gen::requant {

ChannelModel::ChannelModel(const ChannelPlan& plan)
    : rules_(plan.rules),
      steps_(plan.steps),
      is_equal_(plan.rules.size(), true),
      result_bits_(plan.request.result_bits),
      latency_(static_cast<std::size_t>(plan.latency)) {
  for (const auto& u : plan.unequal) is_equal_[u.channel] = false;
  power_up();
}

void ChannelModel::power_up() {
  on_the_way_.assign(latency_ - 1, {});
  out_ = {};
}

std::uint64_t ChannelModel::result(const ChannelIn<Values>& in) const {
  const std::uint64_t given = in.channel.empty() ? 0 : in.channel[0];
  const std::size_t c = given < rules_.size() ? given : 0;
  // Of a form that its user took for near enough there is no rule but where its results begin.
  const std::int64_t q = is_equal_[c] ? requantised(rules_[c], in.acc) : steps_[c].at(in.acc);
  return arith::raw_of(q, result_bits_);
}

RequantOut<Values> ChannelModel::step(const ChannelIn<Values>& in) {
  const RequantOut<Values> out{.out_valid = out_.valid, .q = out_.q};
  if (in.en) {
    const Entry oldest = on_the_way_.back();
    out_.valid = oldest.valid;
    if (oldest.valid) out_.q = oldest.q;
    std::rotate(on_the_way_.begin(), on_the_way_.end() - 1, on_the_way_.end());
    on_the_way_[0] = {in.in_valid, result(in)};
  }
  if (in.rst) {
    out_.valid = false;
    for (Entry& entry : on_the_way_) entry.valid = false;
  }
  return out;
}

}  // namespace kumiki::gen::requant
