// SPDX-License-Identifier: Apache-2.0
// The places of a beat's elements as C99.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "gen/layer/beats/beats.h"

namespace kumiki::gen {
namespace {

std::string count_text(const Index& i) {
  if (i.given.port.empty()) return fmt::format("{}u", i.count);
  if (i.given.per == 1) return i.given.port;
  return fmt::format("(({} + {}u) / {}u)", i.given.port, i.given.per - 1, i.given.per);
}

// The value of counter `index` for these coordinates. A counter with only one value is no
// parameter.
std::string value_text(const Beat& b, const Index& index) {
  std::string value = "0u";
  for (const Coordinate& c : b.of) {
    if (c.count == 1) continue;
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
      if (c.steps[i].index != index.name) continue;
      value = "at_" + c.name;
      if (i > 0) value = fmt::format("{} % {}u", value, c.steps[i - 1].size);
      if (c.steps[i].size > 1) value = fmt::format("{} / {}u", value, c.steps[i].size);
    }
  }
  return value;
}

std::string number_text(const Beat& b, const std::vector<Index>& loops) {
  std::string text;
  for (const Index& i : loops) {
    if (i.count == 1 && i.given.port.empty()) continue;
    const auto value = value_text(b, i);
    if (text.find(' ') != std::string::npos) text = fmt::format("({})", text);
    text = text.empty() ? value : fmt::format("{} * {} + {}", text, count_text(i), value);
  }
  return text.empty() ? "0u" : text;
}

struct Parameters {
  std::string list;
  std::vector<std::string> names;

  // C compilers warn of unused parameters.
  std::string unused(const std::string& body) const {
    std::string text;
    for (const auto& n : names)
      if ((body + " ").find(n + " ") == std::string::npos &&
          body.find(n + ")") == std::string::npos)
        text += fmt::format("  (void){};\n", n);
    return text;
  }
};

Parameters parameters(const Beat& b, bool with_given) {
  std::set<std::string> ports;
  std::vector<std::string> names;
  // The slowest loop needs no count.
  for (std::size_t i = 1; with_given && i < b.words.size(); ++i)
    if (const auto& port = b.words[i].given.port; !port.empty() && ports.insert(port).second)
      names.push_back(port);
  for (const Coordinate& c : b.of)
    if (c.count > 1) names.push_back("at_" + c.name);
  Parameters p{.list = {}, .names = std::move(names)};
  for (const auto& n : p.names)
    p.list += fmt::format("{}uint32_t {}", p.list.empty() ? "" : ", ", n);
  return p;
}

std::string table(const std::string& name, const char* type, const auto& values) {
  return fmt::format("  static const {} {}[] = {{{}}};\n", type, name, fmt::join(values, ", "));
}

}  // namespace

std::string c_functions(const Beat& b, const std::string& name, const std::string& header) {
  const auto at = parameters(b, false), in_time = parameters(b, true);
  const auto none = [](const std::string& list) { return list.empty() ? "void" : list; };
  const auto with = [](const std::string& list) { return list.empty() ? "" : ", " + list; };
  std::string text;
  if (b.word_count() > 1) {
    const auto number = number_text(b, b.words);
    text += fmt::format("static inline uint32_t {}_word({}) {{\n{}  return {};\n}}\n", name,
                        none(in_time.list), in_time.unused(number), number);
  }
  const auto element = number_text(b, b.elements);
  const bool alike = b.formats.size() == 1;
  std::uint32_t all = 0;
  std::vector<std::uint32_t> lows, widths;
  for (const arith::Format& f : b.formats) {
    lows.push_back(all + b.low);
    widths.push_back(static_cast<std::uint32_t>(f.bits));
    all += widths.back();
  }
  std::string begins = at.unused(element);
  if (b.element_count() > 1) begins = fmt::format("  const uint32_t i = {};\n", element) + begins;
  std::string low = fmt::format("{}u", b.low), bits = fmt::format("{}u", widths[0]);
  if (b.element_count() > 1 && alike)
    low = fmt::format("{}i * {}u", b.low == 0 ? "" : fmt::format("{}u + ", b.low), all);
  if (!alike) {
    begins = table("low", "uint32_t", lows) + table("bits", "uint32_t", widths) + begins;
    low = fmt::format("i / {0}u * {1}u + low[i % {0}u]", lows.size(), all);
    bits = fmt::format("bits[i % {}u]", widths.size());
  }
  bool any_signed = false, all_signed = true;
  std::vector<int> signs;
  for (const arith::Format& f : b.formats) {
    signs.push_back(f.is_signed ? 1 : 0);
    any_signed |= f.is_signed;
    all_signed &= f.is_signed;
  }
  for (const auto w : widths)
    if (w > 64) return text;
  text += fmt::format(
      "static inline void {}_put(uint32_t *port{}, int64_t value) {{\n{}  {}_put_at(port, {}, {}, "
      "(uint64_t)value);\n}}\n",
      name, with(at.list), begins, header, low, bits);
  std::string value = fmt::format("(int64_t){}_get_at(port, {}, {})", header, low, bits);
  const auto as_signed = fmt::format("{}_get_signed_at(port, {}, {})", header, low, bits);
  if (all_signed)
    value = as_signed;
  else if (any_signed) {
    begins = table("is_signed", "uint32_t", signs) + begins;
    value = fmt::format("is_signed[i % {}u] ? {} : {}", signs.size(), as_signed, value);
  }
  text +=
      fmt::format("static inline int64_t {}_get(const uint32_t *port{}) {{\n{}  return {};\n}}\n",
                  name, with(at.list), begins, value);
  if (!b.is_late()) return text;
  const auto number = number_text(b, {b.elements.back()});
  return text + fmt::format("static inline uint32_t {}_late({}) {{\n{}{}  return late[{}];\n}}\n",
                            name, none(at.list), table("late", "uint32_t", b.late),
                            at.unused(number), number);
}

}  // namespace kumiki::gen
