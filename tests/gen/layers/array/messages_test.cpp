// SPDX-License-Identifier: Apache-2.0
// What networks and their arrays are refused for, as the program says it.
#include "gen/config/messages.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gen/graph/text.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/array/build.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/lowering/images.h"
#include "gen/layers/array/messages.h"
#include "gen/layers/array/setup.h"
#include "gen/layers/common/messages.h"
#include "tests/gen/layers/array/jobs.h"
#include "tests/support/messages.h"

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

// A graph that only adds.
void nothing_for_the_array() {
  const auto folder = std::filesystem::path(KUMIKI_TEST_TMP) / "nothing_for_the_array";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "add.graph")
      << "graph add\ntensor x u8 1x2x2 scale 0x1p-1 zero 0\ntensor y u8 1x2x2 scale 0x1p0 zero 0\n"
         "input x\noutput y\nadd sum x x -> y\n";
  static const config::Registry registry{{layer_type()}};
  const std::string text =
      R"({"kumiki": 1, "name": "x", "layers": [{"type": "pe_array", "requantise": "float32", "graph": "add.graph"}]})";
  try {
    (void)config::parse_document(text, (folder / "cfg.json").string(), registry);
  } catch (const config::ConfigError& e) {
    throw config::ConfigError("cfg.json", e.findings(), e.count());  // without the folder
  }
}

// The model of an array, but for one number of the fourth image.
class OneWrong : public ProgramMachine {
 public:
  explicit OneWrong(ProgramMachine& right) : right_(right) {}
  std::size_t most_images() const override { return 1; }
  Played play(const Program& program, const Inputs& images, const Progress& progress) override {
    Played played = right_.play(program, images, progress);
    if (++images_ == 4) ++played.results[0][0].at(2, 5, 7);
    return played;
  }

 private:
  ProgramMachine& right_;
  int images_ = 0;
};

void one_wrong_number() {
  Request r{.rows = 2, .columns = 2, .accumulators = 2};
  r.requantise = Requantise::float32;
  r.graph = GraphFile{
      .file = "net.graph",
      .graph = std::make_shared<const graph::Graph>(graph::parse_graph(
          "net.graph",
          "graph net\ntensor x u8 1x8x8 scale 0x1p-1 zero 0\ntensor y u8 3x8x8 scale 0x1p-1 zero "
          "0\n"
          "input x\noutput y\nconv /0/Conv x -> y kernel 1x1\n  scales 0x1p0\n  bias 1 2 3\n"
          "  weights 1 1 1\n"))};
  const Program program = program_of(r);
  Model<ArrayIn, ArrayOut, ArrayModel> model(input_shape(program.plan), output_shape(program.plan),
                                             ArrayModel(program.plan));
  Builder builder;
  build_top(builder, array::build, program.plan, input_shape(program.plan));
  const auto machine = on_machine(model, ir::layout(builder.design().top()), "");
  OneWrong wrong(*machine);
  const GraphOnArray network(program);
  std::vector<GraphOnArray::Memory> memories;
  const std::vector<std::int32_t> image(64, 2);
  for (std::size_t i = 0; i < 5; ++i)
    network.run(image, wrong, memories, {.machine = "native", .first_image = i});
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
      {{code::key_of_other_kind, of(any, conv(R"("inputs": 4)"))},
       {code::groups_do_not_divide, of(any, conv(R"("groups": 2)"))},
       {code::kernel_beyond_map, of(any, conv("", 4, 5))},
       {code::pool_without_map, of(any, pooled_fc)},
       {code::pool_beyond_map, of(any, conv(pool_3, 2))},
       {code::pool_beyond_array, of(any + R"(, "rows": 2)", conv(pool_3))},
       {code::hardware_left_out,
        of(any + R"(, "max_pool": false)", conv(R"("pool": {"kind": "max"})"))},
       {code::kernel_beyond_reach, of(any + R"(, "reach": 1)", conv("", 4, 3))},
       {code::window_beyond_bank,
        of(any + R"(, "window_words": 15)", conv(R"("stride": 3)", 4, 3))},
       {code::network_too_long, of(any + R"(, "descriptors": 1)", three)},
       {code::descriptor_overflow,
        of(any + R"(, "rows": 1, "columns": 2)", conv(R"("padding": 1)", 65536))},
       {code::too_many_cycles, of(any, large)},
       {code::maps_differ,
        of(any, conv() + R"(, {"type": "fc", "name": "f", "inputs": 33, "outputs": 2})")},
       {code::no_input_map, of(any, conv(R"("input": "previous")"))},
       {code::no_weights, of("", conv())},
       {code::no_scale, of("", conv(R"("weights": [1, 2])"))},
       {code::scale_not_met, of(R"("bits": 12)", conv(R"("weights": [1, 2], "scale": 0.0028)"))},
       {code::beyond_float32,
        of(R"("requantise": "float32")",
           conv(R"("weights": [1, 2], "scale": 0.0000057220458984375, "bias": [0, 17039416])"))},
       {code::accumulator_overflow,
        of("", conv(R"("weights": [1, 2], "shift": 2, "bias": [0, 2147483400])"))},
       {code::sweep_too_long,
        of(any + R"(, "sweeps": [{"name": "s", "over": "size", "from": 1, "to": 60000}])", conv())},
       {code::nothing_on_array, nothing_for_the_array},
       {code::array_differs, one_wrong_number},
       {code::stream_rule_broken, end_early}});
}

}  // namespace array_messages_test
}  // namespace kumiki::gen::array
