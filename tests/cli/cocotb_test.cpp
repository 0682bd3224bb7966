// SPDX-License-Identifier: Apache-2.0
// The testbench that `gen --cocotb` writes: its text, and what it is refused for. cocotb runs it in
// tests/cocotb.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class CliCocotb : public InFolder {
 protected:
  Called generate(const std::string& configuration, const std::string& more) const {
    return kumiki("gen " + configuration + " " + more + " -o " + path("out"));
  }
  std::string written(const std::string& file) const { return text("out/cocotb/" + file); }
};

TEST_F(CliCocotb, TextsOfLayersWithAnEnable) {
  ASSERT_EQ(generate("quickstart.json", "--vectors 100 --cocotb").status, 0);
  for (const char* file : {"Makefile", "quickstart_layers.py", "test_quickstart.py"})
    expect_golden(std::string("cocotb/") + file, written(file));
  EXPECT_EQ(written("requirements.txt"), "# What this testbench was written for.\ncocotb==2.1.0\n");
  EXPECT_FALSE(fs::exists(folder_ / "out/cocotb/kumiki_streams.py"));
  EXPECT_THAT(written("kumiki_bench.py"), Not(HasSubstr("quickstart")));
}

TEST_F(CliCocotb, TextsOfLayersWithStreams) {
  const auto file = config(R"({"kumiki": 1, "name": "mixed", "layers": [
    {"type": "dot", "name": "d", "scheme": "wp487-int8", "terms": 2},
    {"type": "popcount", "name": "ones", "bits": 9}]})");
  ASSERT_EQ(generate(file, "--vectors 100 --cocotb --axi-stream").status, 0);
  for (const char* python : {"mixed_layers.py", "test_mixed.py"})
    expect_golden(std::string("cocotb/") + python, written(python));
  EXPECT_THAT(written("requirements.txt"), HasSubstr("\ncocotbext-axi==0.1.28\n"));
  EXPECT_TRUE(fs::exists(folder_ / "out/cocotb/kumiki_streams.py"));
}

// Streams with strobes or with other inputs beside them are replayed clock by clock.
TEST_F(CliCocotb, StreamsThatSayNotAll) {
  ASSERT_EQ(generate("denoise.json", "--vectors 300 --cocotb").status, 0);
  EXPECT_THAT(written("denoise_layers.py"), HasSubstr("sources=(\"video_s_axis\",)"));
  EXPECT_THAT(written("test_denoise.py"), HasSubstr("async def video_reset("));
  EXPECT_THAT(written("test_denoise.py"), Not(HasSubstr("streams")));
}

// Behind a reset the registers of a tree without one are others than at power-up.
TEST_F(CliCocotb, TheModelSaysSinceWhenVectorsHoldBehindAReset) {
  const auto file = config(R"({"kumiki": 1, "name": "x", "layers": [
    {"type": "popcount", "name": "ones", "bits": 40, "pipeline": 2},
    {"type": "lut_macc", "name": "sum", "terms": 2}]})");
  ASSERT_EQ(generate(file, "--vectors 100 --cocotb").status, 0);
  const auto layers = written("x_layers.py");
  const auto sum = layers.find("SUM = ");
  ASSERT_NE(sum, std::string::npos);
  EXPECT_THAT(layers.substr(sum), HasSubstr("settled=0,"));
  EXPECT_THAT(layers.substr(0, sum), HasSubstr("settled="));
  EXPECT_THAT(layers.substr(0, sum), Not(HasSubstr("settled=0,")));
}

TEST_F(CliCocotb, WithoutVectorsThereIsNoScoreboard) {
  const auto none = generate("quickstart.json", "--cocotb");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err,
              HasSubstr("--cocotb needs golden vectors; give --vectors N or --image-vectors"));
  // The shorter layer has results, the longer one none: out_valid alone is no comparison.
  const auto few = generate("quickstart.json", "--vectors 11 --cocotb");
  EXPECT_EQ(few.status, 1);
  EXPECT_THAT(few.err,
              HasSubstr("in 11 cycles output pixels_sum means nothing; ask for more vectors"));
  // Words come out, but no last one of a frame.
  const auto frame = config(
      R"({"kumiki": 1, "name": "m", "layers": [{"type": "matmul", "name": "matmul_2x2x2",
          "weights_from": "random", "m": 2, "k": 2, "n": 2, "activations": {"bits": 2},
          "weights": {"bits": 2}}]})");
  const auto begun = generate(frame, "--vectors 40 --cocotb --axi-stream");
  EXPECT_EQ(begun.status, 1);
  EXPECT_THAT(begun.err, HasSubstr("in 40 cycles stream matmul_2x2x2_m_axis_out gives no whole "
                                   "frame; ask for more vectors"));
  const auto picture = kumiki("sim denoise.json --image x.png --cocotb -o " + path("out"));
  EXPECT_EQ(picture.status, 2);
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(CliCocotb, TestsOfTheUserStayAndWhatIsNotWrittenAnyMoreGoes) {
  ASSERT_EQ(generate("quickstart.json", "--vectors 100 --cocotb").status, 0);
  write("out/cocotb/test_mine.py", "mine");
  std::vector<std::string> listed;
  const auto manifest = json::parse(text("out/manifest.json"));
  for (const auto& f : manifest["files"]) listed.push_back(f["name"]);
  EXPECT_THAT(listed, Contains("cocotb/test_quickstart.py"));
  const auto first = written("test_quickstart.py");
  ASSERT_EQ(generate("quickstart.json", "--vectors 100 --cocotb").status, 0);
  EXPECT_EQ(written("test_quickstart.py"), first);
  ASSERT_EQ(generate("quickstart.json", "--vectors 100").status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "out/cocotb/test_quickstart.py"));
  EXPECT_EQ(written("test_mine.py"), "mine");
  // What a user has changed in a written file is not lost silently.
  ASSERT_EQ(generate("quickstart.json", "--vectors 100 --cocotb").status, 0);
  write("out/cocotb/test_quickstart.py", first + "# more\n");
  const auto changed = generate("quickstart.json", "--vectors 100 --cocotb");
  EXPECT_EQ(changed.status, 4);
  EXPECT_THAT(changed.err, HasSubstr("test_quickstart.py"));
}

}  // namespace
}  // namespace kumiki::test
