// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
// x * a + b with a and b for each channel, in onnxruntime's float32 order.
static void batch_normalization(Call& call) {
  const float epsilon = call.real("epsilon", 1e-5F);
  call.ignore("momentum");
  call.ignore("spatial");
  if (call.integer("training_mode", 0) != 0)
    throw Stop{"is in training mode: export the model for inference"};
  const Value value = call.in(0);
  if (value.dims.size() < 2) throw Stop{fmt::format("reads {}", to_string(value.dims))};
  std::vector<float> of[4];
  for (std::size_t i = 1; i < 5; ++i) {
    of[i - 1] = call.constant_reals(i);
    if (call.in(i).dims != Dims{value.dims[1]})
      throw Stop{fmt::format("has {} of {} for {} channels; it must have one number for each",
                             call.from(i), to_string(call.in(i).dims), value.dims[1])};
  }
  Link times{Link::Kind::times, {}}, plus{Link::Kind::plus, {}};
  for (std::size_t c = 0; c < of[0].size(); ++c) {
    const float deviation = std::sqrt(of[3][c] + epsilon);
    if (!(deviation > 0))
      throw Stop{fmt::format("has the variance {} in channel {}; it must be a number above 0",
                             of[3][c], c)};
    const float factor = of[0][c] * (1 / deviation);
    times.values.push_back(factor);
    plus.values.push_back(of[1][c] - of[2][c] * factor);
  }
  for (Link* link : {&times, &plus})
    for (const float v : link->values)
      if (!std::isfinite(v)) throw Stop{"has factors that are not finite numbers"};
  // For one channel a table would do, but a chain also works.
  if (const auto* real = std::get_if<Real>(&value.is); real != nullptr && real->table.empty()) {
    Pending pending{.what = NumbersOf{real->id}, .made = value.dims, .node = call.label};
    pending.chain = {times, plus};
    return call.result({value.dims, std::move(pending)});
  }
  if (prepared(call, 0, times)) {
    std::get<FloatInput>(call.made().is)
        .preparation.push_back({graph::Preparation::Kind::plus, plus.values});
    return;
  }
  const auto* pending = std::get_if<Pending>(&value.is);
  if (pending == nullptr) {
    call.numbers(0);  // throws a more precise reason if it can
    throw Stop{"follows a function of one number; put a quantiser between them"};
  }
  if (!linked(call, 0, times)) throw Stop{"reads what is not quantised"};
  std::get<Pending>(call.made().is).chain.push_back(plus);
}

std::vector<Row> forms(std::type_identity<graph::Thresholds>) {
  return {
      {{"BatchNormalization", "thresholds",
        "behind sums of products, of quantised numbers, or of the float input, and before a "
        "quantiser"},
       batch_normalization},
  };
}

}  // namespace kumiki::gen::onnx
