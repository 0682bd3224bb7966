// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/word.h"

#include <fmt/format.h>

#include "gen/hdl/messages.h"
#include "ir/error.h"

namespace kumiki::gen {
namespace {

std::string from(const Word& w) {
  auto at = to_string(w.place());
  return at.empty() ? "" : fmt::format(" (made at {})", at);
}

}  // namespace

void refuse(SourceLocation here, Code code, const std::string& message) {
  throw DesignError(code, fmt::format("{}: {}", to_string(ir::place(here)), message));
}

void want_equal_widths(const char* what, const Word& a, const Word& b, SourceLocation here) {
  if (a.width() == b.width()) return;
  refuse(here, code::widths_differ,
         fmt::format("{} needs equal widths; it has {} bits{} and {} bits{}", what, a.width(),
                     from(a), b.width(), from(b)));
}

Net Word::operator[](std::uint32_t bit) const {
  if (bit >= width_ || !nets_)
    throw DesignError(code::no_such_bit,
                      fmt::format("bit {} of a word of {} bits{}{}", bit, width_, from(*this),
                                  nets_ ? "" : ", which is a shape without nets"));
  return nets_[bit];
}

Word Word::cut(std::uint32_t low, std::uint32_t count, SourceLocation here) const {
  if (low > width_ || count > width_ - low)
    refuse(here, code::no_such_bit,
           fmt::format("bits {} to {} are beyond a word of {} bits{}", low, low + count - 1, width_,
                       from(*this)));
  return {nets_ ? nets_ + low : nullptr, count, place_};
}

}  // namespace kumiki::gen
