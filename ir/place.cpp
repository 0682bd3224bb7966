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
};

struct Table {
  std::mutex lock;
  std::deque<Entry> entries{{"", 0}};
  std::unordered_map<std::string, std::uint32_t> ids;
};

Table& table() {
  static Table t;
  return t;
}

// No absolute path of the building machine may reach an output: keep the last two components of one.
std::string_view shorten(std::string_view file) {
  if (!file.starts_with('/')) return file;
  auto last = file.rfind('/');
  if (last == 0) return file.substr(1);
  auto before = file.rfind('/', last - 1);
  return file.substr(before + 1);
}

}  // namespace

PlaceId place(std::string_view file, std::uint32_t line) {
  file = shorten(file);
  auto key = fmt::format("{}:{}", file, line);
  auto& t = table();
  std::lock_guard guard(t.lock);
  auto [it, fresh] = t.ids.try_emplace(std::move(key), static_cast<std::uint32_t>(t.entries.size()));
  if (fresh) t.entries.push_back({std::string(file), line});
  return {it->second};
}

PlaceId place(SourceLocation here) {
  if (here.line == 0) return {};
  // The address of the file name is a constant of the program: a small direct-mapped cache in front of
  // the table makes a place cost a few nanoseconds in generators' inner loops.
  struct Slot {
    const char* file = nullptr;
    std::uint32_t line = 0;
    PlaceId id;
  };
  thread_local Slot slots[256];
  auto hash = (reinterpret_cast<std::uintptr_t>(here.file) >> 4) * 31 + here.line;
  Slot& slot = slots[hash % 256];
  if (slot.file != here.file || slot.line != here.line)
    slot = {here.file, here.line, place(std::string_view(here.file), here.line)};
  return slot.id;
}

std::string to_string(PlaceId id) {
  auto& t = table();
  std::lock_guard guard(t.lock);
  const auto& entry = t.entries.at(id.index);
  return entry.line == 0 ? "" : fmt::format("{}:{}", entry.file, entry.line);
}

}  // namespace kumiki::ir
