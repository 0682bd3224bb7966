// SPDX-License-Identifier: Apache-2.0
// Checks a table. A wrong table is a bug, so it is reported when the table is made, and not only
// when a user needs the wrong key.
#include <fmt/format.h>

#include <optional>
#include <set>

#include "gen/config/messages.h"
#include "gen/config/reader.h"
#include "gen/config/table.h"
#include "ir/error.h"

namespace kumiki::gen::config {
namespace {

bool legal_key(std::string_view key) {
  if (key == "$schema") return true;  // as editors call it
  if (key.empty() || key[0] < 'a' || key[0] > 'z') return false;
  return key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

struct Flaw {
  Code code;
  std::string why;
};

std::optional<Flaw> flaw(const Kind& kind) {
  switch (kind.form) {
    case Kind::Form::integer:
      if (kind.low > kind.high) return Flaw{code::empty_range, "its range is empty"};
      break;
    case Kind::Form::number:
      if (kind.lowest > kind.highest) return Flaw{code::empty_range, "its range is empty"};
      break;
    case Kind::Form::choice: {
      std::set<std::string> words;
      std::set<std::int64_t> values;
      for (const Word& w : kind.words) {
        if (!words.insert(w.word).second)
          return Flaw{code::choice_twice, fmt::format("\"{}\" is given twice", w.word)};
        if (!values.insert(w.value).second)
          return Flaw{code::choice_twice, fmt::format("\"{}\" has another word", w.word)};
      }
      if (words.empty()) return Flaw{code::attribute_incomplete, "it has no choices"};
      break;
    }
    case Kind::Form::weights:
    case Kind::Form::list:
    case Kind::Form::one_or_list:
      if (kind.shortest > kind.longest) return Flaw{code::empty_range, "its length is empty"};
      if (kind.rectangular && kind.element.front().form != Kind::Form::list)
        return Flaw{code::attribute_mismatch, "it has columns but no rows"};
      return flaw(kind.element.front());
    case Kind::Form::object:
      if (!kind.table) return Flaw{code::attribute_incomplete, "it has no table"};
      break;
    default:
      break;
  }
  return {};
}

std::optional<Flaw> flaw(const Attribute& attribute) {
  if (!legal_key(attribute.key))
    return Flaw{code::malformed_key, "a key must have lower case letters, digits and _"};
  if (attribute.help.empty())
    return Flaw{code::attribute_incomplete, "it has no help; give it one"};
  return flaw(attribute.kind);
}

}  // namespace

void Table::verify() const {
  auto fail = [&](Code code, const std::string& key, const std::string& why) {
    throw DesignError(code, fmt::format("table {}: {}: {}", name_, key, why));
  };
  std::set<std::string> keys;
  for (const Attribute& a : attributes_) {
    if (!keys.insert(a.key).second) fail(code::key_twice, a.key, "the key is given twice");
    if (const auto wrong = flaw(a)) fail(wrong->code, a.key, wrong->why);
  }
  // The defaults, written and read back.
  const auto value = fresh();
  Writer writer;
  save_object(*this, value.get(), writer);
  Findings findings;
  const Source source("default", writer.printed(), findings);
  Reader reader(findings);
  for (const Attribute& a : attributes_) {
    const Node node = source.root().member(a.key);
    if (a.presence == Presence::fallback) config::check(reader, a.kind, node);
  }
  if (findings.empty()) return;
  const Finding first = findings.take(source.text()).front();
  fail(code::illegal_default, first.pointer,
       fmt::format("the default {} {}; {}", first.value, first.message, first.required));
}

}  // namespace kumiki::gen::config
