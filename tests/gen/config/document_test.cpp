// SPDX-License-Identifier: Apache-2.0
#include "gen/config/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gen/config/source.h"
#include "ir/error.h"
#include "tests/gen/config/fake_layers.h"
#include "tests/support/golden.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::config {
namespace config_document_test {

using testing::ElementsAre;
using testing::HasSubstr;

Document parse(const std::string& text) {
  return parse_document(text, "cfg.json", fake_registry());
}

class GoodConfig : public testing::TestWithParam<std::string> {};

TEST_P(GoodConfig, HasThisEffectiveFormWhichReadsBackTheSame) {
  const std::string name = "good-config/" + GetParam();
  const std::string effective = print(parse(test::read_bytes(test::golden_path(name + ".json"))));
  test::expect_golden(name + ".txt", effective);
  EXPECT_EQ(print(parse(effective)), effective);
}

INSTANTIATE_TEST_SUITE_P(Golden, GoodConfig,
                         testing::Values("minimal", "cascade", "everything", "bom-and-crlf",
                                         "long-list"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Document, TakesDefaultsFromTheStructs) {
  const Document d = parse(R"({"kumiki": 1, "name": "top", "layers": [{"type": "dot"}]})");
  EXPECT_EQ(d.kumiki, 1);
  EXPECT_EQ(d.name, "top");
  EXPECT_EQ(d.description, std::nullopt);
  EXPECT_EQ(d.target, Target{});
  EXPECT_EQ(d.simulation, Simulation{});
  ASSERT_EQ(d.layers.size(), 1u);
  EXPECT_EQ(d.layers[0].name, "dot_0");
  EXPECT_EQ(d.layers[0].pointer, "/layers/0");
  EXPECT_EQ(d.layers[0].type, fake_registry().find("dot"));
  EXPECT_EQ(d.layers[0].as<FakeDot>(), FakeDot{});
}

TEST(Document, PutsEveryValueWhereItBelongs) {
  const Document d = parse(test::read_bytes(test::golden_path("good-config/everything.json")));
  EXPECT_EQ(d.target, (Target{.family = ir::Family::series7, .column_height = 140}));
  EXPECT_EQ(d.simulation, (Simulation{4294967295u, 1'000'000'000'000, 0.0, 0}));
  EXPECT_EQ(d.description, "Every key once, out of order.\nTwo lines.");
  ASSERT_EQ(d.layers.size(), 3u);
  const FakeDot first{.terms = 65536,
                      .scheme = FakeScheme::bias,
                      .pipelined = false,
                      .load = 1e-3,
                      .kernel = {11, 1},
                      .stride = std::vector<int>{2, 4},
                      .taps = {{0, 65536}, {0, 7}},
                      .requant = FakeRequant{{0.1, 0.25, 1e6}, 47, FakeRounding::even},
                      .stages = {{"a", 1}, {"b", -128}},
                      .file = "weights/first.npy",
                      .note = "tab \t, quote \", slash /, 組木, é, 😀"};
  EXPECT_EQ(d.layers[0].as<FakeDot>(), first);
  EXPECT_EQ(d.layers[1].as<FakeDot>(),
            (FakeDot{.terms = 4, .load = 0, .weights = {{-128, -1, 0, 127}}, .stride = 4}));
  EXPECT_EQ(d.layers[2].as<FakeSum>(), (FakeSum{1024, 16}));
  EXPECT_EQ(d.layers[1].name, "dot_1");
  EXPECT_EQ(d.layers[2].name, "dot_3");
}

TEST(Document, CascadesDefaultsByPrecedence) {
  const Document d = parse(test::read_bytes(test::golden_path("good-config/cascade.json")));
  const auto& both = d.layers[0].as<FakeDot>();  // defaults.dot before defaults, before the table
  EXPECT_EQ(both.terms, 12);
  EXPECT_EQ(both.scheme, FakeScheme::plain);
  EXPECT_FALSE(both.pipelined);
  EXPECT_EQ(both.load, 0.5);
  const auto& own = d.layers[1].as<FakeDot>();  // the layer before everything
  EXPECT_EQ(own.terms, 3);
  EXPECT_EQ(own.scheme, FakeScheme::bias);
  EXPECT_TRUE(own.pipelined);
  // A required key may come from the defaults; the common default counts for every type.
  EXPECT_EQ(d.layers[2].as<FakeSum>(), (FakeSum{5, 9}));
  EXPECT_EQ(d.layers[3].as<FakeSum>(), (FakeSum{6, 2}));
}

TEST(Document, TakesAnObjectAsAWholeAndDoesNotMergeIt) {
  const Document d = parse(R"({"kumiki": 1, "name": "top",
    "defaults": {"requant": {"scale": [2], "shift": 5}},
    "layers": [{"type": "dot", "requant": {"scale": [3]}}, {"type": "dot"}]})");
  EXPECT_EQ(d.layers[0].as<FakeDot>().requant, (FakeRequant{{3.0}, 0, FakeRounding::away}));
  EXPECT_EQ(d.layers[1].as<FakeDot>().requant, (FakeRequant{{2.0}, 5, FakeRounding::away}));
}

TEST(Document, AnIllegalCommonDefaultThatNoLayerTakesIsNoError) {
  // 64 terms fit a dot, not a sum; the sum has a value of its own.
  const Document d = parse(R"({"kumiki": 1, "name": "top", "defaults": {"terms": 64},
    "layers": [{"type": "dot"}, {"type": "sum", "operands": 2, "terms": 3}]})");
  EXPECT_EQ(d.layers[1].as<FakeSum>().terms, 3);
}

TEST(Document, FindingsCarryTheirParts) {
  try {
    parse("{\"kumiki\": 1, \"name\": \"top\",\n \"layers\": [{\"type\": \"dot\", \"terms\": 0}]}");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.file(), "cfg.json");
    EXPECT_EQ(error.count(), 1u);
    EXPECT_THAT(error.findings(),
                ElementsAre(Finding{"/layers/0/terms", 2, 38, "0", "is out of range",
                                    "must be an integer from 1 to 65536", code::out_of_range}));
    EXPECT_STREQ(error.what(),
                 "cfg.json:2:38: /layers/0/terms: 0 is out of range; must be an integer from 1 to "
                 "65536 [out-of-range]");
  }
}

TEST(Document, AMillionWeightsAreReadInSeconds) {
  const int count = 1'000'000;
  std::string text = R"({"kumiki": 1, "name": "top", "defaults": {"weights": [0)";
  for (int i = 1; i < count; ++i) text += ", " + std::to_string(i % 256 - 128);
  // Inherited twice: the list is checked and loaded for both.
  text += R"(]}, "layers": [{"type": "dot", "weights": [1], "terms": 1}]})";
  const std::string bad = std::string(text).replace(text.find("[0"), 2, "[0.5");
  const std::clock_t start = std::clock();  // of the processor: other programs do not count
  parse(text);
  try {
    parse(bad);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.count(), 1u);
    EXPECT_EQ(error.findings()[0].pointer, "/defaults/weights/0");
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, 10.0);
}

TEST(Document, AMillionBadWeightsAreReportedBriefly) {
  std::string text = R"({"kumiki": 1, "name": "top", "layers": [{"type": "dot", "weights": [0.5)";
  for (int i = 1; i < 1'000'000; ++i) text += ",0.5";
  try {
    parse(text + "]}]}");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.count(), 4u);
    EXPECT_THAT(error.what(), HasSubstr("a list of 1000000 has 1000000 wrong entries"));
  }
}

TEST(Document, TooLongATextIsRefusedUnread) {
  try {
    parse(std::string(max_bytes + 1, ' '));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "cfg.json:1:1: the configuration is too long; must be at most 32 MiB; move long "
                 "lists to files of their own [file-too-long]");
  }
}

class DocumentFile : public testing::Test {
 protected:
  DocumentFile() { std::filesystem::create_directories(folder); }
  const std::filesystem::path folder = std::filesystem::path(KUMIKI_TEST_TMP) / "config";

  std::string failure(const std::filesystem::path& path) {
    return test::refusal<FileError>([&] { read_document(path, fake_registry()); });
  }
};

TEST_F(DocumentFile, IsReadAndNamedInErrors) {
  const auto path = folder / "good.json";
  std::ofstream(path) << R"({"kumiki": 1, "name": "top", "layers": [{"type": "dot"}]})";
  EXPECT_EQ(read_document(path, fake_registry()).name, "top");
  std::ofstream(path) << "{";
  try {
    read_document(path, fake_registry());
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.file(), path.string());
    EXPECT_THAT(error.what(), HasSubstr("good.json:1:2: the file ends too early"));
  }
}

TEST_F(DocumentFile, MissingAndDirectoryAreFileErrors) {
  EXPECT_THAT(failure(folder / "missing.json"), HasSubstr("missing.json: no such file"));
  EXPECT_THAT(failure(folder), HasSubstr("config is a directory; it must be a configuration file"));
}

TEST_F(DocumentFile, UnreadableIsAFileError) {
  if (geteuid() == 0) {
    // Root reads what it likes; a file of the kernel that refuses reading stands in.
    EXPECT_THAT(failure("/proc/self/mem"), HasSubstr("/proc/self/mem: cannot be read"));
    return;
  }
  const auto path = folder / "locked.json";
  std::ofstream(path) << "{}";
  ::chmod(path.c_str(), 0);
  EXPECT_THAT(failure(path), HasSubstr("locked.json: cannot be read"));
  ::chmod(path.c_str(), 0600);
}

TEST_F(DocumentFile, AnEndlessFileIsTooLong) {
  EXPECT_THROW(read_document("/dev/zero", fake_registry()), ConfigError);
}

TEST(ConfigRegistry, RefusesClashes) {
  const Table* table = &fake_dot_table();
  EXPECT_THROW(Registry({{"dot", "", table}, {"dot", "", table}}), DesignError);
  EXPECT_THROW(Registry({{"terms", "", table}}), DesignError);
  EXPECT_THROW(Registry({{"9dot", "", table}}), DesignError);
  EXPECT_THROW(Registry({{"a-b", "", table}}), DesignError);
}

}  // namespace config_document_test
}  // namespace kumiki::gen::config
