// SPDX-License-Identifier: Apache-2.0
#include "gen/config/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "gen/config/editor.h"
#include "gen/config/messages.h"
#include "gen/config/nearest.h"
#include "gen/config/reader.h"

namespace kumiki::gen::config {
namespace {

struct Found {
  Node node;  // may be "not there"
  bool inherited = false;
};

struct FoundOnPath : Found {
  std::string missing = {};  // "/" and the key that the object `node` lacks
};

Found find_value(const Table::Given& given, std::string_view key) {
  if (const Node own = given.object.member(key)) return {own, false};
  for (const Node other : given.inherited) {
    if (const Node value = other.member(key)) return {value, true};
  }
  return {};
}

// The value that a violation names, or the nearest enclosing value that the file has.
FoundOnPath find_path(const Table::Given& given, std::string_view path) {
  FoundOnPath found;
  while (!path.empty()) {
    const std::string_view step = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    if (!found.node) {
      static_cast<Found&>(found) = find_value(given, step);
      if (!found.node) return found;
      continue;
    }
    Node next;
    if (found.node.form() == Form::object) next = found.node.member(step);
    if (found.node.form() == Form::list) {
      std::size_t left = 0;
      std::from_chars(step.data(), step.data() + step.size(), left);
      for (const Node entry : found.node.entries()) {
        if (left-- == 0) {
          next = entry;
          break;
        }
      }
    }
    if (!next) {
      const bool lacks_key = found.node.form() == Form::object && found.node.list() == found.node;
      if (lacks_key) found.missing = "/" + std::string(step);
      break;
    }
    found.node = next;
  }
  return found;
}

// Whether this code means that the key must not be there, or is missing, whatever its value.
bool blames_key(Code code) {
  return code == code::key_of_other_kind || code == code::key_without_use ||
         code == code::conflicting_keys || code == code::missing_key ||
         code == code::pool_without_map;
}

// The subject of the message: the value as given, or the key.
std::string subject(Node node, const Violation& v) {
  const bool has_text = node && (node.form() != Form::object || node.list() != node);
  if (has_text && !blames_key(v.code)) return node.shown();
  return '"' + v.key.substr(v.key.rfind('/') + 1) + '"';
}

}  // namespace

std::string to_string(const Violation& v) {
  return (v.is_sentence ? "" : v.key + " ") + v.message +
         (v.required.empty() ? "" : "; " + v.required);
}

std::string to_string(const Violation& v, const std::string& subject) {
  return subject + (v.is_sentence ? ": " : " ") + v.message +
         (v.required.empty() ? "" : "; " + v.required);
}

void load_object(const Table& table, Node node, void* out) { table.load({.object = node}, out); }

void save_object(const Table& table, const void* value, Writer& to) {
  to.begin_object();
  table.save(value, to);
  to.end_object();
}

const Attribute* Table::find(std::string_view key) const {
  const auto at = std::find_if(attributes_.begin(), attributes_.end(),
                               [&](const Attribute& a) { return a.key == key; });
  return at == attributes_.end() ? nullptr : &*at;
}

std::vector<std::string> Table::keys() const {
  std::vector<std::string> keys;
  for (const Attribute& a : attributes_) keys.push_back(a.key);
  return keys;
}

bool Table::check_keys(Reader& reader, const Given& given) const {
  std::vector<std::string> known = keys();
  known.insert(known.end(), given.also.begin(), given.also.end());
  bool good = true;
  for (const auto& [key, value] : given.object.members()) {
    if (std::find(known.begin(), known.end(), key.text()) != known.end()) continue;
    good = reader.report(
        key, code::unknown_key,
        fmt::format("is not a key of {}{}", name_,
                    did_you_mean(key.text(), known,
                                 fmt::format("its keys are {}", fmt::join(known, ", ")))),
        "");
  }
  return good;
}

bool Table::check_attribute(Reader& reader, const Attribute& attribute, const Given& given) const {
  const auto [node, inherited] = find_value(given, attribute.key);
  if (!node) {
    if (attribute.presence != Presence::required) return true;
    return reader.report(given.object, given.object.pointer() + "/" + attribute.key, "",
                         code::missing_key,
                         fmt::format("required key \"{}\" is missing", attribute.key),
                         "give " + noun(attribute.kind));
  }
  if (attribute.since > reader.version) {
    return reader.report(node, code::key_of_later_version,
                         fmt::format("is for a key that format {} does not have", reader.version),
                         fmt::format("remove it, or set \"kumiki\" to {}", attribute.since));
  }
  if (!inherited) return config::check(reader, attribute.kind, node);
  if (reader.already_reported(node)) return false;
  reader.say_for(" for " + name_);
  const bool good = config::check(reader, attribute.kind, node);
  reader.say_for("");
  return good;
}

bool Table::check_rules(Reader& reader, const Given& given) const {
  if (rules_.empty()) return true;
  const auto value = fresh();
  load(given, value.get());
  bool good = true;
  for (const auto& rule : rules_)
    for (const Violation& v : rule(value.get())) good = report(reader, given, v);
  return good;
}

bool Table::report(Reader& reader, const Given& given, const Violation& v) const {
  const FoundOnPath found = find_path(given, v.key);
  const Node node = found.node;
  // If no object gave the key, its default is wrong here: report it at the object.
  const Node at = node ? node : given.object;
  const std::string pointer = node ? node.pointer() + found.missing : at.pointer() + "/" + v.key;
  const std::string where = found.inherited ? " in " + given.object.pointer() : "";
  return reader.report(at, pointer, v.is_sentence ? "" : subject(node, v), v.code, v.message,
                       v.required + where);
}

bool Table::check_present(Reader& reader, const Given& given) const {
  bool good = check_keys(reader, given);
  for (const Attribute& a : attributes_) {
    if (given.object.member(a.key)) good &= check_attribute(reader, a, given);
  }
  return good;
}

bool Table::check(Reader& reader, const Given& given) const {
  bool good = check_keys(reader, given);
  for (const Attribute& a : attributes_) good &= check_attribute(reader, a, given);
  // Rules may assume that every single value is valid.
  return good && check_rules(reader, given);
}

void Table::load(const Given& given, void* out) const {
  for (const Attribute& a : attributes_) {
    if (const Found found = find_value(given, a.key); found.node) a.load(a.kind, found.node, out);
  }
}

void Table::save(const void* value, Writer& to) const {
  for (const Attribute& a : attributes_) {
    to.key(a.key);
    a.save(a.kind, value, to);
  }
}

std::vector<std::string> Table::present(const void* value) const {
  std::vector<std::string> keys;
  Writer writer;
  writer.begin_object();
  for (const Attribute& a : attributes_)
    if (a.save(a.kind, value, writer)) keys.push_back(a.key);
  return keys;
}

Json Table::properties() const {
  const auto value = fresh();
  Writer writer;
  save_object(*this, value.get(), writer);
  const Json defaults = writer.take();
  Json all = Json::object();
  for (const Attribute& a : attributes_) {
    Json one = config::schema(a.kind);
    one["description"] = a.unit.empty() ? a.help : fmt::format("{} (in {})", a.help, a.unit);
    one["markdownDescription"] = markdown_help(a, defaults);
    if (a.presence == Presence::fallback) one["default"] = defaults.at(a.key);
    // Without a value, editors would insert 0.
    if (!one.contains("default") && a.kind.form == Kind::Form::integer && a.kind.low > 0)
      one["examples"] = Json::array({a.kind.low});
    all[a.key] = std::move(one);
  }
  return all;
}

std::vector<std::string> Table::required() const {
  std::vector<std::string> keys;
  for (const Attribute& a : attributes_) {
    if (a.presence == Presence::required) keys.push_back(a.key);
  }
  return keys;
}

Json Table::schema() const {
  Json out = {{"type", "object"}, {"description", help_}, {"properties", properties()}};
  if (const auto keys = required(); !keys.empty()) out["required"] = keys;
  out["additionalProperties"] = false;
  return out;
}

}  // namespace kumiki::gen::config
