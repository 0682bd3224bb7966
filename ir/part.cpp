// SPDX-License-Identifier: Apache-2.0
#include "ir/part.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "ir/name_pool.h"

namespace kumiki::ir {
namespace {

// "9eg" begins with a number, "9p" is followed by p.
struct Number {
  bool any = false;
  char behind = 0;
};

Number number(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto end = std::ranges::find_if_not(text, digit);
  return {end != text.begin(), end == text.end() ? '\0' : *end};
}

// Takes one of the words from the front.
bool takes(std::string_view& text, std::initializer_list<std::string_view> words) {
  for (const auto word : words)
    if (text.starts_with(word)) return text.remove_prefix(word.size()), true;
  return false;
}

}  // namespace

std::optional<Family> family_of_part(std::string_view part) {
  const std::string code = lower_case(part.substr(0, part.find('-')));
  std::string_view text = code;
  // Commercial, automotive, defence, radiation tolerant.
  if (!takes(text, {"xc", "xqr", "xq", "xa"})) return {};
  // xc7a35t, xc7vx485t, xa7z020
  if (takes(text, {"7a", "7k", "7s", "7z", "7vx", "7vh", "7v"}))
    return number(text).any ? std::optional(Family::series7) : std::nullopt;
  // Kintex and Virtex are of either generation: xcku115, xcvu440, and with a p xcku5p, xcvu9p.
  if (takes(text, {"ku", "vu"})) {
    const auto n = number(text);
    if (!n.any || (n.behind != 0 && n.behind != 'p' && n.behind != '_')) return {};
    return n.behind == 'p' ? Family::ultrascale_plus : Family::ultrascale;
  }
  // Artix, Spartan and Zynq UltraScale+, Kria, Alveo.
  if (takes(text, {"zu", "au", "su", "k2", "ux", "u"}))
    return number(text).any ? std::optional(Family::ultrascale_plus) : std::nullopt;
  return {};
}

}  // namespace kumiki::ir
