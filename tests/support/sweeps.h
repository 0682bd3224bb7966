// SPDX-License-Identifier: Apache-2.0
// A folder with a configuration, sweeps over it, and what they leave.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace kumiki::test {

class WithSweeps : public InFolder {
 protected:
  WithSweeps() {
    write("base.json", R"({"kumiki": 1, "name": "base", "layers": [
 {"type": "dot", "name": "d", "terms": 8, "scheme": "carry-lane-drain"}]})");
  }
  // A sweep of this text between the braces: its quoted name.
  std::string sweep(const std::string& keys, const std::string& name = "sweep.json") const {
    write(name, R"({"kumiki": 1, "name": "s", "base": "base.json", )" + keys + "}");
    return path(name);
  }
  std::string terms_and_schemes() const {
    return sweep(
        R"("vary": {"/layers/0/terms": [4, 8, 12], "/layers/0/scheme": ["carry-lane-drain", "shared-drain"]},
        "where": ["terms < 12 || scheme == 'shared-drain'"], "do": ["timing", "sim"],
        "collect": {"columns": ["slices", "luts", "levels", "exact"], "pareto": ["luts", "macs_per_clock"]})");
  }
  nlohmann::json table(const std::string& folder = "out") const {
    return nlohmann::json::parse(text(folder + "/table.json"));
  }
  // The results of all points, and nothing else may lie there.
  std::vector<std::filesystem::path> results(const std::string& folder) const {
    std::vector<std::filesystem::path> all;
    if (!std::filesystem::exists(folder_ / folder / "points")) return all;
    for (const auto& some : std::filesystem::directory_iterator(folder_ / folder / "points"))
      for (const auto& p : std::filesystem::directory_iterator(some.path()))
        if (std::filesystem::exists(p.path() / "result.json"))
          all.push_back(p.path() / "result.json");
    return all;
  }
  std::size_t points_in(const std::string& folder) const {
    for (const auto& some : std::filesystem::directory_iterator(folder_ / folder / "points"))
      EXPECT_EQ(some.path().filename().string().size(), 2U) << some.path();
    return results(folder).size();
  }
};

}  // namespace kumiki::test
