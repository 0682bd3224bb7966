// SPDX-License-Identifier: Apache-2.0
// Every rule of a graph. Nothing of a node is looked at before the tensors it names are known to be
// there, and nothing of its shapes before they are known to have the right number of axes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/graph/graph.h"
#include "ir/error.h"

namespace kumiki::gen::graph {
namespace {

constexpr int largest_axis = 1 << 20;
constexpr std::size_t largest_tensor = std::size_t{1} << 28;

class Check {
 public:
  explicit Check(const Graph& graph) : g_(graph) {}

  std::vector<Finding> all() {
    for (const Tensor& t : g_.tensors) tensor(t);
    if (!ids()) return std::move(found_);
    order();
    if (found_.empty()) {
      preparation();
      for (const Tensor& t : g_.tensors) numbers_.push_back(t.format.range());
      for (const Node& n : g_.nodes) {
        const std::size_t before = found_.size();
        node(n);
        if (found_.size() == before) numbers_[n.output] = reached_by(g_, n, numbers_);
      }
    }
    return std::move(found_);
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    found_.push_back({where_, fmt::format(text, std::forward<Args>(args)...)});
  }

  void tensor(const Tensor& t) {
    where_ = fmt::format("tensor {}", t.name);
    if (!names_.insert(t.name).second) say("is there twice: a name of its own is legal");
    std::size_t numbers = 1;
    for (const int n : t.shape) {
      if (n < 1 || n > largest_axis) {
        say("has an axis of {}: 1 to {} is legal", n, largest_axis);
        return;
      }
      numbers *= static_cast<std::size_t>(n);
      if (numbers > largest_tensor) return say("has more than {} numbers", largest_tensor);
    }
    if (t.shape.empty() || t.shape.size() > 3)
      say("has {} axes: 1 to 3 are legal, without that of the images", t.shape.size());
    if (t.format.bits < 1 || t.format.bits > 32)
      return say("has numbers of {} bits: 1 to 32 are legal", t.format.bits);
    if (!t.format.range().contains(t.zero_point))
      say("has a zero point of {}: {} is legal", t.zero_point, to_string(t.format.range()));
    if (!(t.scale > 0) || !std::isfinite(t.scale))
      say("has a scale of {}: a finite number above 0 is legal", t.scale);
  }

  bool is_tensor(TensorId id) { return id < g_.tensors.size(); }

  bool ids() {
    where_ = fmt::format("graph {}", g_.name);
    const std::size_t before = found_.size();
    if (!is_tensor(g_.input)) say("has no input");
    if (g_.outputs.empty()) say("has no output");
    for (const TensorId id : g_.outputs)
      if (!is_tensor(id)) say("has an output that is no tensor");
    for (const Node& n : g_.nodes) {
      where_ = fmt::format("node {}", n.name);
      if (!is_tensor(n.output) ||
          !std::ranges::all_of(n.inputs, [&](auto i) { return is_tensor(i); }))
        say("names a tensor that is not there");
    }
    return found_.size() == before;
  }

  // Every tensor is made once, before it is read.
  void order() {
    std::vector<bool> made(g_.tensors.size());
    made[g_.input] = true;
    for (const Node& n : g_.nodes) {
      where_ = fmt::format("node {}", n.name);
      for (const TensorId id : n.inputs)
        if (!made[id]) say("reads {}, which no node before it makes", g_.tensors[id].name);
      if (made[n.output]) say("makes {}, which is made already", g_.tensors[n.output].name);
      made[n.output] = true;
    }
    where_ = fmt::format("graph {}", g_.name);
    for (const TensorId id : g_.outputs)
      if (!made[id]) say("has the output {}, which no node makes", g_.tensors[id].name);
  }

  void preparation() {
    where_ = fmt::format("graph {}", g_.name);
    const auto channels = static_cast<std::size_t>(g_.tensors[g_.input].shape[0]);
    for (const Preparation& p : g_.preparation) {
      if (p.values.size() != 1 && p.values.size() != channels)
        say("prepares its input with {} numbers: 1 or {} are legal", p.values.size(), channels);
      for (const float v : p.values)
        if (!std::isfinite(v) || (v == 0 && p.kind == Preparation::Kind::over))
          return say("prepares its input with {}: a finite number is legal, not 0 to divide", v);
    }
  }

  void node(const Node& n) {
    where_ = fmt::format("node {}", n.name);
    const std::size_t wanted = std::holds_alternative<Concat>(n.op)
                                   ? std::max<std::size_t>(1, n.inputs.size())
                               : std::holds_alternative<Add>(n.op) ? 2
                                                                   : 1;
    if (n.inputs.size() != wanted)
      return say("has {} inputs: {} is legal", n.inputs.size(), wanted);
    node_ = &n;
    in_ = &g_.tensors[n.inputs[0]];
    out_ = &g_.tensors[n.output];
    std::visit([this](const auto& op) { look(op); }, n.op);
  }

  void values_fit(const std::vector<std::int16_t>& values) {
    for (const std::int16_t v : values)
      if (!out_->format.range().contains(v))
        return say("has the value {}: {} is legal", v, to_string(out_->format.range()));
  }
  bool is_map(const Tensor& t) {
    if (t.shape.size() == 3) return true;
    say("{} is {}: a map of channels x rows x columns is legal", t.name, to_string(t.shape));
    return false;
  }
  bool makes(const Shape& shape) {
    if (out_->shape == shape) return true;
    say("makes {}, {} is {}", to_string(shape), out_->name, to_string(out_->shape));
    return false;
  }
  // The same numbers mean the same.
  void means_as(const Tensor& in) {
    if (in.format != out_->format || in.zero_point != out_->zero_point || in.scale != out_->scale)
      say("{} and {} differ in format, scale or zero point: it hands numbers on as they are",
          in.name, out_->name);
  }
  bool fits(const Window& w, Shape& shape) {
    for (const int axis : {0, 1}) {
      const auto a = static_cast<std::size_t>(axis);
      if (w.kernel[a] < 1 || w.stride[a] < 1 || w.dilation[a] < 1 || w.before[a] < 0 ||
          w.after[a] < 0 || w.kernel[a] > largest_axis || w.dilation[a] > largest_axis ||
          w.before[a] > largest_axis || w.after[a] > largest_axis || w.stride[a] > largest_axis) {
        say("has a window with a kernel, stride or dilation below 1, or padding below 0, or larger "
            "than {}",
            largest_axis);
        return false;
      }
      const std::int64_t reach = std::int64_t{w.kernel[a] - 1} * w.dilation[a] + 1;
      if (reach > std::int64_t{shape[a + 1]} + w.before[a] + w.after[a]) {
        say("has a window of {}, larger than the padded map of {}", reach,
            std::int64_t{shape[a + 1]} + w.before[a] + w.after[a]);
        return false;
      }
      shape[a + 1] = w.positions(axis, shape[a + 1]);
    }
    return true;
  }

  void look(const Conv& c) {
    if (!is_map(*in_)) return;
    Shape shape = in_->shape;
    if (!fits(c.window, shape)) return;
    const int channels = static_cast<int>(c.bias.size());
    if (c.groups < 1 || channels < 1 || shape[0] % c.groups != 0 || channels % c.groups != 0)
      return say("has {} groups: a divisor of its {} and {} channels is legal", c.groups, shape[0],
                 channels);
    const auto terms = std::size_t(shape[0] / c.groups) * std::size_t(c.window.kernel[0]) *
                       std::size_t(c.window.kernel[1]);
    if (c.weights.size() != terms * c.bias.size())
      return say("has {} weights: {} are legal", c.weights.size(), terms * c.bias.size());
    if (c.scales.size() != 1 && c.scales.size() != c.bias.size())
      return say("has {} scales: 1 or {} are legal", c.scales.size(), c.bias.size());
    for (const float s : c.scales)
      if (!(s > 0) || !std::isfinite(s))
        return say("has a scale of {}: a finite number above 0 is legal", s);
    shape[0] = channels;
    makes(shape);
    sums_fit();
  }
  void look(const Add& a) {
    const Tensor& other = g_.tensors[node_->inputs[1]];
    if (other.shape != in_->shape)
      return say("adds {} and {}: equal shapes are legal", to_string(in_->shape),
                 to_string(other.shape));
    makes(in_->shape);
    if (a.table.empty()) return ratios_fit(other);
    const int bits = in_->format.bits + other.format.bits;
    if (bits > 16) return say("has a table of {} bits: up to 16 are legal", bits);
    if (a.table.size() != std::size_t{1} << bits)
      return say("has {} values: {} are legal", a.table.size(), std::size_t{1} << bits);
    values_fit(a.table);
  }
  void ratios_fit(const Tensor& other) {
    for (const Tensor* t : {in_, &other}) {
      if (!is_ratio_of_add(*t, *out_))
        return say(
            "takes the ratio {} of the scales of {} and {}: it must be {}; give them scales that "
            "are nearer to each other",
            t->scale / out_->scale, t->name, out_->name, ratios_of_add);
    }
  }
  void look(const MaxPool& p) {
    if (!is_map(*in_)) return;
    Shape shape = in_->shape;
    if (!fits(p.window, shape)) return;
    for (const int a : {0, 1}) {
      const auto i = static_cast<std::size_t>(a);
      if (p.window.before[i] >= p.window.kernel[i] || p.window.after[i] >= p.window.kernel[i])
        return say("has padding of a whole window: less than {} is legal", p.window.kernel[i]);
      // With gaps between its taps the map may lie in one of them.
      if (p.window.sees_nothing(a, in_->shape[i + 1]))
        return say("has a window that sees nothing but padding: less padding is legal");
    }
    makes(shape);
    means_as(*in_);
  }
  void look(const AveragePool& p) {
    if (!is_map(*in_)) return;
    Shape shape = in_->shape;
    if (!fits(p.window, shape)) return;
    if (in_->format.bits > 16)
      return say("averages numbers of {} bits: at most 16 are possible", in_->format.bits);
    if (std::int64_t{p.window.kernel[0]} * p.window.kernel[1] > 1 << 24)
      return say("averages windows of {} x {} numbers: at most 16777216 are possible",
                 p.window.kernel[0], p.window.kernel[1]);
    // What float32 adds and divides stays finite, and so does the quotient.
    const float most = in_->scale * 0x1p16F * static_cast<float>(p.window.kernel[0]) *
                       static_cast<float>(p.window.kernel[1]);
    const float ratio = in_->scale / out_->scale;
    if (!std::isfinite(most) || !std::isnormal(ratio) || !std::isfinite(most / out_->scale))
      return say(
          "averages with the scales {} and {}: {} over {} must be a normal float32, and sums of "
          "the window must be finite; give them scales that are nearer to each other and to 1",
          in_->scale, out_->scale, in_->name, out_->name);
    makes(shape);
  }
  void look(const GlobalAverage&) {
    if (!is_map(*in_)) return;
    makes({in_->shape[0], 1, 1});
    // Scales of tensors that are legal may still be too far apart.
    const auto rules = rules_of(g_, *node_);
    if (!rules.empty() && !std::isnormal(rules[0].scale))
      return say(
          "multiplies sums by {}: the scale of {} over that of {} and {} pixels must be a normal "
          "float32; give them scales that are nearer to each other",
          rules[0].scale, in_->name, out_->name, in_->shape[1] * in_->shape[2]);
    sums_fit();
  }
  void look(const Lookup& l) {
    makes(in_->shape);
    if (in_->format.bits > 16)
      return say("looks up numbers of {} bits: 1 to 16 are legal", in_->format.bits);
    const std::size_t wanted = std::size_t{1} << in_->format.bits;
    if (l.values.size() != wanted)
      return say("has {} values: {} are legal", l.values.size(), wanted);
    values_fit(l.values);
  }
  void look(const Concat&) {
    Shape shape = in_->shape;
    shape[0] = 0;
    for (const TensorId id : node_->inputs) {
      const Tensor& t = g_.tensors[id];
      if (t.shape.size() != shape.size() ||
          !std::equal(t.shape.begin() + 1, t.shape.end(), shape.begin() + 1))
        return say("joins {} and {}: shapes that differ in the channels alone are legal",
                   to_string(in_->shape), to_string(t.shape));
      shape[0] += t.shape[0];
      means_as(t);
    }
    makes(shape);
  }
  void look(const Reshape&) {
    if (count(in_->shape) != count(out_->shape))
      say("makes {} numbers of {}: as many are legal", count(out_->shape), count(in_->shape));
    means_as(*in_);
  }
  void look(const Transpose& t) {
    std::vector<int> axes(in_->shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (!std::ranges::is_permutation(t.order, axes))
      return say("has the order {}: one of all axes from 0 to {} is legal",
                 fmt::join(t.order, ", "), axes.size() - 1);
    Shape shape;
    for (const int axis : t.order) shape.push_back(in_->shape[static_cast<std::size_t>(axis)]);
    makes(shape);
    means_as(*in_);
  }
  void look(const ArgMax&) {
    if (in_->shape.size() != 1)
      return say("{} is {}: a vector is legal", in_->name, to_string(in_->shape));
    if (!makes({1})) return;
    if (out_->format.range().hi < in_->shape[0] - 1)
      say("{} cannot hold the index {}", out_->name, in_->shape[0] - 1);
  }

  void look(const Thresholds& t) {
    makes(in_->shape);
    const auto channels = static_cast<std::size_t>(in_->shape[0]);
    if (t.levels < 1 || t.levels > 1 << 16)
      return say("has {} levels: 1 to 65536 are legal", t.levels);
    const auto levels = static_cast<std::size_t>(t.levels);
    if (t.begins.size() != levels && t.begins.size() != levels * channels)
      return say("has {} thresholds: {} or {} are legal", t.begins.size(), levels,
                 levels * channels);
    for (std::size_t i = 1; i < t.begins.size(); ++i)
      if (i % levels != 0 && t.begins[i] < t.begins[i - 1])
        return say("has the threshold {} behind {}: a rising order is legal", t.begins[i],
                   t.begins[i - 1]);
    if (!t.falling.empty() && t.falling.size() != channels)
      return say("says of {} channels that they fall: none or {} are legal", t.falling.size(),
                 channels);
    for (const auto f : t.falling)
      if (f > 1) return say("has {} for a channel that falls: 0 or 1 is legal", f);
    const arith::Interval made = arith::Interval{t.lowest, arith::add(t.lowest, t.levels)};
    if (!made.within(out_->format.range()))
      say("makes numbers of {}: {} is legal", to_string(made), to_string(out_->format.range()));
  }

  // onnxruntime adds in 32 bits: what leaves them has no meaning.
  void sums_fit() {
    std::size_t channel = 0;
    for (const arith::Interval& sum : reachable_of(g_, *node_, numbers_)) {
      if (!sum.within(arith::signed_range(32)))
        return say("has sums of {} in channel {}: 32 bits are legal", to_string(sum), channel);
      ++channel;
    }
  }

  const Graph& g_;
  std::vector<Finding> found_;
  std::string where_;
  std::set<std::string> names_;
  std::vector<arith::Interval> numbers_;  // of each tensor, as far as nodes are legal
  const Tensor *in_ = nullptr, *out_ = nullptr;
  const Node* node_ = nullptr;
};

}  // namespace

bool is_ratio_of_add(const Tensor& in, const Tensor& out) {
  const float ratio = in.scale / out.scale;
  return ratio >= 0x1p-126F && ratio <= 0x1p20F;
}

std::vector<Finding> check(const Graph& graph) { return Check(graph).all(); }

void require_legal(const Graph& graph) {
  const auto all = check(graph);
  if (all.empty()) return;
  std::string text;
  for (const Finding& f : all)
    text += fmt::format("{}{} {}", text.empty() ? "" : "\n", f.where, f.message);
  throw DesignError(Code::illegal_graph, text);
}

}  // namespace kumiki::gen::graph
