// SPDX-License-Identifier: Apache-2.0
// The sheet that pictures are drawn on.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ir/picture/paint.h"

namespace kumiki::picture {

inline constexpr int letter_width = 8;  // maximum width of a letter, in pixels
inline constexpr int line_height = 16;

enum class Anchor { start, middle, end };

class Svg {
 public:
  void rect(int x, int y, int width, int height, const Paint& fill);
  // A rectangle without an outline, for many of them side by side.
  void bar(int x, int y, int width, int height, const Paint& fill);
  // One line of text; an empty one draws nothing.
  void text(int x, int y, std::string_view what, Anchor anchor = Anchor::start);
  void faint(int x, int y, std::string_view what, Anchor anchor = Anchor::start);
  // A path of lines; `style` is a class of `styled()`.
  void path(const std::string& d, std::string_view style = "line");
  void circle(int x, int y, int radius, std::string_view style);
  void rounded(int x, int y, int width, int height, int radius, std::string_view style);
  // Adds a style class: "stroke:#36c" on a light page, another text on a dark one.
  void styled(std::string_view name, std::string_view light, std::string_view dark);
  // Draws a legend from (x, y) on, in lines no longer than `width`: the used paints that have a
  // meaning. Returns its height, or 0 if there are none.
  int legend(int x, int y, int width);

  int right() const { return right_; }
  std::string str(int height) const;  // as wide as the drawing, plus a margin

 private:
  void put_rect(int x, int y, int width, int height, const Paint& fill, std::string_view more);
  void put_text(int x, int y, std::string_view what, Anchor anchor, std::string_view more);

  struct Style {
    std::string name, light, dark;
  };
  std::string body_;
  std::vector<const Paint*> used_;
  std::vector<Style> styles_;
  int right_ = 0;
  bool has_bars_ = false;
};

}  // namespace kumiki::picture
