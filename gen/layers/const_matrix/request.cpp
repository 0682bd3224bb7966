// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/const_matrix/request.h"

#include <fmt/format.h>

#include "gen/config/messages.h"
#include "gen/layers/common/messages.h"
#include "gen/layers/common/random_weights.h"
#include "ir/limits.h"

namespace kumiki::gen::const_matrix {
namespace {

using config::field;
using config::Violations;

constexpr int most_weight_bits = 21;
constexpr std::int64_t most_weight = 1 << (most_weight_bits - 1);

Violations check_weights(const Request& r) {
  if (r.source == WeightSource::random) {
    if (r.weights)
      return {{code::conflicting_keys, "weights",
               "is given beside \"weights_from\", which asks for random ones",
               "give one or the other"}};
    if (!r.weight_bits)
      return {{code::no_weights, "weight_bits",
               "is missing, so the width of the random weights is unknown",
               fmt::format("give 2 to {}", most_weight_bits)}};
    return {};
  }
  if (!r.weights)
    return {{code::no_weights, "weights", "is missing, so the layer has no weights",
             "give \"weights\", or set \"weights_from\" to \"random\""}};
  if (r.seed || r.weight_bits)
    return {{code::key_without_use, r.seed ? "seed" : "weight_bits",
             "is given, but no weight is random",
             "remove it, or set \"weights_from\" to \"random\""}};
  return config::check_shape("weights", *r.weights, {{"output", r.outputs}, {"input", r.inputs}});
}

Violations check_latency(const Request& r) {
  if (r.latency != 0 || !r.levels) return {};
  return {{code::key_without_use, "levels", "is given, but a latency of 0 has no registers",
           "remove it, or set \"latency\" to at least 1"}};
}

}  // namespace

const config::Table& request_table() {
  using R = Request;
  static const config::TableOf<R> table{
      "const_matrix",
      "y = W * x with a constant matrix W, in LUTs and carry chains, a new x every clock; sums "
      "that "
      "several outputs have in common are made once.",
      {field("outputs", &R::outputs).required().range(1, 4096).help("rows of W, words of y"),
       field("inputs", &R::inputs).required().range(1, 4096).help("columns of W, words of x"),
       field("bits", &R::bits).range(1, 30).unit("bits").help("width of every x"),
       field("signed", &R::is_signed).help("two's complement x"),
       field("weights_from", &R::source)
           .choices({{"values", WeightSource::values, "from `weights`"},
                     {"random", WeightSource::random, "random with `seed`, of `weight_bits`"}})
           .help("where the weights come from"),
       field("weights", &R::weights)
           .range(-most_weight, most_weight)
           .absent("random ones")
           .help("a row an output, an entry an input"),
       field("weight_bits", &R::weight_bits)
           .range(2, most_weight_bits)
           .unit("bits")
           .absent("as they are given")
           .help("width of random weights, which are signed"),
       field("seed", &R::seed)
           .range(0, 4294967295)
           .absent("1 where weights are random")
           .help("of random weights"),
       field("levels", &R::levels)
           .range(2, 16)
           .absent("3, as many as a shorter `latency` needs, or none where it is 0")
           .help("LUTs and carry chains, each as one, between two registers; from 3 on chains add "
                 "three words"),
       field("latency", &R::latency)
           .range(0, 64)
           .unit("cycles")
           .absent("what the smallest network has")
           .help("at most; 0: combinational"),
       field("effort", &R::effort)
           .range(0, 2)
           .help("how long random changes improve the network; 0: not at all, 2: five times as "
                 "long as 1")},
      {check_latency, check_weights}};
  return table;
}

Task task_of(const Request& r) {
  const auto count = r.outputs * r.inputs;
  ir::require_at_most(r.context.limits.weights, static_cast<std::uint64_t>(count), "the layer",
                      "weights", "--max-weights");
  const auto all =
      r.source == WeightSource::random
          ? random_weights(count, arith::signed_range(*r.weight_bits), r.seed.value_or(1))
          : r.weights->values;
  Task task{.input = {r.bits, r.is_signed},
            .levels = r.latency == 0 ? 0 : r.levels.value_or(3),
            .latency = r.latency,
            .effort = r.effort};
  for (auto row = all.begin(); row != all.end(); row += r.inputs)
    task.rows.emplace_back(row, row + r.inputs);
  return task;
}

}  // namespace kumiki::gen::const_matrix
