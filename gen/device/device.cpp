// SPDX-License-Identifier: Apache-2.0
#include "gen/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "gen/config/kind.h"
#include "gen/config/nearest.h"
#include "gen/device/messages.h"
#include "ir/error.h"

namespace kumiki::gen::device {
namespace {

// "XCZU9EG-FFVB1156-2-E" is "xczu9eg": package, speed and temperature do not matter here.
std::string plain(std::string_view name) {
  std::string text(name.substr(0, name.find('-')));
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool lists(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

const Device* find_device(std::string_view name) {
  const std::string wanted = plain(name);
  if (wanted.empty()) return nullptr;
  for (const Device& d : devices())
    if (d.name == wanted || lists(d.parts, wanted)) return &d;
  return nullptr;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const Device& d : devices()) names.emplace_back(d.name);
  return names;
}

const Device& device(std::string_view name) {
  if (const Device* found = find_device(name)) return *found;
  for (const Rival& r : rivals())
    if (r.name == name || r.parts == plain(name))
      throw DesignError(
          code::device_of_rivals,
          fmt::format(
              "{} is in the table for comparisons only, and nothing is built for it; use {}",
              r.name, config::alternatives(device_names())));
  std::vector<std::string> known = device_names();
  for (const Device& d : devices()) known.emplace_back(d.parts.substr(0, d.parts.find(' ')));
  throw DesignError(code::unknown_device,
                    fmt::format("unknown device \"{}\"{}", name,
                                config::did_you_mean(
                                    name, known, "use " + config::alternatives(device_names()))));
}

}  // namespace kumiki::gen::device
