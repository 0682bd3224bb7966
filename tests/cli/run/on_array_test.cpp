// SPDX-License-Identifier: Apache-2.0
// `kumiki run --with`: layers of a network on an array, and `kumiki import --as array`, which
// writes one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "gen/config/array_file.h"
#include "tests/support/program.h"
#include "tests/support/running.h"
#include "tests/support/small_network.h"

namespace kumiki::test {
namespace on_array_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string models = KUMIKI_TEST_DIR "/../examples/models/";
std::string model(const std::string& name) { return "'" + models + name + ".onnx'"; }

class CliRunOnArray : public InFolder {
 protected:
  CliRunOnArray() {
    write("net.graph", small_network(true));
    write("x.npy", small_images(70));
  }
  Called run(const std::string& network, const std::string& more) const {
    return kumiki("run " + path(network) + " --input " + path("x.npy") + " " + more);
  }
  // Floats of the digits: pixels / 16.
  void write_digits() const {
    const std::string bytes = read_bytes(models + "digits_images.npy");
    const auto pixels = gen::config::parse_npy(bytes, "digits", {});
    std::string reals = gen::config::npy_header({'f', 4}, pixels.shape);
    for (std::size_t i = 0; i < gen::config::count(pixels.shape); ++i) {
      const float v = static_cast<float>(pixels.integer(i)) / 16;
      reals.append(reinterpret_cast<const char*>(&v), sizeof v);
    }
    write("digits.npy", reals);
  }
};

TEST_F(CliRunOnArray, GivesTheNumbersOfTheDefinition) {
  ASSERT_EQ(run("net.graph", "--output " + path("y.npy")).status, 0);
  for (const char* with : {"native", "model"}) {
    const auto r = run("net.graph", fmt::format("--with {} --expect ", with) + path("y.npy"));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("all 210 numbers of z are equal\n"));
    EXPECT_THAT(r.out, HasSubstr("every result of 2 layers as defined\n"));
    EXPECT_THAT(r.out, HasSubstr("taken as no configuration names one"));
  }
  const auto json =
      run("net.graph", "--with native --threads 2 --images 66 --json --tensors " + path("all"))
          .json();
  EXPECT_EQ(json["array"]["machine"], "native");
  EXPECT_EQ(json["array"]["layers"], 2);
  const double clocks = json["array"]["clocks_an_image"];
  EXPECT_GT(clocks, 100);
  EXPECT_DOUBLE_EQ(json["array"]["images_a_second"], 200e6 / clocks);
  // What the array pools before it leaves has no numbers.
  EXPECT_TRUE(fs::exists(folder_ / "all/p.npy"));
  EXPECT_TRUE(fs::exists(folder_ / "all/s.npy"));
  EXPECT_FALSE(fs::exists(folder_ / "all/y.npy"));
  const auto pooled = run("net.graph", "--with native --tensor y");
  EXPECT_EQ(pooled.status, 2);
  EXPECT_THAT(pooled.err, HasSubstr("--tensor y: the array pools or steps it before it leaves"));
  EXPECT_EQ(run("net.graph", "--tensor y").status, 0);
}

TEST_F(CliRunOnArray, RunsTheArrayOfAConfiguration) {
  const auto configuration = [](const std::string& keys) {
    return R"({"kumiki": 1, "name": "n", "layers": [{"type": "pe_array", "name": "tiny", )" + keys +
           "}]}";
  };
  write("net.json", configuration(R"("rows": 3, "columns": 2, "accumulators": 1, "clock_mhz": 100,
    "requantise": "float32", "graph": "net.graph")"));
  const std::string cfg = path("net.json");
  ASSERT_EQ(run("net.graph", "--output " + path("y.npy")).status, 0);
  for (const char* with : {"", "--with native", "--with model"})
    EXPECT_EQ(run("net.json", fmt::format("{} --expect ", with) + path("y.npy")).status, 0) << with;
  EXPECT_THAT(run("net.json", "--with native --images 1").out,
              HasSubstr("tiny: 3 x 2 elements with 1 accumulators"));
  // As any other array: planned, checked, simulated with its streams.
  const auto plan = kumiki("plan " + cfg);
  expect_golden("array/graph-plan.txt", plan.out);
  const auto json = nlohmann::json::parse(kumiki("plan " + cfg + " --json").out);
  const auto& nodes = json["layers"][0]["graph"]["nodes"];
  EXPECT_EQ(nodes[0]["place"], "array");
  EXPECT_EQ(nodes[1]["place"], "joined");
  EXPECT_EQ(nodes[2]["place"], "host");
  EXPECT_EQ(nodes[2]["why"], "two maps are added");
  EXPECT_EQ(nodes[3]["place"], "free");
  EXPECT_EQ(json["layers"][0]["graph"]["actions"].size(), 4U);
  EXPECT_EQ(kumiki("check " + cfg).status, 0);
  EXPECT_EQ(kumiki("cost " + cfg).status, 0);
  const auto sim = kumiki("sim " + cfg + " --with native --cycles 100 --json -o " + path("out"));
  EXPECT_TRUE(sim.json()["networks"][0]["passed"]);

  write("typed.json", configuration(R"("weights_from": "random", "network": [
    {"type": "fc", "name": "f", "inputs": 4, "outputs": 5}])"));
  const auto typed = run("typed.json", "");
  EXPECT_EQ(typed.status, 2);
  EXPECT_THAT(
      typed.err,
      HasSubstr(
          "has 0 layers of type pe_array, dataflow or engine with a \"graph\"; it must have one"));
  write("far.json", configuration(R"("requantise": "float32", "graph": "far.graph")"));
  const auto far = kumiki("check " + path("far.json"));
  EXPECT_EQ(far.status, 3);
  EXPECT_THAT(far.err,
              HasSubstr("/layers/0/graph: " + (folder_ / "far.graph").string() + ": no such file"));
  EXPECT_EQ(run("net.graph", "--with model --jobs 2").status, 2);
  EXPECT_EQ(run("net.graph", "--with icarus").status, 2);
  // Nothing for an array.
  write("add.graph",
        "graph add\ntensor x u8 1x6x6 scale 0x1p-1 zero 0\ntensor y u8 1x6x6 scale 0x1p0 zero 0\n"
        "input x\noutput y\nadd sum x x -> y\n");
  EXPECT_EQ(run("add.graph", "--images 1").status, 0);
  const auto add = run("add.graph", "--with model");
  EXPECT_EQ(add.status, 3);
  EXPECT_THAT(add.err, HasSubstr("on an array: the graph has no node that the array computes"));
}

TEST_F(CliRunOnArray, FewImagesASecondHaveAFraction) {
  ASSERT_EQ(kumiki("import " + model("fashion_cnn") + " --as array -o " + path("f.json")).status,
            0);
  std::string slow = read_bytes(folder_ / "f.json");
  for (const auto& [from, to] :
       {std::pair(R"("rows": 8, "columns": 8)", R"("rows": 2, "columns": 2)"),
        std::pair(R"("clock_mhz": 200)", R"("clock_mhz": 1)")}) {
    ASSERT_NE(slow.find(from), std::string::npos);
    slow.replace(slow.find(from), std::strlen(from), to);
  }
  write("slow.json", slow);
  const std::vector<std::size_t> shape{1, 1, 28, 28};
  write("black.npy", gen::config::npy_header({'u', 1}, shape) + std::string(28 * 28, '\0'));
  const auto r = kumiki("run " + path("slow.json") + " --with model --input " + path("black.npy"));
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out,
              testing::ContainsRegex("clocks an image, [0-9]\\.[0-9] images a second at 1 MHz;"));
}

TEST_F(CliRunOnArray, ImportWritesAConfigurationAndItsGraph) {
  const std::string call = "import " + model("digits_mlp") + " --as array -o ";
  const auto r = kumiki(call + path("digits.json"));
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("digits.graph"));
  expect_golden("array/import.json", text("digits.json"));
  write_digits();
  const auto same =
      kumiki("run " + path("digits.json") + " --with native --input " + path("digits.npy") +
             " --expect '" KUMIKI_TEST_DIR "/gen/onnx/judged/digits_mlp.npy'");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("all 17970 numbers"));
  // Neither of the two is replaced without being asked to, and then none is written.
  write("digits.graph", "mine");
  EXPECT_EQ(kumiki(call + path("digits.json")).status, 4);
  fs::remove(folder_ / "digits.json");
  EXPECT_EQ(kumiki(call + path("digits.json")).status, 4);
  EXPECT_EQ(text("digits.graph"), "mine");
  EXPECT_FALSE(fs::exists(folder_ / "digits.json"));
  EXPECT_EQ(kumiki(call + path("digits.json") + " --force").status, 0);
  EXPECT_THAT(text("digits.graph"), Not(HasSubstr("mine")));
  EXPECT_EQ(kumiki(call + path("digits.graph")).status, 2);
  EXPECT_EQ(kumiki("import " + model("digits_mlp") + " --as array").status, 2);
  const auto no_array = kumiki("import " + model("digits_mlp") + " -o " + path("other.json"));
  EXPECT_EQ(no_array.status, 2);
  EXPECT_THAT(no_array.err, HasSubstr("--as array, engine or dataflow for a configuration"));
}

// Four images through the compiled netlist, which the cache keeps from run to run.
TEST_F(CliRunOnArray, FourDigitsUnderVerilator) {
  write_digits();
  const auto r = kumiki("run " + model("digits_mlp") + " --with verilator --threads 1 --images 4" +
                        " --input " + path("digits.npy") +
                        " --expect '" KUMIKI_TEST_DIR "/gen/onnx/judged/digits_mlp.npy'");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("all 40 numbers"));
}

TEST_F(CliRunOnArray, FourClothesUnderVerilator) {
  if (!fs::exists("/usr/share/datasets/fashion-mnist"))
    GTEST_SKIP() << "NOT TESTED: the package dataset-fashion-mnist is missing";
  ASSERT_EQ(
      std::system(("python3 '" + models + "fashion_mnist.py' " + path() + " >/dev/null").c_str()),
      0);
  // Pixels less 128 are the numbers of an input with a sign.
  std::string bytes = text("images.npy");
  const std::size_t header = bytes.size() - std::size_t{10'000} * 28 * 28;
  bytes.replace(bytes.find("|u1"), 3, "|i1");
  for (std::size_t i = header; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] ^ 128);
  write("signed.npy", bytes);
  // Scales of 1/256 make another number of a pixel.
  std::string reals = gen::config::npy_header({'f', 4}, {4, 1, 28, 28});
  const std::string pixels = text("images.npy").substr(header, std::size_t{4} * 28 * 28);
  for (const char p : pixels) {
    const float v = static_cast<float>(static_cast<unsigned char>(p)) / 255;
    reals.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  write("reals.npy", reals);
  for (const auto& [name, images] : {std::pair{"fashion_cnn", "images.npy"},
                                     {"fashion_residual", "signed.npy"},
                                     {"fashion_w4a4", "reals.npy"},
                                     {"fashion_bnn", "reals.npy"}}) {
    const auto r =
        kumiki("run " + model(name) + " --with verilator --images 4 --input " + path(images) +
               " --expect '" KUMIKI_TEST_DIR "/gen/onnx/judged/" + name + ".npy'");
    EXPECT_EQ(r.status, 0) << name << ": " << r.err;
    EXPECT_THAT(r.out, HasSubstr("all 40 numbers"));
  }
}

TEST_F(CliRunOnArray, CtrlCWritesNothing) {
  std::string weights;
  for (int i = 0; i < 32 * 32 * 9; ++i) weights += " 1";
  std::string zeros;
  for (int i = 0; i < 32; ++i) zeros += " 0";
  write("slow.graph",
        "graph slow\ntensor x s8 32x32x32\ntensor y s8 32x30x30\ninput x\noutput y\n"
        "conv c x -> y kernel 3x3\n  scales 0x1p-9\n  bias" +
            zeros + "\n  weights" + weights + "\n");
  write("slow.npy", gen::config::npy_header({'i', 1}, {3, 32, 32, 32}) +
                        std::string(std::size_t{3} * 32 * 32 * 32, '\1'));
  Running r(folder_, {"run", (folder_ / "slow.graph").string(), "--with", "native", "--input",
                      (folder_ / "slow.npy").string(), "--output", (folder_ / "y.npy").string()});
  ASSERT_TRUE(r.wait_for("kumiki: running on native"));
  r.signal(SIGINT);
  EXPECT_EQ(r.wait(), 130);
  EXPECT_FALSE(fs::exists(folder_ / "y.npy"));
}

}  // namespace on_array_test
}  // namespace kumiki::test
