// SPDX-License-Identifier: Apache-2.0
// Layers that cannot be planned, of the types outside the arrays.
#include "tests/support/messages.h"

#include "gen/blocks/compressor/messages.h"
#include "gen/config/messages.h"
#include "gen/layers/catalog.h"
#include "gen/layers/common/messages.h"
#include "gen/layers/compressor/messages.h"
#include "gen/layers/compressor/sum.h"
#include "gen/layers/dot/messages.h"
#include "gen/layers/neuron/messages.h"
#include "gen/layers/neuron/neuron.h"
#include "gen/layers/requant/messages.h"

namespace kumiki::gen {
namespace layers_messages_test {

void read(const std::string& layer, const config::Registry& types = registry()) {
  const auto document = config::parse_document(
      R"({"kumiki": 1, "name": "x", "layers": [{"type": )" + layer + "}]}", "cfg.json", types);
  layers_of(document, "cfg.json");
}

test::Provoked refused(Code code, const std::string& layer) {
  return {code, [layer] { read(layer); }};
}

struct Bare {
  int key = 1;
};
void read_bare() {
  static const config::TableOf<Bare> table{
      "bare", "Nothing behind it.", {config::field("key", &Bare::key).help("h")}};
  static const config::Registry types{{{"bare", "", &table}}};
  read("\"bare\"", types);
}

TEST(LayerMessages, OfTypesOutsideTheArrays) {
  using compressor::plan_sum;
  const std::string requant = R"("requant", "accumulator_bits": 24, "scale": )";
  const std::string dense =
      R"("bnn_dense", "inputs": 2, "weights": [[1, 0], [0, 1]], "threshold": )";
  // One bit more than an output may have: 2^12 times 2^29 * 2^20.
  std::string most_negative =
      R"("const_matrix", "outputs": 1, "inputs": 4096, "bits": 30, "weights": [-1048576)";
  for (int i = 1; i < 4096; ++i) most_negative += ", -1048576";
  most_negative += "]";
  test::expect_messages(
      "messages/layers.txt",
      {refused(code::conflicting_keys, requant + R"(0.5, "zero_point_bits": 8, "zero_point": 1)"),
       {code::term_without_port,
        [] {
          plan_sum({.module = "m", .ports = {}, .terms = {{0, {}}}}, {});
        }},
       {code::unlike_factors,
        [] {
          plan_sum(
              {.module = "m", .ports = {{"a", 1, 4, true}, {"b", 1, 4, false}}, .terms = {{0, 1}}},
              {});
        }},
       refused(code::sum_too_wide, R"("compressor", "operands": [{"bits": 62, "column": 2}])"),
       refused(code::sum_too_wide, most_negative),
       refused(code::key_without_use, R"("popcount", "bits": 8, "pipeline": 1, "levels": 2)"),
       refused(code::key_without_use, R"("popcount", "bits": 8, "pipeline": 1, "period_ns": 2)"),
       refused(code::key_without_use, R"("popcount", "bits": 8, "levels": 1, "period_ns": 2)"),
       refused(code::key_without_use,
               R"("dot", "terms": 4, "scheme": "single", "tuning": {"watch_bits": 3})"),
       refused(code::more_cycles_than_terms,
               R"("dot", "terms": 4, "clocking": "double", "cycles": 2)"),
       refused(code::values_per_term, R"("dot", "terms": 2, "shared": {"values": [[1, 2, 3]]})"),
       refused(code::more_cycles_than_terms, R"("dot", "terms": 2, "cycles": 3)"),
       refused(code::known_values_in_cycles,
               R"("dot", "terms": 3, "cycles": 2, "shared": {"values": [[1, 2, 1]]})"),
       refused(code::zero_scale, requant + "0"),
       refused(code::unfit_shift, requant + R"(0.5, "shift": 18)"),
       refused(code::clamp_leaves_result, requant + R"(0.5, "clamp": [-129, 5])"),
       {code::no_inputs, [] { neuron::plan_neuron({}); }},
       refused(code::weights_per_input, R"("bnn_neuron", "inputs": 8, "weights": [1, 0, 1])"),
       refused(code::thresholds_per_neuron, dense + "[1]"),
       refused(code::threshold_unreachable, R"("bnn_neuron", "inputs": 8, "threshold": 10)"),
       refused(code::unfit_cycles, R"("bnn_serial", "inputs": 10, "cycles": 6)"),
       refused(code::sharing_too_deep, dense + R"(1, "sharing": "seven", "pipeline": 1)"),
       refused(code::form_without_registers,
               R"("bnn_neuron", "inputs": 8, "form": "gpc", "pipeline": 1)"),
       refused(code::three_rows_unregistered,
               R"("popcount", "bits": 8, "finish": "ternary", "levels": 3)"),
       refused(code::three_rows_unregistered,
               R"("bnn_serial", "inputs": 10, "cycles": 2, "finish": "ternary")"),
       refused(code::chain_too_long, R"("popcount",  "levels": 1, "bits": 64)"),
       {code::plans_no_layers, [] { read_bare(); }}});
}

}  // namespace layers_messages_test
}  // namespace kumiki::gen
