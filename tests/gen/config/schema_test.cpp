// SPDX-License-Identifier: Apache-2.0
// The schema against a validator that is not ours (python3-jsonschema).
#include "gen/config/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "tests/gen/config/generators.h"
#include "tests/support/golden.h"

namespace kumiki::gen::config {
namespace config_schema_test {

namespace fs = std::filesystem;

bool reader_accepts(const Json& document) {
  try {
    parse_document(document.dump(), "cfg.json", fake_registry());
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

std::vector<bool> schema_accepts(const std::string& name, const std::vector<Json>& documents) {
  const fs::path folder = fs::path(KUMIKI_TEST_TMP) / "schema" / name;
  fs::create_directories(folder);
  std::ofstream(folder / "schema.json") << print(schema(fake_registry()));
  std::ofstream all(folder / "documents");
  for (const Json& d : documents) all << d.dump() << "\n";
  all.close();
  const fs::path script = fs::path(KUMIKI_TEST_DIR) / "gen/config/validate_schema.py";
  const std::string command = fmt::format(
      "python3 '{}' '{}' '{}' > '{}'", script.string(), (folder / "schema.json").string(),
      (folder / "documents").string(), (folder / "verdicts").string());
  const int status = std::system(command.c_str());
  EXPECT_EQ(status, 0) << command << "\nfailed: is python3-jsonschema installed?";
  std::vector<bool> verdicts;
  std::ifstream in(folder / "verdicts");
  for (std::string line; std::getline(in, line);) verdicts.push_back(line == "accept");
  EXPECT_EQ(verdicts.size(), documents.size());
  verdicts.resize(documents.size());
  return verdicts;
}

struct Case {
  std::string name;
  Json document;
};

// The files of a golden folder that are JSON at all.
std::vector<Case> files(const std::string& folder) {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(test::golden_path(folder))) {
    const std::string text = test::read_bytes(entry.path());
    if (entry.path().extension() != ".json" || !Json::accept(text)) continue;
    cases.push_back({entry.path().stem().string(), Json::parse(text)});
  }
  std::sort(cases.begin(), cases.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return cases;
}

std::vector<bool> verdicts(const std::string& name, const std::vector<Case>& cases) {
  std::vector<Json> documents;
  for (const Case& c : cases) documents.push_back(c.document);
  return schema_accepts(name, documents);
}

TEST(Schema, AcceptsGoodFiles) {
  const auto cases = files("good-config");
  EXPECT_GE(cases.size(), 5u);
  const auto accepted = verdicts("good", cases);
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_TRUE(accepted[i]) << cases[i].name;
}

TEST(Schema, RejectsBadFilesExceptForWhatItCannotSay) {
  const std::set<std::string> beyond = {
      // 7.0 is an integer to JSON schema
      "terms-float", "version-float", "terms-exponent",
      // a key given twice
      "duplicate-top", "duplicate-escaped", "duplicate-key", "defaults-duplicate",
      // rules between keys, rows of one length, names of layers
      "weights-count", "weights-count-default", "taps-ragged", "taps-rule", "scheme-rule",
      "requant-rule", "defaults-rule", "defaults-rule-layer", "layer-name-clash",
      "layer-name-default-clash", "layer-name-default-clash-later",
      // a default that is legal for a type, but not for the one that inherits it
      "defaults-common-one-type",
      // names that tools keep for themselves, names that differ in case only; parts of devices
      "name-of-primitive", "name-of-vhdl", "name-underscores", "names-case", "target-part-family",
      "target-part-unknown"};
  const auto cases = files("bad-config");
  EXPECT_GE(cases.size(), 70u);
  const auto accepted = verdicts("bad", cases);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(accepted[i], beyond.contains(cases[i].name)) << cases[i].name;
    if (accepted[i]) seen.insert(cases[i].name);
  }
  EXPECT_EQ(seen, beyond);
}

// A random place of a document, to be changed.
Json& somewhere(Json& value, std::mt19937& random) {
  if (!value.is_structured() || value.empty() || random() % 6 == 0) return value;
  auto at = value.begin();
  std::advance(at, random() % value.size());
  return somewhere(*at, random);
}

void damage(Json& document, std::mt19937& random) {
  static const std::vector<Json> values = {0,
                                           1,
                                           -1,
                                           2,
                                           17,
                                           65536,
                                           65537,
                                           0.5,
                                           1.5,
                                           true,
                                           nullptr,
                                           "",
                                           "dot",
                                           "sum",
                                           "top",
                                           "a",
                                           "7series",
                                           Json::array(),
                                           Json::object(),
                                           {1},
                                           {1, 2},
                                           {{"terms", 20}},
                                           {{"operands", 3}}};
  static const std::vector<std::string> keys = {"terms", "operands", "dot",      "sum",
                                                "name",  "type",     "defaults", "target",
                                                "zzz",   "requant",  "weights"};
  Json& place = somewhere(document, random);
  const Json& value = values[random() % values.size()];
  if (place.is_number_integer() && random() % 2) {
    place = place.get<std::int64_t>() + (random() % 2 ? 1 : -1);  // the edges of ranges
  } else if (place.is_object() && random() % 2) {
    const std::string& key = keys[random() % keys.size()];
    if (random() % 3) {
      place[key] = value;
    } else {
      place.erase(key);
    }
  } else if (place.is_array() && random() % 2) {
    place.push_back(value);
  } else {
    place = value;
  }
}

TEST(Schema, AcceptsWhateverTheReaderAccepts) {
  std::mt19937 random(1);
  std::vector<Json> documents;
  std::size_t good = 0;
  const auto cases = files("good-config");
  while (documents.size() < 4000) {
    Json document = cases[random() % cases.size()].document;
    document["defaults"].update(Json{{"sum", {{"operands", 4}}}});
    const unsigned edits = 1 + random() % 2;
    for (unsigned i = 0; i < edits; ++i) damage(document, random);
    good += reader_accepts(document);
    documents.push_back(std::move(document));
  }
  EXPECT_GT(good, 400u);
  EXPECT_LT(good, 3600u);
  const auto accepted = schema_accepts("random", documents);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    EXPECT_TRUE(accepted[i] || !reader_accepts(documents[i])) << documents[i].dump();
  }
}

TEST(Schema, IsThisText) {
  test::expect_golden("config/schema.json", print(schema(fake_registry())));
}

}  // namespace config_schema_test
}  // namespace kumiki::gen::config
