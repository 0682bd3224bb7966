// SPDX-License-Identifier: Apache-2.0
// `kumiki run --with` through a pipeline, and `kumiki import --as dataflow`, which writes one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "tests/support/program.h"
#include "tests/support/small_network.h"

namespace kumiki::test {
namespace on_pipeline_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string models = KUMIKI_TEST_DIR "/../examples/models/";
const std::string digits = "'" + models + "digits_mlp.onnx'";

class CliRunOnPipeline : public InFolder {
 protected:
  CliRunOnPipeline() {
    write("net.graph", small_network());
    write("net.json",
          R"({"kumiki": 1, "name": "n", "layers": [{"type": "dataflow", "name": "stream",
              "graph": "net.graph", "clocks": 324}]})");
    write("x.npy", small_images(200));
  }
  Called run(const std::string& more) const {
    return kumiki("run " + path("net.json") + " --input " + path("x.npy") + " " + more);
  }
  Called import(const std::string& model, const std::string& more) const {
    return kumiki("import " + model + " --as dataflow " + more);
  }
  static nlohmann::json plan_of(const std::string& file) {
    const auto plan = kumiki("plan " + file + " --json");
    return plan.json()["layers"][0];
  }
};

TEST_F(CliRunOnPipeline, GivesTheNumbersOfTheDefinition) {
  ASSERT_EQ(kumiki("run " + path("net.graph") + " --input " + path("x.npy") + " --output " +
                   path("z.npy"))
                .status,
            0);
  for (const char* with : {"", "--with native", "--with model"}) {
    const auto r = run(fmt::format("{} --expect ", with) + path("z.npy"));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("all 600 numbers of z are equal\n"));
    EXPECT_EQ(r.out.find("every result as defined\n") != std::string::npos, *with != 0);
  }
  // The planned pace is the one that is seen.
  for (const char* with : {"native", "model"}) {
    const auto pipeline =
        run(fmt::format("--with {} --images 200 --json", with)).json()["pipeline"];
    EXPECT_EQ(pipeline["name"], "stream");
    EXPECT_EQ(pipeline["machine"], with);
    EXPECT_LE(pipeline["interval"], 324);
    EXPECT_EQ(pipeline["measured_interval"], pipeline["interval"]);
    EXPECT_GT(pipeline["clocks_of_the_first_image"], 36);
  }
  // Three images are enough for it.
  const auto three = run("--with native --images 3");
  EXPECT_THAT(three.out, testing::ContainsRegex("the next ones every ([0-9]+) clocks"));
  const auto pace = nlohmann::json::parse(run("--with native --images 3 --json").out)["pipeline"];
  EXPECT_EQ(pace["measured_interval"], pace["interval"]);
  // One image has no next one.
  const auto one = run("--with model --images 1");
  EXPECT_THAT(one.out, HasSubstr("the first image leaves after "));
  EXPECT_THAT(one.out, Not(HasSubstr("the next ones")));
  EXPECT_TRUE(nlohmann::json::parse(
                  run("--with model --images 1 --json").out)["pipeline"]["measured_interval"]
                  .is_null());
}

TEST_F(CliRunOnPipeline, TakesSeveralInputsInOneStream) {
  write("pair.graph",
        "graph pair\ntensor a u8 1x6x6 scale 0x1p+0 zero 0\ntensor b u8 1x6x6 scale 0x1p+0 zero 0\n"
        "tensor y u8 1x6x6 scale 0x1p+1 zero 0\ninput a\ninput b\noutput y\nadd sum a b -> y\n");
  write("pair.json",
        R"({"kumiki": 1, "name": "n", "layers": [{"type": "dataflow", "name": "stream",
            "graph": "pair.graph", "clocks": 72}]})");
  const std::string inputs = " --input a=" + path("x.npy") + " --input b=" + path("x.npy");
  ASSERT_EQ(kumiki("run " + path("pair.graph") + inputs + " --output " + path("y.npy")).status, 0);
  const auto r = kumiki("run " + path("pair.json") + inputs + " --with native --images 20" +
                        " --expect " + path("y.npy") + " --tensors " + path("all"));
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("the next ones every 72 clocks (planned 72); every result as "
                               "defined\n"));
  // The first output and both inputs.
  for (const char* name : {"a", "b", "y"})
    EXPECT_TRUE(fs::exists(folder_ / "all" / fmt::format("{}.npy", name))) << name;
  EXPECT_THAT(kumiki("plan " + path("pair.json")).out,
              HasSubstr("in_data: beats 0 to 35 a: 1x6x6, 1 of U8 a beat, beats 36 to 71 b: 1x6x6, "
                        "1 of U8 a beat; frame after frame, nothing marks their ends\n"));
}

TEST_F(CliRunOnPipeline, NumbersWithinItStayThere) {
  const auto inner = run("--with native --tensor y");
  EXPECT_EQ(inner.status, 2);
  EXPECT_THAT(
      inner.err,
      HasSubstr(
          "--tensor y: it stays within the pipeline; name another tensor, or leave out --with"));
  EXPECT_EQ(run("--tensor y").status, 0);
  EXPECT_EQ(run("--with native --tensors " + path("all")).status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "all/x.npy"));
  EXPECT_TRUE(fs::exists(folder_ / "all/z.npy"));
  EXPECT_FALSE(fs::exists(folder_ / "all/y.npy"));
}

TEST_F(CliRunOnPipeline, IsPlannedCheckedSimulatedAndWritten) {
  const std::string cfg = path("net.json");
  const auto plan = kumiki("plan " + cfg);
  ASSERT_EQ(plan.status, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("pipeline net: "));
  EXPECT_THAT(plan.out, HasSubstr("; a frame every 324 clocks\n"));
  EXPECT_THAT(plan.out, HasSubstr("  convolution  "));
  const auto layer = plan_of(cfg);
  EXPECT_EQ(layer["graph"], "net");
  // 36 pixels of 18 products, and 18 x 3.
  EXPECT_EQ(layer["products"], 36 * 18 + 54);
  EXPECT_EQ(layer["interval"], 324);
  std::int64_t slices = 0, slowest = 0;
  std::vector<std::string> seen{"in_data"};
  for (const auto& machine : layer["machines"]) {
    slices += machine["slices"].get<std::int64_t>();
    slowest = std::max(slowest, machine["interval"].get<std::int64_t>());
    for (const auto& source : machine["reads"])
      EXPECT_THAT(seen, ::testing::Contains(source.get<std::string>()));
    seen.push_back(machine["name"]);
  }
  EXPECT_EQ(layer["slices"], slices);
  EXPECT_EQ(layer["interval"], slowest);
  EXPECT_GT(seen.size(), 5U);

  EXPECT_EQ(kumiki("check " + cfg).status, 0);
  EXPECT_EQ(kumiki("timing " + cfg).status, 0);
  const auto sim = kumiki("sim " + cfg + " --with native --cycles 2000 --json -o " + path("sim"));
  EXPECT_TRUE(sim.json()["lockstep"][0]["passed"]);
  const auto page = text("sim/report.html");
  // Of the picture: the boxes of the machines.
  EXPECT_THAT(page, HasSubstr("convolution, 100 %"));
  EXPECT_EQ(kumiki("gen " + cfg + " -o " + path("gen")).status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "gen/n.v"));
  EXPECT_THAT(text("gen/n.h"), HasSubstr("stream_out_data"));
}

// Two branches that meet again want a queue; of the others none is.
TEST_F(CliRunOnPipeline, APictureSaysHowFullQueuesWere) {
  write("net.graph",
        "graph net\ntensor x u8 1x6x6 scale 0x1p-3 zero 3\n"
        "tensor y u8 1x6x6 scale 0x1p-3 zero 7\ntensor z u8 1x6x6 scale 0x1p-2 zero 0\n"
        "input x\noutput z\nconv c x -> y kernel 3x3 before 1x1 after 1x1\n  scales 0x1p-5\n"
        "  bias 40\n  weights 3 -2 9 7 5 -8 4 1 2\nadd a x y -> z\n");
  const auto pipeline =
      run("--with native --images 5 --json --picture " + path("net.svg")).json()["pipeline"];
  EXPECT_GE(pipeline["clocks_of_the_queues"], 5 * 36);
  ASSERT_GE(pipeline["queues"].size(), 1U);
  const auto svg = text("net.svg");
  std::int64_t fullest = 0;
  for (const auto& queue : pipeline["queues"]) {
    EXPECT_LE(queue["fullest"], queue["room"]);
    fullest = std::max(fullest, queue["fullest"].get<std::int64_t>());
    EXPECT_THAT(svg, HasSubstr(fmt::format("queue, {} of {}<", queue["fullest"].get<int>(),
                                           queue["room"].get<int>())));
  }
  // The first result of the convolution needs a line and a pixel of the map.
  EXPECT_GE(fullest, 7);
  EXPECT_THAT(svg, HasSubstr("class=\"level\""));

  // The plan's picture says the room alone; that of a run in lockstep what it showed.
  ASSERT_EQ(kumiki("gen " + path("net.json") + " -o " + path("gen")).status, 0);
  EXPECT_THAT(text("gen/stream.pipeline.svg"), HasSubstr("queue of "));
  const auto queues =
      kumiki("sim " + path("net.json") + " --with native --cycles 900 --axi-stream " +
             "--json -o " + path("sim"))
          .json()["queues"][0];
  EXPECT_EQ(queues["layer"], "stream");
  EXPECT_EQ(queues["clocks"], 900);
  EXPECT_EQ(queues["queues"], pipeline["queues"]);
  const auto& first = queues["queues"][0];
  const auto line =
      fmt::format("queue, {} of {}", first["fullest"].get<int>(), first["room"].get<int>());
  EXPECT_THAT(text("sim/stream.pipeline.svg"), HasSubstr(line));
  EXPECT_THAT(text("sim/report.html"), HasSubstr(line));

  EXPECT_EQ(run("--picture " + path("other.svg")).status, 2);
  EXPECT_THAT(run("--with model --picture " + path("other.png")).err,
              HasSubstr("the name must end with .svg"));
  EXPECT_EQ(run("--with model --picture " + path("net.svg")).status, 4);
}

TEST_F(CliRunOnPipeline, ImportWritesAConfigurationAndItsGraph) {
  const auto r = import(digits, "--clocks 96 -o " + path("digits.json"));
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr(" slices, a frame every "));
  EXPECT_EQ(text("digits.graph"), read_bytes(KUMIKI_TEST_DIR "/../examples/digits.graph"));
  const auto first = plan_of(path("digits.json"));
  EXPECT_LE(first["interval"], 96);
  EXPECT_EQ(plan_of("digits-dataflow.json")["machines"], first["machines"]);
  // What onnxruntime made of the images, in numbers.
  const std::string images = " --input '" + models + "digits_images.npy' ";
  EXPECT_EQ(kumiki("run " + digits + images + "--output " + path("logits.npy")).status, 0);
  const auto pipeline = kumiki("run " + path("digits.json") + images + "--with native --expect " +
                               path("logits.npy") + " --json")
                            .json()["pipeline"];
  EXPECT_EQ(pipeline["measured_interval"], pipeline["interval"]);
  EXPECT_EQ(pipeline["interval"], first["interval"]);
}

TEST_F(CliRunOnPipeline, ImportTakesClocksOrSlices) {
  const std::string model = path("net.graph");
  ASSERT_EQ(import(model, "--clocks 1000 -o " + path("slow.json")).status, 0);
  const auto slow = plan_of(path("slow.json"));
  EXPECT_LE(slow["interval"], 1000);
  // As many slices are enough for that pace, and allow one that is no slower.
  const int slices = slow["slices"];
  ASSERT_EQ(import(model, fmt::format("--slices {} -o ", slices) + path("by.json")).status, 0);
  const auto by = plan_of(path("by.json"));
  EXPECT_LE(by["slices"], slices);
  EXPECT_LE(by["interval"], slow["interval"]);
  // Neither of the two files is replaced without being asked to, and then none is written.
  write("by.graph", "mine");
  fs::remove(folder_ / "by.json");
  EXPECT_EQ(import(model, "--slices 9 -o " + path("by.json")).status, 4);
  EXPECT_EQ(text("by.graph"), "mine");
  EXPECT_FALSE(fs::exists(folder_ / "by.json"));
  EXPECT_EQ(import(model, "--slices 9 --force -o " + path("by.json")).status, 0);
  EXPECT_EQ(text("by.graph"), text("slow.graph"));
}

TEST_F(CliRunOnPipeline, ImportFoldsUntilItFitsADevice) {
  const auto r = import(digits, "--device zu2 -o " + path("d.json"));
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("; fits zu2: "));
  EXPECT_THAT(text("d.json"),
              HasSubstr("\"target\": {\"family\": \"ultrascale+\", \"column_height\": 72}"));
  EXPECT_THAT(text("d.json"), Not(HasSubstr("uram")));
  const auto resources =
      kumiki("plan " + path("d.json") + " --device zu2 --json").json()["resources"];
  EXPECT_THAT(r.err, HasSubstr(fmt::format("{} of 240 DSP", resources["DSP"]["used"].dump())));
  EXPECT_THAT(r.err,
              HasSubstr(fmt::format("{} of 300 BRAM18", resources["BRAM18"]["used"].dump())));
  // With a pace it says whether that one fits.
  EXPECT_EQ(import(digits, "--device zu5 --clocks 96 -o " + path("e.json")).status, 0);
  EXPECT_THAT(text("e.json"), HasSubstr("\"clocks\": 96, \"uram\": 64"));
  const auto refused = [&](const std::string& options, int status) {
    const auto said = import(digits, options + " -o " + path("f.json"));
    EXPECT_EQ(said.status, status) << said.err;
    EXPECT_FALSE(fs::exists(folder_ / "f.json"));
    return said.err;
  };
  EXPECT_THAT(refused("--device zu2 --clocks 3", 3),
              AllOf(HasSubstr("does not fit zu2: a frame in 3 clocks takes "),
                    HasSubstr(" DSP where it has 240; give more --clocks, --bytes-a-clock (weights "
                              "from outside), or a larger device "
                              "[device-too-small]")));
  EXPECT_THAT(refused("--device zu2 --slices 9", 2),
              HasSubstr("--device says how much of everything there is; leave out --slices "
                        "[option-needs]"));
  EXPECT_THAT(refused("--device zu2 --uram 9", 2), HasSubstr("leave out --uram"));
  EXPECT_THAT(refused("--device 7z010 --clocks 3", 3), HasSubstr("does not fit 7z010: "));
  EXPECT_THAT(refused("--device zu22", 2), HasSubstr("unknown device \"zu22\""));
  EXPECT_THAT(kumiki("import " + digits + " --as array --device zu2 -o " + path("f.json")).err,
              HasSubstr("--device says which device a pipeline fits; use it with --as dataflow"));
}

TEST_F(CliRunOnPipeline, ImportRefusesWhatIsWrong) {
  const std::string out = " -o " + path("d.json");
  const auto said = [](const Called& r, int status) {
    EXPECT_EQ(r.status, status) << r.err;
    EXPECT_EQ(r.out, "");
    return r.err;
  };
  EXPECT_THAT(said(import(digits, out), 2),
              HasSubstr("--as dataflow needs --clocks N, a frame in so many clocks at most, or a "
                        "budget: --slices N, so many DSP slices at most, --luts N, --bram18 N, or "
                        "--device D [option-needs]"));
  EXPECT_THAT(said(import(digits, "--clocks 96 --slices 9" + out), 2),
              HasSubstr("--clocks and --slices are both given; give one of the two"));
  for (const char* as : {"", "--as array"})
    EXPECT_THAT(
        said(kumiki(fmt::format("import {} {} --clocks 96", digits, as) + (*as ? out : "")), 2),
        HasSubstr("--clocks, --slices, --luts and --bram18 say how large a pipeline is; use them "
                  "with --as dataflow [option-needs]"));
  EXPECT_THAT(said(kumiki("import " + digits + " --as array --in-luts all" + out), 2),
              HasSubstr("--in-luts says which layers of a pipeline take no slice; use it with --as "
                        "dataflow [option-needs]"));
  EXPECT_THAT(
      said(import(digits, "--clocks 96 -o " + path("d.graph")), 2),
      HasSubstr("d.graph\" is not the name of a configuration; use NAME.json with --as dataflow "
                "[option-value]"));
  EXPECT_THAT(said(import(digits, "--clocks 96"), 2), HasSubstr("name it with -o NET.json"));
  EXPECT_THAT(said(import(digits, "--clocks 0" + out), 2), HasSubstr("got \"0\""));
  // Too few, with the fewest that are enough; those are.
  EXPECT_THAT(said(import(path("net.graph"), "--clocks 63" + out), 3),
              HasSubstr("--clocks 63 is too few for /0/Conv, which takes at least 64; must be at "
                        "least 64 [pipeline-too-slow]"));
  EXPECT_EQ(import(path("net.graph"), "--clocks 64 -o " + path("fast.json")).status, 0);
  EXPECT_EQ(kumiki("check " + path("fast.json")).status, 0);
  EXPECT_THAT(said(import(path("net.graph"), "--slices 5" + out), 3),
              HasSubstr("--slices 5 is too few: the slowest pipeline takes 6; must be at least 6"));
  EXPECT_EQ(import(path("net.graph"), "--slices 6 -o " + path("slow.json")).status, 0);
  // What no machine does.
  write("mean.graph",
        "graph net\ntensor x s8 1x4x4\ntensor t s8 1x2x2\ninput x\noutput t\n"
        "average_pool t7 x -> t kernel 2x2 stride 2x2\n");
  EXPECT_THAT(said(import(path("mean.graph"), "--clocks 100" + out), 3),
              HasSubstr("t7, an average_pool: its sums are rounded as float32 rounds them"));
  EXPECT_FALSE(fs::exists(folder_ / "d.json"));
  EXPECT_FALSE(fs::exists(folder_ / "d.graph"));
}

}  // namespace on_pipeline_test
}  // namespace kumiki::test
