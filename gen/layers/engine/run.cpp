// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/run.h"

#include <algorithm>

#include "gen/operators/add/meaning.h"

namespace kumiki::gen::engine {

Machine::Machine(const EngineShape& shape)
    : shape_(shape), bytes_(static_cast<std::size_t>(shape.places * shape.rows)) {}

std::span<std::int8_t> Machine::word(std::int64_t place) {
  return std::span(bytes_).subspan(static_cast<std::size_t>(place * shape_.rows),
                                   static_cast<std::size_t>(shape_.rows));
}

std::int8_t stored_result(const Second& s, std::int8_t fresh, std::int8_t other) {
  const std::int32_t a = fresh + stored_less(s.fresh), b = other + stored_less(s.other);
  return static_cast<std::int8_t>((s.is_first ? graph::added(s.fresh, s.other, s.result, a, b)
                                              : graph::added(s.other, s.fresh, s.result, b, a)) -
                                  stored_less(s.result));
}

void Machine::load(const Load& l, const graph::Tensor& t,
                   const std::vector<std::int32_t>& numbers) {
  const std::int64_t height = t.shape[1], width = t.shape[2], channels = t.shape[0];
  for (std::int64_t line = 0; line < l.lines; ++line)
    for (std::int64_t x = 0; x < l.to.width; ++x)
      for (std::int64_t c = 0; c < l.to.channels; ++c) {
        const std::int64_t column = x * l.stride + c / channels * l.dilation - l.before;
        const std::int32_t number =
            column < 0 || column >= width
                ? t.zero_point
                : numbers[static_cast<std::size_t>(
                      ((l.first_channel + c % channels) * height + l.first_line + line) * width +
                      column)];
        word(l.to.place(c / shape_.rows, line, x))[static_cast<std::size_t>(c % shape_.rows)] =
            static_cast<std::int8_t>(number - stored_less(t));
      }
}

std::vector<std::int32_t> Machine::numbers(const Map& map, const graph::Tensor& t) const {
  std::vector<std::int32_t> all;
  for (std::int64_t c = 0; c < map.channels; ++c)
    for (std::int64_t y = 0; y < map.height; ++y)
      for (std::int64_t x = 0; x < map.width; ++x)
        all.push_back(bytes_[static_cast<std::size_t>(
                          map.place(c / shape_.rows, y, x) * shape_.rows + c % shape_.rows)] +
                      stored_less(t));
  return all;
}

void Machine::store(const Store& s, const graph::Tensor& t,
                    std::vector<std::int32_t>& numbers) const {
  numbers.resize(graph::count(t.shape));
  const std::vector<std::int32_t> lines = Machine::numbers(s.from, t);
  const auto length = static_cast<std::ptrdiff_t>(s.from.height * s.from.width);
  for (std::int64_t c = 0; c < s.from.channels; ++c)
    std::copy_n(lines.begin() + c * length, length,
                numbers.begin() + ((s.first_channel + c) * t.shape[1] + s.first_line) * t.shape[2]);
}

namespace {

// Calls f(number of the tensor, number of the end) for all numbers of an input or output.
template <class F>
void for_numbers(const Program& p, const End& end, F&& f) {
  const graph::Shape all = p.graph->tensors[end.tensor].shape, own = p.shape_of(end);
  std::size_t i = 0;
  for (int line = 0; line < own[0] * own[1]; ++line)
    for (int x = 0; x < own[2]; ++x)
      f(static_cast<std::size_t>(std::int64_t{line} * all[2] + end.column.value_or(0) + x), i++);
}

}  // namespace

std::vector<std::span<const std::int32_t>> inputs_of(const Program& p,
                                                     std::span<const std::int32_t> images) {
  std::vector<std::span<const std::int32_t>> all;
  for (const std::vector<End>& image : p.inputs)
    for (const End& end : image) {
      all.push_back(images.first(graph::count(p.shape_of(end))));
      images = images.subspan(all.back().size());
    }
  return all;
}

std::vector<graph::Numbers> constants_of(const Program& p) {
  std::vector<graph::Numbers> all(p.graph->tensors.size());
  for (const graph::Node& n : p.graph->nodes)
    if (const auto* constant = std::get_if<graph::Constant>(&n.op))
      all[n.output].assign(constant->values.begin(), constant->values.end());
  return all;
}

std::vector<graph::Numbers> outside_of(const Program& p, std::span<const std::int32_t> images) {
  std::vector<graph::Numbers> outside = constants_of(p);
  const auto given = inputs_of(p, images);
  std::size_t next = 0;
  for (const std::vector<End>& image : p.inputs)
    for (std::size_t number = 0; number < image.size(); ++number) {
      const End& end = image[number];
      const graph::Numbers own = p.input_orders[number].to_map(p.shape_of(end), given[next++]);
      graph::Numbers& all = outside[end.tensor];
      all.resize(graph::count(p.graph->tensors[end.tensor].shape));
      for_numbers(p, end, [&](std::size_t at, std::size_t i) { all[at] = own[i]; });
    }
  return outside;
}

std::vector<graph::Numbers> results_of(const Program& p,
                                       const std::vector<graph::Numbers>& outside) {
  std::vector<graph::Numbers> all;
  for (const std::vector<End>& image : p.outputs)
    for (std::size_t number = 0; number < image.size(); ++number) {
      const graph::Shape shape = p.shape_of(image[number]);
      graph::Numbers own(graph::count(shape));
      for_numbers(p, image[number], [&](std::size_t at, std::size_t i) {
        own[i] = outside[image[number].tensor][at];
      });
      all.push_back(p.output_orders[number].to_host(shape, own));
    }
  return all;
}

}  // namespace kumiki::gen::engine
