// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/picture.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "ir/picture/plot.h"
#include "ir/picture/svg.h"
#include "ir/picture/text.h"

namespace kumiki::gen::engine {
namespace {

namespace paint = picture::paint;
using picture::Anchor;
using picture::letter_width;
using picture::Paint;
using picture::Svg;

constexpr int left = 16, right = 496, head = 44, line = picture::line_height + 2, gap = 8;
constexpr int longest_name = 40, name_letters = 20,
              behind_names = left + name_letters * letter_width + gap;

const Paint& paint_of(Cause cause) {
  constexpr std::array<const Paint*, causes> all{&paint::computes, &paint::leaves, &paint::waits,
                                                 &paint::loads,    &paint::stores, &paint::begins};
  return *all[static_cast<std::size_t>(cause)];
}

// Weights that come are no clocks in which something waits for them.
const Paint& paint_of(const Span& s) {
  return s.part == Busy::weights ? paint::weights : paint_of(s.cause);
}

std::string count(std::int64_t n) { return picture::grouped(static_cast<std::uint64_t>(n)); }

std::string share(std::int64_t part, std::int64_t all) {
  if (part > 0 && 200 * part < all) return "< 1 %";
  return fmt::format("{} %", (200 * part + all) / (2 * all));
}

// Numbers along a line from left to right.
struct Axis {
  int from = left, to = right;
  std::int64_t end = 1;
  int width() const { return to - from; }
  int pixel(std::int64_t n) const { return static_cast<int>(n * width() / end); }
  // Lines from `top` to `bottom`, and their numbers above.
  void draw(Svg& svg, int top, int bottom, int most_ticks) const {
    const auto step = static_cast<std::int64_t>(
        std::max(1.0, picture::tick_distance(static_cast<double>(end), most_ticks)));
    for (std::int64_t n = 0; n <= end; n += step) {
      const int x = from + pixel(n);
      svg.path(fmt::format("M{} {}V{}", x, top, bottom), "grid");
      const int half = picture::letters(count(n)) * letter_width / 2;
      if (x + half <= to || n == 0) svg.faint(x, top - 4, count(n), Anchor::middle);
    }
  }
};

void style(Svg& svg) { svg.styled("grid", "stroke:#d0d7de;fill:none", "stroke:#30363d"); }

std::string title(const Program& p, std::string_view what) {
  const auto most = static_cast<std::size_t>((right - left) / letter_width) - what.size() - 2;
  return fmt::format("{}: {}", picture::both_ends(p.graph->name, static_cast<int>(most)), what);
}

std::string run_text(const Program& p, const Timeline& t) {
  return fmt::format("{} in {} clocks", images_of(p), count(t.clocks));
}

class TimelineDrawing {
 public:
  TimelineDrawing(const Program& p, const Timeline& t)
      : p_(p), t_(t), axis_{.end = t.clocks}, by_layer_(t.layers.size()) {
    for (const Span& s : t.spans) by_layer_[t.layer_of[s.step]].push_back(&s);
  }

  std::string svg() {
    const auto lanes = this->lanes();
    const auto rows = this->rows();
    int bottom = head + lane_line * static_cast<int>(lanes.size()) + gap;
    for (const Row& r : rows) bottom += r.has_own_line ? 2 * line : line;
    style(svg_);
    svg_.text(left, 20, title(p_, run_text(p_, t_)));
    axis_.draw(svg_, head, bottom, 5);
    int y = head;
    for (const Lane& l : lanes) {
      svg_.text(left, y + 13, l.name);
      svg_.faint(right, y + 13,
                 fmt::format("{} clocks, {}", count(l.busy), share(l.busy, t_.clocks)),
                 Anchor::end);
      draw(l.spans, y + line, 12);
      y += lane_line;
    }
    y += gap;
    for (const Row& r : rows) y = draw(r, y);
    y += gap;
    return svg_.str(y + svg_.legend(left, y, right - left) + gap);
  }

 private:
  static constexpr int lane_line = 34;
  using Spans = std::vector<const Span*>;
  struct Lane {
    const char* name;
    Spans spans;
    std::int64_t busy = 0;
  };
  struct Row {
    std::string name;
    Spans streams, unit;
    int from = 0, to = 0;  // pixels
    bool has_own_line = false;
  };

  static bool is_busy(const Span& s) { return s.part != Busy::unit || s.cause != Cause::weights; }

  // Those that the network uses.
  std::vector<Lane> lanes() const {
    std::vector<Lane> all{{"operations", {}}, {"weights", {}}, {"columns", {}}, {"depthwise", {}},
                          {"maximum", {}},    {"loads", {}},   {"stores", {}},  {"normaliser", {}}};
    for (const Span& s : t_.spans) {
      Lane& l = all[lane_of(s)];
      l.spans.push_back(&s);
      if (is_busy(s)) l.busy += s.end - s.begin;
    }
    std::erase_if(all, [](const Lane& l) { return l.spans.empty(); });
    return all;
  }
  std::size_t lane_of(const Span& s) const {
    switch (s.part) {
      case Busy::operations:
        return 0;
      case Busy::weights:
        return 1;
      case Busy::unit:
        return 2 + static_cast<std::size_t>(std::get<Op>(p_.steps[s.step]).unit);
      case Busy::loads:
        return 5;
      case Busy::stores:
        return 6;
      case Busy::normaliser:
        return 7;
    }
    return 0;
  }

  // The name of a layer is beside its bars, or above them if there is no room.
  std::vector<Row> rows() const {
    std::vector<std::size_t> order(t_.layers.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return t_.layers[i].begin; });
    std::vector<Row> all;
    for (const std::size_t i : order) {
      Row r{.name = picture::both_ends(t_.layers[i].name, longest_name), .streams = {}, .unit = {}};
      for (const Span* s : by_layer_[i])
        (s->part == Busy::unit || s->part == Busy::normaliser ? r.unit : r.streams).push_back(s);
      r.from = left + axis_.pixel(t_.layers[i].begin);
      r.to = left + axis_.pixel(t_.layers[i].end) + 1;
      const int room = width_of(r) + 2 * gap;
      r.has_own_line = r.to + room > right && r.from - room < left;
      all.push_back(std::move(r));
    }
    return all;
  }
  static int width_of(const Row& r) { return picture::letters(r.name) * letter_width; }

  int draw(const Row& r, int y) {
    if (r.has_own_line) {
      svg_.text(left, y + 13, r.name);
      y += line;
    } else if (r.to + gap + width_of(r) <= right) {
      svg_.text(r.to + gap, y + 13, r.name);
    } else {
      svg_.text(r.from - gap, y + 13, r.name, Anchor::end);
    }
    draw(r.streams, y + 2, 5);
    draw(r.unit, y + 8, 8);
    return y + line;
  }

  // Spans as bars that do not overlap: of those in a pixel, that of the cause that comes first.
  void draw(const Spans& spans, int y, int height) {
    std::vector<const Span*> pixels(static_cast<std::size_t>(axis_.width()));
    for (const Span* s : spans) {
      const int from = std::min(axis_.pixel(s->begin), axis_.width() - 1),
                to = std::max(axis_.pixel(s->end), from + 1);
      for (int x = from; x < to; ++x)
        if (const Span*& p = pixels[static_cast<std::size_t>(x)]; !p || s->cause < p->cause) p = s;
    }
    const auto same = [&](const Span* a, const Span* b) {
      return a && b && &paint_of(*a) == &paint_of(*b) &&
             t_.layer_of[a->step] == t_.layer_of[b->step];
    };
    for (std::size_t x = 0, end = 0; x < pixels.size(); x = end) {
      for (end = x + 1; end < pixels.size() && same(pixels[x], pixels[end]);) ++end;
      if (pixels[x])
        svg_.bar(left + static_cast<int>(x), y, static_cast<int>(end - x), height,
                 paint_of(*pixels[x]));
    }
  }

  const Program& p_;
  const Timeline& t_;
  Axis axis_;
  std::vector<Spans> by_layer_;
  Svg svg_;
};

// Steps of a layer that follow each other.
struct Run {
  std::size_t layer = 0, first = 0, steps = 0;
  // Each step has some height, so that strips can be told apart.
  int height() const { return std::max(line, 3 * static_cast<int>(steps)); }
  int y(std::size_t step) const {
    return static_cast<int>(step - first) * height() / static_cast<int>(steps);
  }
};

}  // namespace

std::string timeline_svg(const Program& p, const Timeline& t) {
  return TimelineDrawing(p, t).svg();
}

std::string memory_svg(const Program& p, const Timeline& t) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    if (runs.empty() || runs.back().layer != t.layer_of[i])
      runs.push_back({.layer = t.layer_of[i], .first = i});
    ++runs.back().steps;
  }
  Svg svg;
  style(svg);
  svg.text(left, 20,
           title(p, fmt::format("{} of {} places", count(p.places), count(p.shape.places))));
  std::vector<int> edges;  // above each step, and below the last one
  int y = head;
  for (const Run& r : runs) {
    for (std::size_t i = 0; i < r.steps; ++i) edges.push_back(y + r.y(r.first + i));
    y += r.height();
  }
  edges.push_back(y);
  const Axis axis{.from = behind_names, .to = right, .end = std::max<std::int64_t>(p.places, 1)};
  axis.draw(svg, head, y, 4);
  for (const Run& r : runs)
    svg.text(left, edges[r.first] + 13, picture::both_ends(t.layers[r.layer].name, name_letters));
  for (const Held& h : p.held) {
    const int from = std::min(axis.pixel(h.place), axis.width() - 1),
              to = std::max(axis.pixel(h.place + h.places), from + 1), top = edges[h.first],
              height = edges[h.last + 1] - top, letters = (to - from - gap / 2) / letter_width;
    svg.rect(axis.from + from, top, to - from, height, h.is_strip ? paint::strip : paint::map);
    const std::string& name = p.graph->tensors[h.tensor].name;
    if (height >= line && (letters >= 6 || letters >= picture::letters(name)))
      svg.text(axis.from + from + gap / 2, top + 13, picture::both_ends(name, letters));
  }
  y += gap;
  return svg.str(y + svg.legend(left, y, right - left) + gap);
}

std::string clocks_svg(const Program& p, const Timeline& t) {
  Svg svg;
  svg.text(left, 20, title(p, run_text(p, t)));
  int y = 32;
  const auto numbers = [&](std::int64_t clocks) {
    svg.text(right - 6 * letter_width, y + 13, count(clocks), Anchor::end);
    svg.text(right, y + 13, share(clocks, t.clocks), Anchor::end);
  };
  // The bars of all layers have one scale, and those of all causes another one.
  const auto bar = [&](int from, int to, int at, std::size_t cause) {
    if (to > from) svg.bar(from, at, to - from, line - 6, paint_of(static_cast<Cause>(cause)));
  };
  const ByCause all = t.by_cause();
  const Axis of_causes{.from = behind_names, .to = 360, .end = t.clocks};
  for (std::size_t c = 0; c < causes; ++c, y += line) {
    const Paint& cause = paint_of(static_cast<Cause>(c));
    svg.rect(left, y + 2, 14, 14, cause);
    svg.text(left + 20, y + 13, cause.meaning);
    bar(behind_names, behind_names + of_causes.pixel(all[c]), y + 3, c);
    numbers(all[c]);
  }
  Axis of_layers{.end = 1};
  for (const LayerClocks& l : t.layers) of_layers.end = std::max(of_layers.end, l.clocks());
  for (const LayerClocks& l : t.layers) {
    y += gap;
    svg.text(left, y + 13, picture::both_ends(l.name, longest_name));
    numbers(l.clocks());
    std::int64_t before = 0;
    for (std::size_t c = 0; c < causes; ++c) {
      const int from = left + of_layers.pixel(before);
      before += l.by_cause[c];
      bar(from, left + of_layers.pixel(before), y + line, c);
    }
    y += 2 * line - 6;
  }
  return svg.str(y + 2 * gap);
}

}  // namespace kumiki::gen::engine
