// SPDX-License-Identifier: Apache-2.0
// The dot diagram as SVG: a panel for each stage, a column of dots for each column of the heap, the
// highest on the left. Counters and chains outline the dots that they take, in the order in which
// the netlist assigns the bits. Between columns their line runs along gaps without dots; it is
// dashed if a chain's carry stays open. A ring is an open carry, three nets that the next element's
// LUTs read. The panels of a tall heap are side by side.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gen/blocks/compressor/picture.h"
#include "ir/picture/svg.h"

namespace kumiki::gen::compressor {
namespace {

using picture::Anchor;
using picture::Svg;

constexpr int dot = 14;     // pixels from dot to dot in a column
constexpr int column = 22;  // from column to column: room for two digits and for lines
constexpr int margin = 20, head = 44, outline = 6, lanes = 3;

unsigned height_of(const Audit::Level& level, unsigned c) {
  return level.bits[c] + level.pairs[c] + level.opens[c];
}

unsigned tallest(const Audit::Level& level) {
  unsigned most = 0;
  for (unsigned c = 0; c < level.bits.size(); ++c) most = std::max(most, height_of(level, c));
  return most;
}

int height(const Audit::Level& level) {
  return head + static_cast<int>(tallest(level)) * dot + margin;
}

class Panel {
 public:
  Panel(Svg& svg, std::set<std::string>& used, unsigned width, const Audit::Level& level, int left,
        int top, const std::string& title)
      : svg_(svg),
        used_(used),
        width_(width),
        left_(left),
        top_(top),
        taken_(width),
        level_(level) {
    svg_.text(left + margin, top + 12, title);
    for (unsigned c = 0; c < width_; ++c)
      svg_.faint(x(c), top + head - 14, std::to_string(c), Anchor::middle);
  }

  // Outlines the dots that an element takes of every column.
  void element(const std::vector<unsigned>& inputs, unsigned first, const char* style) {
    used_.insert(style);
    for (std::size_t o = 0; o < inputs.size(); ++o) {
      const unsigned c = first + static_cast<unsigned>(o);
      if (inputs[o] == 0 || c >= width_) continue;
      const auto n = std::min(inputs[o], height_of(level_, c) - taken_[c]);
      if (n == 0) continue;
      const int tall = static_cast<int>(n - 1) * dot;
      svg_.rounded(x(c) - outline, y(taken_[c]) - outline, 2 * outline, tall + 2 * outline, outline,
                   fmt::format("box {}", style));
      parts_.push_back({c, y(taken_[c]) + tall / 2});
      taken_[c] += n;
    }
  }

  // The line from part to part, along the gaps between columns.
  void end_element(const char* style) {
    const int lane = static_cast<int>(lines_ % lanes) * 2 - lanes + 1;
    std::string d;
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      const auto &from = parts_[i - 1], &to = parts_[i];
      const int leaves = x(from.column) - column / 2 + lane;
      d += fmt::format("M{} {}H{}", x(from.column) - outline, from.y, leaves);
      if (to.column != from.column + 1)  // under the columns between
        d += fmt::format("V{}H{}", bottom(), x(to.column) + column / 2 + lane);
      d += fmt::format("V{}H{}", to.y, x(to.column) + outline);
    }
    if (!d.empty()) {
      svg_.path(d, style);
      ++lines_;
    }
    parts_.clear();
  }

  void dots() {
    for (unsigned c = 0; c < width_; ++c)
      for (unsigned i = 0; i < height_of(level_, c); ++i) {
        const char* what = i < level_.pairs[c]                    ? "pair"
                           : i < level_.pairs[c] + level_.bits[c] ? "bit"
                                                                  : "open";
        used_.insert(what);
        svg_.circle(x(c), y(i), 4, what);
      }
  }

 private:
  struct Taken {
    unsigned column;
    int y;
  };
  int x(unsigned c) const {
    return left_ + margin + static_cast<int>(width_ - 1 - c) * column + column / 2;
  }
  int y(unsigned row) const { return top_ + head + static_cast<int>(row) * dot; }
  int bottom() const { return y(tallest(level_)) - dot / 2 + 4; }

  Svg& svg_;
  std::set<std::string>& used_;
  unsigned width_;
  int left_, top_;
  unsigned lines_ = 0;
  std::vector<unsigned> taken_;
  Audit::Level level_;
  std::vector<Taken> parts_;
};

void draw(Panel& panel, const Stage& stage) {
  for (const Counter& c : stage.counters) {
    panel.element(elements()[c.element].per_column.inputs, c.column, "counter");
    panel.end_element("counter");
  }
  for (const Chain& chain : stage.chains) {
    unsigned at = chain.column;
    if (chain.entry != Entry::none) panel.element({1}, at, "chain");
    for (auto a : chain.atoms) {
      panel.element(elements()[a].per_column.inputs, at - elements()[a].first, "chain");
      at += elements()[a].width();
    }
    panel.end_element(chain.is_open ? "chain left-open" : "chain");
  }
}

// The legend; lists only styles that were used.
void legend(Svg& svg, const std::set<std::string>& used) {
  constexpr std::pair<const char*, const char*> entries[] = {{"bit", "bit"},
                                                             {"pair", "two bits, XNOR to come"},
                                                             {"open", "open carry"},
                                                             {"counter", "counter"},
                                                             {"chain", "carry chain"}};
  int x = margin;
  for (const auto& [style, text] : entries) {
    if (!used.contains(style)) continue;
    if (std::string_view(style) == "counter" || std::string_view(style) == "chain")
      svg.rounded(x, 5, 2 * outline, 2 * outline, outline, fmt::format("key {}", style));
    else
      svg.circle(x + outline, 11, 4, fmt::format("key {}", style));
    svg.text(x + 2 * outline + 6, 15, text);
    x += 34 + static_cast<int>(std::string_view(text).size()) * picture::letter_width;
  }
}

}  // namespace

std::string picture_svg(const TreePlan& plan) {
  const Audit a = audit(plan);
  const int wide = 2 * margin + std::max(static_cast<int>(plan.shape.width()) * column, 200);
  const auto panels = static_cast<int>(a.levels.size());
  int stacked = 0, most = 0;
  for (const auto& level : a.levels) {
    stacked += height(level);
    most = std::max(most, height(level));
  }
  // Put stages side by side if that fits a page better.
  const bool beside = std::max(panels * wide * 3, most * 4) < std::max(wide * 3, stacked * 4);
  Svg svg;
  svg.styled("bit", "fill:#1f2328", "fill:#e4e8ec");
  svg.styled("pair", "fill:#bf5b00", "fill:#f0a050");
  svg.styled("open", "fill:none;stroke:#1f2328", "stroke:#e4e8ec");
  svg.styled("counter", "fill:none;stroke:#2a5fd0", "stroke:#7fa8ff");
  svg.styled("chain", "fill:none;stroke:#1a7f37", "stroke:#63c97c");
  svg.styled("left-open", "stroke-dasharray:3", "");
  std::set<std::string> used;
  int left = 0, top = head / 2;
  for (int s = 0; s < panels; ++s) {
    const bool last = s + 1 == panels;
    const auto& level = a.levels[static_cast<std::size_t>(s)];
    Panel panel(svg, used, plan.shape.width(), level, left, top,
                s == 0 ? "heap, by column"
                : last ? fmt::format("at the end, finish {}", name(plan.finish))
                       : fmt::format("behind stage {}", s));
    if (!last) draw(panel, plan.stages[static_cast<std::size_t>(s)]);
    panel.dots();
    (beside ? left : top) += beside ? wide : height(level);
  }
  legend(svg, used);
  return svg.str(beside ? head / 2 + most : top);
}

}  // namespace kumiki::gen::compressor
