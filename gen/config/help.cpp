// SPDX-License-Identifier: Apache-2.0
#include "gen/config/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kumiki::gen::config {
namespace {

const Kind& innermost(const Kind& kind) {
  return kind.element.empty() ? kind : innermost(kind.element.front());
}

void keys(const Table& table, const std::string& indent, std::string& out) {
  const auto value = table.fresh();
  Writer writer;
  save_object(table, value.get(), writer);
  const Json defaults = writer.take();
  for (const Attribute& a : table.attributes()) {
    std::string legal = noun(a.kind);
    if (!a.unit.empty()) legal += ", in " + a.unit;
    const std::string when = presence(a, defaults);
    out += fmt::format("{}{}: {}{}{}\n", indent, a.key, legal, when.empty() ? "" : "; ", when);
    out += fmt::format("{}    {}", indent, a.help);
    if (a.since > 1) out += fmt::format(" (since version {})", a.since);
    out += '\n';
    for (const Word& w : innermost(a.kind).words) {
      if (!w.help.empty()) out += fmt::format("{}    {}: {}\n", indent, w.word, w.help);
    }
    if (const Table* inner = innermost(a.kind).table) keys(*inner, indent + "    ", out);
  }
}

}  // namespace

std::string presence(const Attribute& attribute, const Json& defaults) {
  switch (attribute.presence) {
    case Presence::required:
      return "required";
    case Presence::optional:
      return attribute.absent.empty() ? "optional" : "without it: " + attribute.absent;
    case Presence::fallback:
      break;
  }
  // The default of an object is printed key by key.
  const Json& value = defaults.at(attribute.key);
  return value.is_object() ? "" : "default " + value.dump();
}

std::string help(const Table& table) {
  std::string out;
  keys(table, "  ", out);
  return out;
}

std::string help(const LayerType& type) {
  std::string text = fmt::format("{}: {}\n\n{}", type.name, type.help, help(*type.table));
  if (type.examples.empty()) return text;
  text += "\nfor example\n";
  for (const auto& example : type.examples) text += fmt::format("  {}\n", example);
  for (const auto& [name, content] : type.files) {
    text += fmt::format("\nwith {} beside it\n", name);
    for (std::size_t at = 0, end = 0; at < content.size(); at = end + 1) {
      end = content.find('\n', at);
      text += fmt::format("  {}\n", content.substr(at, end - at));
    }
  }
  return text;
}

std::string help(const Registry& registry) {
  std::size_t width = 0;
  for (const LayerType& type : registry.types()) width = std::max(width, type.name.size());
  std::string out;
  for (const LayerType& type : registry.types()) {
    out += fmt::format("  {:<{}}  {}\n", type.name, width, type.help);
  }
  return out;
}

}  // namespace kumiki::gen::config
