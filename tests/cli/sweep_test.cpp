// SPDX-License-Identifier: Apache-2.0
// `kumiki sweep` as a user has it: points and their table, stopped and gone on with, in tasks, with
// points that are refused, that fail, that crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/cache.h"
#include "tests/support/running.h"
#include "tests/support/sweeps.h"

namespace kumiki::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class CliSweep : public WithSweeps {};

TEST_F(CliSweep, DoesEveryPointAndCollectsThem) {
  const auto r = kumiki("sweep " + terms_and_schemes() + " -j 2 -o " + path("out"));
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("s: 5 points: 5 ok; "));
  const json t = table();
  ASSERT_EQ(t["rows"].size(), 5U);
  // The last variable changes fastest; the point of 12 terms with the other scheme is left out.
  EXPECT_EQ(t["rows"][1]["values"]["/layers/0/scheme"], "shared-drain");
  EXPECT_EQ(t["rows"][2]["values"]["/layers/0/terms"], 8);
  EXPECT_EQ(t["rows"][4]["values"],
            json::parse(R"({"/layers/0/terms": 12, "/layers/0/scheme": "shared-drain"})"));
  for (const json& row : t["rows"]) {
    EXPECT_EQ(row["status"], "ok");
    EXPECT_EQ(row["figures"]["exact"], true);
    // What the commands say of the same configuration.
    const std::string one = path("out/" + row["folder"].get<std::string>() + "/configuration.json");
    const json timing = json::parse(kumiki("timing " + one + " --json").out);
    EXPECT_EQ(row["figures"]["levels"], timing["deepest"]["levels"]) << timing.dump(1);
    const json plan = json::parse(kumiki("plan " + one + " --json").out);
    EXPECT_EQ(row["figures"]["slices"], plan["layers"][0]["slices"]) << plan.dump(1);
  }
  EXPECT_THAT(text("out/table.csv"),
              HasSubstr("point,status,/layers/0/terms,/layers/0/scheme,slices,luts,levels,exact,"
                        "macs_per_clock,front,message\r\n1,ok,4,carry-lane-drain,"));
}

// Of several layers the slowest one counts; a dot product has no frame.
TEST_F(CliSweep, AFrameIsThatOfTheSlowestLayer) {
  const auto map = [](const char* name, int width) {
    return fmt::format(R"({{"type": "conv2d", "name": "{}", "width": {}, "height": 5,
      "in_channels": 2, "out_channels": 4, "weights_from": "port"}})",
                       name, width);
  };
  write("base.json", R"({"kumiki": 1, "name": "base", "layers": [)" + map("a", 6) + "," +
                         map("b", 7) + R"(, {"type": "dot", "name": "d", "terms": 2}]})");
  ASSERT_EQ(kumiki("sweep " + sweep(R"("vary": {"/layers/0/width": [6, 9]}, "do": ["plan"],
                            "collect": {"columns": ["frame_clocks", "latency"]})") +
                   " -o " + path("out"))
                .status,
            0);
  const json t = table();
  ASSERT_EQ(t["rows"].size(), 2U);
  std::vector<json> slowest;
  for (const json& row : t["rows"]) {
    const std::string one = path("out/" + row["folder"].get<std::string>() + "/configuration.json");
    const json layers = json::parse(kumiki("plan " + one + " --json").out)["layers"];
    for (const char* key : {"cycles_a_frame", "latency"}) {
      json most = 0;
      for (const json& l : layers) most = std::max(most, l.value(key, json(0)));
      EXPECT_EQ(row["figures"][key == std::string("latency") ? key : "frame_clocks"], most) << key;
    }
    slowest.push_back(row["figures"]["frame_clocks"]);
  }
  EXPECT_LT(slowest[0], slowest[1]);
}

TEST_F(CliSweep, TasksMakeTheSameTable) {
  const auto file = terms_and_schemes();
  ASSERT_EQ(kumiki("sweep " + file + " -o " + path("here")).status, 0);
  for (const char* task : {"2/3", "3/3"})
    ASSERT_EQ(kumiki("sweep " + file + " --task " + task + " -o " + path("there")).status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "there/table.csv"));
  // Not all of it is there.
  const auto some = kumiki("sweep " + file + " --collect -o " + path("there"));
  EXPECT_EQ(some.status, 5);
  EXPECT_THAT(some.out, HasSubstr("3 ok, 2 missing"));
  EXPECT_THAT(text("there/table.html"), HasSubstr("Not all points are done"));
  ASSERT_EQ(kumiki("sweep " + file + " --task 1/3 -o " + path("there")).status, 0);
  EXPECT_EQ(kumiki("sweep " + file + " --collect -o " + path("there")).status, 0);
  for (const char* name : {"table.csv", "table.json", "table.html"})
    EXPECT_EQ(text(std::string("here/") + name), text(std::string("there/") + name));
}

TEST_F(CliSweep, APointThatIsDoneIsNotDoneAgain) {
  const auto file = terms_and_schemes();
  ASSERT_EQ(kumiki("sweep " + file + " -o " + path("out")).status, 0);
  const std::string before = text("out/table.json");
  std::set<fs::file_time_type> times;
  for (const auto& p : results("out")) times.insert(fs::last_write_time(p));
  const auto again = kumiki("sweep " + file + " -o " + path("out"));
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.err, HasSubstr("0 of 5 points done, 5 were there"));
  for (const auto& p : results("out")) EXPECT_TRUE(times.contains(fs::last_write_time(p)));
  EXPECT_EQ(text("out/table.json"), before);
  // Another base is other points; those of before stay.
  write("base.json", R"({"kumiki": 1, "name": "base", "layers": [
 {"type": "dot", "name": "e", "terms": 8, "scheme": "carry-lane-drain"}]})");
  EXPECT_THAT(kumiki("sweep " + file + " -o " + path("out")).err,
              HasSubstr("5 of 5 points done, 0 were there"));
  EXPECT_EQ(points_in("out"), 10U);
}

TEST_F(CliSweep, AFileThatThePointsNameIsPartOfThem) {
  write("base.json", R"({"kumiki": 1, "name": "base", "layers": [{"type": "matmul", "name": "c",
 "m": 2, "k": 3, "n": 1, "values": {"file": "w.csv"}}]})");
  write("w.csv", "1,2,3,4,5,6\n");
  const auto file = sweep(R"("vary": {"/simulation/seed": [1, 2]}, "do": ["check"])");
  ASSERT_EQ(kumiki("sweep " + file + " -o " + path("out")).status, 0);
  write("w.csv", "1,2,3,4,5,7\n");
  EXPECT_THAT(kumiki("sweep " + file + " -o " + path("out")).err, HasSubstr("2 of 2 points done"));
  EXPECT_EQ(points_in("out"), 4U);
}

TEST_F(CliSweep, APointThatIsRefusedIsALineOfTheTable) {
  const auto file =
      sweep(R"("vary": {"/layers/0/terms": [7, 8], "/layers/0/scheme": ["wp487-int8"]})");
  const auto r = kumiki("sweep " + file + " -o " + path("out"));
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.out, HasSubstr("2 points: 1 ok, 1 refused"));
  EXPECT_THAT(r.out, HasSubstr("kumiki sweep sweep.json --point 2"));
  const json t = table();
  EXPECT_EQ(t["rows"][1]["status"], "refused");
  EXPECT_THAT(t["rows"][1]["message"].get<std::string>(),
              ::testing::StartsWith("configuration.json:9:17: /layers/0/scheme"));
  EXPECT_THAT(text("out/table.html"), HasSubstr("<title>FAILED: s</title>"));
  // The command that is named says the same, with the same code, and keeps nothing.
  const auto one = kumiki("sweep " + file + " --point 2");
  EXPECT_EQ(one.status, 3);
  EXPECT_THAT(one.err, HasSubstr("is refused: low lane after 8 terms"));
  EXPECT_THAT(one.out, HasSubstr("terms = 8\n"));
  const auto good = kumiki("sweep " + file + " --point 1 --json");
  EXPECT_EQ(good.json()["figures"]["slices"], 7);
  const auto none = kumiki("sweep " + file + " --point 3");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("--point must be 1 to 2"));
}

TEST_F(CliSweep, APointThatTakesTooMuchIsALineOfTheTable) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more memory than any bound";
#endif
  const auto file = sweep(
      R"("vary": {"/layers/0/terms": [4, 5], "/simulation/cycles": [100, 1000000000000]}, "do": ["sim"],
      "where": ["terms == 4 || cycles == 100"])");
  const auto r = kumiki("sweep " + file + " --time 2 -o " + path("out"));
  EXPECT_EQ(r.status, 1);
  const json t = table();
  ASSERT_EQ(t["rows"].size(), 3U);
  EXPECT_EQ(t["counts"]["ok"], 2);
  EXPECT_EQ(t["rows"][1]["status"], "broken");
  EXPECT_THAT(t["rows"][1]["message"].get<std::string>(), HasSubstr("it took longer than 2 s"));
  // It is known, until somebody wants it again.
  EXPECT_THAT(kumiki("sweep " + file + " --time 2 -o " + path("out")).err,
              HasSubstr("0 of 3 points done"));
  EXPECT_THAT(kumiki("sweep " + file + " --time 0.5 --retry -o " + path("out")).err,
              HasSubstr("1 of 3 points done"));
}

TEST_F(CliSweep, MemoryOfAPointIsBounded) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more memory than any bound";
#endif
  write("base.json", R"({"kumiki": 1, "name": "base", "layers": [{"type": "matmul", "name": "d",
 "m": 64, "k": 2048, "n": 2048, "weights_from": "random", "rows": 256, "columns": 256}]})");
  const auto file = sweep(R"("vary": {"/simulation/seed": [1]}, "do": ["check"])");
  const auto r = kumiki("sweep " + file + " --memory 64 -o " + path("out"));
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_THAT(table()["rows"][0]["message"].get<std::string>(), HasSubstr("not enough memory"));
}

TEST_F(CliSweep, StoppedAndKilledItGoesOn) {
  const auto file = sweep(R"("vary": {"/layers/0/terms": {"from": 3, "to": 8}}, "do": ["sim"])");
  write("base.json", R"({"kumiki": 1, "name": "base", "simulation": {"cycles": 30000}, "layers": [
 {"type": "dot", "name": "d", "terms": 8, "scheme": "carry-lane-drain"}]})");
  const fs::path out = folder_ / "kept";
  const auto finished = [&] { return results("kept").size(); };
  for (const int by : {SIGKILL, SIGINT}) {
    const auto before = finished();
    Running run(folder_, {"sweep", (folder_ / "sweep.json").string(), "-j", "1", "-o", out});
    for (int i = 0; i < 2000 && finished() == before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    run.signal(by);
    EXPECT_EQ(run.wait(), by == SIGKILL ? -SIGKILL : 130);
    EXPECT_FALSE(fs::exists(out / "table.csv"));
    EXPECT_GT(finished(), before);
  }
  const auto before = finished();
  ASSERT_LT(before, 6U);
  const auto r = kumiki("sweep " + file + " -o " + path("kept"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.err,
              HasSubstr(fmt::format("{} of 6 points done, {} were there", 6 - before, before)));
  // What looked unfinished is gone.
  EXPECT_EQ(points_in("kept"), 6U);
  ASSERT_EQ(kumiki("sweep " + file + " -o " + path("whole")).status, 0);
  EXPECT_EQ(text("kept/table.json"), text("whole/table.json"));
}

TEST_F(CliSweep, TwoAtOnceMakeOneResult) {
  const auto file = terms_and_schemes();
  Running one(folder_, {"sweep", (folder_ / "sweep.json").string(), "--task", "1/1", "-o",
                        (folder_ / "kept").string()});
  const auto two = kumiki("sweep " + file + " --task 1/1 -o " + path("kept"));
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(kumiki("sweep " + file + " --collect -o " + path("kept")).status, 0);
  EXPECT_EQ(points_in("kept"), 5U);
}

TEST_F(CliSweep, FilesOfGenLieInThePoint) {
  const auto r = kumiki("sweep " + sweep(R"("vary": {"/layers/0/terms": [4, 5]}, "do": ["gen"])") +
                        " -o " + path("out"));
  ASSERT_EQ(r.status, 0) << r.err;
  const json all = table();
  ASSERT_EQ(all["rows"].size(), 2U);
  for (const json& row : all["rows"]) {
    const auto point = folder_ / "out" / row["folder"].get<std::string>();
    const json report = json::parse(read_bytes(point / "out/report.json"));
    EXPECT_EQ(report["resources"]["total"]["luts"], row["figures"]["luts"]);
    const auto alone =
        kumiki("gen '" + (point / "configuration.json").string() + "' -o " + path("alone"));
    ASSERT_EQ(alone.status, 0) << alone.err;
    EXPECT_EQ(read_bytes(point / "out/base.v"), text("alone/base.v"));
  }
}

TEST_F(CliSweep, SeveralBasesAreAVariable) {
  write(
      "other.json",
      R"({"kumiki": 1, "name": "other", "layers": [{"type": "popcount", "name": "p", "bits": 9}]})");
  write("both.json", R"({"kumiki": 1, "name": "both", "base": ["base.json", "other.json"],
 "vary": {"/simulation/seed": {"from": 2, "to": 6, "step": 2}}, "where": ["base == 'base.json' || seed > 2"], "do": ["sim"]})");
  const auto r = kumiki("sweep " + path("both.json") + " -o " + path("out"));
  ASSERT_EQ(r.status, 0) << r.err;
  const json t = table();
  ASSERT_EQ(t["rows"].size(), 5U);
  EXPECT_EQ(t["rows"][2]["values"], json::parse(R"({"base": "base.json", "/simulation/seed": 6})"));
  EXPECT_EQ(t["rows"][3]["values"],
            json::parse(R"({"base": "other.json", "/simulation/seed": 4})"));
  EXPECT_EQ(t["rows"][3]["figures"]["slices"], 0);
}

TEST_F(CliSweep, SaysWhatIsWrongWithAFile) {
  const auto refused = [&](const std::string& keys) {
    const auto r = kumiki("sweep " + sweep(keys) + " -o " + path("out"));
    EXPECT_EQ(r.status, 3) << keys;
    EXPECT_FALSE(fs::exists(folder_ / "out"));
    return r.err;
  };
  EXPECT_THAT(refused(R"("vari": {})"), HasSubstr("did you mean \"vary\"?"));
  EXPECT_THAT(
      refused(R"("vary": {"layers": [1]})"),
      HasSubstr(R"("layers" is not a JSON pointer; write one such as "/layers/0/terms" [)"));
  EXPECT_THAT(
      refused(R"("vary": [1])"),
      HasSubstr(
          "/vary: [1] is not an object; must be an object of JSON pointers and their values ["));
  EXPECT_THAT(refused(R"("vary": {"/layers/1/terms": [1]})"),
              HasSubstr("leads nowhere in \"base.json\""));
  for (const char* none : {"[]", "3"})
    EXPECT_THAT(refused(fmt::format(R"("vary": {{"/layers/0/terms": {}}})", none)),
                HasSubstr("is not a list of values; must be a list of at least one value, or "
                          R"({"from": 1, "to": 32} [)"));
  EXPECT_THAT(refused(R"("vary": {"/layers/0/terms": [3, 3]})"),
              HasSubstr("/vary/~1layers~10~1terms/1: 3 is there twice"));
  EXPECT_THAT(refused(R"("vary": {"/simulation": [{}], "/simulation/seed": [1]})"),
              HasSubstr("\"/simulation/seed\" lies within /simulation; remove one of the two ["));
  EXPECT_THAT(refused(R"("vary": {"/simulation/seed": [1], "/simulation": [{}]})"),
              HasSubstr("\"/simulation\" has /simulation/seed within it; remove one of the two ["));
  EXPECT_THAT(refused(R"("vary": {"/simulation/seed": {"from": 3, "to": 2}})"),
              HasSubstr("must be 3 to 1000002; or use a larger step"));
  EXPECT_THAT(refused(R"("vary": {"/layers/0/terms": [3]}, "where": ["term > 3"])"),
              HasSubstr("did you mean \"terms\"?"));
  EXPECT_THAT(refused(R"("where": ["3 <"])"), HasSubstr("/where/0: \"3 <\" ends at character 4"));
  EXPECT_THAT(refused(R"("collect": {"columns": ["lut"]})"), HasSubstr("did you mean \"luts\"?"));
  EXPECT_THAT(refused(R"("do": ["check"], "collect": {"columns": ["luts", "luts"]})"),
              HasSubstr("/collect/columns/1: \"luts\" is there twice; name each figure once ["));
  EXPECT_THAT(refused(R"("collect": {"columns": ["luts"]})"),
              HasSubstr("\"check\" in \"do\" gives it"));
  EXPECT_THAT(refused(R"("collect": {"pareto": ["slices"]})"), HasSubstr("must have two to four"));
  EXPECT_THAT(refused(R"("do": ["sim"], "collect": {"pareto": ["slices", "exact"]})"),
              HasSubstr("/collect/pareto/1: \"exact\" cannot be minimised or maximised; "
                        "use another figure ["));
  EXPECT_THAT(
      refused(R"("vary": {"/a": {"from": 1, "to": 100000}, "/b": {"from": 1, "to": 100000}})"),
      HasSubstr("more than 20000000 combinations"));
  const auto none =
      kumiki("sweep " + sweep(R"("vary": {"/layers/0/terms": [3]}, "where": ["terms > 3"])"));
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("/where leaves none of 1 points"));
  const auto kinds =
      kumiki("sweep " + sweep(R"("vary": {"/layers/0/terms": [3]}, "where": ["terms > 'a'"])"));
  EXPECT_EQ(kinds.status, 3);
  EXPECT_THAT(kinds.err, HasSubstr("compares 3 > \"a\"; both must be numbers, or both texts ["));
  write("twice.json", R"({"kumiki": 1, "name": "s", "base": ["base.json", "base.json"]})");
  const auto twice = kumiki("sweep " + path("twice.json"));
  EXPECT_EQ(twice.status, 3);
  EXPECT_THAT(twice.err, HasSubstr("/base/1: \"base.json\" is there twice; name each file once ["));
  write("base.json", "{");
  EXPECT_THAT(refused(R"("vary": {})"), HasSubstr("base.json:1:2"));
}

// The examples of `kumiki explain`.
TEST_F(CliSweep, MessagesAreAsTheyAreExplained) {
  std::string all;
  const auto say = [&](const std::string& keys, const std::string& more = {}) {
    std::string err = kumiki("sweep " + sweep(keys) + " -o " + path("out") + more).err;
    const std::string here = folder_.string() + "/";
    for (std::size_t at = 0; (at = err.find(here, at)) != std::string::npos;)
      err.erase(at, here.size());
    all += err;
  };
  say(R"("where": ["slices <"])");
  say(R"("vary": {"/layers/3/terms": [8]})");
  say(R"("vary": {"/layers/0/terms": [8, 16, 8]})");
  say(R"("vary": {"/a": {"from": 1, "to": 10000}, "/b": {"from": 1, "to": 10000}})");
  say(R"("vary": {"/layers/0/terms": [3]}, "where": ["terms > 3"])");
  const std::string one = R"("vary": {"/layers/0/terms": [4]})";
  ASSERT_EQ(kumiki("sweep " + sweep(one) + " -o " + path("out")).status, 0);
  fs::resize_file(results("out").at(0), 20);
  say(one, " --collect");
  // The name of a point is another one with every build.
  const auto at = all.find("out/points/") + std::string_view("out/points/").size();
  all.replace(at, 35, "3f/3f09");
  expect_golden("sweep/messages.txt", all);
}

TEST_F(CliSweep, OptionsThatSayNothingAreRefused) {
  const auto file = terms_and_schemes();
  for (const char* more : {"--task 0/3", "--task 4/3", "--task 3", "--task 1/2x",
                           "--task 1/2 --collect", "--point 1 --collect", "--tasks 3", "--emit pbs",
                           "--emit slurm --retry", "--point 1 --time 3", "-j 0", "--memory 3"})
    EXPECT_EQ(kumiki("sweep " + file + " " + more + " -o " + path("out")).status, 2) << more;
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  const auto said = [&](const std::string& more) {
    const auto r = kumiki("sweep " + file + " " + more);
    EXPECT_EQ(r.status, 2) << more;
    EXPECT_EQ(r.out, "") << more;
    return r.err;
  };
  for (const char* name : {"a b", "a,b", "a'b"})
    EXPECT_EQ(said(fmt::format("--emit ninja -o \"{}\"", name)),
              fmt::format("kumiki: {} cannot be named in a job file; use a path of letters, digits "
                          "and ._-+/ [option-value]\n",
                          name));
  EXPECT_EQ(said("--task 4/3 -o " + path("out")),
            "kumiki: --task must be the number of a task and how many there are, such as 3/16; got "
            "\"4/3\" [option-value]\n");
  EXPECT_EQ(said("--point 6"), "kumiki: --point must be 1 to 5; got 6 [option-value]\n");
}

// Its own file is not the user's: a table of somebody else's stays.
TEST_F(CliSweep, NothingOfTheUsersIsOverwritten) {
  const auto file = sweep(R"("vary": {"/layers/0/terms": [4]})");
  fs::create_directories(folder_ / "out");
  write("out/table.csv", "mine\n");
  const auto r = kumiki("sweep " + file + " -o " + path("out"));
  EXPECT_EQ(r.status, 4);
  EXPECT_EQ(text("out/table.csv"), "mine\n");
  EXPECT_FALSE(fs::exists(folder_ / "out/points")) << "before a point is done";
  EXPECT_EQ(kumiki("sweep " + file + " --force -o " + path("out")).status, 0);
}

TEST_F(CliSweep, AFileIsNoFolderOfResults) {
  const std::string file = terms_and_schemes();
  write("mine.txt", "mine");
  const auto r = kumiki("sweep " + file + " -o " + path("mine.txt"));
  EXPECT_EQ(r.status, 4);
  EXPECT_THAT(r.err, HasSubstr("mine.txt: a file of that name is there [folder-not-made]"));
  EXPECT_EQ(text("mine.txt"), "mine");
}

// What is wrong with the file itself is exit code 3, whenever it shows, and says where.
TEST_F(CliSweep, MistakesOfItsFileAreMistakesOfAConfiguration) {
  const auto said = [&](const std::string& keys, const std::string& command = "sweep") {
    const auto r =
        kumiki(command + " " + sweep(keys) + (command == "sweep" ? " -o " + path("out") : ""));
    EXPECT_EQ(r.status, 3) << keys;
    return r.err;
  };
  const std::string four = R"("vary": {"/layers/0/terms": [4]})";
  EXPECT_THAT(said(R"("vary": {"/layers/00/terms": [4]})"),
              HasSubstr("\"/layers/00/terms\" leads nowhere"));
  EXPECT_THAT(said(four + R"(, "where": ["terms"])"),
              HasSubstr("sweep.json: \"terms\" has 4, but needs true or false there"));
  EXPECT_THAT(said(four + R"(, "where": ["terms > 4"])"), HasSubstr("leaves none of 1 points"));
  EXPECT_THAT(
      said(four + R"(, "find": {"of": "slices", "subject_to": ["slices + true > 1"]})", "search"),
      HasSubstr("sweep.json: \"slices + true > 1\" has "));
}

// The jobs run where ninja is the scheduler.
TEST_F(CliSweep, NinjaRunsWhatIsEmitted) {
  terms_and_schemes();
  const std::string in = "cd " + path() + " && export KUMIKI_CACHE='" + shared_cache + "' && ";
  const std::string program = std::string("'") + KUMIKI_PROGRAM + "'";
  ASSERT_EQ(std::system(
                (in + program + " sweep sweep.json --emit ninja --tasks 3 > build.ninja").c_str()),
            0);
  ASSERT_EQ(
      std::system((in + "PATH=\"$(dirname " + program + "):$PATH\" ninja > log 2>&1").c_str()), 0)
      << text("log");
  ASSERT_EQ(kumiki("sweep " + path("sweep.json") + " -o " + path("here")).status, 0);
  EXPECT_EQ(text("out/table.csv"), text("here/table.csv"));
  for (const char* scheduler : {"slurm", "ninja", "snakemake"}) {
    ASSERT_EQ(std::system((in + program + " sweep sweep.json --emit " + scheduler +
                           " --tasks 3 -j 2 --time 9 --memory 512 > jobs")
                              .c_str()),
              0);
    expect_golden(fmt::format("sweep/{}.txt", scheduler), text("jobs"));
  }
}

}  // namespace
}  // namespace kumiki::test
