// SPDX-License-Identifier: Apache-2.0
// Turns results that waited for their quantiser into nodes of the graph.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/graph/interpret.h"
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {
namespace {

// The clip as a function of quantised numbers; empty: it changes nothing.
std::vector<std::int16_t> clipped(const Pending& p, const Quantiser& q) {
  const auto lo = static_cast<std::int32_t>(q.format.range().lo);
  const auto hi = static_cast<std::int32_t>(q.format.range().hi);
  const std::int32_t low = quantise(p.low, q), high = quantise(p.high, q);
  std::vector<std::int16_t> table;
  if (low <= lo && high >= hi) return table;
  for (std::int32_t n = lo; n <= hi; ++n)
    table.push_back(static_cast<std::int16_t>(std::min(std::max(n, low), high)));
  return table;
}

// Whether a float32 error of a few units in the last place may change the rounding.
bool is_near_tie(float x, float error, const Quantiser& q) {
  const float at = x / q.scale, half = std::floor(at) + 0.5F;
  return std::abs(at - half) <= std::abs(at) * 0x1p-20F + error / q.scale;
}

// Whether onnxruntime fuses a function between these quantisers to a node of integers. Otherwise it
// computes in float32.
bool is_fused(const graph::Tensor& a, const graph::Tensor& b, const Quantiser& q) {
  return a.format == b.format && a.format == q.format && q.format.bits == 8;
}

}  // namespace

graph::TensorId Walk::quantised(const Value& value, const Target& to, const std::string& name) {
  const Quantiser& q = to.as;
  if (q.format.bits > 8) throw Stop{"quantises to more than 8 bits; it must be 1 to 8"};
  if (const auto* input = std::get_if<FloatInput>(&value.is)) {
    // The host supports one arithmetic: x / scale, rounded, plus the zero point.
    const bool plain =
        to.rule == Rule::linear || (to.rule == Rule::quant && to.rounding == nullptr);
    if (!plain || numbers_of(to) != q.format.range() ||
        (to.rule != Rule::linear && q.zero_point != 0))
      throw Stop{
          "quantises the input of the model to a narrow range, to two values, with a zero point, "
          "by thresholds or with another rounding; the first quantiser must have all numbers of "
          "its bits, the zero point 0 and ROUND, and others may follow it"};
    Input& of = inputs_[input->input];
    if (!of.tensor) {
      const bool alone = input->steps.empty() && inputs_.size() == 1;
      of.tensor = add_tensor(alone ? name : model_.inputs[input->input].name, of.shape, q);
      of.preparation = input->preparation;
    }
    if (quantiser_of(tensor(*of.tensor)) != q || of.preparation != input->preparation)
      throw Stop{
          "quantises the input of the model in another way than a node before it; use one "
          "quantiser for the input"};
    return std::get<Integers>(behind(*input, *of.tensor, name).is).id;
  }
  if (const auto* real = std::get_if<Real>(&value.is);
      real != nullptr && real->table.empty() && to.thresholds && to.thresholds->size() > 1)
    return stepped({.what = NumbersOf{real->id}, .made = value.dims, .node = name}, value.dims, to,
                   name);
  if (const auto* real = std::get_if<Real>(&value.is)) {
    if (to.thresholds && to.thresholds->size() > 1)
      throw Stop{
          "has thresholds for each channel after a function of one number; put a quantiser between "
          "them"};
    return looked_up(*real, to, name);
  }
  if (const auto* pending = std::get_if<Pending>(&value.is)) {
    const auto* sum = std::get_if<SumOf>(&pending->what);
    const bool real_sum = sum != nullptr && (!sum->offset.empty() || sum->is_float);
    const bool clips_pair = std::holds_alternative<PairOf>(pending->what) &&
                            to.rule == Rule::linear && !clipped(*pending, q).empty();
    if (to.rule != Rule::linear || !pending->chain.empty() || real_sum || clips_pair ||
        std::holds_alternative<NumbersOf>(pending->what))
      return stepped(*pending, value.dims, to, name);
    return finished(*pending, value.dims, q, name);
  }
  throw Stop{"quantises a value that is not a real number"};
}

Value Walk::whole_sums(const Value& value, const std::string& name) {
  const auto& pending = std::get<Pending>(value.is);
  const graph::TensorId id = finished(pending, value.dims, {{32, true}, 0, 1}, name);
  // Like all sums they pass through float32, which represents integers of so many bits.
  for (const graph::Node& n : out_.graph.nodes)
    if (n.name == pending.node)
      for (const arith::Interval& sum : graph::reachable_of(out_.graph, n))
        if (!sum.within({-(1 << 24), 1 << 24}))
          throw Stop{fmt::format(
              "has sums of {}; without a quantiser after them they must be -16777216 to 16777216",
              arith::to_string(sum))};
  return {value.dims, Integers{id}};
}

Value Walk::behind(const FloatInput& input, graph::TensorId id, const std::string& name) {
  Dims dims{1};
  for (const int n : inputs_[input.input].shape) dims.push_back(n);
  Value value{dims, Integers{id}};
  for (std::size_t i = 0; i < input.steps.size(); ++i) {
    const std::string of = i + 1 == input.steps.size() ? name : fmt::format("{}/{}", name, i);
    const graph::TensorId from = std::get<Integers>(value.is).id;
    if (const auto* to = std::get_if<Dims>(&input.steps[i])) {
      value = reshaped(value, *to, of);
    } else if (const auto* order = std::get_if<std::vector<int>>(&input.steps[i])) {
      value = transposed(value, *order, of);
    } else if (const auto* pool = std::get_if<graph::MaxPool>(&input.steps[i])) {
      graph::Shape shape = tensor(from).shape;
      for (const int a : {0, 1})
        shape[static_cast<std::size_t>(a) + 1] =
            pool->window.positions(a, shape[static_cast<std::size_t>(a) + 1]);
      value.dims = {1, shape[0], shape[1], shape[2]};
      value.is = Integers{moved(from, *pool, shape, of)};
    } else if (const auto* pads = std::get_if<Pads>(&input.steps[i])) {
      Value around{value.dims, value.is, *pads};
      around.dims[2] += (*pads)[0] + (*pads)[2];
      around.dims[3] += (*pads)[1] + (*pads)[3];
      value = padded(around, of);
    } else if (const auto* some = std::get_if<Picked>(&input.steps[i])) {
      value = picked(value, some->picks, of, quantise(some->with, quantiser_of(tensor(from))));
    } else {
      const auto& bounds = std::get<Bounds>(input.steps[i]);
      const Pending clip{.what = NumbersOf{from},
                         .made = value.dims,
                         .node = of,
                         .low = bounds.low,
                         .high = bounds.high};
      if (auto table = clipped(clip, quantiser_of(tensor(from))); !table.empty())
        value.is = Integers{moved(from, graph::Lookup{std::move(table)}, tensor(from).shape, of)};
    }
  }
  return value;
}

graph::TensorId Walk::looked_up(const Real& real, const Target& to, const std::string& name) {
  const Quantiser& q = to.as;
  if (to.rule == Rule::linear) {
    const Pending by{.what = NumbersOf{real.id}, .made = {}, .node = name};
    if (const auto* constant = std::get_if<WithConstant>(&real.node))
      return as_functions(real.id, with_constant(real.id, *constant, q), by, q, name);
    if (const auto* product = std::get_if<ProductOf>(&real.node);
        product != nullptr && is_fused(tensor(product->a), tensor(product->b), q)) {
      auto made = origin_of(product->a).numbers;
      const auto second = origin_of(product->b).numbers;
      for (std::size_t i = 0; i < made.size(); ++i)
        made[i] =
            graph::multiplied(tensor(product->a), tensor(product->b), alike(q), made[i], second[i]);
      return as_functions(real.id, {made}, by, q, name);
    }
  }
  const graph::Tensor& in = tensor(real.id);
  const auto table = real.table.empty() ? table_of(in) : real.table;
  const auto lowest = static_cast<std::int32_t>(in.format.range().lo);
  graph::Lookup lookup;
  bool same = quantiser_of(in) == q;
  std::size_t close = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    lookup.values.push_back(static_cast<std::int16_t>(number_of(table[i], to)));
    same = same && lookup.values.back() == lowest + static_cast<std::int32_t>(i);
    if (real.approximate && is_near_tie(table[i], real.error, q)) ++close;
  }
  if (close > 0)
    note(
        fmt::format("{}: {} of {} numbers of its table are so near to halfway between two that "
                    "onnxruntime may round to the other one",
                    name, close, table.size()));
  if (same) return real.id;
  const graph::TensorId id = add_tensor(name, in.shape, q);
  return add_node(name, std::move(lookup), {real.id}, id);
}

template <class Op>
graph::TensorId Walk::computed(const NodeOf<Op>& node, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
  return add_node(p.node, node.op, {node.in}, to);
}

graph::TensorId Walk::finished(const Pending& p, const Dims& dims, const Quantiser& q,
                               const std::string& name) {
  auto clip = clipped(p, q);
  const bool clips = !clip.empty(), reshapes = p.spread || (dims != p.made && is_plain(dims));
  graph::TensorId id = std::visit(
      [&](const auto& what) { return computed(what, p, q, clips || reshapes ? p.node : name); },
      p.what);
  const bool is_exact = std::visit(
      []<class What>(const What&) {
        return requires { &What::is_exact; };
      },
      p.what);
  if (clips) {
    if (!is_exact)
      note(fmt::format(
          "node {}: onnxruntime computes it in float32, since what is clipped behind it "
          "can be held; a result halfway between two numbers may differ by one",
          p.node));
    const graph::TensorId to = add_tensor(reshapes ? p.node + "/clip" : name, tensor(id).shape, q);
    id = add_node(tensor(to).name, graph::Lookup{std::move(clip)}, {id}, to);
  }
  return arranged(p, id, dims, name);
}

graph::TensorId Walk::arranged(const Pending& p, graph::TensorId id, const Dims& dims,
                               const std::string& name) {
  Dims made = p.made;
  if (p.spread) {
    made = p.spread->pixels;
    if (!p.spread->order.order.empty()) {
      const bool is_last = p.spread->picks.empty() && (dims == made || !is_plain(dims));
      id = moved(id, p.spread->order, shape_of(made), is_last ? name : p.node + "/pixels");
    }
    if (!p.spread->picks.empty()) {
      const Value part = picked({made, Integers{id}}, p.spread->picks, p.node + "/part");
      id = std::get<Integers>(part.is).id;
      made = part.dims;
    }
    if (const auto& turn = p.spread->turn) {
      const Value seen{turn->dims, Integers{shaped(id, turn->dims, p.node + "/seen")}};
      const Value turned = transposed(seen, turn->order, p.node + "/turned");
      id = std::get<Integers>(turned.is).id;
      made = turned.dims;
    }
  }
  return dims != made ? shaped(id, dims, name) : id;
}

graph::TensorId Walk::computed(const SumOf& sum, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  if (sum.constant) {
    // In most cases one product for each channel is equivalent.
    const graph::Tensor in = tensor(sum.in);
    const auto functions = with_constant(sum.in, *sum.constant, q);
    arith::FloatRule rule{
        .scale = arith::product_scale(in.scale, sum.constant->constant.as.scale, q.scale),
        .zero_point = q.zero_point,
        .range = q.format.range()};
    const auto lo = static_cast<std::int32_t>(in.format.range().lo);
    bool same = true;
    for (std::size_t c = 0; c < functions.size(); ++c)
      for (std::size_t i = 0; i < functions[c].size(); ++i)
        same = same && functions[c][i] ==
                           requantised(rule, (lo + static_cast<std::int32_t>(i) - in.zero_point) *
                                                 sum.weights[c]);
    if (!same) return as_functions(sum.in, functions, p, q, name);
  }
  std::vector<float> scales;
  for (const float scale : sum.scales)
    scales.push_back(arith::product_scale(sum.factor * tensor(sum.in).scale, scale, q.scale));
  return sum_node(sum, p, std::move(scales), q, name);
}

graph::TensorId Walk::sum_node(const SumOf& sum, const Pending& p, std::vector<float> scales,
                               const Quantiser& q, const std::string& name) {
  graph::Conv conv{.window = sum.window,
                   .groups = sum.groups,
                   .weights = sum.weights,
                   .bias = sum.bias,
                   .scales = std::move(scales)};
  for (const float scale : conv.scales)
    if (!(scale > 0) || !std::isfinite(scale))
      throw Stop{fmt::format(
          "follows node {}, whose scales multiply to {}; it must be a finite number above 0",
          p.node, scale)};
  if (!sum.dense) {
    const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
    return add_node(p.node, std::move(conv), {sum.in}, to);
  }
  // A vector is a map of one pixel.
  const auto outs = static_cast<int>(conv.bias.size());
  const graph::TensorId map =
      moved(sum.in, graph::Reshape{}, {tensor(sum.in).shape[0], 1, 1}, p.node + "/in");
  const graph::TensorId to = add_tensor(p.node + "/map", {outs, 1, 1}, q);
  add_node(p.node, std::move(conv), {map}, to);
  return moved(to, graph::Reshape{}, {outs}, name);
}

graph::TensorId Walk::computed(const AddOf& sum, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  if (sum.constant) return as_functions(sum.a, with_constant(sum.a, *sum.constant, q), p, q, name);
  // onnxruntime fuses to QLinearAdd what has one type, and adds others in float32.
  const graph::Tensor &a = tensor(sum.a), &b = tensor(sum.b);
  const bool are_bytes = a.format.bits == 8 && b.format.bits == 8 && q.format.bits == 8;
  if (are_bytes && !is_fused(a, b, q)) {
    const auto plus = [](float x, float y) { return x + y; };
    const PairOf pair{.function = plus, .a = Real{sum.a}, .b = Real{sum.b}};
    return paired_reals(pair, p, Target{q}, name);
  }
  const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
  // If both operands are single numbers, onnxruntime adds the first one first.
  const bool single = graph::count(tensor(to).shape) * static_cast<std::size_t>(batch_) == 1;
  return add_node(p.node, graph::Add{}, {single ? sum.b : sum.a, single ? sum.a : sum.b}, to);
}

graph::TensorId Walk::computed(const PairOf& pair, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  const bool are_plain = pair.a.table.empty() && pair.b.table.empty();
  if (!pair.multiplies || !are_plain || !is_fused(tensor(pair.a.id), tensor(pair.b.id), q))
    return paired_reals(pair, p, Target{q}, name);
  const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
  return add_node(p.node, graph::Mul{}, {pair.a.id, pair.b.id}, to);
}

// It loops along the last axis, of those that the constant has, in which one of them has more than
// one place.
WithConstant::Loop Walk::loop_of(const Dims& constant, Dims of) const {
  of[0] = batch_;
  std::int64_t one = 1, other = of.back();
  for (std::size_t i = 1; i <= constant.size(); ++i) {
    one = constant[constant.size() - i];
    other = of[of.size() - i];
    if (one > 1 || other > 1) break;
  }
  if (one > 1) return WithConstant::Loop::both;
  return other > 1 ? WithConstant::Loop::one_for_many : WithConstant::Loop::pairs;
}

std::vector<std::vector<std::int32_t>> Walk::with_constant(graph::TensorId id,
                                                           const WithConstant& node,
                                                           const Quantiser& q) const {
  const graph::Tensor &in = tensor(id), constant = alike(node.constant.as), out = alike(q);
  if (in.format.bits > 8)
    throw Stop{fmt::format("{} a constant {} {} of {} bits; they must have at most 8",
                           node.multiplies ? "multiplies" : "adds", node.multiplies ? "with" : "to",
                           in.name, in.format.bits)};
  const bool fits = node.multiplies ? graph::is_scale_of_mul(rule_of_mul(in, constant, out).scale)
                                    : is_ratio_of_add(in, out) && is_ratio_of_add(constant, out);
  if (!fits)
    throw Stop{fmt::format(
        "computes with scales of {} and {} for results with one of {}: their {} must be {}; give "
        "them scales that are nearer to each other",
        in.scale, constant.scale, out.scale,
        node.multiplies ? "product over that of the result" : "ratios to that of the result",
        node.multiplies ? graph::scales_of_mul : graph::ratios_of_add)};
  // The second operand of a sum is added first. onnxruntime makes one number for many the second
  // operand, and of two single numbers the first one.
  const std::vector<std::int32_t>& constants = node.constant.numbers;
  const bool second = node.loop == WithConstant::Loop::both    ? !node.is_first
                      : node.loop == WithConstant::Loop::pairs ? node.is_first
                                                               : true;
  const auto result = [&](std::int32_t n, std::int32_t c) {
    if (!node.multiplies)
      return second ? graph::added(in, constant, out, n, c) : graph::added(constant, in, out, c, n);
    return graph::multiplied(in, constant, out, n, c);
  };
  std::vector<std::vector<std::int32_t>> all;
  for (const std::int32_t c : constants) {
    all.emplace_back();
    for (auto n = static_cast<std::int32_t>(in.format.range().lo); n <= in.format.range().hi; ++n)
      all.back().push_back(result(n, c));
  }
  return all;
}

// Monotone functions of numbers: one for each channel becomes thresholds, one for all becomes a
// table.
graph::TensorId Walk::as_functions(graph::TensorId in,
                                   const std::vector<std::vector<std::int32_t>>& functions,
                                   const Pending& p, const Quantiser& q, const std::string& name) {
  const graph::TensorId to = add_tensor(name, tensor(in).shape, q);
  if (functions.size() == 1) {
    graph::Lookup lookup;
    for (const std::int32_t v : functions[0]) lookup.values.push_back(static_cast<std::int16_t>(v));
    return add_node(p.node, std::move(lookup), {in}, to);
  }
  const auto lo = static_cast<std::int32_t>(tensor(in).format.range().lo);
  const arith::Interval made = q.format.range();
  graph::Thresholds steps{.lowest = static_cast<int>(made.lo),
                          .levels = static_cast<int>(made.span()),
                          .begins = {},
                          .falling = {}};
  for (const auto& values : functions) {
    const bool falls = values.front() > values.back();
    const auto levels = static_cast<std::ptrdiff_t>(steps.begins.size());
    for (auto level = static_cast<std::int32_t>(made.lo) + 1; level <= made.hi; ++level) {
      const auto passed =
          std::ranges::find_if(values, [&](auto v) { return (v >= level) != falls; });
      steps.begins.push_back(lo + static_cast<std::int32_t>(passed - values.begin()));
    }
    std::sort(steps.begins.begin() + levels, steps.begins.end());
    steps.falling.push_back(falls ? 1 : 0);
  }
  if (std::ranges::find(steps.falling, 1) == steps.falling.end()) steps.falling.clear();
  return add_node(p.node, std::move(steps), {in}, to);
}

graph::TensorId Walk::computed(const NumbersOf&, const Pending& p, const Quantiser&,
                               const std::string&) {
  throw Stop{fmt::format("follows node {}, which makes no sums", p.node)};
}

// The fraction of a map's sums at which a float32 mean may become another number, depending on the
// order of its additions.
static double unsure_sums(const graph::Tensor& in, const Quantiser& q) {
  const double taps = in.shape[1] * in.shape[2], scale = double{in.scale} / (taps * q.scale);
  const auto numbers = in.format.range() - arith::Exact{in.zero_point};
  const double most = static_cast<double>(std::max(-numbers.lo, numbers.hi));
  const double of_adding = (taps - 1) * 0x1p-24 * taps * most * scale;
  const auto lowest = static_cast<std::int64_t>(numbers.lo) * in.shape[1] * in.shape[2],
             highest = static_cast<std::int64_t>(numbers.hi) * in.shape[1] * in.shape[2];
  std::int64_t unsure = 0;
  for (std::int64_t sum = lowest; sum <= highest; ++sum) {
    const double at = static_cast<double>(sum) * scale, half = std::floor(at) + 0.5;
    if (std::abs(at - half) <= of_adding + std::abs(at) * 0x1p-21) ++unsure;
  }
  return static_cast<double>(unsure) / static_cast<double>(highest - lowest + 1);
}

// onnxruntime has kernels of integers for these types alone; of others it multiplies in float32.
graph::TensorId Walk::computed(const MatricesOf& product, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  const graph::Format a = tensor(product.a).format, b = tensor(product.b).format;
  if (a.bits != 8 || b.bits != 8 || q.format != a || (a.is_signed && !b.is_signed))
    throw Stop{fmt::format(
        "follows node {}, which multiplies numbers of {} and {} for a quantiser of {}; the types "
        "must be equal, or only the second one s8",
        p.node, to_string(a), to_string(b), to_string(q.format))};
  const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
  return add_node(p.node, product.op, {product.a, product.b}, to);
}

// onnxruntime fuses it with the quantisers around it; otherwise it is another function, in float32.
graph::TensorId Walk::computed(const SoftmaxOf& softmax, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  const graph::Tensor& in = tensor(softmax.in);
  if (!is_fused(in, in, q))
    throw Stop{
        fmt::format("follows node {}, a Softmax from {} to {}; the types must be equal, of 8 bits",
                    p.node, to_string(in.format), to_string(q.format))};
  if (!clipped(p, q).empty())
    throw Stop{
        fmt::format("follows node {}, a Softmax, with a clip between them; put it behind a "
                    "quantiser of the Softmax",
                    p.node)};
  const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
  return add_node(p.node, softmax.op, {softmax.in}, to);
}

graph::TensorId Walk::computed(const AverageOf& mean, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  const graph::Tensor& in = tensor(mean.in);
  if (const double share = mean.in_float32 ? unsure_sums(in, q) : 0; share > 0) {
    if (averages_ != Averages::sums && mean.layout != Layout::unknown) {
      graph::AveragePool op{.reals = table_of(in),
                            .order = mean.layout == Layout::by_pixel
                                         ? graph::AveragePool::by_rows
                                         : graph::AveragePool::by_eights};
      op.window.kernel = {in.shape[1], in.shape[2]};
      return computed(MeanOf{mean.in, std::move(op)}, p, q, name);
    }
    note(
        fmt::format("node {}: onnxruntime averages in float32: a result may differ by one at "
                    "{:.2g} % of the sums that can be reached",
                    p.node, 100 * share));
  }
  const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
  return add_node(p.node, graph::GlobalAverage{}, {mean.in}, to);
}

graph::TensorId Walk::computed(const JoinOf& join, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  std::vector<graph::TensorId> parts;
  for (std::size_t i = 0; i < join.parts.size(); ++i)
    parts.push_back(std::visit(
        [&]<class Part>(const Part& part) {
          const std::string of = fmt::format("{}/in{}", p.node, i);
          if constexpr (std::is_same_v<Part, ConstantPart>) {
            std::vector<std::int32_t> numbers;
            for (const float x : part.values) numbers.push_back(quantise(x, q));
            return constants(numbers, part.dims, part.dims, q, of);
          } else {
            return quantised(Value{.dims = {}, .is = part}, q, of);
          }
        },
        join.parts[i]));
  const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
  return add_node(p.node, join.op, std::move(parts), to);
}

graph::TensorId Walk::computed(const EmbedOf& embed, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  graph::Embed op{.size = embed.size, .vectors = {}};
  for (const float x : embed.reals) op.vectors.push_back(static_cast<std::int16_t>(quantise(x, q)));
  const graph::TensorId to = add_tensor(name, shape_of(p.made), q);
  return add_node(p.node, std::move(op), {embed.in}, to);
}

graph::TensorId Walk::computed(const PickOf& pick, const Pending& p, const Quantiser& q,
                               const std::string& name) {
  const graph::TensorId in = looked_up(pick.from, Target{q}, p.node + "/in");
  const Value value =
      picked({pick.dims, Integers{in}}, pick.picked.picks, name, quantise(pick.picked.with, q));
  return std::get<Integers>(value.is).id;
}

}  // namespace kumiki::gen::onnx
