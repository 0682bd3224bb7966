// SPDX-License-Identifier: Apache-2.0
// The files of a program hold what its streams are: read back as somebody else would read them.
#include "gen/layers/array/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/gen/layers/array/jobs.h"

namespace kumiki::gen::array {
namespace array_files_test {

using nlohmann::json;
using test::conv;
using test::fc;
using test::job_of;
using test::own_inputs;

Program example() {
  const ArrayPlan p = plan({.rows = 4,
                            .columns = 5,
                            .accumulators = 3,
                            .reach = 5,
                            .stream_words = 9,
                            .window_words = 64,
                            .common_words = 128,
                            .output_words = 2,
                            .split = 2,
                            .batched_fc = true});
  // The third convolution is one for parts.
  return compile(p, {job_of(conv({.in_channels = 4,
                                  .height = 11,
                                  .width = 9,
                                  .out_channels = 10,
                                  .kernel = 5,
                                  .stride = 2,
                                  .groups = 2,
                                  .padding_before = 1,
                                  .padding_after = 2}),
                            p, 1),
                     job_of(conv({.in_channels = 2,
                                  .height = 12,
                                  .width = 12,
                                  .out_channels = 2,
                                  .kernel = 3,
                                  .dilation = 2}),
                            p, 2, {PoolKind::max, 3}),
                     job_of(conv({.in_channels = 3,
                                  .height = 4,
                                  .width = 3,
                                  .out_channels = 29,
                                  .kernel = 3,
                                  .padding_before = 1}),
                            p, 4),
                     job_of(fc(13, 31), p, 3)});
}

using Counters = std::map<std::string, std::int64_t>;
std::int64_t place(const json& sum, const Counters& at) {
  std::int64_t all = 0;
  for (const auto& [key, factor] : sum.items())
    all += factor.get<std::int64_t>() * (key == "offset" ? 1 : at.at(key));
  return all;
}
// Calls f with every state of the counters, the last loop running fastest.
template <class F>
void walk(const json& loops, std::size_t depth, Counters& at, F&& f) {
  if (depth == loops.size()) return f();
  const json& loop = loops[depth];
  const auto count =
      loop.contains("count")
          ? loop["count"].get<std::int64_t>()
          : loop["counts"][static_cast<std::size_t>(at.at(loop["by"]))].get<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    at[loop["counter"]] = i;
    walk(loops, depth + 1, at, f);
  }
}
bool counts(const json& side, const Counters& at) {
  const auto block = static_cast<std::size_t>(at.at(side["block"]));
  const auto phase = static_cast<std::size_t>(at.at(side["phase"]));
  return place(side["index"], at) <
         side["sums"][block].get<std::int64_t>() +
             (side["taps"][phase].get<std::int64_t>() - 1) * side["step"].get<std::int64_t>();
}
std::uint64_t raw(std::int64_t v) { return static_cast<std::uint64_t>(v) & 255; }

TEST(ArrayFiles, TheOrderTellsEveryPixel) {
  const Program program = example();
  const auto inputs = own_inputs(program, 4);
  std::vector<Source> sources;
  for (const auto& input : inputs) sources.push_back({&*input, nullptr, 1});
  IndividualStream stream(program, sources);
  const json order = json::parse(order_json(program));
  std::vector<std::uint64_t> data;
  std::vector<bool> keep;
  for (std::size_t l = 0; l < 3; ++l) {
    const json& layer = order["layers"][l]["individual"];
    const Tensor& map = *inputs[l];
    Counters at;
    std::int64_t kept = 0, beats = 0;
    walk(layer["loops"], 0, at, [&] {
      ASSERT_EQ(stream.layer(), l);
      stream.next(data, keep);
      ++beats;
      std::size_t lane = 0;
      walk(layer["lanes"], 0, at, [&] {
        const std::int64_t y = place(layer["row"], at), x = place(layer["column"], at);
        const bool there = counts(layer["kept_rows"], at) && counts(layer["kept_columns"], at) &&
                           y >= 0 && y < map.shape.height && x >= 0 && x < map.shape.width;
        ASSERT_EQ(keep[lane], there);
        ASSERT_EQ(data[lane], there ? raw(map.at(place(layer["channel"], at), y, x)) : 0);
        kept += there;
        ++lane;
      });
    });
    EXPECT_EQ(beats, layer["beats"]);
    EXPECT_EQ(kept, layer["kept_words"]);
  }
}

TEST(ArrayFiles, TheOrderTellsEveryCoefficient) {
  const Program program = example();
  const auto inputs = own_inputs(program, 4);
  std::vector<Source> sources;
  for (const auto& input : inputs) sources.push_back({&*input, nullptr, 1});
  CommonStream stream(program, sources);
  const json order = json::parse(order_json(program));
  for (std::size_t l = 0; l < program.layers.size(); ++l) {
    const json& common = order["layers"][l]["common"];
    const LayerJob& job = program.layers[l].job;
    Counters at;
    std::int64_t words = 0;
    walk(common["loops"], 0, at, [&] {
      ASSERT_EQ(stream.layer(), l);
      std::vector<std::uint64_t> data;
      words += stream.next(data);
      if (job.shape.kind == Kind::fc) {
        ASSERT_EQ(data.at(0), raw(inputs[l]->at(at["input"])));
        return;
      }
      const ConvShape& s = job.shape.conv;
      at["part"] = 0;
      for (const std::size_t lane : common["lane_of_part"]) {
        std::int64_t expected = 0;
        const std::int64_t output = place(common["output_of_group"], at);
        if (output < common["outputs_of_group"])
          expected = job.weights[((((at["group"] * s.group_out() + output) * s.group_in()) +
                                   at["channel"]) *
                                      s.kernel +
                                  place(common["kernel_row"], at)) *
                                     s.kernel +
                                 place(common["kernel_column"], at)];
        ASSERT_EQ(data.at(lane), raw(expected));
        ++at["part"];
      }
      at.erase("part");
    });
    EXPECT_EQ(words, common["count"]);
  }
  EXPECT_TRUE(stream.over());
}

TEST(ArrayFiles, TheOrderTellsEveryResult) {
  const Program program = example();
  OutputStream stream(program);
  const json order = json::parse(order_json(program));
  for (std::size_t l = 0; l < 3; ++l) {
    const json& results = order["layers"][l]["results"];
    const MapShape out = program.layers[l].job.out_shape();
    Counters at;
    std::int64_t beats = 0;
    walk(results["loops"], 0, at, [&] {
      const auto words =
          results["row_words"][static_cast<std::size_t>(at["block"])].get<std::int64_t>();
      for (std::int64_t w = 0; w < words; w += 2) {
        ASSERT_EQ(stream.layer(), l);
        at["word"] = w;
        const OutputBeat beat = stream.next();
        ++beats;
        EXPECT_EQ(beat.count, std::min<std::int64_t>(2, words - w));
        EXPECT_EQ(
            beat.index,
            (place(results["channel"], at) * out.height + place(results["row"], at)) * out.width +
                place(results["column"], at));
      }
    });
    EXPECT_EQ(beats, results["beats"]);
  }
}

std::string text_of(const std::vector<ProgramFile>& files, const std::string& path) {
  for (const ProgramFile& f : files)
    if (f.path == path) {
      std::ostringstream out;
      f.write(out);
      return out.str();
    }
  ADD_FAILURE() << path << " is not there";
  return {};
}

TEST(ArrayFiles, MemoryImagesHoldTheStreams) {
  const Program program = example();
  const auto inputs = own_inputs(program, 4);
  const auto files = program_files(program, "net", inputs);
  EXPECT_EQ(files.size(), 3u + 3 * 4);
  const std::string fc_name = program.layers.back().job.shape.name;
  std::istringstream weights(text_of(files, fc_name + "_individual.hex"));
  const Program alone{program.plan, {program.layers.back()}};
  IndividualStream stream(alone, {Source{}});
  ParameterStream parameters(alone);
  std::vector<std::uint64_t> data;
  std::vector<bool> keep;
  std::string line;
  while (!stream.over()) {
    stream.next(data, keep);
    ASSERT_TRUE(std::getline(weights, line));
    std::string expected;
    for (auto w = data.rbegin(); w != data.rend(); ++w) expected += fmt::format("{:02x}", *w);
    ASSERT_EQ(line, expected);
  }
  EXPECT_FALSE(std::getline(weights, line));
  // Two words of 54 bits a line: 27 digits.
  std::istringstream words(text_of(files, fc_name + "_parameters.hex"));
  ASSERT_TRUE(std::getline(words, line));
  parameters.next(data);
  ASSERT_EQ(line.size(), 27u);
  EXPECT_EQ(std::stoull(line.substr(14), nullptr, 16) & ((1ull << 52) - 1),
            data[0] & ((1ull << 52) - 1));
  EXPECT_EQ(std::stoull(line.substr(0, 13), nullptr, 16), data[1] >> 2);
  const std::string map = text_of(files, program.layers[0].job.shape.name + "_input.hex");
  EXPECT_EQ(map.size(), static_cast<std::size_t>(3 * inputs[0]->shape.size()));
  EXPECT_EQ(map.substr(0, 3), fmt::format("{:02x}\n", raw(inputs[0]->at(0))));
}

TEST(ArrayFiles, RegistersAndHeaderAreTheSameWrites) {
  const Program program = example();
  const std::string hex = registers_hex(program), header = c_header(program, "net");
  std::istringstream lines(hex);
  std::string line;
  for (const RegisterWrite& w : program.writes()) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, fmt::format("{:03x}{:08x}", w.address, w.data));
    EXPECT_NE(header.find(fmt::format("{{0x{:03x}u, 0x{:08x}u}},", w.address, w.data)),
              std::string::npos);
  }
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "e0000000003");
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_NE(header.find("#define NET_START_DATA 3u"), std::string::npos);
}

}  // namespace array_files_test
}  // namespace kumiki::gen::array
