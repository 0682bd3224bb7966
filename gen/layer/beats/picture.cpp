// SPDX-License-Identifier: Apache-2.0
// Draws the beats of a layer: a row for each word (the first ones and the last one of a set), a box
// for each element, bit 0 on the right.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gen/layer/beats/beats.h"
#include "ir/picture/svg.h"

namespace kumiki::gen {
namespace {

namespace paint = picture::paint;
using picture::Anchor;
using picture::letter_width;
using picture::line_height;
using picture::Svg;

constexpr int left = 16, names = 88, widest = 880, box_height = 24;
constexpr std::int64_t gap = -1;  // what is left out

// The first ones, a gap and the last one; all if they are few.
std::vector<std::int64_t> chosen(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < std::min(count, most); ++i) all.push_back(i);
  if (count > most) {
    all[static_cast<std::size_t>(most) - 2] = gap;
    all.back() = count - 1;
  }
  return all;
}

std::string box_text(const Beat& b, std::int64_t word, std::int64_t element) {
  const auto at = coordinates(b, word, element);
  if (!at) return "";
  std::string text;
  for (std::size_t i = 0; i < b.of.size(); ++i)
    if (b.of[i].count > 1) text += fmt::format("[{}]", (*at)[i]);
  return text.empty() ? b.what : text;
}

std::string title(const Beat& b) {
  std::string name = b.port;
  if (!b.part.empty()) name += ", " + b.part;
  std::string of = b.what;
  for (const Coordinate& c : b.of)
    if (c.count > 1) of += fmt::format("[{}]", c.name);
  const bool alike = b.formats.size() == 1;
  return fmt::format(
      "{}: {} element{}{}{}", name, b.element_count(), b.element_count() == 1 ? "" : "s",
      alike ? fmt::format(" of {} bit{}, {}", b.formats[0].bits, b.formats[0].bits == 1 ? "" : "s",
                          b.formats[0].is_signed ? "signed" : "unsigned")
            : "",
      of.empty() ? "" : "; " + of);
}

class Sheet {
 public:
  void beat(const Beat& b) {
    const auto words = chosen(b.word_count(), 5);
    const bool in_time = b.word_count() > 1;
    std::size_t longest = 5;
    for (const auto w : words)
      for (std::int64_t e = 0; e < b.element_count();
           e += std::max<std::int64_t>(1, b.element_count() - 1))
        if (w != gap) longest = std::max(longest, box_text(b, w, e).size());
    const auto last = b.element_count() - 1;
    const auto top_bit = b.low_of(last) + b.width_of(last) - 1;
    longest = std::max(longest, 2 * std::to_string(top_bit).size() + 1);
    const int box = static_cast<int>(longest) * letter_width + 8;
    const auto shown = chosen(b.element_count(), std::max(3, (widest - names) / box));

    d_.text(left, y_ + 12, title(b));
    y_ += line_height + 4;
    const auto x_of = [&](std::size_t i) {  // element 0 stands on the right
      return left + names + static_cast<int>(shown.size() - 1 - i) * box;
    };
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (shown[i] == gap) continue;
      const auto low = b.low_of(shown[i]), wide = b.width_of(shown[i]);
      d_.faint(x_of(i) + box / 2, y_ + 11,
               wide == 1 ? std::to_string(low) : fmt::format("{}:{}", low + wide - 1, low),
               Anchor::middle);
    }
    d_.faint(left, y_ + 11, "bit");
    y_ += line_height;
    for (const auto w : words) {
      if (w == gap) {
        d_.faint(left, y_ + 12, "...");
        y_ += line_height;
        continue;
      }
      d_.faint(left, y_ + 16, in_time ? fmt::format("word {}", w) : "word");
      for (std::size_t i = 0; i < shown.size(); ++i) {
        if (shown[i] == gap) {
          d_.faint(x_of(i) + box / 2, y_ + 16, "...", Anchor::middle);
          continue;
        }
        const auto text = box_text(b, w, shown[i]);
        d_.rect(x_of(i), y_, box, box_height, text.empty() ? paint::padding : paint::element);
        d_.text(x_of(i) + box / 2, y_ + 16, text, Anchor::middle);
      }
      y_ += box_height;
    }
    if (b.is_late()) {
      d_.faint(left, y_ + 14, "clocks");
      const auto inner = b.elements.back().count;
      for (std::size_t i = 0; i < shown.size(); ++i)
        if (shown[i] != gap)
          d_.faint(x_of(i) + box / 2, y_ + 14,
                   fmt::format("+{}", b.late[static_cast<std::size_t>(shown[i] % inner)]),
                   Anchor::middle);
      y_ += line_height;
    }
    if (!b.when.empty()) {
      d_.faint(left, y_ + 14, fmt::format("when {}", fmt::join(b.when, " and ")));
      y_ += line_height;
    }
    y_ += line_height;
  }

  std::string svg() {
    y_ += d_.legend(left, y_, widest);
    return d_.str(y_ + 12);
  }

 private:
  Svg d_;
  int y_ = 12;
};

}  // namespace

std::string beats_svg(const std::vector<Beat>& beats) {
  Sheet sheet;
  for (const Beat& b : beats) sheet.beat(b);
  return sheet.svg();
}

}  // namespace kumiki::gen
