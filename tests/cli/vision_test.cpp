// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "backends/support/image/test_picture.h"
#include "tests/cli/bench.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CliVision : public InFolder {
 protected:
  void config(const std::string& name, const std::string& layer) const {
    std::ofstream(folder_ / name) << R"({"kumiki": 1, "name": "t", "layers": [{"type": "vision", )"
                                  << R"("name": "v", "width": 64, "height": 64, )" << layer
                                  << "}]}";
  }
  void picture(const std::string& name, const std::string& what, int w = 50, int h = 41) const {
    backends::write_image(folder_ / name, backends::test_picture(what, w, h, 3),
                          backends::FilesOfUser::replace);
  }
};

TEST_F(CliVision, APictureGoesThroughTheNetlist) {
  picture("in.png", "shapes", 61, 47);
  const auto j = kumiki("sim edges.json --with native --json --image " + path("in.png") + " -o " +
                        path("out.png"))
                     .json();
  EXPECT_EQ(j["width"], 61);
  EXPECT_EQ(j["height"], 47);
  EXPECT_EQ(j["values_that_differ"], 0);
  EXPECT_GT(j["clocks"], 61 * 47 / 2);
  const auto out = backends::read_image(folder_ / "out.png");
  EXPECT_EQ(out, backends::read_image(folder_ / "out.reference.png"));
  // Edges and flat areas, and nothing in between.
  EXPECT_TRUE(std::all_of(out.samples.begin(), out.samples.end(),
                          [](auto v) { return v == 0 || v == 255; }));
  EXPECT_GT(std::count(out.samples.begin(), out.samples.end(), 255), 100);
  EXPECT_GT(std::count(out.samples.begin(), out.samples.end(), 0), 100);
  const auto apart = backends::read_image(folder_ / "out.difference.png");
  EXPECT_EQ(std::count(apart.samples.begin(), apart.samples.end(), 0),
            static_cast<std::ptrdiff_t>(apart.samples.size()));
}

TEST_F(CliVision, TheMedianTakesImpulsesAway) {
  picture("in.pgm", "noise", 60, 40);
  const auto r =
      kumiki("sim denoise.json --with native --image " + path("in.pgm") + " -o " + path("out.pgm"));
  EXPECT_EQ(r.status, 0) << r.err;
  const auto in = backends::read_image(folder_ / "in.pgm"),
             out = backends::read_image(folder_ / "out.pgm");
  const auto lone = [](const backends::Image& image) {
    int n = 0;
    for (int y = 1; y + 1 < image.height; ++y)
      for (int x = 1; x + 1 < image.width; ++x) {
        bool alone = true;
        for (const auto& [dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}})
          alone = alone && std::abs(image.at(x, y) - image.at(x + dx, y + dy)) > 60;
        n += alone;
      }
    return n;
  };
  EXPECT_GT(lone(in), 20);
  EXPECT_LT(lone(out), lone(in) / 10);
}

TEST_F(CliVision, ChannelsThatMakeNoPictureAreOneEach) {
  picture("in.png", "shapes");
  config("t.json", R"("stages": [{"kernel": "sobel"}])");
  const auto r = kumiki("sim " + path("t.json") + " --with native --image " + path("in.png") +
                        " -o " + path("out.png"));
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* file : {"out.0.png", "out.1.png", "out.0.reference.png", "out.1.difference.png"})
    EXPECT_TRUE(fs::exists(folder_ / file)) << file;
  EXPECT_FALSE(fs::exists(folder_ / "out.png"));
}

TEST_F(CliVision, ColourInColourOut) {
  picture("in.ppm", "colour-bars");
  config("t.json", R"("channels": 3, "pixels": 2, "stages": [{"kernel": "half"}])");
  const auto r = kumiki("sim " + path("t.json") + " --with native --image " + path("in.ppm") +
                        " -o " + path("out.png"));
  EXPECT_EQ(r.status, 0) << r.err;
  const auto out = backends::read_image(folder_ / "out.png");
  EXPECT_EQ(out.channels, 3);
  EXPECT_EQ(out.width, 25);
  EXPECT_EQ(out.height, 21);
}

TEST_F(CliVision, PicturesThatDoNotFitAreRefused) {
  const auto refused = [&](const std::string& config, const std::string& image,
                           const std::string& out, const std::string& why, int status = 4) {
    const auto r = kumiki("sim " + config + " --with native --image " + image + " -o " + out);
    EXPECT_EQ(r.status, status) << why;
    EXPECT_EQ(r.out, "");
    EXPECT_THAT(r.err, HasSubstr(why));
  };
  picture("grey.png", "shapes");
  picture("colour.png", "colour-bars");
  picture("large.png", "shapes", 65, 10);
  config("t.json", R"("stages": [{"kernel": "gaussian"}])");
  config("few.json", R"("bits": 4, "stages": [{"kernel": "gaussian"}])");
  std::ofstream(folder_ / "cut.png", std::ios::binary)
      << read_bytes((folder_ / "grey.png").string()).substr(0, 200);
  std::ofstream(folder_ / "text.png") << "no picture";
  const std::string t = path("t.json"), out = path("never.png");
  refused(t, path("colour.png"), out, "the picture has 3 channels, but the pipeline takes 1");
  refused(t, path("large.png"), out, "65 x 10 pixels are more than the pipeline's 64 x 64");
  refused(t, path("cut.png"), out, "cut off");
  refused(t, path("text.png"), out, "text.png");
  refused(t, path("none.png"), out, "cannot read");
  refused(t, path("grey.png"), path("never.tiff"), "use .png, .pgm or .ppm");
  refused(path("few.json"), path("grey.png"), out, "does not fit the pipeline's pixels, U4");
  refused("quickstart.json", path("grey.png"), out, "one layer of type \"vision\"", 2);
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("never")));
}

TEST_F(CliVision, StagesThatCannotBeHadAreRefused) {
  const auto refused = [&](const std::string& layer, const std::string& why) {
    config("t.json", layer);
    const auto r = kumiki("check " + path("t.json"));
    EXPECT_EQ(r.status, 3) << layer;
    EXPECT_THAT(r.err, HasSubstr(why)) << layer;
  };
  refused(R"("stages": [{"kernel": "median", "divide": 3}])",
          "/layers/0/stages/0/divide: \"divide\" is not allowed on a median stage");
  refused(R"("stages": [{"kernel": "medain"}])", "did you mean \"median\"?");
  refused(R"("stages": [{"kernel": "median", "size": 4}])", "a window of size 4 has no middle");
  refused(R"("stages": [{"kernel": "box"}, {"kernel": "magnitude"}])",
          "/layers/0/stages/1/kernel: magnitude_l1 takes 2 images, but the pixel has 1 channels; "
          "give it 2 channels, or a multiple");
  refused(R"("stages": [{"kernel": "convolve"}])", "needs coefficients");
  refused(R"("stages": [{"kernel": "convolve", "size": 5, "coefficients": [[1,2,3,4,5,6,7,8,9]]}])",
          "the kernel has 9 coefficients for a window of 5 x 5");
  refused(R"("stages": [{"kernel": "scharr", "size": 5}])",
          "scharr has no kernel of size 5; the size must be 3");
  refused(R"("pixels": 3, "stages": [{"kernel": "box"}])", "must be 1, 2 or 4");
  refused(R"("border": "constant", "border_value": 300, "stages": [{"kernel": "box"}])",
          "a border of 300 is outside the pixels' [0, 255]");
  refused(R"("stages": [{"kernel": "rank", "rank": 9}])", "it must be 0 to 8");
  refused(R"("stages": [])", "/layers/0/stages");
}

// Three levels of modules deep, which Yosys' own sums do not survive.
TEST_F(CliVision, YosysCountsTheSameCells) {
  const auto yosys = kumiki("synth edges.json --json -o " + path("out")).json()["yosys"];
  EXPECT_TRUE(yosys["agrees"].get<bool>()) << yosys.dump(1);
  EXPECT_EQ(yosys["cells"]["DSP48E2"], 16) << yosys.dump(1);
}

TEST_F(CliVision, TheBenchCountsWhatTheSlicesSave) {
  const auto rows = kumiki_bench("vision --json --cycles 1500").json();
  const auto row = [&](const std::string& name) {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const auto& x) { return x["pipeline"] == name; });
    EXPECT_NE(found, rows.end()) << name;
    return *found;
  };
  for (const auto& x : rows) EXPECT_TRUE(x["exact"].get<bool>()) << x["pipeline"];
  // The white paper's form: a 3 x 3 window at two pixels a clock in nine slices.
  EXPECT_EQ(row("convolve 3x3, any coefficients")["slices"], 9);
  EXPECT_EQ(row("convolve 3x3, loaded")["slices"], 9);
  EXPECT_EQ(row("gaussian 3x3")["slices"], 6);
  for (const std::string size : {"3x3", "5x5"})
    EXPECT_LT(row("median " + size + ", slices compare")["luts"],
              row("median " + size + ", all in LUTs")["luts"]);
}

// A picture is a run of its own: what it would not look at is not taken.
TEST_F(CliVision, AnImageExcludesWhatItWouldNotLookAt) {
  for (const char* other : {"--cycles 5", "--seed 3", "--mutate 9", "--stalls 4", "--layer x",
                            "--whole", "--vectors 8", "--placement", "--axi-stream"}) {
    const auto r = kumiki(std::string("sim edges.json --image in.png ") + other);
    EXPECT_EQ(r.status, 2) << other;
    EXPECT_THAT(r.err, HasSubstr("--image excludes ")) << other;
  }
  picture("grey.png", "shapes");
  const auto model = kumiki("sim edges.json --with model --image " + path("grey.png") + " -o " +
                            path("never.png"));
  EXPECT_EQ(model.status, 2);
  EXPECT_EQ(
      model.err,
      "kumiki: --image runs a netlist; use --with verilator, native or icarus [options-exclude]\n");
  EXPECT_FALSE(fs::exists(folder_ / "never.png"));
}

}  // namespace
}  // namespace kumiki::test
