// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/reduce/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "gen/config/finding.h"
#include "gen/flow/reduce/reduce.h"

namespace kumiki::reduction::json_test {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

// Every candidate has to be JSON, whatever was taken away.
std::string shrunk(const std::string& text, const std::function<bool(const Json&)>& good) {
  Search search(
      [&](const std::string& candidate) {
        const Json json = Json::parse(candidate, nullptr, false);
        EXPECT_FALSE(json.is_discarded()) << candidate;
        return !json.is_discarded() && good(json);
      },
      {});
  const auto r = reduce("cfg.json", text, form_of(text), search);
  EXPECT_TRUE(r.finished);
  EXPECT_LE(r.after, r.before);
  EXPECT_TRUE(good(Json::parse(r.text))) << r.text;
  return r.text;
}

std::string ten_layers() {
  std::string layers;
  for (int i = 0; i < 10; ++i)
    layers += std::string(i == 0 ? "" : ",\n") + R"({"type": ")" + (i == 6 ? "bad" : "dot") +
              R"(", "name": "l)" + std::to_string(i) +
              R"(", "terms": 64, "weights": [1, -2, 3.50]})";
  return R"({"kumiki": 1, "name": "x", "layers": [)" + layers + "]}";
}

TEST(ReduceJson, OfTenLayersOneIsLeft) {
  const auto bad = [](const Json& j) {
    if (!j.is_object() || !j.contains("layers")) return false;
    for (const auto& layer : j["layers"])
      if (layer.is_object() && layer.value("type", Json()) == "bad") return true;
    return false;
  };
  EXPECT_EQ(shrunk(ten_layers(), bad), "{\"layers\": [{\"type\": \"bad\"}]}\n");
}

// Taking away any one value, or lowering any one number, is too much.
TEST(ReduceJson, NothingMoreCanGo) {
  const auto good = [](const Json& j) {
    if (!j.is_object() || !j.contains("layers") || !j["layers"].is_array()) return false;
    long sum = 0;
    std::size_t weights = 0;
    for (const auto& layer : j["layers"]) {
      if (!layer.is_object()) continue;
      if (layer.contains("terms") && layer["terms"].is_number_integer())
        sum += layer["terms"].get<long>();
      if (layer.contains("weights")) weights += layer["weights"].size();
    }
    return sum >= 100 && weights >= 4;
  };
  const Json left = Json::parse(shrunk(ten_layers(), good));
  ASSERT_TRUE(good(left));
  const Json flat = left.flatten();
  EXPECT_GE(flat.size(), 6u);
  for (const auto& [pointer, value] : flat.items()) {
    const Json::json_pointer at(pointer);
    Json without = left;
    Json& parent = without[at.parent_pointer()];
    if (parent.is_array())
      parent.erase(std::stoul(at.back()));
    else
      parent.erase(at.back());
    EXPECT_FALSE(good(without)) << pointer;
    if (!value.is_number_integer() || value == 0) continue;
    Json less = left;
    less[at] = value.get<long>() - (value > 0 ? 1 : -1);
    // Weights count by their number alone, so they are 0.
    EXPECT_FALSE(good(less)) << pointer;
  }
}

TEST(ReduceJson, NumbersGoTowardsTheSmallestThatIsInteresting) {
  const auto last = [](std::int64_t from, std::function<bool(std::int64_t)> good) {
    const auto text = shrunk("[" + std::to_string(from) + "]", [&](const Json& j) {
      return j.is_array() && j.size() == 1 && good(j[0].get<std::int64_t>());
    });
    return Json::parse(text)[0].get<std::int64_t>();
  };
  for (const std::int64_t least : {0, 1, 2, 3, 37, 63, 64, 65, 999, 1000})
    EXPECT_EQ(last(1000, [&](std::int64_t n) { return n >= least; }), least);
  EXPECT_EQ(last(-1000, [](std::int64_t n) { return n <= -37; }), -37);
  EXPECT_EQ(last(std::numeric_limits<std::int64_t>::min(), [](std::int64_t n) { return n <= -5; }),
            -5);
  EXPECT_EQ(last(std::numeric_limits<std::int64_t>::max(), [](std::int64_t) { return true; }), 0);
  // No smaller one by steps of one: 12 is not reached from 16.
  EXPECT_EQ(last(16, [](std::int64_t n) { return n == 16 || n == 12; }), 12);
}

TEST(ReduceJson, OtherNumbersBecomeSimple) {
  EXPECT_EQ(shrunk("[0.125, 1e6]", [](const Json& j) { return j.is_array() && j.size() == 2; }),
            "[0, 0]\n");
  EXPECT_EQ(
      shrunk("[0.125]", [](const Json& j) { return j.is_array() && j.size() == 1 && j[0] > 0; }),
      "[1]\n");
}

TEST(ReduceJson, TextsAreShortened) {
  const auto left =
      shrunk(R"({"a\u00e9": "\ud83d\ude00x\\\"\u00e9ü needle \n"})", [](const Json& j) {
        return j.is_object() && j.size() == 1 && j.begin()->is_string() &&
               j.begin()->get<std::string>().find("need") != std::string::npos;
      });
  EXPECT_EQ(left, "{\"a\\u00e9\": \"need\"}\n");
}

TEST(ReduceJson, OrderAndSpellingStay) {
  const std::string text = R"({"z": 1.50, "a": [true, null, 1E3], "m": {}})";
  EXPECT_EQ(laid_out("cfg.json", text, Form::configuration), text + "\n");
  // Lines that would be long are broken.
  const auto wide = laid_out("cfg.json", ten_layers(), Form::configuration);
  EXPECT_THAT(wide, HasSubstr("  \"layers\": [\n    {\"type\": \"dot\", \"name\": \"l0\""));
  EXPECT_EQ(laid_out("cfg.json", wide, Form::configuration), wide);
  EXPECT_EQ(Json::parse(wide), Json::parse(ten_layers()));
}

TEST(ReduceJson, WhatIsNotJsonIsRefusedAtItsPlace) {
  for (const char* text : {"{", "{\"a\": }", "", "[1, 2"}) {
    Search search([](const std::string&) { return true; }, {});
    try {
      reduce("cfg.json", text, form_of(text), search);
      ADD_FAILURE() << text;
    } catch (const gen::config::ConfigError& e) {
      EXPECT_THAT(e.what(), HasSubstr("cfg.json:1:"));
    }
  }
}

TEST(ReduceJson, ABudgetLeavesWhatIsInteresting) {
  Search search([](const std::string& t) { return t.find("bad") != std::string::npos; },
                {.tries = 3});
  const auto r = reduce("cfg.json", ten_layers(), Form::configuration, search);
  EXPECT_FALSE(r.finished);
  EXPECT_EQ(r.tries, 3u);
  EXPECT_THAT(r.text, HasSubstr("bad"));
}

}  // namespace
}  // namespace kumiki::reduction::json_test
