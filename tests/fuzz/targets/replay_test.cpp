// SPDX-License-Identifier: Apache-2.0
// The corpora through the targets, without libFuzzer: what was once found stays found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/fuzz/targets/targets.h"
#include "tests/fuzz/targets/wire.h"
#include "tests/support/seed.h"

namespace kumiki::fuzz {
namespace {

std::size_t replay(const std::string& corpus, void (*target)(std::string_view)) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(KUMIKI_TEST_DIR) + "/corpus/" + corpus)) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    target(bytes);
    // Cut short anywhere near its end, and with a byte changed in the middle.
    for (std::size_t less = 1; less < 8 && less < bytes.size(); ++less)
      target(std::string_view(bytes).substr(0, bytes.size() - less));
    std::string changed = bytes;
    if (!changed.empty()) changed[changed.size() / 2] ^= 0x15;
    target(changed);
    ++files;
  }
  return files;
}

TEST(FuzzCorpus, Configuration) { EXPECT_GE(replay("configuration", configuration), 10u); }
TEST(FuzzCorpus, Text) { EXPECT_GE(replay("text", text), 5u); }
TEST(FuzzCorpus, Numbers) { EXPECT_GE(replay("numbers", numbers), 8u); }

TEST(FuzzCorpus, Model) { EXPECT_GE(replay("model", model), 10u); }

// Models of the tree, changed field by field: whatever comes out is refused or means something. The
// input under way is in a file, for the case that nothing comes back.
TEST(FuzzModel, ChangedModelsAreRefusedOrMeanSomething) {
  namespace fs = std::filesystem;
  const std::uint64_t seed = test::rotating_seed();
  std::fflush(stdout);  // the seed
  std::mt19937_64 random(seed);
  std::vector<fs::path> files;
  const fs::path tests = fs::path(KUMIKI_TEST_DIR) / "..";
  for (const auto& folder : {tests / "../examples/models", tests / "gen/onnx/random"})
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  std::ranges::sort(files);
  ASSERT_GE(files.size(), 10u);
  const fs::path under_way = fs::path(KUMIKI_TEST_TMP) / "changed_model.onnx";
  fs::create_directories(under_way.parent_path());
  for (int n = 0; n < 400; ++n) {
    // Small ones mostly: what reads them is the same.
    const bool trained = n % 20 == 0;
    const fs::path& file = files[random() % files.size()];
    if (!trained && fs::file_size(file) > 16'000) continue;
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::vector<Field> fields;
    ASSERT_TRUE(parse_wire(bytes, fields)) << file;
    ASSERT_EQ(print_wire(fields), bytes) << file;
    const std::string changed = mutated(bytes, random);
    std::ofstream(under_way, std::ios::binary) << changed;
    const std::clock_t before = std::clock();
    model(changed);
    EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 10)
        << "input " << n << " of seed " << seed;
  }
}

}  // namespace
}  // namespace kumiki::fuzz
