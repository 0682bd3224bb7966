// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/messages.h"

#include <fmt/format.h>

#include "backends/formal/edited.h"
#include "gen/flow/network.h"
#include "gen/flow/prove.h"
#include "gen/layers/catalog.h"
#include "tests/support/messages.h"

namespace kumiki::test {
namespace proof_messages_test {

// A counter of ones, edited.
void edit(const char* layer, const std::string& text) {
  const auto document = gen::config::parse_document(
      fmt::format(R"({{"kumiki": 1, "name": "ones", "layers": [{}]}})", layer), "test.json",
      gen::registry());
  const auto layers = gen::layers_of(document, "test.json");
  gen::Builder builder;
  const auto network = gen::build_network(builder, "ones", layers);
  const ir::Names names(builder.design());
  const auto module = network.layers[0].module;
  const backends::proof::Edited edited(
      names, {{"edited.v", fmt::format(fmt::runtime(text), names.module(module))}}, 60);
  const auto gates = edited.gates({layers[0].name, module});
  backends::proof::prove(*gates, flow::question_of(*layers[0].layer->definition().reference),
                         {0, 60});
}

constexpr const char* plain = R"({"type": "popcount", "name": "a", "bits": 6})";
constexpr const char* clocked = R"({"type": "popcount", "name": "a", "bits": 5, "pipeline": 1})";

TEST(Messages, OfEditedNetlists) {
  expect_messages(
      "messages/proofs.txt",
      {{code::edited_clock,
        [] {
          edit(clocked,
               "module {} (input clk, input rst, input en, input in_valid, input [4:0] x,\n"
               "  output out_valid, output reg [2:0] sum); assign out_valid = 0;\n"
               "  always @(negedge clk) sum <= x;\nendmodule\n");
        }},
       {code::edited_modules, [] { edit(plain, "module other (input a); endmodule\n"); }},
       {code::ports_differ, [] { edit(plain, "module {} (input [5:0] x); endmodule\n"); }}});
}

}  // namespace proof_messages_test
}  // namespace kumiki::test
