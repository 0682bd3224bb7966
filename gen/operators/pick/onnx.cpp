// SPDX-License-Identifier: Apache-2.0
// Operators that pick numbers axis by axis, of results and of constants.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

using Places = std::vector<std::int64_t>;

Places whole(std::int64_t size) {
  Places all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Picks whole(const Dims& dims) {
  Picks all;
  for (const auto size : dims) all.push_back(whole(size));
  return all;
}

std::size_t axis_in(std::int64_t axis, const Dims& dims) {
  const auto rank = static_cast<std::int64_t>(dims.size());
  if (axis < -rank || axis >= rank)
    throw Stop{fmt::format("has the axis {} of {}; it must be {} to {}", axis, to_string(dims),
                           -rank, rank - 1)};
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

}  // namespace

static void slice(Call& call) {
  const Value& value = call.any(0);
  const bool old = call.count() == 1;  // until opset 9
  const auto given = [&](std::size_t i, const char* attribute) {
    return old ? call.integers(attribute, {}) : call.has(i) ? call.constant_integers(i) : Places{};
  };
  const Places starts = given(1, "starts"), ends = given(2, "ends");
  Places axes = given(3, "axes"), steps = given(4, "steps");
  if (axes.empty()) axes = whole(static_cast<std::int64_t>(starts.size()));
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    throw Stop{fmt::format("has {} starts, {} ends, {} axes and {} steps; they must be as many",
                           starts.size(), ends.size(), axes.size(), steps.size())};
  Picks picks = whole(value.dims);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = axis_in(axes[i], value.dims);
    const std::int64_t size = value.dims[axis], step = steps[i];
    if (step == 0) throw Stop{"has a step of 0; it must be another number"};
    // Places beyond the ends of the axis are left out.
    const auto within = [&](std::int64_t place) {
      if (place < 0) place = place < -size ? -1 : place + size;
      const std::int64_t low = step > 0 ? 0 : -1;
      return std::clamp(place, low, step > 0 ? size : size - 1);
    };
    const std::int64_t from = within(starts[i]);
    const std::int64_t to = ends[i] < -size ? (step > 0 ? 0 : -1) : within(ends[i]);
    Places& places = picks[axis];
    places.clear();
    const std::int64_t stride = std::clamp(step, -size - 1, size + 1);
    for (std::int64_t at = from; step > 0 ? at < to : at > to; at += stride) places.push_back(at);
  }
  call.result(call.walk.picked(value, picks, call.out()));
}

static void split(Call& call) {
  const Value& value = call.any(0);
  const std::size_t axis = axis_in(call.integer("axis", 0), value.dims);
  const std::int64_t size = value.dims[axis];
  Places parts = call.has(1) ? call.constant_integers(1) : call.integers("split", {});
  const auto count = static_cast<std::int64_t>(call.node.outputs.size());
  if (const auto wanted = call.integer("num_outputs", count); wanted != count)
    throw Stop{fmt::format("has num_outputs = {} and {} outputs", wanted, count)};
  if (parts.empty()) {
    const std::int64_t each = (size + count - 1) / count;
    parts.assign(static_cast<std::size_t>(count), each);
    parts.back() = size - (count - 1) * each;
  }
  if (static_cast<std::int64_t>(parts.size()) != count ||
      std::ranges::any_of(parts, [](auto p) { return p < 0; }) ||
      std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) != size)
    throw Stop{fmt::format("splits axis {} of {} into [{}]; it must be {} parts that sum up to {}",
                           axis, to_string(value.dims), fmt::join(parts, ", "), count, size)};
  const Value from = value;  // results may take its place
  std::int64_t at = 0;
  for (std::size_t i = 0; i < parts.size(); at += parts[i++]) {
    if (call.node.outputs[i].empty()) continue;
    Picks picks = whole(from.dims);
    picks[axis] = whole(parts[i]);
    for (auto& place : picks[axis]) place += at;
    call.result(call.walk.picked(from, picks, call.node.outputs[i]), i);
  }
}

static void gather(Call& call) {
  if (embedded(call)) return;
  const Value& value = call.any(0);
  if (value.dims.empty()) throw Stop{"picks out of one number; it must be a list or more"};
  const std::size_t axis = axis_in(call.integer("axis", 0), value.dims);
  const std::int64_t size = value.dims[axis];
  Picks picks = whole(value.dims);
  picks[axis] = call.constant_integers(1);
  for (auto& i : picks[axis]) {
    if (i < -size || i >= size) throw Stop{fmt::format("picks number {} of {}", i, size)};
    if (i < 0) i += size;
  }
  // The axis becomes those of the indices.
  Dims dims = value.dims;
  const Dims& indices = call.in(1).dims;
  const auto at = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(at, indices.begin(), indices.end());
  const std::string name = indices.size() == 1 ? call.out() : call.out() + "/picked";
  const Value some = call.walk.picked(value, picks, name);
  call.result(some.dims == dims ? some : call.walk.reshaped(some, dims, call.out()));
}

static void expand(Call& call) {
  const Value& value = call.any(0);
  Dims wanted = call.constant_integers(1);
  Dims from = value.dims;
  // The number of images, if the file gives it.
  if (has_images(value) && wanted.size() == from.size() && wanted[0] == call.walk.batch())
    wanted[0] = 1;
  if (wanted.size() > from.size()) from.insert(from.begin(), wanted.size() - from.size(), 1);
  Picks picks = whole(from);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t axis = from.size() - wanted.size() + i;
    if (wanted[i] != from[axis] && wanted[i] != 1 && from[axis] != 1)
      throw Stop{fmt::format("makes {} of {}; axes that become longer must have the size 1",
                             to_string(wanted), to_string(value.dims))};
    if (from[axis] == 1) picks[axis].assign(static_cast<std::size_t>(wanted[i]), 0);
  }
  const Value seen =
      from == value.dims ? value : call.walk.reshaped(value, from, call.out() + "/axes");
  call.result(call.walk.picked(seen, picks, call.out()));
}

static void tile(Call& call) {
  const Value& value = call.any(0);
  const auto times = call.constant_integers(1);
  if (times.size() != value.dims.size())
    throw Stop{fmt::format("repeats {} {} times; it must be a number for each axis",
                           to_string(value.dims), to_string(times))};
  Picks picks = whole(value.dims);
  for (std::size_t a = 0; a < picks.size(); ++a) {
    const Places once = picks[a];
    picks[a].clear();
    for (std::int64_t i = 0; i < times[a]; ++i)
      picks[a].insert(picks[a].end(), once.begin(), once.end());
  }
  call.result(call.walk.picked(value, picks, call.out()));
}

namespace {

// The pads before all axes, and then those behind them.
Places pads_of(Call& call, const Dims& dims) {
  const std::size_t rank = dims.size();
  auto pads = call.has(1) ? call.constant_integers(1) : call.integers("pads", {});
  if (call.has(3)) {
    const auto axes = call.constant_integers(3);
    if (pads.size() != 2 * axes.size())
      throw Stop{fmt::format("has {} pads for {} axes; it must have two for each", pads.size(),
                             axes.size())};
    Places all(2 * rank, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto axis = axes[i] + (axes[i] < 0 ? static_cast<std::int64_t>(rank) : 0);
      if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
        throw Stop{fmt::format("pads axis {} of {}", axes[i], to_string(dims))};
      all[static_cast<std::size_t>(axis)] = pads[i];
      all[static_cast<std::size_t>(axis) + rank] = pads[i + axes.size()];
    }
    pads = all;
  }
  if (pads.size() != 2 * rank ||
      std::ranges::any_of(pads, [](auto p) { return p < -(1 << 16) || p > 1 << 16; }))
    throw Stop{
        fmt::format("pads {} by [{}]; it must be two numbers for each axis, of -65536 to "
                    "65536",
                    to_string(dims), fmt::join(pads, ", "))};
  return pads;
}

Picks around(const std::string& mode, const Dims& dims, const Places& pads) {
  Picks picks(dims.size());
  for (std::size_t a = 0; a < dims.size(); ++a) {
    const std::int64_t size = dims[a], before = pads[a], after = pads[a + dims.size()];
    if (mode == "reflect" && std::max(before, after) >= size)
      throw Stop{fmt::format("reflects {} numbers of {}; it must be less than there are",
                             std::max(before, after), size)};
    for (std::int64_t at = -before; at < size + after; ++at) {
      std::int64_t place = at;
      if (at < 0 || at >= size) {
        if (mode == "edge")
          place = std::clamp<std::int64_t>(at, 0, size - 1);
        else if (mode == "reflect")
          place = at < 0 ? -at : 2 * (size - 1) - at;
        else if (mode == "wrap")
          place = (at % size + size) % size;
        else
          place = -1;
      }
      picks[a].push_back(place);
    }
  }
  return picks;
}

// The number that is put around, real or of the integers of the value.
float with_of(Call& call, const Value& value) {
  if (!call.has(2)) return call.real("value", 0);
  if (const auto* weights = std::get_if<Quantised>(&call.in(2).is);
      weights != nullptr && weights->numbers->size() == 1)
    return static_cast<float>(weights->numbers->front()) * weights->scales[0];
  const Array& with = call.constant(2);
  if (with.count() != 1 || is_float(with.type) == std::holds_alternative<Integers>(value.is))
    throw Stop{fmt::format("pads with {} of {}; it must be one number of the type of the input",
                           to_string(with.dims), to_string(with.type))};
  return is_float(with.type) ? with.floats()[0] : static_cast<float>(with.integers()[0]);
}

}  // namespace

// Zeros around a map are kept beside it: a following convolution or pool makes them its own
// padding.
static void pad(Call& call) {
  const auto mode = call.text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    throw Stop{fmt::format("has mode = {}; it must be constant, reflect, edge or wrap", mode)};
  Value value = call.walk.settled(call.padded(0), call.out() + "/joined");
  const Places pads = pads_of(call, value.dims);
  const float with = with_of(call, value);
  const auto* integers = std::get_if<Integers>(&value.is);
  const auto* real = std::get_if<Real>(&value.is);
  const bool open = integers != nullptr && call.walk.is_open(integers->id);
  const float zero =
      integers != nullptr ? static_cast<float>(call.walk.tensor(integers->id).zero_point) : 0;
  // Rows and columns, or the one axis of a line: a map of one row.
  const std::size_t rank = value.dims.size(), lines = rank - 2;
  const bool is_map = (rank == 3 || rank == 4) && pads[0] == 0 && pads[1] == 0 && pads[rank] == 0 &&
                      pads[rank + 1] == 0 &&
                      std::ranges::all_of(pads, [](auto p) { return p >= 0; });
  const bool is_input = std::holds_alternative<FloatInput>(value.is);
  if (mode == "constant" && is_map && with == zero && !open &&
      (is_input || integers != nullptr || (real != nullptr && real->table.empty()))) {
    for (std::size_t axis = 2; axis < rank; ++axis) {
      const std::size_t a = axis - lines;  // 1: columns
      value.pads[a] += static_cast<int>(pads[axis]);
      value.pads[a + 2] += static_cast<int>(pads[axis + rank]);
      value.dims[axis] += pads[axis] + pads[axis + rank];
      if (value.pads[a] > 1 << 20 || value.pads[a + 2] > 1 << 20)
        throw Stop{"pads a map by more than 1048576 in all; use less padding"};
    }
    return call.result(std::move(value));
  }
  if (value.pads != Pads{}) value = call.any(0);
  const Picks picks = around(mode, value.dims, pads);
  const bool fills = std::ranges::any_of(
      picks, [](const Places& p) { return std::ranges::find(p, -1) != p.end(); });
  if (is_constant(value) || std::holds_alternative<Pending>(value.is) ||
      std::holds_alternative<Host>(value.is))
    throw Stop{"pads what is not quantised: quantise it first"};
  if (auto* input = std::get_if<FloatInput>(&value.is)) {
    Dims dims;
    for (const auto& places : picks) dims.push_back(static_cast<std::int64_t>(places.size()));
    input->steps.emplace_back(Picked{picks, with});
    return call.result({dims, std::move(value.is)});
  }
  real = std::get_if<Real>(&value.is);
  if (real != nullptr && fills) {
    Dims dims;
    for (const auto& places : picks) dims.push_back(static_cast<std::int64_t>(places.size()));
    return call.result({dims, Pending{.what = PickOf{*real, call.in(0).dims, {picks, with}},
                                      .made = dims,
                                      .node = call.label}});
  }
  call.result(call.walk.picked(value, picks, call.out(), static_cast<std::int32_t>(with)));
}

std::vector<Row> forms(std::type_identity<graph::Pick>) {
  return {
      {{"Slice", "pick", "constant starts, ends, axes, steps"}, slice},
      {{"Split", "pick", "constant parts"}, split},
      {{"Gather", "pick, embed",
        "constant indices; of a constant table by an input of int64 or int32"},
       gather},
      {{"Pad", "padding of what is behind it, conv, pick",
        "every mode, any axis; a constant other than 0 directly before a quantiser"},
       pad},
      {{"Expand", "pick", "to a constant shape"}, expand},
      {{"Tile", "pick", "constant repeats"}, tile},
  };
}

}  // namespace kumiki::gen::onnx
