// SPDX-License-Identifier: Apache-2.0
// Every kind of stage that the program knows is its definition, in runs of any length from
// power-up: small pictures of few bits. Changed netlists are refuted. A kind without a block here
// fails.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "gen/layers/vision/stages.h"
#include "tests/proof/subject.h"

namespace kumiki::test {
namespace vision_test {

using backends::proof::Status;

// Keys of a stage; of the pipeline.
struct Block {
  std::string stage = {}, pipeline = window;
  static constexpr const char* window = R"("width": 2, "height": 1, "bits": 1)";
};
constexpr const char* one = R"("width": 2, "height": 2, "bits": 2)";
constexpr const char* with_sign = R"("width": 2, "height": 2, "bits": 2, "signed": true)";
constexpr const char* two = R"("width": 2, "height": 2, "bits": 2, "channels": 2)";
constexpr const char* two_with_sign =
    R"("width": 2, "height": 2, "bits": 2, "channels": 2, "signed": true)";

const std::map<std::string, Block>& blocks() {
  static const std::map<std::string, Block> all{
      {"convolve", {R"("coefficients": [[1, 0, -1, 2, 0, -2, 1, 0, 1]])"}},
      {"box", {R"("divide": 8)"}},
      {"gaussian", {}},
      {"sharpen", {}},
      {"emboss", {}},
      {"laplacian", {}},
      {"sobel-x", {}},
      {"sobel-y", {}},
      {"sobel", {}},
      {"scharr-x", {}},
      {"scharr-y", {}},
      {"scharr", {}},
      {"median", {R"("style": "luts")"}},
      {"erode", {}},
      {"dilate", {R"("style": "luts")"}},
      {"rank", {R"("rank": 2, "style": "luts")"}},
      {"half", {R"("by": "nearest")", one}},
      {"add", {{}, two}},
      {"subtract", {{}, two}},
      {"abs-diff", {{}, two}},
      {"minimum", {{}, two}},
      {"maximum", {{}, two}},
      {"and", {{}, two}},
      {"or", {{}, two}},
      {"xor", {{}, two}},
      {"not", {{}, one}},
      {"accumulate", {{}, two}},
      {"accumulate-weighted", {R"("shift": 2)", two}},
      {"threshold", {R"("value": 1)", one}},
      {"abs", {{}, with_sign}},
      {"magnitude", {{}, two_with_sign}},
      {"scale", {R"("multiply": 3, "shift": 1, "bits": 2)", one}},
      {"channels", {R"("channels": [1, 0])", two}},
  };
  return all;
}

std::string layer(const std::string& kind, const Block& b) {
  return fmt::format(R"({{"type": "vision", "name": "a", {}, "stages": [{{"kernel": "{}"{}{}}}]}})",
                     b.pipeline, kind, b.stage.empty() ? "" : ", ", b.stage);
}

void expect_proved(const std::string& layer) {
  const auto verdict = Subject(layer).prove({0, 600});
  EXPECT_EQ(verdict.status, Status::proved)
      << name(verdict.status) << " by " << verdict.method << ", " << verdict.clocks << " clocks";
}

void expect_refuted_when_changed(const std::string& layer) {
  Subject subject(layer);
  const auto what = subject.change(subject.reference().depth * 4);
  ASSERT_FALSE(what.empty()) << "nothing that is changed shows";
  const auto verdict = subject.prove({0, 300});
  ASSERT_EQ(verdict.status, Status::refuted) << what;
  subject.expect_true(verdict.counterexample);
}

class EveryStage : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto block = blocks().find(GetParam());
    ASSERT_NE(block, blocks().end()) << "a kind of stage without a block that is proved";
    layer_ = layer(GetParam(), block->second);
  }
  std::string layer_;
};

TEST_P(EveryStage, IsItsDefinition) { expect_proved(layer_); }

TEST_P(EveryStage, AChangedOneIsRefuted) { expect_refuted_when_changed(layer_); }

TEST(VisionProof, LinesOfTwoBeatsOfFour) {
  expect_proved(layer("erode", {{}, R"("width": 8, "height": 1, "bits": 1, "pixels": 4)"}));
}

// Two and four pixels a beat, frames wider than high and higher than wide, a coarser picture as the
// mean of four pixels.
struct Shape {
  const char* name;
  const char* kind;
  Block block;
};
std::ostream& operator<<(std::ostream& out, const Shape& s) { return out << s.name; }

class EveryShape : public ::testing::TestWithParam<Shape> {};

TEST_P(EveryShape, IsItsDefinition) { expect_proved(layer(GetParam().kind, GetParam().block)); }

TEST_P(EveryShape, AChangedOneIsRefuted) {
  expect_refuted_when_changed(layer(GetParam().kind, GetParam().block));
}

constexpr const char* pair = R"("width": 4, "height": 1, "bits": 1, "pixels": 2)";
const Shape shapes[] = {
    {"MedianOfAPair",
     "median",
     {R"("style": "luts")", R"("width": 2, "height": 1, "bits": 1, "pixels": 2)"}},
    {"ErosionOfFours", "erode", {{}, R"("width": 4, "height": 2, "bits": 1, "pixels": 4)"}},
    {"SumOfPairs",
     "add",
     {{}, R"("width": 4, "height": 1, "bits": 1, "pixels": 2, "channels": 2)"}},
    {"HalfOfPairs",
     "half",
     {R"("by": "nearest")", R"("width": 4, "height": 2, "bits": 1, "pixels": 2)"}},
    {"EvenUnderAnOddOffset",
     "scale",
     {R"("multiply": 3, "shift": 1, "offset": 1, "round": "half-even", "bits": 4)", one}},
    {"HigherThanWide", "erode", {{}, R"("width": 1, "height": 5, "bits": 1)"}},
};
const Shape slow_shapes[] = {
    {"BoxOfPairs", "box", {R"("divide": 8)", pair}},
    {"MeanOfFour", "half", {R"("by": "mean")", R"("width": 2, "height": 2, "bits": 1)"}},
};
std::string name_of_shape(const ::testing::TestParamInfo<Shape>& shape) { return shape.param.name; }
INSTANTIATE_TEST_SUITE_P(Vision, EveryShape, ::testing::ValuesIn(shapes), name_of_shape);
INSTANTIATE_TEST_SUITE_P(Long, EveryShape, ::testing::ValuesIn(slow_shapes), name_of_shape);

std::vector<std::string> kinds() {
  std::vector<std::string> all;
  for (const auto& choice : gen::vision::stage_choices())
    all.push_back(gen::vision::stage_name(choice.value));
  return all;
}
std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  auto name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Vision, EveryStage, ::testing::ValuesIn(kinds()), name_of);

struct Size {
  std::uint64_t width, height;
  std::uint64_t pixels() const { return width * height; }
};

// Clocks until the picture that `taken` becomes has left, when nobody waits for anything.
unsigned clocks_of_a_frame(const Subject& subject, Size taken, Size made) {
  const auto model = subject.layer().model();
  const auto ports = ir::layout(subject.design().top());
  const auto limb = [](const auto& slots, const char* port) {
    return std::find_if(slots.begin(), slots.end(), [&](const auto& s) { return s.name == port; })
        ->limb;
  };
  ir::Frame in(ports.input_limbs, 0), out;
  model->power_up();
  std::uint64_t sent = 0, left = 0;
  for (unsigned clock = 1; clock < 1000; ++clock) {
    in[limb(ports.inputs, "width")] = taken.width;
    in[limb(ports.inputs, "height")] = taken.height;
    in[limb(ports.inputs, "m_axis_tready")] = 1;
    in[limb(ports.inputs, "s_axis_tvalid")] = sent < taken.pixels();
    in[limb(ports.inputs, "s_axis_tuser")] = sent == 0;
    in[limb(ports.inputs, "s_axis_tlast")] = sent % taken.width == taken.width - 1;
    model->step(in, out);
    sent += in[limb(ports.inputs, "s_axis_tvalid")] & out[limb(ports.outputs, "s_axis_tready")];
    left += out[limb(ports.outputs, "m_axis_tvalid")];
    if (left == made.pixels()) return clock;
  }
  return 0;
}

void expect_proved_for_a_frame(const std::string& layer, Size taken, Size made) {
  Subject subject(layer);
  const auto clocks = clocks_of_a_frame(subject, taken, made);
  ASSERT_GT(clocks, 0u);
  const auto verdict = subject.prove({clocks, 600, false});
  EXPECT_EQ(verdict.status, Status::bounded) << name(verdict.status) << " " << verdict.clocks;
  EXPECT_EQ(verdict.clocks, clocks);
}

// Products of two things that come in are no matter of clauses: from power-up, until a frame with
// coefficients that may have come before it has left.
TEST(VisionProof, LoadedCoefficientsUpToTheEndOfAFrame) {
  expect_proved_for_a_frame(layer("convolve", {R"("coefficients": [[1, 0, 0, 1, 1, 1, 0, 0, -1]],
      "loadable": true, "coefficient_bits": 2)"}),
                            {2, 1}, {2, 1});
}

// A window and every second of what it gives: no invariant in two minutes.
TEST(VisionProof, HalfByGaussianUpToTheEndOfAFrame) {
  expect_proved_for_a_frame(layer("half", {R"("by": "gaussian")"}), {2, 1}, {1, 1});
}

TEST(VisionProof, AChangedHalfByGaussianIsRefuted) {
  expect_refuted_when_changed(layer("half", {R"("by": "gaussian")"}));
}

TEST(VisionProof, ChangedOnesThatLoadAreRefuted) {
  expect_refuted_when_changed(layer("convolve", {R"("coefficients": [[1, 0, 0, 1, 1, 1, 0, 0, -1]],
      "loadable": true, "coefficient_bits": 2)"}));
}

TEST(VisionBlocks, EveryBlockIsOfAKind) {
  std::vector<std::string> named;
  for (const auto& [name, block] : blocks()) named.push_back(name);
  EXPECT_THAT(named, ::testing::UnorderedElementsAreArray(kinds()));
}

}  // namespace vision_test
}  // namespace kumiki::test
