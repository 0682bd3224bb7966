// SPDX-License-Identifier: Apache-2.0
// A table is a program of its author's; mistakes in it are found when it is made, not when a user
// happens to touch them.
#include <fmt/format.h>

#include <set>

#include "gen/config/reader.h"
#include "gen/config/table.h"
#include "ir/error.h"

namespace kumiki::gen::config {
namespace {

bool legal_key(std::string_view key) {
  if (key.empty() || key[0] < 'a' || key[0] > 'z') return false;
  return key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// What is wrong with a kind, "" when nothing is.
std::string flaw(const Kind& kind) {
  switch (kind.form) {
    case Kind::Form::integer:
      return kind.low <= kind.high ? "" : "its range is empty";
    case Kind::Form::number:
      return kind.lowest <= kind.highest ? "" : "its range is empty";
    case Kind::Form::choice: {
      std::set<std::string> words;
      std::set<std::int64_t> values;
      for (const Word& w : kind.words) {
        if (!words.insert(w.word).second) return fmt::format("\"{}\" is given twice", w.word);
        if (!values.insert(w.value).second) return fmt::format("\"{}\" has another word", w.word);
      }
      return words.empty() ? "it has no choices" : "";
    }
    case Kind::Form::weights:
    case Kind::Form::list:
    case Kind::Form::one_or_list:
      if (kind.shortest > kind.longest) return "its length is empty";
      if (kind.rectangular && kind.element.front().form != Kind::Form::list) {
        return "it has columns but no rows";
      }
      return flaw(kind.element.front());
    case Kind::Form::object:
      return kind.table ? "" : "it has no table";
    default:
      return "";
  }
}

std::string flaw(const Attribute& attribute) {
  if (!legal_key(attribute.key)) return "a key has lower case letters, digits and _";
  if (attribute.help.empty()) return "it has no help";
  return flaw(attribute.kind);
}

}  // namespace

void Table::verify() const {
  auto fail = [&](const std::string& key, const std::string& why) {
    throw DesignError(fmt::format("table {}: {}: {}", name_, key, why));
  };
  std::set<std::string> keys;
  for (const Attribute& a : attributes_) {
    if (!keys.insert(a.key).second) fail(a.key, "the key is given twice");
    if (const std::string why = flaw(a); !why.empty()) fail(a.key, why);
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
  fail(first.pointer,
       fmt::format("the default {} {}: {}", first.value, first.message, first.legal));
}

}  // namespace kumiki::gen::config
