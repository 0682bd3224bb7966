// SPDX-License-Identifier: Apache-2.0
#include "gen/config/source.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gen/config/nearest.h"
#include "gen/config/scan.h"

namespace kumiki::gen::config {
namespace config_source_test {

TEST(ConfigSource, KnowsValuesAndPlaces) {
  Findings findings;
  const Source s("f", R"( {"a": [1, -2.5, "x\"]}"], "b/~": {"c": null, "d": true}} )", findings);
  ASSERT_TRUE(s.parsed());
  const Node root = s.root();
  EXPECT_EQ(root.begin(), 1u);
  EXPECT_EQ(root.size(), 2u);
  const Node list = root.member("a");
  ASSERT_EQ(list.size(), 3u);
  std::vector<Node> entries;
  for (const Node n : list.entries()) entries.push_back(n);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].integer(), 1);
  EXPECT_EQ(entries[1].number(), -2.5);
  EXPECT_EQ(entries[2].text(), "x\"]}");
  EXPECT_EQ(entries[2].pointer(), "/a/2");
  const Node c = root.member("b/~").member("c");
  EXPECT_EQ(c.form(), Form::null);
  EXPECT_EQ(c.pointer(), "/b~1~0/c");
  EXPECT_TRUE(root.member("b/~").member("d").boolean());
  EXPECT_FALSE(root.member("c"));
}

TEST(ConfigSource, KeepsIntegersApartFromNumbers) {
  Findings findings;
  const Source s("f",
                 "[9223372036854775807, -9223372036854775808, 9223372036854775808, 1.0, 1e3, -0, "
                 "18446744073709551616, -9223372036854775809]",
                 findings);
  std::vector<Form> forms;
  for (const Node n : s.root().entries()) forms.push_back(n.form());
  const auto big = Form::big_integer;
  EXPECT_EQ(forms, (std::vector{Form::integer, Form::integer, big, Form::number, Form::number,
                                Form::integer, big, big}));
}

TEST(ConfigSource, DepthOf64IsLegalAnd65IsNot) {
  auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  Findings findings;
  EXPECT_TRUE(Source("f", nested(64), findings).parsed());
  EXPECT_TRUE(findings.empty());
  EXPECT_FALSE(Source("f", nested(65), findings).parsed());
  EXPECT_EQ(findings.count(), 1u);
}

TEST(ConfigSource, ManyDuplicatesStayCheap) {
  std::string text = "{\"k\": 0";
  for (int i = 0; i < 200'000; ++i) text += ", \"k\": 0";
  Findings findings;
  const Source s("f", text + "}", findings);
  EXPECT_EQ(findings.count(), 200'000u);
  EXPECT_EQ(s.root().size(), 1u);
  EXPECT_EQ(findings.take(s.text()).size(), Findings::kept);
}

TEST(InQuotes, IsPrintableAsciiOfLimitedLength) {
  EXPECT_EQ(in_quotes("a\"\n\x7F\x1B"), R"("a\"\n\u007f\u001b")");
  EXPECT_EQ(in_quotes("é"), R"("\u00e9")");
  EXPECT_EQ(in_quotes("\xFF"), R"("\ufffd")");
  EXPECT_EQ(in_quotes("12345678", 8), R"("12345678")");
  EXPECT_EQ(in_quotes("123456789", 8), R"("12345...")");
  EXPECT_EQ(in_quotes("1234é6789", 8), R"("1234...")");  // never half a character
}

TEST(Rounding, FindsWhatWasMeant) {
  const std::vector<std::string> keys = {"terms", "scheme", "column_height", "wp487-int8",
                                         "a_bits"};
  EXPECT_EQ(nearest("term", keys), "terms");
  EXPECT_EQ(nearest("tersm", keys), "terms");
  EXPECT_EQ(nearest("TERMS", keys), "terms");
  EXPECT_EQ(nearest("columnHeight", keys), "column_height");
  EXPECT_EQ(nearest("column-height", keys), "column_height");
  EXPECT_EQ(nearest("col", keys), "column_height");
  EXPECT_EQ(nearest("wp487_int8_dsp", keys), "wp487-int8");
  EXPECT_EQ(nearest("b_bits", keys), "a_bits");
}

TEST(Rounding, DoesNotGuessWildly) {
  const std::vector<std::string> keys = {"terms", "scheme", "k"};
  EXPECT_EQ(nearest("pipeline", keys), std::nullopt);
  EXPECT_EQ(nearest("", keys), std::nullopt);
  EXPECT_EQ(nearest("x", keys), std::nullopt);  // every letter of "k" would be wrong
  EXPECT_EQ(nearest(std::string(100'000, 't'), keys), std::nullopt);
}

}  // namespace config_source_test
}  // namespace kumiki::gen::config
