// SPDX-License-Identifier: Apache-2.0
// --trace FILE: where the time of a command went.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string quickstart = KUMIKI_TEST_DIR "/../examples/quickstart.json";

std::vector<json> events(const fs::path& file) {
  const auto all = json::parse(read_bytes(file.string()));
  return all.at("traceEvents").get<std::vector<json>>();
}

const json* find(const std::vector<json>& all, const std::string& name) {
  for (const json& e : all)
    if (e.at("name") == name) return &e;
  return nullptr;
}

TEST(Trace, HasEveryPhaseInsideOfTheCommand) {
  const auto folder = empty_folder();
  const auto r = kumiki("sim " + quickstart + " --with native --cycles 300 --mutate 5 -o " +
                        (folder / "out").string() + " --trace " + (folder / "t.json").string());
  ASSERT_EQ(r.status, 0) << r.err;
  const auto all = events(folder / "t.json");
  ASSERT_FALSE(all.empty());
  const json& whole = all.front();
  EXPECT_EQ(whole.at("name"), "kumiki sim");
  for (const char* name :
       {"planning layer \"pixels\"", "building the netlist of layer \"maps\"",
        "checking the netlist", "simulating with native", "changing single cells"})
    EXPECT_NE(find(all, name), nullptr) << name;
  std::int64_t last = 0;
  for (const json& e : all) {
    EXPECT_EQ(e.at("ph"), "X");
    const auto begin = e.at("ts").get<std::int64_t>(), length = e.at("dur").get<std::int64_t>();
    EXPECT_GE(begin, last) << e;
    last = begin;
    EXPECT_GE(length, 0);
    EXPECT_LE(begin + length,
              whole.at("ts").get<std::int64_t>() + whole.at("dur").get<std::int64_t>());
  }
  const json* mutations = find(all, "changing single cells");
  EXPECT_EQ(mutations->at("args").at("detail"), "5 of 5");
  const json *reading = nullptr, *planning = find(all, "planning layer \"maps\"");
  for (const json& e : all)
    if (e.at("name").get<std::string>().starts_with("reading ")) reading = &e;
  ASSERT_NE(reading, nullptr);
  EXPECT_GE(planning->at("ts"), reading->at("ts"));
  EXPECT_LE(planning->at("ts"),
            reading->at("ts").get<std::int64_t>() + reading->at("dur").get<std::int64_t>());
}

TEST(Trace, AlsoOfACommandThatFails) {
  const auto folder = empty_folder();
  const auto r = kumiki("check nowhere.json --trace " + (folder / "t.json").string());
  EXPECT_EQ(r.status, 4);
  EXPECT_EQ(events(folder / "t.json").front().at("name"), "kumiki check");
}

TEST(Trace, HidesNoOtherMistake) {
  const auto r = kumiki("check nowhere.json --trace " + quickstart + "/t.json");
  EXPECT_EQ(r.status, 4);
  EXPECT_THAT(r.err, HasSubstr("nowhere.json"));
}

TEST(Trace, WhatCannotBeWrittenIsSaid) {
  const auto folder = empty_folder();
  const auto r = kumiki("check " + quickstart + " --trace " + quickstart + "/t.json");
  EXPECT_EQ(r.status, 4);
  EXPECT_THAT(r.err, ::testing::AllOf(HasSubstr("cannot make the directory"),
                                      HasSubstr("quickstart.json: Not a directory")));
}

// It is an output like all others: nothing that is there is replaced without --force, not even by
// what looks like a trace, and nothing is written through a link.
TEST(Trace, AFileThatIsThereIsLeftAlone) {
  const auto folder = empty_folder();
  const auto file = folder / "notes.json";
  for (const std::string text :
       {"", "{\"name\": \"mine\"}\n", "{\"traceEvents\": [\"my notes\"]}", "{}"}) {
    std::ofstream(file) << text;
    const auto r = kumiki("check " + quickstart + " --trace " + file.string());
    EXPECT_EQ(r.status, 4) << text;
    EXPECT_EQ(r.err, "kumiki: " + file.string() +
                         " is there already; name another file, or remove it [file-is-there]\n");
    EXPECT_EQ(read_bytes(file), text);
  }
  const auto gen = "gen " + quickstart + " -o " + (folder / "out").string() + " --trace ";
  // Not with --force either: it may be what the command reads.
  EXPECT_EQ(kumiki(gen + file.string() + " --force").status, 4);
  EXPECT_EQ(read_bytes(file), "{}");
  const auto own = folder / "own.json";
  fs::copy_file(quickstart, own);
  const auto r = kumiki("gen " + own.string() + " -o " + (folder / "own").string() + " --trace " +
                        own.string() + " --force");
  EXPECT_EQ(r.status, 4);
  EXPECT_THAT(r.err, HasSubstr("name another file, or remove it"));
  EXPECT_EQ(read_bytes(own), read_bytes(quickstart));
  EXPECT_FALSE(fs::exists(folder / "own"));
  std::filesystem::create_symlink("notes.json", folder / "link.json");
  const auto before = read_bytes(file);
  for (const char* force : {"", " --force"}) {
    EXPECT_EQ(kumiki(gen + (folder / "link.json").string() + force).status, 4);
    EXPECT_EQ(read_bytes(file), before);
  }
}

// The Verilog that the same run has just written was replaced.
TEST(Trace, NeverLiesInWhatTheRunWrites) {
  const auto folder = empty_folder();
  const auto out = folder / "out";
  const auto gen = "gen " + quickstart + " --force -o " + out.string() + " --trace ";
  for (const char* name : {"quickstart.v", "new.json", "deep/er/t.json", "../out/x.json"}) {
    const auto r = kumiki(gen + (out / name).string());
    EXPECT_EQ(r.status, 2) << name;
    EXPECT_THAT(r.err, HasSubstr("name a file outside of it [options-exclude]")) << name;
    EXPECT_FALSE(std::filesystem::exists(out)) << name;
  }
  // Nor in the cache; beside it there is room.
  const auto kept = "check " + quickstart + " --cache " + folder.string() + " --trace ";
  EXPECT_EQ(kumiki(kept + (folder / "kumiki-cache/t.json").string()).status, 2);
  EXPECT_EQ(kumiki(kept + (folder / "beside.json").string()).status, 0);
  const auto svg = (folder / "a.svg").string();
  EXPECT_EQ(kumiki("show " + quickstart + " -o " + svg + " --trace " + svg).status, 2);
}

}  // namespace
}  // namespace kumiki::test
