// SPDX-License-Identifier: Apache-2.0
// What networks are refused for as pipelines, as the program says it.
#include "gen/config/messages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/common/planning.h"
#include "gen/layers/pipeline/build.h"
#include "gen/layers/pipeline/folding.h"
#include "gen/layers/pipeline/host.h"
#include "gen/layers/pipeline/layer.h"
#include "gen/layers/pipeline/machines/fifo.h"
#include "gen/layers/pipeline/messages.h"
#include "gen/layers/pipeline/model.h"
#include "gen/layers/pipeline/queues.h"
#include "tests/support/messages.h"
#include "tests/support/small_network.h"

namespace kumiki::gen::pipeline {
namespace pipeline_messages_test {

// Of a layer with this graph file and these keys, in a folder of its own.
std::function<void()> of(const std::string& name, const std::string& graph, const std::string& keys,
                         const std::string& target = "") {
  return [=] {
    const auto folder = std::filesystem::path(KUMIKI_TEST_TMP) / "pipeline_messages" / name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "net.graph") << graph;
    static const config::Registry registry{{layer_type()}};
    const std::string text = R"({"kumiki": 1, "name": "x", )" + target +
                             R"("layers": [{"type": "dataflow", "graph": "net.graph", )" + keys +
                             "}]}";
    try {
      (void)config::parse_document(text, (folder / "net.json").string(), registry);
    } catch (const config::ConfigError& e) {
      throw config::ConfigError("net.json", e.findings(), e.count());  // without the folder
    }
  };
}

const std::string mean =
    "graph net\ntensor x s8 1x4x4\ntensor t s8 1x2x2\ninput x\noutput t\n"
    "average_pool t7 x -> t kernel 2x2 stride 2x2\n";
// One more than a pipeline returns.
std::string outputs_17() {
  std::string tensors = "graph net\ntensor x s8 3x8x8\n", outputs = "input x\n", nodes;
  for (int i = 0; i < 17; ++i) {
    tensors += fmt::format("tensor p{} s8 3x4x4\n", i);
    outputs += fmt::format("output p{}\n", i);
    nodes += fmt::format("max_pool a{0} x -> p{0} kernel 2x2 stride 2x2\n", i);
  }
  return tensors + outputs + nodes;
}
// The input is what leaves.
const std::string nothing =
    "graph net\ntensor x s8 3x8x8\ntensor y s8 192\ninput x\noutput y\nreshape r x -> y\n";
const std::string pooled =
    "graph net\ntensor x s8 1x28x28\ntensor y s8 2x28x28 scale 0x1p-3\ninput x\noutput y\n"
    "conv conv1 x -> y kernel 3x3 before 1x1 after 1x1\n  scales 0x1p-5\n  bias 1 2\n"
    "  weights 3 -2 9 7 5 -8 4 1 2 -3 6 2 8 -7 1 4 5 -9\n";

const std::string pooled_dense =
    "graph net\ntensor x s8 2x2x2\ntensor y s8 2x2x2\ntensor p s8 2x1x1\ninput x\noutput p\n"
    "conv fc x -> y kernel 1x1\n  scales 0x1p-5\n  bias 1 2\n  weights 3 -2\n  weights 9 7\n"
    "max_pool pool y -> p kernel 2x2\n";

// A product a pixel, with what stands behind the kernel of 1x1.
std::string products(const std::string& out, const std::string& window) {
  return "graph net\ntensor x s8 2x2x2\ntensor y s8 2x" + out +
         " scale 0x1p-3\ninput x\noutput y\nconv fc x -> y kernel 1x1" + window +
         "\n  scales 0x1p-5\n  bias 1 2\n  weights 3 -2\n  weights 9 7\n";
}
std::string dense(int inputs, int outputs) {
  std::string text = fmt::format(
      "graph net\ntensor x s8 {}x1x1\ntensor y s8 {}x1x1 scale 0x1p-3\ninput x\noutput y\n"
      "conv fc x -> y kernel 1x1\n  scales 0x1p-5\n  bias",
      inputs, outputs);
  for (int i = 0; i < outputs; ++i) text += " 1";
  for (int i = 0; i < outputs; ++i) {
    text += "\n  weights";
    for (int k = 0; k < inputs; ++k) text += " 1";
  }
  return text + "\n";
}
// A bias whose sums can wrap around.
std::string wrapping() {
  std::string text = pooled;
  return text.replace(text.find("bias 1 2"), 8, "bias 1 -2147483600");
}
// The largest of a whole map.
std::string whole(int channels, int height, int width) {
  return fmt::format(
      "graph net\ntensor x s8 {0}x{1}x{2}\ntensor y s8 {0}x1x1\ninput x\noutput y\n"
      "max_pool p x -> y kernel {1}x{2}\n",
      channels, height, width);
}

void without_graph() {
  static const config::Registry registry{{layer_type()}};
  (void)config::parse_document(
      R"({"kumiki": 1, "name": "x", "layers": [{"type": "dataflow", "clocks": 9}]})", "net.json",
      registry);
}

// A queue that says it takes a clock a beat. It takes one in every `clocks`-th clock; never: 0.
class SlowCounts : public Counts {
 public:
  SlowCounts(const Queue& queue, std::int64_t clocks) : queue_(queue.counts()), clocks_(clocks) {}
  Shown shown() const override {
    return {.ready = takes() ? queue_->shown().ready : 0, .valid = queue_->shown().valid};
  }
  std::int64_t alike(const Given&) const override { return clocks_ == 0 ? forever : 0; }
  void clock(const Given& given, std::int64_t clocks) override {
    queue_->clock({.valid = takes() ? given.valid : 0, .ready = given.ready}, 1);
    clock_ += clocks;
  }
  void state(std::vector<std::int64_t>& all) const override {
    queue_->state(all);
    all.push_back(clock_ % std::max<std::int64_t>(clocks_, 1));
  }

 private:
  bool takes() const { return clocks_ != 0 && clock_ % clocks_ == 0; }
  std::unique_ptr<Counts> queue_;
  std::int64_t clocks_, clock_ = 0;
};
struct SlowQueue : Queue {
  std::int64_t clocks;
  std::unique_ptr<Counts> counts() const { return std::make_unique<SlowCounts>(*this, clocks); }
};
struct FlatteredPlan : FifoPlan {
  std::int64_t clocks = 1;
  SlowQueue schedule() const { return {FifoPlan::schedule(), clocks}; }
  std::string module_name() const { return "flattered"; }
  bool operator==(const FlatteredPlan&) const = default;
};
MachineOut<Hardware> build(Scope& s, const FlatteredPlan& p, const MachineIn<Hardware>& in) {
  return build(s, static_cast<const FifoPlan&>(p), in);
}

template <int clocks>
void queues_of_slow() {
  const Stream stream{.height = 8, .width = 8, .channels = 1, .lanes = 1, .format = {8, false}};
  FlatteredPlan flattered;
  flattered.stream = stream;
  flattered.clocks = clocks;
  PipelinePlan plan{.graph = {}, .inputs = {stream}, .boxes = {}};
  plan.boxes.push_back({"slow", machine(flattered), {Box::from_outside}});
  (void)with_queues(plan);
}

// Five images, the fourth of them not all zeros, and the definition of another network: a weight of
// its convolution has another sign.
void another_definition() {
  const std::string net = kumiki::test::small_network();
  std::string other = net;
  other.replace(other.find("weights 3"), 9, "weights -3");
  Request request;
  request.graph = GraphFile{
      .file = "net.graph",
      .graph = std::make_shared<const graph::Graph>(graph::parse_graph("net.graph", net))};
  request.clocks = 324;
  const PipelinePlan plan = with_queues(folded(request, limits_of({})));
  std::vector<std::int32_t> images(std::size_t{5} * 36, 3);  // the zero point
  std::fill_n(images.begin() + 3 * 36, 36, 250);
  Host host(plan, images);
  Model<PipelineIn, PipelineOut, PipelineModel> model(input_shape(plan), output_shape(plan),
                                                      PipelineModel(plan));
  Builder builder;
  build_top(builder, build_pipeline, plan, input_shape(plan));
  play(host, plan, model, ir::layout(builder.design().top()), {});
  const graph::Graph g = graph::parse_graph("net.graph", other);
  const graph::Interpreter definition(g);
  graph::Interpreter::Memory memory;
  for (std::size_t i = 0; i < host.results().size(); ++i) {
    definition.run(std::span(images).subspan(i * 36, 36), memory);
    require_defined(g.tensors[g.outputs[0]], host.results()[i], memory[g.outputs[0]], i, "native");
  }
}

TEST(PipelineMessages, EachHasACode) {
  kumiki::test::expect_messages(
      "messages/pipelines.txt",
      {{code::no_machine, of("mean", mean, R"("clocks": 100)")},
       {code::no_machine, of("many", outputs_17(), R"("clocks": 100)")},
       {code::no_machine, of("nothing", nothing, R"("clocks": 1000)")},
       {code::no_machine, of("wraps", wrapping(), R"("clocks": 1000)")},
       {code::wrong_family, of("memories", pooled, R"("clocks": 1000, "uram": 2)",
                               R"("target": {"family": "7series"}, )")},
       {code::pipeline_too_slow, of("fast", pooled, R"("clocks": 100)")},
       {code::pipeline_too_slow, of("small", pooled, R"("slices": 1)")},
       {code::missing_key, of("no", pooled, R"("name": "p")")},
       {code::no_machine, of("windows", pooled, R"("clocks": 1000, "in_luts": "all")")},
       {code::no_machine, of("pool", pooled_dense, R"("clocks": 9, "in_luts": "pool")")},
       {code::unknown_name, of("nobody", pooled_dense, R"("clocks": 9, "in_luts": ["fc", "fd"])")},
       {code::pipeline_too_slow, of("quick", pooled_dense, R"("clocks": 3, "in_luts": "fc")")},
       {code::no_machine, of("signs", pooled_dense, R"("clocks": 9, "in_trees": "binarised")")},
       {code::no_machine, of("pools", pooled_dense, R"("clocks": 9, "in_trees": ["fc", "pool"])")},
       {code::unknown_name, of("no", pooled_dense, R"("clocks": 9, "in_trees": "fd")")},
       {code::conflicting_keys,
        of("both", pooled_dense, R"("clocks": 9, "in_luts": "fc", "in_trees": "all")")},
       {code::missing_key, without_graph},
       {code::no_machine,
        of("stride", products("1x1", " stride 2x2"), R"("clocks": 9, "in_luts": "all")")},
       {code::no_machine, of("padded", products("4x4", " before 1x1 after 1x1"),
                             R"("clocks": 99, "in_luts": ["fc"])")},
       {code::no_machine, of("many", dense(1025, 1024), R"("clocks": 9, "in_luts": "fc")")},
       {code::no_machine, of("long", whole(1, 1025, 1), R"("clocks": 9999)")},
       {code::no_machine, of("deep", whole(64, 1000, 1000), R"("clocks": 99999999)")},
       {code::pipeline_stops, queues_of_slow<0>},
       {code::pipeline_stops, queues_of_slow<2>},
       {code::pipeline_differs, another_definition}});
}

// The file may be elsewhere, and the message names it as it was looked for.
TEST(PipelineMessages, AGraphThatIsNotThere) {
  const auto folder = std::filesystem::path(KUMIKI_TEST_TMP) / "pipeline_messages" / "none";
  std::filesystem::create_directories(folder);
  static const config::Registry registry{{layer_type()}};
  try {
    (void)config::parse_document(
        R"({"kumiki": 1, "name": "x", "layers": [{"type": "dataflow", "graph": "no.graph",
            "clocks": 9}]})",
        (folder / "net.json").string(), registry);
    ADD_FAILURE() << "nothing is refused";
  } catch (const config::ConfigError& e) {
    const auto& finding = e.findings().front();
    EXPECT_EQ(finding.code, code::file_not_found);
    EXPECT_EQ(finding.pointer, "/layers/0/graph");
    EXPECT_THAT(e.what(),
                ::testing::HasSubstr("/layers/0/graph: " + (folder / "no.graph").string() +
                                     ": no such file; give a graph in text form, as kumiki import "
                                     "writes it [file-not-found]"));
  }
}

}  // namespace pipeline_messages_test
}  // namespace kumiki::gen::pipeline
