// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/model.h"

#include <algorithm>

#include "gen/arith/format.h"

namespace kumiki::gen::requant {

RequantModel::RequantModel(int latency, int result_bits, Result result)
    : result_bits_(result_bits),
      result_(std::move(result)),
      under_way_(static_cast<std::size_t>(latency - 1)) {}

RequantModel::RequantModel(const Plan& plan)
    : RequantModel(
          plan.slice.latency, plan.request.result_bits, [plan](const RequantIn<Values>& in) {
            const auto given = [](const std::vector<std::int64_t>& port, std::int64_t constant) {
              return port.empty() ? constant : port[0];
            };
            return requantise(plan.slice.request,
                              {.accumulator = in.acc,
                               .scale = given(in.scale, plan.scale ? plan.scale->scale : 0),
                               .bias = given(in.bias, 0),
                               .zero_point = given(in.zero_point, plan.request.zero_point)});
          }) {}

RequantModel::RequantModel(const ChannelPlan& plan)
    : RequantModel(plan.latency, plan.request.result.bits, [plan](const RequantIn<Values>& in) {
        const std::uint64_t given = in.channel.empty() ? 0 : in.channel[0];
        return plan.result(given < plan.channels() ? given : 0, in.acc);
      }) {}

void RequantModel::power_up() {
  under_way_.assign(under_way_.size(), {});
  out_ = {};
}

RequantOut<Values> RequantModel::step(const RequantIn<Values>& in) {
  const RequantOut<Values> out{.out_valid = out_.valid, .q = out_.q};
  if (in.en) {
    const Entry oldest = under_way_.back();
    out_.valid = oldest.valid;
    if (oldest.valid) out_.q = oldest.q;
    std::rotate(under_way_.begin(), under_way_.end() - 1, under_way_.end());
    under_way_[0] = {in.in_valid, arith::raw_of(result_(in), result_bits_)};
  }
  if (in.rst) {
    out_.valid = false;
    for (Entry& entry : under_way_) entry.valid = false;
  }
  return out;
}

}  // namespace kumiki::gen::requant
