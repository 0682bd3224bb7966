// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ir/picture/svg.h"

namespace kumiki::gen::array {
namespace {

// The part of a row or column. -1: none; it is idle while the side is cut.
int part(const Cut& cut, int index) {
  if (cut.size == 0) return 0;
  const int second = index >= cut.offset ? 1 : 0;
  return index - second * cut.offset < cut.size ? second : -1;
}

// The word of a common beat that the element gets.
int word(const ArrayPlan& plan, int row, int column) {
  const int down = part(plan.cut_down(), row), across = part(plan.cut_across(), column);
  return down < 0 || across < 0 ? -1 : plan.common_lane(down == 1, across == 1);
}

char letter(const ArrayPlan& plan, int row, int column) {
  const int w = word(plan, row, column);
  return w < 0 ? '.' : static_cast<char>('A' + w);
}

constexpr int widest_text = 96;

std::string row_text(const ArrayPlan& plan, int row) {
  std::string text;
  for (int column = 0; column < plan.columns(); ++column) {
    if (text.size() > widest_text) return text + " …";
    if (column > 0 && (!plan.pairs() || column % 2 == 0)) text += ' ';
    text += letter(plan, row, column);
  }
  return text;
}

// Elements without a neighbour in their row share a slice with the one above or below.
bool pairs_down(const ArrayPlan& plan) { return plan.pairs() && plan.columns() % 2 != 0; }

namespace paint = picture::paint;
using picture::Anchor;
constexpr const picture::Paint* part_paints[] = {&paint::part_a, &paint::part_b, &paint::part_c,
                                                 &paint::part_d};

class Drawing {
 public:
  explicit Drawing(const ArrayPlan& plan)
      : plan_(plan),
        cell_(std::clamp(640 / std::max(plan.chain(), plan.banks()), 5, 24)),
        right_(left + plan.columns() * cell_),
        bottom_(top + plan.rows() * cell_) {}

  std::string svg() {
    text(16, 22,
         fmt::format("{} x {} elements on {} {}, {} accumulators each", plan_.rows(),
                     plan_.columns(), plan_.slices(), plan_.slice_name(), plan_.depth()));
    banks();
    elements();
    slices();
    common();
    results();
    svg_.styled("grid", "fill:none;stroke:#ffffff", "stroke:#14171b");
    svg_.styled("ahead", "fill:none;stroke:#bbbbbb", "stroke:#4a525c");
    svg_.styled("read", "fill:none;stroke:#666666", "stroke:#9aa4af");
    return svg_.str(top + plan_.banks() * cell_ + 3 * line + 16);
  }

 private:
  static constexpr int left = 190, top = 84, line = 16, bank_x = 110, bank_width = 40;

  void text(int x, int y, const std::string& what, Anchor anchor = Anchor::start) {
    svg_.text(x, y, what, anchor);
  }
  int x_of(int column) const { return left + column * cell_; }
  int y_of(int row) const { return top + row * cell_; }

  // The individual stream fills the banks. A row reads its own bank and those below it.
  void banks() {
    std::string arrows;
    for (int b = 0; b < plan_.banks(); ++b) {
      svg_.rect(bank_x, y_of(b), bank_width, cell_,
                b < plan_.rows() ? paint::memory : paint::empty);
      if (b < plan_.rows())
        arrows += fmt::format("M{} {}h{}", bank_x + bank_width, y_of(b) + cell_ / 2,
                              left - bank_x - bank_width);
    }
    svg_.path(arrows, "read");
    text(16, top + line, "s_axis_ind");
    text(16, top + 2 * line, fmt::format("{} words", plan_.stream_words()));
    svg_.path(fmt::format("M16 {}H{}m-6 -4l6 4l-6 4", top + 2 * line + 8, bank_x));
    text(bank_x, y_of(plan_.banks()) + line,
         fmt::format("{} banks of 2 x {} words of {} pixels; row r reads banks r to r + {}",
                     plan_.banks(), plan_.window_depth(), plan_.chunk(), plan_.request.reach - 1));
  }

  // One rectangle for each part with a grid of lines in it, so that pictures of large arrays stay
  // small.
  void elements() {
    const auto runs = [](int n, auto&& of) {  // of equal neighbours
      std::vector<std::pair<int, int>> all;
      for (int i = 0; i < n; ++i)
        if (i == 0 || of(i) != of(i - 1))
          all.emplace_back(i, i + 1);
        else
          all.back().second = i + 1;
      return all;
    };
    const auto down = runs(plan_.rows(), [&](int r) { return part(plan_.cut_down(), r); });
    const auto across = runs(plan_.columns(), [&](int c) { return part(plan_.cut_across(), c); });
    for (const auto& [r, r_end] : down)
      for (const auto& [c, c_end] : across) {
        const int w = word(plan_, r, c);
        svg_.rect(x_of(c), y_of(r), (c_end - c) * cell_, (r_end - r) * cell_,
                  w < 0 ? paint::empty : *part_paints[w]);
        if (plan_.commons() > 1 && w >= 0)
          labels_.push_back({(x_of(c) + x_of(c_end)) / 2, (y_of(r) + y_of(r_end)) / 2, w});
      }
    std::string lines;
    for (int r = 1; r < plan_.rows(); ++r)
      lines += fmt::format("M{} {}h{}", left, y_of(r), right_ - left);
    for (int c = 1; c < plan_.columns(); ++c)
      lines += fmt::format("M{} {}v{}", x_of(c), top, bottom_ - top);
    svg_.path(lines, "grid");
    // Pixels of a row's chain beyond its elements, for the taps of a kernel.
    std::string ahead;
    for (int c = plan_.columns(); c < plan_.chain(); ++c)
      ahead += fmt::format("M{} {}h{}v{}h{}z", x_of(c), top, cell_, bottom_ - top, -cell_);
    svg_.path(ahead, "ahead");
  }

  void slices() {
    const bool last_down = pairs_down(plan_);
    const int in_row = last_down ? plan_.columns() - 1 : plan_.columns();
    std::string lines;
    for (int c = plan_.pairs() ? 2 : 1; c < in_row; c += plan_.pairs() ? 2 : 1)
      lines += fmt::format("M{} {}v{}", x_of(c), top, bottom_ - top);
    for (int r = 1; r < plan_.rows(); ++r)
      lines += fmt::format("M{} {}h{}", left, y_of(r), x_of(in_row) - left);
    if (last_down) {
      lines += fmt::format("M{} {}v{}", x_of(in_row), top, bottom_ - top);
      for (int r = 2; r < plan_.rows(); r += 2)
        lines += fmt::format("M{} {}h{}", x_of(in_row), y_of(r), cell_);
    }
    svg_.path(lines + fmt::format("M{} {}h{}v{}h{}z", left, top, right_ - left, bottom_ - top,
                                  left - right_));
  }

  void common() {
    text(left, 44, fmt::format("s_axis_com, kept in {} words", plan_.common_depth()));
    std::string arrows;
    const int parts = plan_.cuts_across() ? 2 : 1;
    for (int p = 0; p < parts; ++p)
      arrows += fmt::format("M{} {}V{}m-4 -6l4 6l4 -6",
                            left + (2 * p + 1) * (right_ - left) / (2 * parts), 50, top);
    svg_.path(arrows);
    for (const Label& l : labels_) {
      svg_.rect(l.x - 42, l.y - line / 2, 84, line, paint::empty);
      text(l.x, l.y + 4, fmt::format("{}: word {}", static_cast<char>('A' + l.word), l.word),
           Anchor::middle);
    }
  }

  void results() {
    const int x = x_of(plan_.chain()) + 10, y = (top + bottom_) / 2;
    svg_.path(fmt::format("M{} {}h40m-6 -4l6 4l-6 4", x, y));
    text(x, y - 10, "m_axis_out");
    text(x, y + line + 4, fmt::format("{} words", plan_.request.output_words));
    text(bank_x, y_of(plan_.banks()) + 2 * line,
         fmt::format("a row's chain holds {} pixels; {}", plan_.chain(),
                     plan_.pairs() ? "a framed pair is a slice, two elements in it"
                                   : "a slice an element"));
  }

  struct Label {
    int x, y, word;
  };

  const ArrayPlan& plan_;
  int cell_, right_, bottom_;
  std::vector<Label> labels_;
  picture::Svg svg_;
};

}  // namespace

std::string map_text(const ArrayPlan& plan) {
  std::string text;
  for (int first = 0; first < plan.rows();) {
    const std::string row = row_text(plan, first);
    int last = first;
    while (last + 1 < plan.rows() && row_text(plan, last + 1) == row) ++last;
    text += fmt::format("  rows {:>3} to {:>3}  {}\n", first, last, row);
    first = last + 1;
  }
  return text;
}

std::string map_svg(const ArrayPlan& plan) { return Drawing(plan).svg(); }

}  // namespace kumiki::gen::array
