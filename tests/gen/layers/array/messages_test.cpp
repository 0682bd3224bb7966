// SPDX-License-Identifier: Apache-2.0
// What networks and their arrays are refused for, as the program says it.
#include "tests/support/messages.h"

#include <string>

#include "gen/layers/array/layer.h"
#include "tests/gen/layers/array/jobs.h"

namespace kumiki::gen::array {
namespace array_messages_test {

const std::string any = R"("weights_from": "random")";

std::string conv(const std::string& keys = "", int height = 4, int kernel = 1,
                 const char* name = "c") {
  return fmt::format(
      R"({{"type": "conv", "name": "{}", "in_channels": 1, "height": {}, "width": 4, "out_channels": 2, "kernel": {}{}{}}})",
      name, height, kernel, keys.empty() ? "" : ", ", keys);
}

std::function<void()> of(const std::string& keys, const std::string& network) {
  const std::string text = fmt::format(
      R"({{"kumiki": 1, "name": "x", "layers": [{{"type": "pe_array", {}{}"network": [{}]}}]}})",
      keys, keys.empty() ? "" : ", ", network);
  return [text] {
    static const config::Registry registry{{layer_type()}};
    (void)config::parse_document(text, "cfg.json", registry);
  };
}

// Says of the first of five beats that it is the last one.
void end_early() {
  const ArrayPlan p = plan({.rows = 4, .columns = 4});
  const Program program = compile(p, {test::job_of(test::fc(4, 5), p, 1)});
  Player player(program, test::own_inputs(program, 1));
  ArrayIn<Values> in;
  player.drive(in);
  ArrayOut<Values> out{};
  out.out_valid = out.out_last = true;
  player.watch(out);
}

TEST(ArrayMessages, EachHasACode) {
  const std::string large =
      R"({"type": "conv", "name": "c", "in_channels": 65536, "height": 65536, "width": 65536, "out_channels": 65536, "kernel": 11, "padding": 5})";
  const std::string pooled_fc =
      R"({"type": "fc", "name": "f", "inputs": 2, "outputs": 2, "pool": {"kind": "max"}})";
  const std::string pool_3 = R"("pool": {"kind": "max", "size": 3})";
  const std::string host = R"("input": "host")";
  const std::string three = conv() + ", " + conv(host, 4, 1, "d") + ", " + conv(host, 4, 1, "e");
  kumiki::test::expect_messages(
      "messages/array.txt",
      {{Code::key_of_other_kind, of(any, conv(R"("inputs": 4)"))},
       {Code::groups_do_not_divide, of(any, conv(R"("groups": 2)"))},
       {Code::kernel_beyond_map, of(any, conv("", 4, 5))},
       {Code::pool_without_map, of(any, pooled_fc)},
       {Code::pool_beyond_map, of(any, conv(pool_3, 2))},
       {Code::pool_beyond_array, of(any + R"(, "rows": 2)", conv(pool_3))},
       {Code::hardware_left_out,
        of(any + R"(, "max_pool": false)", conv(R"("pool": {"kind": "max"})"))},
       {Code::kernel_beyond_reach, of(any + R"(, "reach": 1)", conv("", 4, 3))},
       {Code::window_beyond_bank,
        of(any + R"(, "window_words": 15)", conv(R"("stride": 3)", 4, 3))},
       {Code::network_too_long, of(any + R"(, "descriptors": 1)", three)},
       {Code::descriptor_overflow,
        of(any + R"(, "rows": 1, "columns": 2)", conv(R"("padding": 1)", 65536))},
       {Code::too_many_cycles, of(any, large)},
       {Code::maps_differ,
        of(any, conv() + R"(, {"type": "fc", "name": "f", "inputs": 33, "outputs": 2})")},
       {Code::no_input_map, of(any, conv(R"("input": "previous")"))},
       {Code::no_weights, of("", conv())},
       {Code::no_scale, of("", conv(R"("weights": [1, 2])"))},
       {Code::scale_not_met, of(R"("bits": 12)", conv(R"("weights": [1, 2], "scale": 0.0028)"))},
       {Code::beyond_float32,
        of(R"("requantise": "float32")",
           conv(R"("weights": [1, 2], "scale": 0.0000057220458984375, "bias": [0, 17039416])"))},
       {Code::accumulator_overflow,
        of("", conv(R"("weights": [1, 2], "shift": 2, "bias": [0, 2147483400])"))},
       {Code::sweep_too_long,
        of(any + R"(, "sweeps": [{"name": "s", "over": "size", "from": 1, "to": 60000}])", conv())},
       {Code::stream_rule_broken, end_early}});
}

}  // namespace array_messages_test
}  // namespace kumiki::gen::array
