// SPDX-License-Identifier: Apache-2.0
#include "ir/place.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

namespace kumiki::ir {
namespace {

struct Entry {
  std::string file;
  std::uint32_t line;
  OriginId from;
  std::string function = {};
};

struct Table {
  std::mutex lock;
  std::deque<Entry> entries{{"", 0, {}}};
  std::unordered_map<std::string, std::uint32_t> ids;
  std::deque<std::string> origins{""};
  std::unordered_map<std::string_view, std::uint32_t> origin_ids;
};

Table& table() {
  static Table t;
  return t;
}

// No absolute path of the building machine may reach an output: only the last two components of one
// are kept.
std::string_view shorten(std::string_view file) {
  if (!file.starts_with('/')) return file;
  auto last = file.rfind('/');
  if (last == 0) return file.substr(1);
  auto before = file.rfind('/', last - 1);
  return file.substr(before + 1);
}

}  // namespace

OriginId origin(std::string_view text) {
  if (text.empty()) return {};
  auto& t = table();
  std::lock_guard guard(t.lock);
  if (auto it = t.origin_ids.find(text); it != t.origin_ids.end()) return {it->second};
  OriginId id{static_cast<std::uint32_t>(t.origins.size())};
  t.origins.emplace_back(text);
  t.origin_ids.emplace(t.origins.back(), id.index);
  return id;
}

std::string to_string(OriginId id) {
  auto& t = table();
  std::lock_guard guard(t.lock);
  return t.origins.at(id.index);
}

PlaceId place(std::string_view file, std::uint32_t line, OriginId from) {
  file = shorten(file);
  auto key = fmt::format("{}:{}:{}", file, line, from.index);
  auto& t = table();
  std::lock_guard guard(t.lock);
  auto [it, fresh] =
      t.ids.try_emplace(std::move(key), static_cast<std::uint32_t>(t.entries.size()));
  if (fresh) t.entries.push_back({std::string(file), line, from});
  return {it->second};
}

PlaceId place(SourceLocation here, OriginId from) {
  if (here.line == 0) return {};
  // The address of a file name is constant. So a small direct-mapped cache in front of the table
  // reduces the cost of a place to a few nanoseconds, which matters in generators' inner loops.
  struct Slot {
    const char* file = nullptr;
    std::uint32_t line = 0;
    OriginId from;
    PlaceId id;
  };
  thread_local Slot slots[256];
  auto hash = (reinterpret_cast<std::uintptr_t>(here.file) >> 4) * 31 + here.line;
  Slot& slot = slots[hash % 256];
  if (slot.file != here.file || slot.line != here.line || slot.from != from) {
    slot = {here.file, here.line, from, place(std::string_view(here.file), here.line, from)};
    auto& t = table();
    std::lock_guard guard(t.lock);
    // A source line belongs to one function, or to several instances of one template.
    if (auto& function = t.entries[slot.id.index].function; function.empty())
      function = here.function;
  }
  return slot.id;
}

std::string function_of(PlaceId id) {
  auto& t = table();
  std::lock_guard guard(t.lock);
  const auto& name = t.entries.at(id.index).function;
  return name.starts_with("operator") ? std::string() : name;
}

OriginId origin_of(PlaceId id) {
  auto& t = table();
  std::lock_guard guard(t.lock);
  return t.entries.at(id.index).from;
}

std::string to_string(PlaceId id) {
  auto& t = table();
  std::lock_guard guard(t.lock);
  const auto& entry = t.entries.at(id.index);
  if (entry.line == 0) return {};
  auto text = fmt::format("{}:{}", entry.file, entry.line);
  return entry.from.index == 0 ? text : fmt::format("{} ({})", text, t.origins[entry.from.index]);
}

}  // namespace kumiki::ir
