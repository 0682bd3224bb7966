// SPDX-License-Identifier: Apache-2.0
// What a run leaves for the next one: a second run compiles and solves nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class CliCache : public InFolder {
 protected:
  void SetUp() override { fs::create_directory(folder_ / "cache"); }
  void TearDown() override { ::unsetenv("CXX"); }

  Called call(const std::string& arguments) const {
    return kumiki(arguments + " --cache " + path("cache"));
  }
  json listed(const std::string& more = {}) const {
    return json::parse(call("cache --json " + more).out);
  }
};

TEST_F(CliCache, ASecondSimulationStartsNoCompiler) {
  // A compiler that notes what it is asked to compile.
  write("compiler", "#!/bin/sh\ncase \" $* \" in *' -c '*) echo \"$@\" >> '" +
                        (folder_ / "log").string() + "' ;; esac\nexec g++ \"$@\"\n");
  fs::permissions(folder_ / "compiler", fs::perms::owner_all);
  ::setenv("CXX", (folder_ / "compiler").c_str(), 1);
  const std::string run = "sim quickstart.json --jobs 2 --cycles 500 -o " + path("out");
  const auto first = call(run);
  ASSERT_EQ(first.status, 0) << first.err;
  const auto compiled = read_bytes((folder_ / "log").string());
  EXPECT_THAT(compiled, HasSubstr("unit0.cc"));
  const auto second = call(run);
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(read_bytes((folder_ / "log").string()), compiled);

  // A model that is damaged is not loaded; here it cannot be made again either.
  fs::path model;
  for (const auto& entry : fs::directory_iterator(folder_ / "cache/kumiki-cache"))
    if (fs::exists(entry.path() / "model.so")) model = entry.path() / "model.so";
  fs::rename(folder_ / "compiler", folder_ / "good");
  write("compiler", "#!/bin/sh\ncase \" $* \" in *' -c '*) exit 1 ;; esac\nexec g++ \"$@\"\n");
  fs::permissions(folder_ / "compiler", fs::perms::owner_all);
  const auto whole = read_bytes(model);
  std::ofstream(model, std::ios::binary) << whole.substr(0, whole.size() / 2);
  const auto damaged = call(run);
  EXPECT_EQ(damaged.status, 4);
  EXPECT_THAT(damaged.err, HasSubstr("is damaged and made again: model.so"));
  fs::rename(folder_ / "good", folder_ / "compiler");
  ASSERT_EQ(call(run).status, 0);

  // Other files in the folder are nobody's business.
  write("cache/letters.txt", "mine");
  const auto all = listed();
  ASSERT_EQ(all["entries"].size(), 3u);
  EXPECT_EQ(all["entries"][0]["kind"], "model");
  EXPECT_THAT(all["entries"][0]["what"].get<std::string>(), HasSubstr("quickstart"));
  EXPECT_EQ(all["entries"][1]["kind"], "runtime");
  EXPECT_EQ(all["entries"][2]["kind"], "written");
  EXPECT_GT(all["bytes"], 100'000);
  EXPECT_LT(all["bytes"], 1'000'000'000);
  EXPECT_THAT(call("cache").out, HasSubstr("3 entries"));
  EXPECT_EQ(listed("--clear --kind model")["removed"], 1);
  EXPECT_EQ(listed()["entries"].size(), 2u);
  EXPECT_EQ(listed("--clear")["removed"], 2);
  EXPECT_EQ(listed()["entries"].size(), 0u);
  EXPECT_TRUE(fs::exists(folder_ / "cache/letters.txt"));
}

TEST_F(CliCache, ATreeIsSolvedOnce) {
  write("cfg.json", R"({"kumiki": 1, "name": "n", "target": {"family": "7series"},
    "layers": [{"type": "popcount", "bits": 23, "effort": 0}]})");
  const std::string plan = "plan " + path("cfg.json");
  const auto first = call(plan);
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("stages"));  // the solver tells how it gets on
  const auto second = call(plan);
  EXPECT_EQ(second.err, "");
  EXPECT_EQ(second.out, first.out);
  const auto entries = listed()["entries"];
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0]["kind"], "tree");

  // Rubbish, and a tree of something else, are no trees of this.
  const auto tree = folder_ / "cache/kumiki-cache" /
                    ("tree-" + entries[0]["key"].get<std::string>()) / "tree.txt";
  const auto sound = read_bytes(tree.string());
  for (const std::string& wrong :
       {std::string("rubbish\n"), std::string(), sound.substr(0, sound.size() / 2)}) {
    std::ofstream(tree, std::ios::binary) << wrong;
    const auto again = call(plan);
    EXPECT_EQ(again.status, 0) << wrong;
    EXPECT_EQ(again.out, first.out) << wrong;
    EXPECT_THAT(again.err, HasSubstr("is damaged and made again")) << wrong;
    EXPECT_THAT(again.err, HasSubstr("stages")) << wrong;
  }
}

TEST_F(CliCache, AnotherRequestIsAnotherTree) {
  for (const char* bits : {"21", "22"}) {
    write("cfg.json", R"({"kumiki": 1, "name": "n", "target": {"family": "7series"},
      "layers": [{"type": "popcount", "effort": 0, "bits": )" +
                          std::string(bits) + "}]}");
    EXPECT_THAT(call("plan " + path("cfg.json")).err, HasSubstr("stages"));
  }
  EXPECT_EQ(listed()["entries"].size(), 2u);
}

TEST_F(CliCache, WithOneThatOthersMayWriteTreesAreSolvedAndNothingIsLoaded) {
  fs::permissions(folder_ / "cache", fs::perms::others_write, fs::perm_options::add);
  write("cfg.json", R"({"kumiki": 1, "name": "n", "target": {"family": "7series"},
    "layers": [{"type": "popcount", "bits": 21, "effort": 0}, {"type": "popcount", "bits": 22}]})");
  const auto plan = call("plan " + path("cfg.json"));
  EXPECT_EQ(plan.status, 0);
  EXPECT_THAT(plan.err, HasSubstr("kumiki: results of searches are not kept"));
  EXPECT_EQ(plan.err.find("results of searches are not kept"),
            plan.err.rfind("results of searches are not kept"));
  const auto sim = call("sim quickstart.json --cycles 10 -o " + path("out"));
  EXPECT_EQ(sim.status, 4);
  EXPECT_THAT(sim.err, HasSubstr("others may write it"));
  EXPECT_TRUE(fs::is_empty(folder_ / "cache"));
}

TEST_F(CliCache, NothingThereIsNoError) {
  const auto r = kumiki("cache --cache " + path("nowhere"));
  EXPECT_EQ(r.status, 0);
  EXPECT_THAT(r.out, HasSubstr("0 entries"));
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
  EXPECT_EQ(kumiki("sim quickstart.json --jobs 0").status, 2);
  const auto unknown = call("cache --kind letters");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("tree"));
}

}  // namespace
}  // namespace kumiki::test
