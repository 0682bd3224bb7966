// SPDX-License-Identifier: Apache-2.0
// The dot diagram as SVG: a panel a stage, a column of dots a column of the heap, the highest on
// the left. Counters and chains outline the dots that they take, in the order in which the netlist
// hands them out; a chain is one line through its columns, dashed where its carry stays open. An
// open carry, three nets that the next element's LUTs read, is a ring. Panels of a tall heap stand
// side by side.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/compressor/picture.h"

namespace kumiki::gen::compressor {
namespace {

constexpr unsigned pitch = 14, margin = 20, head = 22;

class Panel {
 public:
  Panel(const TreePlan& plan, const Audit::Level& level, unsigned left, unsigned top,
        const std::string& title)
      : width_(plan.shape.width()), left_(left), top_(top), taken_(width_), level_(level) {
    svg_ = fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", left + margin, top + 12, title);
    for (unsigned c = 0; c < width_; ++c)
      for (unsigned i = 0; i < level.bits[c] + level.pairs[c] + level.opens[c]; ++i)
        svg_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\" class=\"{}\"/>\n", x(c), y(i),
                            i < level.pairs[c]                   ? "pair"
                            : i < level.pairs[c] + level.bits[c] ? "bit"
                                                                 : "open");
  }

  // Outlines what an element takes of every column; the middle of each column's part.
  void element(const std::vector<unsigned>& inputs, unsigned column, const char* style) {
    for (std::size_t o = 0; o < inputs.size(); ++o) {
      const unsigned c = column + static_cast<unsigned>(o);
      if (inputs[o] == 0 || c >= width_) continue;
      const unsigned left = level_.bits[c] + level_.pairs[c] + level_.opens[c] - taken_[c];
      const unsigned n = std::min(inputs[o], left);
      if (n == 0) continue;
      svg_ += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"{}\" rx=\"6\" class=\"box {}\"/>\n",
          x(c) - 6, y(taken_[c]) - 6, (n - 1) * pitch + 12, style);
      line_.push_back(fmt::format("{},{}", x(c), y(taken_[c]) + (n - 1) * pitch / 2));
      taken_[c] += n;
    }
  }

  void end_element(const char* style) {
    if (line_.size() > 1)
      svg_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", fmt::join(line_, " "), style);
    line_.clear();
  }

  const std::string& svg() const { return svg_; }

 private:
  unsigned x(unsigned column) const {
    return left_ + margin + (width_ - 1 - column) * pitch + pitch / 2;
  }
  unsigned y(unsigned row) const { return top_ + head + row * pitch + pitch / 2; }

  unsigned width_, left_, top_;
  std::vector<unsigned> taken_;
  Audit::Level level_;
  std::string svg_;
  std::vector<std::string> line_;
};

void draw(Panel& panel, const Stage& stage) {
  for (const Counter& c : stage.counters) {
    panel.element(elements()[c.element].inputs(), c.column, "counter");
    panel.end_element("counter");
  }
  for (const Chain& chain : stage.chains) {
    unsigned column = chain.column;
    if (chain.entry != Entry::none) panel.element({1}, column, "chain");
    for (auto a : chain.atoms) {
      panel.element(elements()[a].inputs(), column - elements()[a].first, "chain");
      column += elements()[a].width();
    }
    panel.end_element(chain.is_open ? "chain left-open" : "chain");
  }
}

unsigned height(const Audit::Level& level) {
  unsigned most = 0;
  for (unsigned c = 0; c < level.bits.size(); ++c)
    most = std::max(most, level.bits[c] + level.pairs[c] + level.opens[c]);
  return head + most * pitch + margin;
}

constexpr const char* legend =
    "<text x=\"20\" y=\"14\"><tspan fill=\"#36c\">counter</tspan>  "
    "<tspan fill=\"#292\" dx=\"6\">chain</tspan><tspan dx=\"6\">ring: what its readers' LUTs "
    "make</tspan></text>\n";

}  // namespace

std::string picture_svg(const TreePlan& plan) {
  const Audit a = audit(plan);
  const unsigned wide = 2 * margin + std::max(plan.shape.width() * pitch, 180u);
  const auto panels = static_cast<unsigned>(a.levels.size());
  unsigned stacked = 0, tallest = 0;
  for (const auto& level : a.levels) {
    stacked += height(level);
    tallest = std::max(tallest, height(level));
  }
  // As much as a page shows at once.
  const bool beside = std::max(panels * wide * 3, tallest * 4) < std::max(wide * 3, stacked * 4);
  std::string body = legend;
  unsigned left = 0, top = head;
  for (unsigned s = 0; s < panels; ++s) {
    const bool last = s + 1 == panels;
    Panel panel(plan, a.levels[s], left, top,
                s == 0 ? "heap"
                : last ? fmt::format("at the end, finish {}", name(plan.finish))
                       : fmt::format("behind stage {}", s));
    if (!last) draw(panel, plan.stages[s]);
    body += panel.svg();
    (beside ? left : top) += beside ? wide : height(a.levels[s]);
  }
  const unsigned width = beside ? left : std::max(wide, 360u);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<style>.bit{{fill:#222}} .pair{{fill:#c60}} .box,polyline{{fill:none}} "
      ".counter{{stroke:#36c}} .chain{{stroke:#292}} .open{{fill:none;stroke:#222}} "
      ".left-open{{stroke-dasharray:3}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{2}</svg>\n",
      width, beside ? head + tallest : top, body);
}

}  // namespace kumiki::gen::compressor
