// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "gen/config/scan.h"
#include "tests/gen/config/generators.h"
#include "tests/support/golden.h"

namespace kumiki::gen::config {
namespace config_property_test {

Document parse(const std::string& text) {
  return parse_document(text, "cfg.json", fake_registry());
}

void expect_same(const Document& a, const Document& b) {
  RC_ASSERT(a.name == b.name && a.description == b.description);
  RC_ASSERT(a.target == b.target && a.simulation == b.simulation);
  RC_ASSERT(a.layers.size() == b.layers.size());
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    const Layer& x = a.layers[i];
    const Layer& y = b.layers[i];
    RC_ASSERT(x.type == y.type && x.name == y.name);
    if (x.type->name == "dot") RC_ASSERT(x.as<FakeDot>() == y.as<FakeDot>());
    if (x.type->name == "sum") RC_ASSERT(x.as<FakeSum>() == y.as<FakeSum>());
  }
}

RC_GTEST_PROP(ConfigProperty, ReadingWhatWasWrittenGivesTheSame, ()) {
  const Document document = any_document();
  expect_same(parse(print(document)), document);
  // The layout means nothing.
  expect_same(parse(to_json(document).dump()), document);
  expect_same(parse(to_json(document).dump(7, '\t', true)), document);
}

// Every scalar and key stands where its node says: parsed alone, the token there is the value.
void expect_places(const Source& source, Node node) {
  const Token token = next_token(source.text(), node.begin());
  RC_ASSERT(token.begin == node.begin());
  const std::string piece = source.text().substr(token.begin, token.end - token.begin);
  switch (node.form()) {
    case Form::list:
      RC_ASSERT(piece == "[");
      for (const Node entry : node.entries()) expect_places(source, entry);
      break;
    case Form::object:
      RC_ASSERT(piece == "{");
      for (const auto& [key, value] : node.members()) {
        expect_places(source, key);
        expect_places(source, value);
      }
      break;
    case Form::text:
    case Form::key:
      RC_ASSERT(nlohmann::json::parse(piece).get<std::string>() == node.text());
      break;
    case Form::boolean:
      RC_ASSERT(piece == (node.boolean() ? "true" : "false"));
      break;
    case Form::null:
      RC_ASSERT(piece == "null");
      break;
    default:
      RC_ASSERT(nlohmann::json::parse(piece).get<double>() == node.number());
  }
}

RC_GTEST_PROP(ConfigProperty, EveryNodeStandsWhereItSays, ()) {
  const Document document = any_document();
  Findings findings;
  const int indent = *rc::gen::element(-1, 0, 3);
  const Source source("f", to_json(document).dump(indent, ' ', *rc::gen::arbitrary<bool>()),
                      findings);
  RC_ASSERT(source.parsed());
  expect_places(source, source.root());
}

// Accepted, or refused in good form. Whatever is accepted is JSON, and stable.
void expect_no_harm(const std::string& text) {
  try {
    const Document document = parse(text);
    RC_ASSERT(nlohmann::json::accept(text));
    expect_same(parse(print(document)), document);
  } catch (const ConfigError& error) {
    RC_ASSERT(error.count() >= error.findings().size());
    RC_ASSERT(!error.findings().empty());
    unsigned last = 0;
    const auto lines = static_cast<unsigned>(1 + std::count(text.begin(), text.end(), '\n'));
    for (const Finding& f : error.findings()) {
      RC_ASSERT(f.line >= std::max(1u, last));
      RC_ASSERT(f.line <= lines);
      RC_ASSERT(f.column >= 1u);
      RC_ASSERT(f.column <= text.size() + 1);
      RC_ASSERT(!f.message.empty());
      for (const char c : to_string("f", f)) RC_ASSERT(c >= 0x20 && c < 0x7F);
      last = f.line;
    }
  }
}

RC_GTEST_PROP(ConfigProperty, DamagedFilesDoNoHarm, ()) {
  const std::string good = to_json(any_document()).dump(1);
  expect_no_harm(damaged(good));
}

TEST(ConfigProperty, EveryPrefixAndEveryByteChangedDoesNoHarm) {
  const std::string good = test::read_bytes(test::golden_path("good-config/everything.json"));
  for (std::size_t i = 0; i < good.size(); ++i) {
    expect_no_harm(good.substr(0, i));
    for (const char c :
         {'\0', '\n', '"', '\\', ',', ':', '{', '}', '[', ']', '0', 'x', '\xC3', '\xFF'}) {
      std::string changed = good;
      changed[i] = c;
      expect_no_harm(changed);
    }
  }
}

}  // namespace config_property_test
}  // namespace kumiki::gen::config
