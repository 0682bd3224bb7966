// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/picture.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/graph/layering.h"
#include "gen/graph/plan.h"
#include "ir/picture/svg.h"
#include "ir/picture/text.h"

namespace kumiki::gen::graph {
namespace {

using picture::Anchor;
using picture::letter_width;
using picture::line_height;

constexpr int margin = 20, between_rows = 36, inset = 10, corner = 6, head = 5;
constexpr int longest_name = 32;  // letters; the end of a name tells more

struct Box {
  std::string name;                // faint
  std::vector<std::string> lines;  // below it
  const char* style;
  int width() const {
    int letters = picture::letters(name);
    for (const std::string& l : lines) letters = std::max(letters, picture::letters(l));
    return letters * letter_width + 2 * inset;
  }
  int height() const { return (static_cast<int>(lines.size()) + 1) * line_height + inset; }
};

std::string number_text(const Tensor& t) {
  return fmt::format("{} {}", to_string(t.format), to_string(t.shape));
}

// A letter of UTF-8 stays whole.
std::string shortened(const std::string& name) {
  int letters = picture::letters(name);
  if (letters <= longest_name) return name;
  std::size_t at = 0;
  for (; letters > longest_name - 2; --letters) do
      ++at;
    while (at < name.size() && (static_cast<unsigned char>(name[at]) & 0xC0) == 0x80);
  return ".." + name.substr(at);
}

const char* style_of(const Operator& op) {
  if (std::holds_alternative<Conv>(op)) return "multiplies";
  const bool moves = std::holds_alternative<Reshape>(op) || std::holds_alternative<Transpose>(op) ||
                     std::holds_alternative<Concat>(op);
  return moves ? "moves" : "computes";
}

std::uint64_t products_of(const Graph& g, const Node& n) {
  const auto* conv = std::get_if<Conv>(&n.op);
  if (conv == nullptr) return 0;
  const Shape& shape = g.tensors[n.output].shape;
  return conv->weights.size() * static_cast<std::uint64_t>(shape[1]) *
         static_cast<std::uint64_t>(shape[2]);
}

struct Drawn {
  std::vector<Box> boxes;
  std::vector<std::pair<std::size_t, std::size_t>> lines;
};

// The input, the nodes, the outputs.
Drawn drawn(const Graph& g) {
  Drawn d;
  std::vector<std::size_t> maker(g.tensors.size());
  const Tensor& input = g.tensors[g.input];
  d.boxes.push_back({shortened(input.name), {"input", number_text(input)}, "end"});
  for (const Node& n : g.nodes) {
    const std::size_t self = d.boxes.size();
    for (const TensorId id : n.inputs) d.lines.emplace_back(maker[id], self);
    maker[n.output] = self;
    Box box{
        shortened(n.name), {description(n.op), number_text(g.tensors[n.output])}, style_of(n.op)};
    if (const auto products = products_of(g, n); products > 0)
      box.lines.push_back(picture::grouped(products) + " products");
    d.boxes.push_back(std::move(box));
  }
  for (const TensorId id : g.outputs) {
    d.lines.emplace_back(maker[id], d.boxes.size());
    d.boxes.push_back({shortened(g.tensors[id].name), {"output"}, "end"});
  }
  return d;
}

}  // namespace

std::string network_svg(const Graph& g) {
  const Drawn d = drawn(g);
  std::vector<int> widths;
  for (const Box& b : d.boxes) widths.push_back(b.width());
  const Layering at = layered(widths, d.lines);

  picture::Svg svg;
  svg.styled("multiplies", "fill:#9ecae1", "fill:#1f5478");
  svg.styled("computes", "fill:#d5c9ec", "fill:#4c3f70");
  svg.styled("moves", "fill:#eeeeee", "fill:#2c3138");
  svg.styled("end", "fill:#dff0c8", "fill:#3f5323");
  svg.styled("head", "fill:#1f2328", "fill:#8b949e");
  std::vector<int> top, bottom;
  int y = margin;
  for (const auto& row : at.rows) {
    int height = 0;
    for (const std::size_t p : row)
      if (at.places[p].is_box) height = std::max(height, d.boxes[p].height());
    top.push_back(y);
    bottom.push_back(y += height);
    y += between_rows;
  }
  const auto x_of = [&](std::size_t p) { return margin + at.places[p].x; };
  const auto row_of = [&](std::size_t p) { return static_cast<std::size_t>(at.places[p].row); };
  const auto middle_of = [&](std::size_t p) { return (top[row_of(p)] + bottom[row_of(p)]) / 2; };
  // Boxes stand in the middle of their row; lines begin and end at them.
  const auto upper = [&](std::size_t p) {
    return at.places[p].is_box ? middle_of(p) - d.boxes[p].height() / 2 : top[row_of(p)];
  };
  const auto lower = [&](std::size_t p) {
    return at.places[p].is_box ? upper(p) + d.boxes[p].height() : bottom[row_of(p)];
  };

  // Several lines into a box end side by side, in the order of where they come from.
  std::vector<std::vector<std::size_t>> into(d.boxes.size());
  for (std::size_t l = 0; l < at.lines.size(); ++l) into[at.lines[l].back()].push_back(l);
  std::vector<int> end_of(at.lines.size());
  for (std::size_t b = 0; b < into.size(); ++b) {
    auto& all = into[b];
    std::ranges::stable_sort(
        all, {}, [&](std::size_t l) { return x_of(at.lines[l][at.lines[l].size() - 2]); });
    const int ends = static_cast<int>(all.size());
    const int step = std::min(24, (d.boxes[b].width() - 2 * inset) / std::max(1, ends));
    for (int i = 0; i < ends; ++i)
      end_of[all[static_cast<std::size_t>(i)]] = x_of(b) + step * i - step * (ends - 1) / 2;
  }

  for (std::size_t l = 0; l < at.lines.size(); ++l) {
    const auto& line = at.lines[l];
    int x = x_of(line[0]), from = lower(line[0]);
    std::string path = fmt::format("M{} {}", x, from);
    for (std::size_t i = 1; i < line.size(); ++i) {
      const bool last = i + 1 == line.size();
      const int to_x = last ? end_of[l] : x_of(line[i]);
      const int to = last ? upper(line[i]) - head : upper(line[i]);
      // Between the rows alone it leaves its column.
      const int start = bottom[row_of(line[i - 1])], stop = top[row_of(line[i])] - head;
      if (start > from) path += fmt::format("V{}", start);
      const int half = (start + stop) / 2;
      path += fmt::format("C{} {} {} {} {} {}", x, half, to_x, half, to_x, stop);
      path += fmt::format("V{}", last ? to : lower(line[i]));
      x = to_x;
      from = last ? to : lower(line[i]);
    }
    svg.path(path);
    svg.path(
        fmt::format("M{} {}h{}l{} {}l{} {}z", x - head, from, 2 * head, -head, head, -head, -head),
        "head");
  }
  for (std::size_t b = 0; b < d.boxes.size(); ++b) {
    const Box& box = d.boxes[b];
    const int left = x_of(b) - box.width() / 2;
    int text = upper(b);
    svg.rounded(left, text, box.width(), box.height(), corner, box.style);
    svg.faint(x_of(b), text += line_height, box.name, Anchor::middle);
    for (const std::string& l : box.lines)
      svg.text(x_of(b), text += line_height, l, Anchor::middle);
  }
  return svg.str(y - between_rows + margin);
}

std::string network_text(const Graph& g) {
  std::vector<std::string> maker(g.tensors.size());
  maker[g.input] = g.tensors[g.input].name;
  std::string text =
      fmt::format("{}: input {}\n", g.tensors[g.input].name, number_text(g.tensors[g.input]));
  for (const Node& n : g.nodes) {
    std::vector<std::string> read;
    for (const TensorId id : n.inputs) read.push_back(maker[id]);
    maker[n.output] = n.name;
    text += fmt::format("{}: {} of {} makes {}\n", n.name, description(n.op),
                        fmt::join(read, " and "), number_text(g.tensors[n.output]));
  }
  for (const TensorId id : g.outputs)
    text += fmt::format("{}: output of {}\n", g.tensors[id].name, maker[id]);
  return text;
}

}  // namespace kumiki::gen::graph
