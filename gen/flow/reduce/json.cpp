// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/reduce/json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "gen/config/finding.h"
#include "gen/config/scan.h"
#include "gen/config/source.h"

namespace kumiki::reduction {
namespace {

using gen::config::Node;
using Path = std::vector<std::size_t>;  // which item, from the root on

constexpr std::size_t longest_line = 100;

// The token that begins there: a scalar or a key.
std::string written(const Node& node, const std::string& text) {
  const auto token = gen::config::next_token(text, node.begin());
  return text.substr(token.begin, token.end - token.begin);
}

JsonValue read(const Node& node, const std::string& text) {
  using F = gen::config::Form;
  const F form = node.form();
  JsonValue value;
  if (form == F::list) {
    value.form = JsonValue::Form::list;
    for (const Node entry : node.entries()) value.items.push_back(read(entry, text));
    return value;
  }
  if (form == F::object) {
    value.form = JsonValue::Form::object;
    for (const auto& [key, member] : node.members()) {
      value.items.push_back(read(member, text));
      value.items.back().key = written(key, text);
    }
    return value;
  }
  value.form = form == F::text      ? JsonValue::Form::text
               : form == F::integer ? JsonValue::Form::integer
                                    : JsonValue::Form::scalar;
  value.text = written(node, text);
  return value;
}

bool is_container(const JsonValue& v) {
  return v.form == JsonValue::Form::list || v.form == JsonValue::Form::object;
}

std::string in_one_line(const JsonValue& v) {
  if (!is_container(v)) return v.text;
  const bool list = v.form == JsonValue::Form::list;
  std::string all;
  for (const JsonValue& item : v.items) {
    if (item.gone) continue;
    if (!all.empty()) all += ", ";
    if (!list) all += item.key + ": ";
    all += in_one_line(item);
  }
  return (list ? "[" : "{") + all + (list ? "]" : "}");
}

void print(std::string& out, const JsonValue& v, std::size_t indent, std::size_t column) {
  const std::string line = in_one_line(v);
  if (!is_container(v) || column + line.size() < longest_line) {
    out += line;
    return;
  }
  const bool list = v.form == JsonValue::Form::list;
  out += list ? "[" : "{";
  bool first = true;
  for (const JsonValue& item : v.items) {
    if (item.gone) continue;
    out += fmt::format("{}\n{:{}}", first ? "" : ",", "", indent + 2);
    first = false;
    const std::string before = list ? "" : item.key + ": ";
    out += before;
    print(out, item, indent + 2, indent + 2 + before.size());
  }
  out += fmt::format("\n{:{}}{}", "", indent, list ? ']' : '}');
}

JsonValue& at(JsonValue& root, const Path& path) {
  JsonValue* v = &root;
  for (const std::size_t i : path) v = &v->items[i];
  return *v;
}

void collect(const JsonValue& v, Path& path, std::size_t depth, std::vector<Path>& found) {
  if (path.size() == depth) {
    found.push_back(path);
    return;
  }
  for (std::size_t i = 0; i < v.items.size(); ++i) {
    path.push_back(i);
    collect(v.items[i], path, depth, found);
    path.pop_back();
  }
}

// All values at this depth of the tree, in the order of the text.
std::vector<Path> at_depth(const JsonValue& root, std::size_t depth) {
  std::vector<Path> found;
  Path path;
  collect(root, path, depth, found);
  return found;
}

void tidy(JsonValue& v) {
  std::erase_if(v.items, [](const JsonValue& item) { return item.gone; });
  for (JsonValue& item : v.items) tidy(item);
}

bool remove_parts(JsonValue& best, Search& search) {
  bool any = false;
  for (std::size_t depth = 1; !at_depth(best, depth).empty(); ++depth) {
    std::vector<Edit<JsonValue>> edits;
    for (const Path& path : at_depth(best, depth))
      edits.push_back([path](JsonValue& root) { at(root, path).gone = true; });
    if (!make_most(best, edits, search)) continue;
    any = true;
    tidy(best);
  }
  return any;
}

// Tries another text at this place, and keeps it if the candidate is still interesting.
bool accepts(JsonValue& best, const Path& path, const std::string& text, Search& search) {
  JsonValue candidate = best;
  at(candidate, path).text = text;
  if (!search.keeps(to_text(candidate))) return false;
  best = std::move(candidate);
  return true;
}

// Lowers a number towards 0: to 0, then by half of the way, a quarter, ... until one less is
// refused.
bool lower_number(JsonValue& best, const Path& path, Search& search) {
  const std::string& text = at(best, path).text;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) return false;
  if (accepts(best, path, "0", search)) return true;
  bool any = false;
  for (std::int64_t step = value / 2; step != 0;) {
    if (accepts(best, path, std::to_string(value - step), search)) {
      value -= step;
      any = true;
      step = value > 0 ? std::min(step, value / 2) : std::max(step, value / 2);
      if (step == 0 && value != 0) step = value > 0 ? 1 : -1;
      if (value == 1 || value == -1) break;  // 0 is refused
    } else {
      step /= 2;
    }
  }
  return any;
}

// Characters of a text in quotes; an escape is one, and so is a pair of surrogates.
std::vector<std::string> characters(const std::string& quoted) {
  std::vector<std::string> all;
  const std::size_t end = quoted.size() - 1;
  for (std::size_t i = 1; i < end;) {
    std::size_t n = 1;
    if (quoted[i] == '\\') n = quoted[i + 1] == 'u' ? 6 : 2;
    if (n == 6 && (quoted[i + 2] == 'd' || quoted[i + 2] == 'D') && quoted[i + 3] >= '8') n = 12;
    while (i + n < end && (static_cast<unsigned char>(quoted[i + n]) & 0xC0u) == 0x80u) ++n;
    n = std::min(n, end - i);
    all.push_back(quoted.substr(i, n));
    i += n;
  }
  return all;
}

bool shorten_text(JsonValue& best, const Path& path, Search& search) {
  const auto before = characters(at(best, path).text);
  return choose(before.size(), search, [&](const std::vector<std::size_t>& chosen) {
    std::string text = "\"";
    auto next = chosen.begin();
    for (std::size_t i = 0; i < before.size(); ++i)
      if (next != chosen.end() && *next == i)
        ++next;
      else
        text += before[i];
    return accepts(best, path, text + "\"", search);
  });
}

bool simplify_values(JsonValue& best, Search& search) {
  bool any = false;
  for (std::size_t depth = 0;; ++depth) {
    const auto paths = at_depth(best, depth);
    if (paths.empty()) return any;
    for (const Path& path : paths) {
      if (search.spent()) return any;
      const JsonValue::Form form = at(best, path).form;
      if (form == JsonValue::Form::integer) any |= lower_number(best, path, search);
      if (form == JsonValue::Form::text) any |= shorten_text(best, path, search);
      // 0.25, 1e6: a number of few digits is as good.
      if (form != JsonValue::Form::scalar) continue;
      const char first = at(best, path).text[0];
      if (first != '-' && (first < '0' || first > '9')) continue;
      for (const char* simple : {"0", "1"}) {
        if (!accepts(best, path, simple, search)) continue;
        at(best, path).form = JsonValue::Form::integer;
        any = true;
        break;
      }
    }
  }
}

}  // namespace

JsonValue json_value(const std::string& file, const std::string& text) {
  gen::config::Findings findings;
  const gen::config::Source source(file, text, findings);
  if (!source.parsed()) {
    const auto count = findings.count();
    throw gen::config::ConfigError(file, findings.take(source.text()), count);
  }
  return read(source.root(), source.text());
}

std::string to_text(const JsonValue& value) {
  std::string out;
  print(out, value, 0, 0);
  return out + "\n";
}

std::size_t count(const JsonValue& value) {
  std::size_t n = 1;
  for (const JsonValue& item : value.items) n += item.gone ? 0 : count(item);
  return n;
}

void shrink(JsonValue& best, Search& search) {
  for (bool more = true; more && !search.spent();) {
    more = remove_parts(best, search);
    more |= simplify_values(best, search);
  }
}

}  // namespace kumiki::reduction
