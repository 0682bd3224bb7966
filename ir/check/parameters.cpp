// SPDX-License-Identifier: Apache-2.0
#include "ir/check/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/label.h"
#include "ir/primitives/memory.h"

namespace kumiki::ir::checking {
namespace {

bool fits(const Param& p, std::uint64_t value) {
  if (p.type == Param::Type::text) return value < p.choices.size();
  unsigned width = p.type == Param::Type::bits ? p.width : 32;
  return width >= 64 || value >> width == 0;
}

std::string overflow_text(const Param& p, std::uint64_t value) {
  if (p.type == Param::Type::text)
    return fmt::format("parameter {} has no choice {}; use one of {}", p.name, value,
                       fmt::join(p.choices, " "));
  unsigned width = p.type == Param::Type::bits ? p.width : 32;
  return fmt::format("parameter {} = {:#x} does not fit {} bits", p.name, value, width);
}

}  // namespace

void ParameterCheck::look(const Cell& c) {
  auto& proto = prototype(c.kind);
  bool good = values(c, proto);
  if (c.kind == Kind::memory && good) contents(c);
  // The rules may assume that all values fit their parameters.
  if (proto.legality && good) rules(c, proto);
}

void ParameterCheck::complain(Code code, const Cell& c, std::string_view text) {
  if (!k_.report().wants(code)) return;
  k_.report().add(code, m_, c.place, fmt::format("{}{}: {}", cell_label(m_, c), at(c.place), text));
}

// Neighbouring cells often share their block of values; a block that passed is not checked again.
bool ParameterCheck::values(const Cell& c, const Prototype& proto) {
  auto& last = last_good_[static_cast<unsigned>(c.kind)];
  if (last == c.params) return true;
  auto values = m_.params(c);
  bool good = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (c.kind == Kind::memory && i == memory::contents) continue;
    if (fits(proto.params[i], values[i])) continue;
    good = false;
    complain(code::parameter, c, overflow_text(proto.params[i], values[i]));
  }
  if (good) last = c.params;
  return good;
}

void ParameterCheck::contents(const Cell& c) {
  auto view = m_.view(c);
  if (!view.blob || view.blob->width != view.params[memory::width]) return;  // a rule reports this
  auto per = view.blob->limbs_per_word();
  if (per == 0) return;
  auto words = view.blob->limbs.size() / per;
  if (words > view.params[memory::depth])
    complain(
        code::parameter, c,
        fmt::format("{} words of contents for a memory of {}", words, view.params[memory::depth]));
  auto spare = view.blob->width % 64;
  for (std::size_t i = 0; i < words && spare != 0; ++i)
    if (view.blob->limbs[i * per + per - 1] >> spare != 0)
      return complain(
          code::parameter, c,
          fmt::format("word {} of the contents does not fit {} bits", i, view.blob->width));
}

void ParameterCheck::rules(const Cell& c, const Prototype& proto) {
  proto.legality(m_.view(c), m_.inputs(c), m_.design().family(), broken_);
  for (const std::string& rule : broken_) complain(code::illegal, c, rule);
  broken_.clear();
}

}  // namespace kumiki::ir::checking
