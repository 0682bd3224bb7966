// SPDX-License-Identifier: Apache-2.0
// `sim --unisim`: networks of an array and pictures on a folder of vendor models, here of ours in
// the vendor's manner; what is wrong in such a folder is seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/support/image/image.h"
#include "backends/support/image/test_picture.h"
#include "tests/support/plain_models.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const char* const array = R"({"kumiki": 1, "name": "small_array", "layers": [
  {"type": "pe_array", "name": "left", "rows": 2, "columns": 2, "weights_from": "random", "network": [
    {"type": "fc", "name": "a", "inputs": 8, "outputs": 4}]}]})";
const char* const filter = R"({"kumiki": 1, "name": "filter", "layers": [
  {"type": "vision", "name": "v", "width": 16, "height": 16, "stages": [{"kernel": "median"}]}]})";

class CliUnisim : public InFolder {
 protected:
  CliUnisim() { tests::write_plain_models(folder_ / "vendor"); }
  std::string sim(const std::string& more) const {
    return "sim " + path("cfg.json") + " --unisim " + path("vendor/unisims") + " " + more;
  }
  // Flip-flops answer wrongly from so many clocks after power-up on.
  void break_flops(int after) const {
    auto model = text("vendor/unisims/FDRE.v");
    const std::string right = "assign #100 Q = held;";
    const auto at = model.find(right);
    ASSERT_NE(at, std::string::npos);
    write("vendor/unisims/FDRE.v",
          model.replace(at, right.size(),
                        "integer edges = 0;\n  always @(posedge C) edges = edges + 1;\n"
                        "  assign #100 Q = edges > " +
                            std::to_string(after) + " ? ~held : held;"));
  }
};

TEST_F(CliUnisim, TheNetworkOfAnArrayRunsOnThem) {
  config(array);
  const json report = kumiki(sim("--cycles 30 --json -o " + path("out"))).json();
  ASSERT_EQ(report["lockstep"].size(), 2u);
  EXPECT_EQ(report["lockstep"][1]["simulator"], "vendor models");
  ASSERT_EQ(report["networks"].size(), 2u);
  EXPECT_EQ(report["networks"][1]["simulator"], "vendor models");
  EXPECT_TRUE(report["networks"][1]["passed"]);
  EXPECT_EQ(report["networks"][1]["clocks"], report["networks"][0]["clocks"]);

  // Right for as long as the stimulus lasts, not for the network.
  break_flops(31);
  const auto wrong = kumiki(sim("--cycles 30 -o " + path("out")));
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("left: vendor models: layer a, output beat "));
}

TEST_F(CliUnisim, APictureGoesThroughThem) {
  config(filter);
  backends::write_image(folder_ / "in.pgm", backends::test_picture("noise", 9, 7, 1),
                        backends::FilesOfUser::replace);
  const std::string run = sim("--image " + path("in.pgm") + " --json -o " + path("out.pgm"));
  const auto r = kumiki(run);
  EXPECT_EQ(r.json()["simulator"], "vendor models");
  EXPECT_EQ(text("out.pgm"), text("out.reference.pgm"));
  break_flops(40);
  const auto there = kumiki(run);
  EXPECT_EQ(there.status, 4);
  EXPECT_THAT(there.err, HasSubstr("out.pgm is there already"));
  const auto wrong = kumiki(run + " --force");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("vendor models"));
}

TEST_F(CliUnisim, WithoutANetlistThereIsNothingToRunOnThem) {
  config(array);
  const auto r = kumiki(sim("--with model -o " + path("out")));
  EXPECT_EQ(r.status, 2);
  EXPECT_THAT(r.err, HasSubstr("--unisim runs the netlist"));
}

}  // namespace
}  // namespace kumiki::test
