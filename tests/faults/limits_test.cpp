// SPDX-License-Identifier: Apache-2.0
// What nobody can have asked for on purpose is refused in a sentence, with 2 GB of memory.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backends/support/process.h"
#include "tests/support/program.h"

namespace kumiki::tests {
namespace limits_test {

using ::testing::HasSubstr;

// Address sanitizer takes terabytes of addresses for itself.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

struct Absurd {
  std::string name, text;
  int status;
  std::string says;
  std::string options = {};
};
void PrintTo(const Absurd& a, std::ostream* to) { *to << a.name; }

std::string layer(const std::string& keys) {
  return R"({"kumiki": 1, "name": "absurd", "layers": [{"name": "a", )" + keys + "}]}";
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string ones(std::size_t count) { return "[1" + repeated(", 1", count - 1) + "]"; }

// So many neurons of so many weights, no two alike: those would be made once.
std::string neurons(unsigned count, unsigned weights) {
  std::string all;
  for (unsigned n = 0; n < count; ++n) {
    std::string row;
    for (unsigned i = 0; i < weights; ++i)
      row += fmt::format("{}{}", i == 0 ? "" : ", ", (n + 1) * 0x9e3779b9u >> i & 1);
    all += fmt::format("{}[{}]", n == 0 ? "" : ", ", row);
  }
  return "[" + all + "]";
}

std::string many_layers(std::size_t count) {
  std::string all = R"({"kumiki": 1, "name": "absurd", "layers": [{"type": "dot", "terms": 7})";
  return all + repeated(R"(, {"type": "dot", "terms": 7})", count - 1) + "]}";
}

std::vector<Absurd> absurd() {
  const std::string heap = "more than the limit of 20000; raise it with --max-heap-bits",
                    weights = "more than the limit of 16000000; raise it with --max-weights";
  return {
      {"dot", layer(R"("type": "dot", "terms": 1000000000)"), 3,
       "must be an integer from 1 to 65536"},
      {"matvec", layer(R"("type": "matvec", "outputs": 1000000, "inputs": 1000000)"), 3,
       "must be "},
      {"matvec_in_range", layer(R"("type": "matvec", "outputs": 65536, "inputs": 65536,
                                   "weights_from": "random")"),
       3, weights},
      {"conv2d", layer(R"("type": "conv2d", "in_channels": 4096, "height": 4096, "width": 4096,
                          "out_channels": 4096, "kernel": [3, 3], "weights_from": "random")"),
       3, weights},
      {"window", layer(R"("type": "vision", "width": 1000000000, "height": 1000000000,
                          "stages": [{"op": "convolve", "size": [1000001, 1000001]}])"),
       3, "must be "},
      {"popcount", layer(R"("type": "popcount", "bits": 65536)"), 3, heap},
      {"neuron", layer(R"("type": "bnn_neuron", "inputs": 65536)"), 3, heap},
      {"const_dot",
       layer(R"("type": "const_dot", "bits": 30, "weights": [1048575)" +
             repeated(", 1048575", 4095) + "]"),
       3, heap},
      {"name",
       layer(R"("type": "dot", "terms": 2, "description": ")" + std::string(10'000'000, 'x') +
             "\""),
       3, "description"},
      {"large_file", std::string(40'000'000, ' ') + "{}", 3, "must be at most 32 MiB"},
      {"deep_lists", std::string(1'000'000, '['), 3, "nest at most 64 levels"},
      {"deep_objects", repeated("{\"a\":", 100'000), 3, "nest at most 64 levels"},
      {"layers", many_layers(9999), 3,
       "a list of 9999 is too long; must be at most 1000 layers; raise the limit with "
       "--max-layers"},
      {"dense",
       layer(R"("type": "bnn_dense", "inputs": 60, "threshold": 30, "weights": [)" + ones(60) +
             repeated(", " + ones(60), 59) + "]"),
       3, "the layer has 3600 weights, more than the limit of 3000; raise it with --max-weights",
       " --max-weights 3000"},
      {"dense_cells",
       layer(R"("type": "bnn_dense", "inputs": 12, "threshold": 6, "weights": )" + neurons(12, 12)),
       3, "LUTs at least, more than the limit of 20; raise it with --max-cells", " --max-cells 20"},
      {"cells", layer(R"("type": "dot", "scheme": "wp487-int8-lut", "terms": 65536)"), 3,
       "more than the limit of 100000; raise it with --max-cells", " --max-cells 100000"},
  };
}

class Limits : public ::testing::TestWithParam<Absurd> {};

TEST_P(Limits, AreSaidBeforeTheMemoryIsTaken) {
  backends::TemporaryFolder folder;
  const auto config = (folder.path() / "absurd.json").string();
  std::ofstream(config) << GetParam().text;
  const std::string memory = sanitized ? "" : "ulimit -v 2000000 && ";
  const auto begin = std::chrono::steady_clock::now();
  const auto r =
      test::kumiki("--version >/dev/null && " + memory + "'" + std::string(KUMIKI_PROGRAM) +
                   "' check '" + config + "'" + GetParam().options);
  EXPECT_EQ(r.status, GetParam().status) << r.err.substr(0, 500);
  EXPECT_THAT(r.err.substr(0, 2000), HasSubstr(GetParam().says));
  EXPECT_LT(r.err.size(), 10'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

std::string name_of(const ::testing::TestParamInfo<Absurd>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Absurd, Limits, ::testing::ValuesIn(absurd()), name_of);

// What a report counts, to the cell: of a small netlist, too, of vectors and of modules that stand
// in many places.
TEST(Cells, OneMoreThanAllowedIsRefusedWithTheirNumber) {
  const auto folder = test::empty_folder();
  const auto config = "'" + (folder / "cfg.json").string() + "'";
  std::ofstream(folder / "cfg.json")
      << layer(R"("type": "matvec", "outputs": 4, "inputs": 5, "weights_from": "random")");
  const auto made =
      test::kumiki("gen --json " + config + " -o '" + (folder / "out").string() + "'");
  ASSERT_EQ(made.status, 0) << made.err;
  std::uint64_t cells = 0;
  const auto counted = nlohmann::json::parse(made.out)["resources"]["cells"];
  for (const auto& [kind, count] : counted.items()) cells += count.get<std::uint64_t>();
  ASSERT_GT(cells, 50u);
  for (const char* command : {"check ", "show ", "plan --device xcvu9p "}) {
    const auto with = [&](std::uint64_t limit) {
      return test::kumiki(command + config + fmt::format(" --max-cells {}", limit));
    };
    const auto refused = with(cells - 1);
    EXPECT_EQ(refused.status, 3);
    EXPECT_EQ(refused.err, fmt::format("kumiki: {}: the netlist has {} cells, more than the limit "
                                       "of {}; raise it with --max-cells [over-limit]\n",
                                       (folder / "cfg.json").string(), cells, cells - 1));
    EXPECT_EQ(with(cells).status, 0) << command;
  }
}

TEST(Memory, WhenThereIsNoneAtAllItIsNoBug) {
  if (sanitized) GTEST_SKIP() << "the sanitizer wants more addresses than there are";
  backends::TemporaryFolder folder;
  const auto config = (folder.path() / "large.json").string();
  std::ofstream(config) << layer(R"("type": "dot", "scheme": "wp487-int8-lut", "terms": 65536)");
  const auto r = test::kumiki("--version >/dev/null && ulimit -v 100000 && '" +
                              std::string(KUMIKI_PROGRAM) + "' check '" + config + "'");
  EXPECT_EQ(r.status, 4) << r.err;
  EXPECT_THAT(r.err, HasSubstr("not enough memory"));
}

}  // namespace limits_test
}  // namespace kumiki::tests
