// SPDX-License-Identifier: Apache-2.0
// `kumiki import`: what a user sees of a model, and whatever may be wrong. What models mean is
// tested in tests/gen/onnx.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using ::testing::HasSubstr;

const std::string digits = "'" KUMIKI_TEST_DIR "/../examples/models/digits_mlp.onnx'";

class CliImport : public InFolder {};

TEST_F(CliImport, AGraphIsWrittenReadAndGivesTheSameNumbers) {
  const auto r = kumiki("import " + digits + " -o " + path("d.graph"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("9 nodes, 2720 weights"));
  EXPECT_THAT(r.out, HasSubstr("10 channels, sums of up to 18 bits"));
  const std::string images = " --input '" KUMIKI_TEST_DIR "/../examples/models/digits_images.npy'";
  EXPECT_EQ(kumiki("run " + digits + images + " --output " + path("a.npy")).status, 0);
  const auto again = kumiki("run " + path("d.graph") + images + " --expect " + path("a.npy"));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("all 17970 numbers"));
  // What is there is not replaced without being asked to.
  EXPECT_EQ(kumiki("import " + digits + " -o " + path("d.graph")).status, 4);
  EXPECT_EQ(kumiki("import " + digits + " -o " + path("d.graph") + " --force").status, 0);
}

// Exporters call every graph the same. A name of its own stays.
TEST_F(CliImport, AnExportersNameGivesWayToThatOfTheFile) {
  std::string model = read_bytes(KUMIKI_TEST_DIR "/../examples/models/digits_mlp.onnx");
  const std::string exporters = "main_graph", own = "ten_digits";
  const auto at = model.find(exporters);
  ASSERT_NE(at, std::string::npos);
  const auto name = [&] {
    write("cats.onnx", model);
    const auto r = kumiki("import " + path("cats.onnx") + " -o " + path("cats.graph") + " --force");
    EXPECT_EQ(r.status, 0) << r.err;
    const std::string graph = read_bytes(folder_ / "cats.graph");
    return graph.substr(0, graph.find('\n'));
  };
  EXPECT_EQ(name(), "graph cats");
  model.replace(at, own.size(), own);
  EXPECT_EQ(name(), "graph " + own);
}

TEST_F(CliImport, AnswersInJson) {
  const auto json = kumiki("import " + digits + " --json").json();
  EXPECT_EQ(json["nodes"].size(), 9U);
  EXPECT_EQ(json["outputs"][0]["zero_point"], 106);
  const auto operators = nlohmann::json::parse(kumiki("import --operators --json").out);
  EXPECT_GT(operators.size(), 40U);
}

// What the model does with its float input before it quantises it is the host's.
TEST_F(CliImport, SaysWhatTheHostDoesWithTheInput) {
  const std::string stem = KUMIKI_TEST_DIR "/gen/onnx/operators/affine_input";
  const auto r = kumiki("import '" + stem + ".onnx' -o " + path("a.graph"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("before it is quantised, a number for all or one a channel: minus "
                               "0.485 0.456 0.406, over 0.229 0.224 0.225, times 0.75, from 0.5, "
                               "plus 0.1\n"));
  const auto json = nlohmann::json::parse(kumiki("import '" + stem + ".onnx' --json").out);
  EXPECT_EQ(json["preparation"][2]["kind"], "times");
  const auto run = kumiki("run " + path("a.graph") + " --input '" + stem + ".in.npy' --expect '" +
                          stem + ".out.npy'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(kumiki("plan " + path("a.graph")).out, HasSubstr("before it is quantised"));
}

// A mean that float32 decides is a host's; machines have the sum of integers that is asked for.
TEST_F(CliImport, MeansAreThoseOfOnnxruntimeOrSums) {
  const std::string model = "'" KUMIKI_TEST_DIR "/gen/onnx/operators/average_at_halves.onnx'";
  const auto exact = kumiki("import " + model);
  EXPECT_THAT(exact.out, HasSubstr("average_pool 2x2 stride 2x2"));
  EXPECT_THAT(exact.out, testing::Not(HasSubstr("note:")));
  const std::string pipeline = "import " + model + " --as dataflow --clocks 1000 -o ";
  const auto refused = kumiki(pipeline + path("a.json"));
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("import the model with --averages sums"));
  const auto sums = kumiki(pipeline + path("s.json") + " --averages sums");
  EXPECT_EQ(sums.status, 0) << sums.err;
  EXPECT_THAT(sums.out, HasSubstr("conv in 2 groups 2x2 stride 2x2"));
  EXPECT_THAT(sums.out,
              testing::ContainsRegex("steps of its results lie so near to a sum.*: a result may "
                                     "differ by one at [0-9.]+ % of the sums"));
  EXPECT_EQ(kumiki("import " + model + " --averages integers").status, 2);
}

TEST_F(CliImport, WrongInput) {
  EXPECT_EQ(kumiki("import").status, 2);
  EXPECT_EQ(kumiki("import " + path("none.onnx")).status, 4);
  const auto other = [&](const char* name) {
    const auto r = kumiki("import " + digits + " -o " + path(name));
    EXPECT_EQ(r.status, 2);
    return r.err;
  };
  EXPECT_THAT(other("d.txt"), HasSubstr("d.txt\" is not the name of a graph; use NAME.graph ["));
  EXPECT_THAT(other("d.json"), HasSubstr("d.json\" is not the name of a graph; use NAME.graph, or "
                                         "--as array, engine or dataflow for a configuration ["));
  write("text.onnx", "no model");
  const auto text = kumiki("import " + path("text.onnx"));
  EXPECT_EQ(text.status, 4);
  EXPECT_THAT(text.err, HasSubstr("text.onnx: is not an ONNX model, or was cut off [onnx-file]"));
  // A model before it was quantised: each convolution and product says so.
  const auto bare =
      kumiki("import '/usr/share/libonnx-testdata/data/node/test_gemm_default_no_bias/model.onnx'");
  EXPECT_EQ(bare.status, 3) << bare.err;
  EXPECT_THAT(bare.err, HasSubstr("[onnx-refused]"));
}

// What can be said without Python; tests/python/quantise_test.py has the rest.
TEST_F(CliImport, CalibrationNeedsPython) {
  const std::string model =
      "/usr/share/libonnx-testdata/data/node/test_gemm_default_no_bias/model.onnx";
  const auto import = [&](const std::string& arguments) {
    return called("/usr/bin/env", "PATH=" + path("bin") + " '" KUMIKI_PROGRAM "' import " + model +
                                      " " + arguments);
  };
  std::filesystem::create_directory(folder_ / "bin");
  const auto none = import("--calibrate images");
  EXPECT_EQ(none.status, 4);
  EXPECT_EQ(none.err,
            "kumiki: python3 is not in PATH: it is in the Debian package python3 (apt-get install "
            "python3) [tool-missing]\n");
  // A Python that ends without an answer.
  write("bin/python3", "#!/bin/sh\necho 'MemoryError: no room'\nexit 7\n");
  std::filesystem::permissions(folder_ / "bin/python3", std::filesystem::perms::owner_all);
  const auto failed = import("--calibrate images -o " + path("q.onnx"));
  EXPECT_EQ(failed.status, 4);
  EXPECT_EQ(failed.err, "kumiki: python3 failed while running onnxruntime's quantiser on " + model +
                            " (exit status 7):\nMemoryError: no room [tool-failed]\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "q.onnx"));
  // Nothing is started for what is wrong before.
  write("there.onnx", "mine");
  EXPECT_THAT(import("--calibrate images -o " + path("there.onnx")).err,
              HasSubstr("[file-is-there]"));
  EXPECT_THAT(
      import("-o " + path("q.onnx")).err,
      HasSubstr("q.onnx\" is not the name of a graph; use NAME.graph, or --calibrate IMAGES "
                "for a quantised model [option-value]"));
  for (const char* option : {"--labels labels.npy", "--mean 0.5", "--std 0.5"})
    EXPECT_EQ(import(option).status, 2) << option;
  EXPECT_EQ(text("there.onnx"), "mine");
}

}  // namespace
}  // namespace kumiki::test
