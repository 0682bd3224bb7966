// SPDX-License-Identifier: Apache-2.0
// `kumiki run --with` on an engine, and `kumiki import --as engine`, which writes one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <regex>

#include "tests/support/program.h"
#include "tests/support/small_network.h"

namespace kumiki::test {
namespace on_engine_test {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string models = KUMIKI_TEST_DIR "/../examples/models/";

class CliRunOnEngine : public InFolder {
 protected:
  CliRunOnEngine() {
    write("net.graph", small_network());
    write("net.json", configuration(R"(, "graph": "net.graph")"));
    write("x.npy", small_images(20));
  }
  static std::string configuration(const std::string& more) {
    return R"({"kumiki": 1, "name": "n", "layers": [{"type": "engine", "name": "machine",
               "rows": 8, "columns": 4, "places": 512, "ring": 64)" +
           more + "}]}";
  }
};

TEST_F(CliRunOnEngine, GivesTheNumbersOfTheDefinition) {
  ASSERT_EQ(kumiki("run " + path("net.graph") + " --input " + path("x.npy") + " --output " +
                   path("z.npy"))
                .status,
            0);
  for (const char* with : {"native", "model"}) {
    const auto r = kumiki(fmt::format("run {} --input {} --with {} --expect {}", path("net.json"),
                                      path("x.npy"), with, path("z.npy")));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("machine: 8 rows x 4 columns on "));
    EXPECT_THAT(r.out, HasSubstr("clocks an image; every result as defined\n"));
    EXPECT_THAT(r.out, HasSubstr("all 60 numbers of z are equal\n"));
  }
  const auto engine =
      kumiki("run " + path("net.json") + " --input " + path("x.npy") + " --with native --json")
          .json()["engine"];
  EXPECT_EQ(engine["machine"], "native");
  const auto forecast = kumiki("plan " + path("net.json") + " --json").json();
  EXPECT_EQ(engine["clocks_an_image"], forecast["layers"][0]["clocks_an_image"]);
}

TEST_F(CliRunOnEngine, PlansSayWhereTheClocksGo) {
  const auto plan = kumiki("plan " + path("net.json") + " --json").json()["layers"][0];
  const auto sum = [](const nlohmann::json& clocks) {
    std::int64_t all = 0;
    for (const std::int64_t n : clocks) all += n;
    return all;
  };
  std::int64_t clocks = 0;
  std::vector<std::string> names;
  for (const auto& layer : plan["layers"]) {
    clocks += layer["clocks"].get<std::int64_t>();
    names.push_back(layer["name"]);
    EXPECT_EQ(sum(layer["causes"]), layer["clocks"]) << layer;
    for (const std::int64_t n : layer["causes"])
      EXPECT_LE(n, layer["causes"][layer["bound"].get<std::string>()]) << layer;
  }
  EXPECT_THAT(names, ::testing::ElementsAre("/0/Conv", "/1/Pool", "/4/Gemm"));
  EXPECT_EQ(clocks, plan["clocks_an_image"]);
  EXPECT_EQ(sum(plan["causes"]), clocks);
  for (const char* cause : {"products", "results", "weights", "loads", "stores", "beginnings"})
    EXPECT_TRUE(plan["causes"].contains(cause)) << cause;

  const auto text = kumiki("plan " + path("net.json"));
  EXPECT_THAT(text.out, HasSubstr(fmt::format("an image in {} clocks", clocks)));
  EXPECT_THAT(text.out, HasSubstr(" clocks, mostly "));
  ASSERT_EQ(kumiki("plan " + path("net.json") + " -o " + path("pictures")).status, 0);
  for (const char* name : {"timeline", "memory", "clocks"}) {
    const auto r = kumiki(fmt::format("show {} --layer machine --picture {} -o {}",
                                      path("net.json"), name, path("shown.svg") + " --force"));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(this->InFolder::text("shown.svg"),
              this->InFolder::text(fmt::format("pictures/machine.{}.svg", name)));
  }
  // An engine without a network has no time.
  write("alone.json", configuration(""));
  const auto alone = kumiki(fmt::format("show {} --layer machine --picture timeline -o {}",
                                        path("alone.json"), path("none.svg")));
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.err, HasSubstr("unknown picture \"timeline\""));
}

TEST_F(CliRunOnEngine, ReadsItsProgramFromAMemory) {
  write("ports.json", configuration(R"(, "ports": "memory", "graph": "net.graph")"));
  const auto streams = kumiki("run " + path("net.json") + " --input " + path("x.npy") +
                              " --output " + path("z.npy"));
  ASSERT_EQ(streams.status, 0) << streams.err;
  for (const char* with : {"native", "model"}) {
    const auto r = kumiki(fmt::format("run {} --input {} --with {} --expect {}", path("ports.json"),
                                      path("x.npy"), with, path("z.npy")));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("all 60 numbers of z are equal\n"));
  }
  // What a host needs, beside the netlist.
  const auto made = kumiki("gen " + path("ports.json") + " -o " + path("out"));
  ASSERT_EQ(made.status, 0) << made.err;
  const auto plan = kumiki("plan " + path("ports.json"));
  EXPECT_THAT(plan.out, HasSubstr("network.engine, which the driver loads: "));
  // The same bytes as of a program that is compiled for the machine alone.
  write("alone.json", configuration(R"(, "ports": "memory")"));
  const auto compiled = kumiki("compile " + path("net.graph") + " --for " + path("alone.json") +
                               " -o " + path("n.engine"));
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_THAT(compiled.out, HasSubstr("operations, "));
  EXPECT_THAT(compiled.out, HasSubstr("output  z: "));
  EXPECT_THAT(compiled.err,
              ::testing::ContainsRegex("the program: .*n.engine, for builds [0-9a-f]{8}; in memory "
                                       "[0-9]+ bytes of it and [0-9]+ bytes of data"));
  EXPECT_EQ(text("n.engine"), text("out/machine/network.engine"));
  const auto json = kumiki("compile " + path("net.graph") + " --for " + path("alone.json") +
                           " -o " + path("again.engine") + " --json");
  EXPECT_EQ(json.json()["graph"], "net");
  EXPECT_GT(json.json()["program_bytes"], 100);
}

// The last of the runs is not full: 20 images, three at once.
TEST_F(CliRunOnEngine, TakesSeveralImagesAtOnce) {
  ASSERT_EQ(kumiki("run " + path("net.graph") + " --input " + path("x.npy") + " --output " +
                   path("z.npy"))
                .status,
            0);
  const std::string graph = R"(, "graph": "net.graph")";
  write("three.json", configuration(R"(, "batch": 3)" + graph));
  write("ports.json", configuration(R"(, "batch": 3, "ports": "memory")" + graph));
  const auto clocks = [&](const std::string& file) {
    const auto r = kumiki("run " + path(file) + " --input " + path("x.npy") +
                          " --with native --json --expect " + path("z.npy"));
    EXPECT_EQ(r.status, 0) << r.err;
    return r.json()["engine"]["clocks_an_image"].get<std::int64_t>();
  };
  const auto plan = kumiki("plan " + path("three.json") + " --json").json()["layers"][0];
  EXPECT_EQ(plan["batch"], 3);
  EXPECT_EQ(clocks("three.json"), plan["clocks"].get<std::int64_t>() / 3);
  EXPECT_LT(clocks("three.json"), clocks("net.json"));
  EXPECT_GT(clocks("ports.json"), clocks("three.json"));
  EXPECT_THAT(kumiki("plan " + path("three.json")).out,
              HasSubstr(fmt::format("3 images in {} clocks", plan["clocks"].get<std::int64_t>())));
  ASSERT_EQ(kumiki("plan " + path("three.json") + " -o " + path("drawn")).status, 0);
  for (const char* name : {"timeline", "clocks"})
    EXPECT_THAT(text(fmt::format("drawn/machine.{}.svg", name)), HasSubstr("net: 3 images in "));
  ASSERT_EQ(kumiki("gen " + path("ports.json") + " -o " + path("out")).status, 0);
  write("alone.json", configuration(R"(, "ports": "memory")"));
  const auto compiled = kumiki("compile " + path("net.graph") + " --for " + path("alone.json") +
                               " --batch 3 -o " + path("n.engine"));
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_EQ(text("n.engine"), text("out/machine/network.engine"));
  const auto imported = kumiki("import '" + models + "digits_mlp.onnx' --as engine --batch 8 -o " +
                               path("eight.json"));
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(text("eight.json"), HasSubstr(R"("batch": 8)"));
  const auto refused = kumiki("import '" + models + "digits_mlp.onnx' --batch 8");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("use it with --as engine"));
}

TEST_F(CliRunOnEngine, CompileRefuses) {
  write("alone.json", configuration(R"(, "ports": "memory")"));
  write("streams.json", configuration(""));
  const auto compile = [&](const std::string& model, const std::string& build,
                           const std::string& out) {
    return kumiki("compile " + path(model) + " --for " + path(build) + " -o " + path(out));
  };
  const auto expect = [&](const Called& r, int status, const char* says) {
    EXPECT_EQ(r.status, status) << r.err;
    EXPECT_THAT(r.err, HasSubstr(says));
  };
  expect(compile("net.graph", "streams.json", "n.engine"), 2,
         "has 0 layers of type engine with \"ports\": \"memory\", which run compiled programs; it "
         "must have one");
  expect(compile("net.graph", "alone.json", "n.bin"), 2,
         "is not the name of a program; use -o NAME.engine");
  expect(compile("none.graph", "alone.json", "n.engine"), 4, "none.graph");
  expect(compile("net.graph", "none.json", "n.engine"), 4, "none.json");
  write("n.engine", "mine");
  expect(compile("net.graph", "alone.json", "n.engine"), 4, "is there already");
  EXPECT_EQ(text("n.engine"), "mine");
  const auto refused = kumiki("compile '" + models + "fashion_bnn.onnx' --for " +
                              path("alone.json") + " -o " + path("bnn.engine"));
  expect(refused, 3, "fashion_bnn.onnx on the engine of ");
  EXPECT_THAT(refused.err, HasSubstr("numbers of 32 bits; they must have at most 8"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bnn.engine"));
}

TEST_F(CliRunOnEngine, PartitionRefuses) {
  write("alone.json", configuration(R"(, "ports": "memory")"));
  const std::string model = "'" + models + "digits_mlp.onnx'";
  const auto partition = [&](const std::string& what, const std::string& out,
                             const std::string& more = {}) {
    return called("/usr/bin/env", "PATH=" + path("bin") + " '" KUMIKI_PROGRAM "' compile " + what +
                                      " --for " + path("alone.json") + " --partition -o " +
                                      path(out) + " " + more);
  };
  const auto expect = [&](const Called& r, int status, const char* says) {
    EXPECT_EQ(r.status, status) << r.err;
    EXPECT_THAT(r.err, HasSubstr(says));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "parts"));
  };
  expect(partition(model, "n.engine"), 2,
         "--partition writes several files; name a folder with -o");
  expect(partition(path("net.graph"), "parts"), 2, "--partition cuts ONNX models, NAME.onnx");
  expect(partition(path("none.onnx"), "parts"), 4, "none.onnx: cannot be read");
  expect(partition(model, "parts", "--averages sums"), 2, "--averages");
  std::filesystem::create_directory(folder_ / "bin");
  expect(partition(model, "parts"), 4, "python3 is not in PATH");
  // A Python that ends without an answer, and one that refuses.
  const auto python = [&](const std::string& script) {
    write("bin/python3", "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder_ / "bin/python3", std::filesystem::perms::owner_all);
  };
  python("echo 'MemoryError: no room'\nexit 7\n");
  expect(partition(model, "parts"), 4, "into parts (exit status 7):\nMemoryError: no room");
  python(R"(for a; do case $a in --report=*) f=${a#--report=};; esac; done
echo '{"code": "onnx-refused", "text": "it computes nothing"}' > "$f"
exit 3
)");
  expect(partition(model, "parts"), 3, "kumiki: it computes nothing [onnx-refused]");
}

TEST_F(CliRunOnEngine, ImportChoosesAnEngineForADevice) {
  const auto import = [&](const std::string& device, const std::string& to) {
    return kumiki("import " + path("net.graph") + " --as engine --device " + device + " -o " +
                  path(to));
  };
  const auto k26 = import("k26", "k26.json");
  ASSERT_EQ(k26.status, 0) << k26.err;
  EXPECT_THAT(k26.err, ::testing::ContainsRegex("fits k26 with a fifth to spare: .*of 1248 DSP"));
  EXPECT_THAT(text("k26.json"), HasSubstr("\"maps\": \"ultra\", \"ports\": \"memory\""));
  EXPECT_EQ(kumiki("plan " + path("k26.json") + " --device k26").status, 0);
  // The engine that was chosen is the one that is written, with its bus.
  std::smatch clocks;
  ASSERT_TRUE(std::regex_search(k26.err, clocks, std::regex("an image in [0-9]+ clocks")))
      << k26.err;
  EXPECT_THAT(kumiki("plan " + path("k26.json")).out, HasSubstr(clocks[0].str()));
  const auto zu3 = import("zu3", "zu3.json");
  ASSERT_EQ(zu3.status, 0) << zu3.err;
  EXPECT_THAT(text("zu3.json"), HasSubstr("\"maps\": \"block\""));
  const auto old = import("7z020", "old.json");
  ASSERT_EQ(old.status, 0) << old.err;
  EXPECT_THAT(old.err, HasSubstr("fits 7z020 with a fifth to spare"));
  EXPECT_THAT(text("old.json"), HasSubstr("\"family\": \"7series\""));
  const auto unknown = import("z9", "z9.json");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown device \"z9\""));
  EXPECT_EQ(import("k26", "k26.json").status, 4);
}

TEST_F(CliRunOnEngine, NumbersWithinItStayThere) {
  const auto r =
      kumiki("run " + path("net.json") + " --input " + path("x.npy") + " --with native --tensor y");
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.err, HasSubstr("--tensor y: it stays within the engine; name another tensor, or "
                               "leave out --with"));
}

TEST_F(CliRunOnEngine, AnEngineAloneRunsNothing) {
  write("alone.json", configuration(""));
  EXPECT_EQ(kumiki("check " + path("alone.json")).status, 0);
  const auto r = kumiki("run " + path("alone.json") + " --input " + path("x.npy"));
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.err, HasSubstr("it must have one"));
}

TEST_F(CliRunOnEngine, ImportWritesAnEngineThatSuffices) {
  const auto imported = kumiki("import '" + models + "fashion_residual.onnx' --as engine -o " +
                               path("residual.json"));
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(imported.err + imported.out, HasSubstr("an engine of 32 rows x 16 columns with "));
  const auto plan = kumiki("plan " + path("residual.json"));
  ASSERT_EQ(plan.status, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("network fashion_residual: 16 operations"));
  EXPECT_THAT(plan.out, HasSubstr("/3/branch/branch.3/Conv + /3/Add"));
  // The pictures of docs/engine.md, which has the commands that draw them.
  ASSERT_EQ(kumiki("plan " + path("residual.json") + " -o " + path("drawn")).status, 0);
  for (const char* name : {"timeline", "memory", "clocks"})
    EXPECT_EQ(text(fmt::format("drawn/engine.{}.svg", name)),
              read_bytes(fmt::format(KUMIKI_TEST_DIR "/../docs/pictures/engine-{}.svg", name)))
        << name;
  // Sums of 32 bits leave this network.
  const auto refused =
      kumiki("import '" + models + "fashion_bnn.onnx' --as engine -o " + path("bnn.json"));
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("numbers of 32 bits; they must have at most 8"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bnn.json"));
}

TEST_F(CliRunOnEngine, RefusesAtTheKeyToBlame) {
  for (const auto& [keys, place, why] :
       {std::tuple{R"("rows": 64, "columns": 2)", "/layers/0/rows",
                   "rows must be 1, 2, 4, 8 or 16"},
        {R"("ring": 500)", "/layers/0/ring", "the words must be a power of two"},
        {R"("places": 65)", "/layers/0/places", "a multiple of 4"},
        {R"("rows": 3, "columns": 3, "clocking": "double")", "/layers/0/rows",
         "the rows must be even"},
        {R"("rows": 8, "columns": 4, "ring": 4, "graph": "net.graph")", "/layers/0/graph",
         "it must have at most 3"},
        {R"("rows": 8, "columns": 2, "ports": "memory")", "/layers/0/columns",
         "must be 4, 8, 16, 32 or 64"},
        {R"("batch": 2)", "/layers/0/batch", "is given without \"graph\""},
        {R"("batch": 65, "graph": "net.graph")", "/layers/0/batch", "64"},
        {R"("graph": "none.graph")", "/layers/0/graph", "no such file"}}) {
    write("bad.json", fmt::format(R"({{"kumiki": 1, "name": "n", "layers": [
              {{"type": "engine", {}}}]}})",
                                  keys));
    const auto r = kumiki("check " + path("bad.json"));
    EXPECT_EQ(r.status, 3) << keys;
    EXPECT_THAT(r.err, HasSubstr(place)) << keys;
    EXPECT_THAT(r.err, HasSubstr(why)) << keys;
  }
}

}  // namespace on_engine_test
}  // namespace kumiki::test
