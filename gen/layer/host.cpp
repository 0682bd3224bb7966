// SPDX-License-Identifier: Apache-2.0
#include "gen/layer/host.h"

#include <algorithm>

#include <fmt/format.h>

namespace kumiki::gen {

std::string to_text(const HostFacts& facts) {
  if (facts.empty()) return {};
  std::string text = "for hosts\n";
  for (const HostFact& f : facts) text += fmt::format("  {}: {}\n", f.topic, f.text);
  return text;
}

void write(config::Writer& w, const HostFacts& facts) {
  for (const HostFact& f : facts) w.member(f.topic, f.text);
}

std::string to_text(const HostRegisters& registers) {
  if (registers.empty()) return {};
  std::size_t longest = 0;
  for (const HostRegister& r : registers) longest = std::max(longest, r.name.size());
  std::string text = "registers\n";
  for (const HostRegister& r : registers)
    text += fmt::format("  0x{:03x}  {:{}}  {}\n", r.offset, r.name, longest, r.text);
  return text;
}

void write(config::Writer& w, const HostRegister& one) {
  w.member("name", one.name);
  w.member("offset", one.offset);
  w.member("text", one.text);
}

std::string runs(const std::vector<std::uint32_t>& values) {
  const auto range = [](std::uint64_t from, std::uint64_t to) {
    return from == to ? fmt::format("{}", from) : fmt::format("{} to {}", from, to);
  };
  std::string text;
  for (std::size_t from = 0, to; from < values.size(); from = to + 1) {
    to = from;
    const std::uint32_t step =
        from + 1 < values.size() && values[from + 1] == values[from] + 1 ? 1 : 0;
    while (to + 1 < values.size() && values[to + 1] == values[to] + step) ++to;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", range(from, to),
                        range(values[from], values[to]));
  }
  return text;
}

}  // namespace kumiki::gen
