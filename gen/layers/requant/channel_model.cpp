// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/channel_model.h"

#include "gen/arith/format.h"

namespace kumiki::gen::requant {

ChannelModel::ChannelModel(const ChannelPlan& plan)
    : plan_(plan),
      is_equal_(plan.rules.size(), true),
      result_bits_(plan.request.result_bits),
      under_way_(plan.latency) {
  for (const auto& u : plan.unequal) is_equal_[u.channel] = false;
}

std::uint64_t ChannelModel::result(const ChannelIn<Values>& in) const {
  const std::uint64_t given = in.channel.empty() ? 0 : in.channel[0];
  const std::size_t c = given < plan_.rules.size() ? given : 0;
  // A form that the user accepted as near enough has no rule; only the places where its results
  // begin define it.
  const std::int64_t q = is_equal_[c] ? requantised(plan_, c, in.acc) : plan_.steps[c].at(in.acc);
  return arith::raw_of(q, result_bits_);
}

}  // namespace kumiki::gen::requant
