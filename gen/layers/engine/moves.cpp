// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/moves.h"

#include <algorithm>
#include <numeric>

#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

using graph::Graph;
using graph::Node;
using graph::Window;

// The number of the input that each number of the result is; -1: the constant.
std::vector<std::int64_t> sources_of(const Graph& g, const Node& n) {
  constexpr std::int32_t first = 1 << 24;  // above every constant
  const graph::Ends ends = graph::ends_of(g, n);
  graph::Numbers in(graph::count(ends.in().shape)), out(graph::count(ends.out().shape));
  std::iota(in.begin(), in.end(), first);
  kernels::Workers alone;
  std::visit([&](const auto& op) { graph::computer(op, ends)({in}, out, alone); }, n.op);
  std::vector<std::int64_t> sources;
  for (const std::int32_t number : out) sources.push_back(number >= first ? number - first : -1);
  return sources;
}

// The numbers of a map, [channel][line][column].
struct Places {
  std::int64_t lines, columns;
  std::int64_t number(std::int64_t c, std::int64_t y, std::int64_t x) const {
    return (c * lines + y) * columns + x;
  }
  std::array<std::int64_t, 3> of(std::int64_t number) const {
    return {number / columns / lines, number / columns % lines, number % columns};
  }
};

struct Search {
  Places in, out;
  std::int64_t channels;
  std::vector<std::int64_t> sources;

  std::int64_t at(std::int64_t c, std::int64_t y, std::int64_t x) const {
    return sources[static_cast<std::size_t>(out.number(c, y, x))];
  }
  // Lines or columns between neighbours along an axis, `factor` apart; 1 without neighbours.
  std::int64_t stride(std::size_t axis, std::int64_t factor) const {
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t y = 0; y < out.lines; ++y)
        for (std::int64_t x = 0; x < out.columns; ++x) {
          const std::int64_t to_y = axis == 0 ? y + factor : y, to_x = axis == 1 ? x + factor : x;
          if (to_y >= out.lines || to_x >= out.columns || at(c, y, x) < 0 || at(c, to_y, to_x) < 0)
            continue;
          return in.of(at(c, to_y, to_x))[axis + 1] - in.of(at(c, y, x))[axis + 1];
        }
    return 1;
  }
  std::optional<Moves> with(std::array<std::int64_t, 2> factor) const {
    Moves m{.factor = factor, .stride = {stride(0, factor[0]), stride(1, factor[1])}};
    if (m.stride[0] < 1 || m.stride[1] < 1) return {};
    for (std::int64_t i = 0; i < factor[0]; ++i)
      for (std::int64_t j = 0; j < factor[1]; ++j)
        for (std::int64_t c = 0; c < channels; ++c) m.sources.push_back(source(m, i, j, c));
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t y = 0; y < out.lines; ++y)
        for (std::int64_t x = 0; x < out.columns; ++x) {
          const Moves::Source& s = m.source(y % factor[0], x % factor[1], c);
          const std::int64_t from_y = y / factor[0] * m.stride[0] + s.shift[0],
                             from_x = x / factor[1] * m.stride[1] + s.shift[1];
          const bool inside = s.channel >= 0 && from_y >= 0 && from_y < in.lines && from_x >= 0 &&
                              from_x < in.columns;
          if (at(c, y, x) != (inside ? in.number(s.channel, from_y, from_x) : -1)) return {};
        }
    return m;
  }
  // By the first number that is none of the constant.
  Moves::Source source(const Moves& m, std::int64_t i, std::int64_t j, std::int64_t c) const {
    for (std::int64_t y = i; y < out.lines; y += m.factor[0])
      for (std::int64_t x = j; x < out.columns; x += m.factor[1])
        if (at(c, y, x) >= 0) {
          const auto [channel, from_y, from_x] = in.of(at(c, y, x));
          return {channel,
                  {from_y - y / m.factor[0] * m.stride[0], from_x - x / m.factor[1] * m.stride[1]}};
        }
    return {};
  }
};

// The shifts of a part of the result: the smallest ones and the window that has them all.
Window window_of(const Moves& m, std::int64_t i, std::int64_t j, std::int64_t channels) {
  std::array<std::int64_t, 2> least{}, most{};
  bool is_first = true;
  for (std::int64_t c = 0; c < channels; ++c) {
    const Moves::Source& s = m.source(i, j, c);
    if (s.channel < 0) continue;
    for (const std::size_t a : {0, 1}) {
      least[a] = is_first ? s.shift[a] : std::min(least[a], s.shift[a]);
      most[a] = is_first ? s.shift[a] : std::max(most[a], s.shift[a]);
    }
    is_first = false;
  }
  Window w;
  for (const std::size_t a : {0, 1}) {
    w.kernel[a] = static_cast<int>(most[a] - least[a] + 1);
    w.stride[a] = static_cast<int>(m.stride[a]);
    w.before[a] = static_cast<int>(-least[a]);
  }
  return w;
}

}  // namespace

bool is_moved(const Node& n) {
  return std::holds_alternative<graph::Transpose>(n.op) ||
         std::holds_alternative<graph::Pick>(n.op);
}

std::optional<Moves> moves_of(const Graph& g, const Node& n) {
  const graph::Shape &in = g.tensors[n.inputs[0]].shape, &out = g.tensors[n.output].shape;
  if (in.size() != 3 || out.size() != 3) return {};
  const Search search{.in = {in[1], in[2]},
                      .out = {out[1], out[2]},
                      .channels = out[0],
                      .sources = sources_of(g, n)};
  const auto factor = [&](std::size_t a) {
    return out[a] % in[a] == 0 ? std::int64_t{out[a] / in[a]} : std::int64_t{1};
  };
  auto found = search.with({1, 1});
  if (!found) found = search.with({factor(1), factor(2)});
  if (!found) return {};
  if (const auto* pick = std::get_if<graph::Pick>(&n.op)) found->fill = pick->fill;
  for (std::int64_t i = 0; i < found->factor[0]; ++i)
    for (std::int64_t j = 0; j < found->factor[1]; ++j)
      if (window_of(*found, i, j, out[0]).taps() > EngineShape::most_taps) return {};
  return found;
}

std::string no_moves(const Known& known, const Node& n) {
  return known.moves(n) ? "" : "it moves numbers in a way that no walk has";
}

void move(Lowerer& l, const Job& j) {
  const Node& n = l.node(j);
  const graph::TensorId input = n.inputs[0];
  const graph::Tensor &in = l.tensor(input), &out = l.tensor(n.output);
  const Moves& m = *l.known().moves(n);
  const std::int64_t channels = out.shape[0], fill = m.fill - stored_less(in);
  for (std::int64_t i = 0; i < m.factor[0]; ++i)
    for (std::int64_t k = 0; k < m.factor[1]; ++k) {
      const Window w = window_of(m, i, k, channels);
      const std::array<std::int64_t, 2> size{out.shape[1] / m.factor[0],
                                             out.shape[2] / m.factor[1]};
      l.walks(w, input, size, [&](Part part) {
        part.walk.pad = static_cast<std::int8_t>(fill);
        part.walk.blocks = l.location(input).map.blocks();
        part.first = {part.first[0] * m.factor[0] + i, part.first[1] * m.factor[1] + k};
        for (const std::size_t a : {0, 1}) part.step[a] *= m.factor[a];
        Op op = moved(
            l, j, part, {0, channels}, [&](std::int64_t c, std::int64_t from, std::int64_t tap) {
              const Moves::Source& s = m.source(i, k, c);
              return s.channel == from &&
                     tap == (s.shift[0] + w.before[0]) * w.kernel[1] + s.shift[1] + w.before[1];
            });
        for (std::int64_t c = 0; c < channels; ++c)
          if (m.source(i, k, c).channel < 0)
            op.parameters[static_cast<std::size_t>(c)].bias = static_cast<std::int32_t>(fill);
        l.add(j, input, part, std::move(op));
      });
    }
}

Op moved(Lowerer& l, const Job& j, const Part& part, std::array<std::int64_t, 2> channels,
         const std::function<bool(std::int64_t, std::int64_t, std::int64_t)>& is_one) {
  const std::int64_t first_channel = channels[0], count = channels[1];
  const std::int64_t rows = l.shape().rows, lanes = l.shape().columns,
                     first = first_channel / lanes,
                     tiles = ceil_div(first_channel + count, lanes) - first;
  Op op{.unit = Unit::products,
        .walk = part.walk,
        .first_tile = first,
        .tiles = tiles,
        .first_channel = first_channel,
        .channels = count,
        .target = l.target(j.output, part),
        .parameters = l.unchanged(tiles * lanes)};
  const auto is_channel = [&](std::int64_t c) {
    return c >= first_channel && c < first_channel + count;
  };
  for (std::int64_t t = first; t < first + tiles && l.has_weights(); ++t)
    for (std::int64_t tap = 0; tap < std::ssize(part.walk.taps); ++tap)
      for (std::int64_t from = 0; from < part.walk.blocks * rows; ++from)
        for (std::int64_t c = t * lanes; c < (t + 1) * lanes; ++c)
          op.weights.push_back(is_channel(c) && is_one(c, from, tap) ? 1 : 0);
  return op;
}

}  // namespace kumiki::gen::engine
