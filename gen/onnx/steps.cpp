// SPDX-License-Identifier: Apache-2.0
// Sums that go through functions of their own for each channel, for example a batch normalisation,
// and are then quantised. The whole function is monotone, so the sums at which each number begins
// define it. They are found by computing the model's float32 chain, which is exact by construction.
//
// There is one exception: onnxruntime adds products in float32, in an order of its own. If scales
// are powers of two, this rounds nothing. Otherwise the error has a bound, and the import counts
// and reports steps that are nearer to a sum than that bound.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/graph/interpret.h"
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {
namespace {

constexpr float unbounded = std::numeric_limits<float>::infinity();
constexpr std::int64_t held = std::int64_t{1} << 24;  // integers that float32 represents exactly

float value_at(const Link& link, std::size_t channel) {
  return link.values[link.values.size() == 1 ? 0 : channel];
}

float applied(const Link& link, std::size_t channel, float x) {
  const float v = value_at(link, channel);
  switch (link.kind) {
    case Link::Kind::plus:
      return x + v;
    case Link::Kind::minus:
      return x - v;
    case Link::Kind::from:
      return v - x;
    case Link::Kind::times:
      return x * v;
    case Link::Kind::over:
      return x / v;
    case Link::Kind::at_least:
      return std::max(x, v);
    case Link::Kind::at_most:
      return std::min(x, v);
    case Link::Kind::leaky:
      return x >= 0 ? x : v * x;
  }
  return x;
}

bool turns(const Link& link, std::size_t channel) {
  const bool scales = link.kind == Link::Kind::times || link.kind == Link::Kind::over;
  return link.kind == Link::Kind::from || (scales && value_at(link, channel) < 0);
}

// Whether it both rises and falls in some channel.
bool bends(const Link& link) {
  return link.kind == Link::Kind::leaky &&
         std::ranges::any_of(link.values, [](float slope) { return slope < 0; });
}

bool is_power_of_two(float x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5F;
}

// Maps an integer of a channel to its resulting number.
struct Function {
  const Pending& pending;
  const Target& to;
  std::size_t channel;
  double unit = 1;    // the value of one integer step
  int zero = 0;       // the integer for 0
  float divisor = 1;  // for a mean
  float offset = 0;
  float error = 0;               // the largest float32 error of the sum
  const float* reals = nullptr;  // of the integers, from `lowest` on, instead of unit, zero, offset
  std::int64_t lowest = 0;

  bool falls() const {
    bool down = false;
    for (const Link& link : pending.chain) down ^= turns(link, channel);
    return down;
  }
  float real(std::int64_t at) const {
    if (reals != nullptr) return reals[at - lowest];
    return static_cast<float>(static_cast<double>(at - zero) * unit) / divisor + offset;
  }
  float value_of(float x) const {
    x = std::clamp(x, pending.low, pending.high);
    for (const Link& link : pending.chain) x = applied(link, channel, x);
    if (std::isnan(x))
      throw Stop{fmt::format("quantises what node {} makes, which is not a number in channel {}",
                             pending.node, channel)};
    return x;
  }
  std::int32_t of_real(float x) const { return number_of(value_of(x), to, channel); }
  std::int32_t operator()(std::int64_t at) const { return of_real(real(at)); }
};

struct Begins {
  std::vector<std::int64_t> at;  // for every number but the lowest, in the order of numbers
  std::vector<bool> close;       // float32 sums may lie on either side
};

// The first integer from low to high, without high, that has passed; high if none has. All behind
// it have passed too. Looks around `guess` first.
template <class Passed>
std::int64_t first_passed(std::int64_t low, std::int64_t high, std::int64_t guess,
                          const Passed& passed) {
  const std::int64_t at = std::clamp(guess, low, high);
  const bool goes_up = at == low || !passed(at - 1);
  (goes_up ? low : high) = goes_up ? at : at - 1;
  bool is_between = false;
  for (std::int64_t step = 1; low < high && !is_between; step *= 2) {
    const std::int64_t tried =
        goes_up ? std::min(low + step, high) - 1 : std::max(high - step, low);
    const bool has_passed = passed(tried);
    (has_passed ? high : low) = has_passed ? tried : tried + 1;
    is_between = has_passed == goes_up;
  }
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const bool has_passed = passed(middle);
    (has_passed ? high : low) = has_passed ? middle : middle + 1;
  }
  return low;
}

Begins begins_of(const Function& f, const arith::Interval& reachable, const arith::Interval& made) {
  Begins all;
  const bool falls = f.falls();
  const auto lo = static_cast<std::int64_t>(reachable.lo),
             end = static_cast<std::int64_t>(reachable.hi) + 1;
  std::int64_t from = lo, to = end;
  for (auto q = static_cast<std::int64_t>(made.lo) + 1; q <= made.hi; ++q) {
    const auto passed = [&](std::int32_t number) { return (number >= q) != falls; };
    // Most functions are straight lines, so the next number begins as far from this one as this one
    // from the one before.
    const std::size_t found = all.at.size();
    const std::int64_t guess = found > 1   ? 2 * all.at[found - 1] - all.at[found - 2]
                               : found > 0 ? all.at[0]
                                           : lo + (end - lo) / 2;
    const std::int64_t low =
        first_passed(from, to, guess, [&](std::int64_t at) { return passed(f(at)); });
    // The next number begins after this one, or before it if the channel falls.
    (falls ? to : from) = low;
    all.at.push_back(low);
    all.close.push_back(f.error > 0 &&
                        ((low < end && !passed(f.of_real(f.real(low) - f.error))) ||
                         (low > lo && passed(f.of_real(f.real(low - 1) + f.error)))));
  }
  return all;
}

// Whether the rule begins every number at the same sum, or next to it where float32 is uncertain.
bool agrees(const Begins& begins, const arith::FloatRule& rule, const arith::Interval& reachable,
            const arith::Interval& made) {
  const arith::Steps steps = steps_of(rule, reachable);
  for (std::size_t i = 0; i < begins.at.size(); ++i) {
    const auto q = static_cast<std::int64_t>(made.lo) + 1 + static_cast<std::int64_t>(i);
    const auto k = q - steps.first - 1;
    const auto at = k < 0 ? static_cast<std::int64_t>(reachable.lo)
                    : k < static_cast<std::int64_t>(steps.begins.size())
                        ? steps.begins[static_cast<std::size_t>(k)]
                        : static_cast<std::int64_t>(reachable.hi) + 1;
    if (std::abs(at - begins.at[i]) > (begins.close[i] ? 1 : 0)) return false;
  }
  return rule.range == made;
}

// A scale that is equivalent to the chain, if the chain only multiplies.
std::optional<float> scale_of(const Function& f) {
  double scale = f.unit / f.divisor / f.to.as.scale;
  for (const Link& link : f.pending.chain) {
    const double v = value_at(link, f.channel);
    if (link.kind == Link::Kind::times)
      scale *= v;
    else if (link.kind == Link::Kind::over)
      scale /= v;
    else if (link.kind == Link::Kind::plus || link.kind == Link::Kind::minus ||
             link.kind == Link::Kind::from || link.kind == Link::Kind::leaky)
      return std::nullopt;
  }
  const auto found = static_cast<float>(scale);
  if (f.offset != 0 || !(found > 0) || !std::isfinite(found)) return std::nullopt;
  return found;
}

graph::Thresholds thresholds_of(const std::vector<Begins>& channels,
                                const std::vector<bool>& falling, const arith::Interval& made) {
  graph::Thresholds t{.lowest = static_cast<int>(made.lo),
                      .levels = static_cast<int>(made.span()),
                      .begins = {},
                      .falling = {}};
  const bool same =
      std::ranges::all_of(channels, [&](const Begins& b) { return b.at == channels[0].at; }) &&
      std::ranges::equal(falling, std::vector<bool>(falling.size(), falling[0]));
  for (const Begins& b : channels) {
    const auto first = static_cast<std::ptrdiff_t>(t.begins.size());
    for (const auto at : b.at) t.begins.push_back(static_cast<std::int32_t>(at));
    std::sort(t.begins.begin() + first, t.begins.end());
    if (same) break;
  }
  if (std::ranges::find(falling, true) != falling.end())
    t.falling.assign(falling.begin(), falling.end());
  return t;
}

// The function of a channel's sums. A bias that is a multiple of the unit becomes part of the sums.
Function function_of(const Pending& p, const Target& to, SumOf& sum, const graph::Tensor& in,
                     std::size_t channel) {
  const float scale = sum.scales[sum.scales.size() == 1 ? 0 : channel];
  Function f{.pending = p, .to = to, .channel = channel, .divisor = sum.divisor};
  f.unit =
      static_cast<double>(in.scale) * static_cast<double>(scale) * static_cast<double>(sum.factor);
  const std::size_t terms = sum.weights.size() / sum.bias.size();
  double most = std::abs(static_cast<double>(sum.bias[channel])), largest = 0;
  const arith::Interval numbers = in.format.range() - in.zero_point;
  for (const arith::Exact n : {numbers.lo, numbers.hi})
    largest = std::max(largest, std::abs(static_cast<double>(static_cast<std::int64_t>(n))));
  for (std::size_t t = channel * terms; t < (channel + 1) * terms; ++t)
    most += std::abs(static_cast<double>(sum.weights[t])) * largest;
  bool exact = is_power_of_two(in.scale) && is_power_of_two(scale) && is_power_of_two(sum.factor);
  if (!sum.offset.empty()) {
    f.offset = sum.offset[channel];
    const double units = f.offset / f.unit;
    if (exact && units == std::nearbyint(units) && most + std::abs(units) < held) {
      sum.bias[channel] += static_cast<std::int32_t>(units);
      f.offset = 0;
      most += std::abs(units);
    }
  }
  // A mean is the sum, divided; onnxruntime rounds this as we do.
  exact = exact && f.offset == 0 && most < held;
  // A single number is also exact, whatever its scale: nothing is added.
  exact = exact || (terms == 1 && sum.weights[channel] == 1 && scale == 1 && sum.factor == 1 &&
                    sum.bias[channel] == 0 && f.offset == 0);
  if (!exact)
    f.error = static_cast<float>(static_cast<double>(terms + 4) * 0x1p-24 *
                                 (most * f.unit + std::abs(f.offset)) / f.divisor);
  return f;
}

Function function_of(const Pending& p, const Target& to, const NumbersOf& numbers,
                     const graph::Tensor& in, std::size_t channel) {
  Function f{.pending = p, .to = to, .channel = channel, .unit = in.scale, .zero = in.zero_point};
  f.lowest = static_cast<std::int64_t>(in.format.range().lo);
  if (!numbers.reals.empty()) f.reals = &numbers.reals[channel << in.format.bits];
  return f;
}

}  // namespace

std::optional<Walk::Reals> Walk::reals_of(const Value& value, const std::string& name) {
  if (const auto* real = std::get_if<Real>(&value.is); real != nullptr && !real->table.empty())
    return Reals{real->id, real->table};
  const auto* pending = std::get_if<Pending>(&value.is);
  const auto* numbers = pending != nullptr ? std::get_if<NumbersOf>(&pending->what) : nullptr;
  if (numbers == nullptr || value.dims.size() < 2 || value.dims[1] != pending->made[1])
    return std::nullopt;
  const graph::Tensor in = tensor(numbers->id);
  if (in.format.bits > 8) return std::nullopt;
  Reals reals{shaped(numbers->id, value.dims, name), {}};
  const Target none;
  for (std::size_t c = 0; c < static_cast<std::size_t>(in.shape[0]); ++c) {
    const Function f = function_of(*pending, none, *numbers, in, c);
    for (arith::Exact n = in.format.range().lo; n <= in.format.range().hi; ++n)
      reals.values.push_back(f.value_of(f.real(static_cast<std::int64_t>(n))));
  }
  return reals;
}

bool rises(const std::vector<float>& reals, const graph::Tensor& of) {
  const auto size = std::ptrdiff_t{1} << of.format.bits;
  for (auto from = reals.begin(); from != reals.end(); from += size)
    if (!std::is_sorted(from, from + size)) return false;
  return true;
}

Value Walk::ranked(const Value& value, const Reals& reals, const std::string& name) {
  const graph::Tensor in = tensor(reals.id);
  const std::size_t size = std::size_t{1} << in.format.bits;
  graph::Lookup ranks;
  std::vector<float> rising;
  for (auto from = reals.values.begin(); from != reals.values.end();) {
    const auto end = from + static_cast<std::ptrdiff_t>(size);
    std::vector<float> values(from, end);
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (; from != end; ++from)
      ranks.values.push_back(
          static_cast<std::int16_t>(std::ranges::lower_bound(values, *from) - values.begin()));
    values.resize(size, values.back());
    rising.insert(rising.end(), values.begin(), values.end());
  }
  const graph::TensorId to = add_tensor(name, in.shape, {{in.format.bits, false}, 0, 1});
  const graph::TensorId id = add_node(name, std::move(ranks), {reals.id}, to);
  if (const auto* real = std::get_if<Real>(&value.is))
    return {value.dims, Real{id, std::move(rising), real->approximate, real->error}};
  return {value.dims, Pending{.what = NumbersOf{id, std::move(rising)},
                              .made = value.dims,
                              .node = std::get<Pending>(value.is).node}};
}

bool rises(const std::vector<Link>& chain) {
  return std::ranges::none_of(chain, [](const Link& link) {
    bool falls = bends(link);
    for (std::size_t channel = 0; channel < link.values.size(); ++channel)
      falls = falls || turns(link, channel);
    return falls;
  });
}

SumOf mean_of(graph::TensorId in, std::int64_t channels, const graph::Window& window) {
  const std::int64_t count = std::int64_t{window.kernel[0]} * window.kernel[1];
  if (channels * count > 1 << 26)
    throw Stop{fmt::format(
        "averages windows of {} numbers in {} channels; it must be at most 67108864 numbers in all",
        count, channels)};
  SumOf sum{.in = in,
            .window = window,
            .groups = static_cast<int>(channels),
            .scales = {1},
            .divisor = static_cast<float>(count),
            .is_float = true};
  sum.weights.assign(static_cast<std::size_t>(channels * count), 1);
  sum.bias.assign(static_cast<std::size_t>(channels), 0);
  return sum;
}

std::int32_t number_of(float x, const Target& to, std::size_t channel) {
  if (std::isnan(x)) throw Stop{"quantises a value that is not a number"};
  if (to.rule == Rule::linear) return quantise(x, to.as);
  if (to.rule == Rule::bipolar) return x >= 0 ? 1 : -1;
  if (to.rule == Rule::counted) {
    const auto& all = (*to.thresholds)[to.thresholds->size() == 1 ? 0 : channel];
    const auto reached = std::ranges::upper_bound(all, x) - all.begin();
    return to.lowest + to.factor * static_cast<std::int32_t>(reached);
  }
  const arith::Interval made = numbers_of(to);
  const auto low = static_cast<float>(static_cast<std::int64_t>(made.lo)),
             high = static_cast<float>(static_cast<std::int64_t>(made.hi));
  float y = 0;
  if (to.rule == Rule::truncated)
    y = std::nearbyint(x / to.first_scale + to.first_zero_point) / to.divisor;
  else
    y = x / to.as.scale + static_cast<float>(to.as.zero_point);
  if (to.clamps) y = std::clamp(y, low, high);
  y = to.rounding == nullptr ? std::nearbyint(y) : to.rounding(y);
  if (y < low || y > high)
    throw Stop{fmt::format("makes {}; it must be within {}", y, arith::to_string(made))};
  return static_cast<std::int32_t>(y);
}

arith::Interval numbers_of(const Target& to) {
  if (to.rule == Rule::bipolar) return {-1, 1};
  if (to.rule == Rule::counted)
    return {to.lowest, to.lowest + arith::Exact{to.factor} *
                                       static_cast<arith::Exact>((*to.thresholds)[0].size())};
  arith::Interval range = to.as.format.range();
  if (to.narrow) (to.as.format.is_signed ? range.lo : range.hi) += to.as.format.is_signed ? 1 : -1;
  return range;
}

graph::TensorId Walk::stepped(const Pending& p, const Dims& dims, const Target& to,
                              const std::string& name) {
  const arith::Interval made = numbers_of(to);
  const bool is_last = !p.spread && (dims == p.made || !is_plain(dims));
  const std::string last = is_last ? name : p.node + "/steps";
  const auto shaped = [&](graph::TensorId id) { return arranged(p, id, dims, name); };
  std::vector<Begins> channels;
  std::vector<bool> falling;
  const auto look = [&](const Function& f, const arith::Interval& reachable) {
    for (const arith::Exact end : {reachable.lo, reachable.hi})
      (void)f(static_cast<std::int64_t>(end));  // refuses if the ends are out of range
    channels.push_back(begins_of(f, reachable, made));
    falling.push_back(f.falls());
  };
  if (const auto* numbers = std::get_if<NumbersOf>(&p.what)) {
    const graph::Tensor in = tensor(numbers->id);
    if (in.format.bits > 16)
      throw Stop{fmt::format("reads {} of {} bits after node {}; it must have at most 16", in.name,
                             in.format.bits, p.node)};
    const auto of_channel = [&](int c) {
      return function_of(p, to, *numbers, in, static_cast<std::size_t>(c));
    };
    if (!numbers->reals.empty() || std::ranges::any_of(p.chain, bends)) {
      graph::Lookup tables;
      for (int c = 0; c < in.shape[0]; ++c)
        for (arith::Exact n = in.format.range().lo; n <= in.format.range().hi; ++n)
          tables.values.push_back(
              static_cast<std::int16_t>(of_channel(c)(static_cast<std::int64_t>(n))));
      const graph::TensorId id = add_tensor(last, in.shape, to.as);
      return shaped(add_node(p.node, std::move(tables), {numbers->id}, id));
    }
    for (int c = 0; c < in.shape[0]; ++c) look(of_channel(c), in.format.range());
    const graph::TensorId id = add_tensor(last, in.shape, to.as);
    return shaped(add_node(p.node, thresholds_of(channels, falling, made), {numbers->id}, id));
  }
  if (to.thresholds && to.thresholds->size() > 1 && !std::holds_alternative<SumOf>(p.what) &&
      !std::holds_alternative<AverageOf>(p.what))
    throw Stop{
        fmt::format("has thresholds for each channel after node {}, which joins tensors; put a "
                    "quantiser between them",
                    p.node)};
  if (const auto* add = std::get_if<AddOf>(&p.what); add != nullptr && p.chain.empty())
    return shaped(added_reals(*add, p, to, last));
  if (const auto* pair = std::get_if<PairOf>(&p.what); pair != nullptr && p.chain.empty())
    return shaped(paired_reals(*pair, p, to, last));
  if (const auto* join = std::get_if<JoinOf>(&p.what); join != nullptr && p.chain.empty())
    return shaped(joined_reals(*join, p, to, last));
  SumOf sum;
  if (const auto* mean = std::get_if<AverageOf>(&p.what)) {
    const graph::Tensor& in = tensor(mean->in);
    graph::Window whole;
    whole.kernel = {in.shape[1], in.shape[2]};
    sum = mean_of(mean->in, in.shape[0], whole);
  } else if (const auto* given = std::get_if<SumOf>(&p.what)) {
    sum = *given;
  } else {
    throw Stop{
        fmt::format("follows node {} with functions of real numbers between them; put a quantiser "
                    "after the node",
                    p.node)};
  }
  if (sum.is_window && to.rule == Rule::linear && p.chain.empty() && p.low == -unbounded &&
      p.high == unbounded)
    if (const auto id = averaged(sum, p, to.as, last)) return shaped(*id);
  if (sum.needs_quantiser && to.rule != Rule::linear)
    throw Stop{fmt::format(
        "follows node {} with float32 weights; quantise them, or put a QuantizeLinear behind it",
        p.node)};
  const graph::Tensor in = tensor(sum.in);
  std::vector<Function> functions;
  for (std::size_t c = 0; c < sum.bias.size(); ++c)
    functions.push_back(function_of(p, to, sum, in, c));
  const auto reachable =
      graph::reachable_of(graph::Conv{.weights = sum.weights, .bias = sum.bias, .scales = {}}, in);
  std::size_t close = 0, steps = 0;
  double reached = 0;  // the number of reachable sums, over all channels
  for (std::size_t c = 0; c < functions.size(); ++c) {
    if (!reachable[c].within({-held, held}))
      throw Stop{
          fmt::format("follows node {}, which has sums of {} in channel {}; before functions of "
                      "real numbers they must be -16777216 to 16777216",
                      p.node, arith::to_string(reachable[c]), c)};
    look(functions[c], reachable[c]);
    close += static_cast<std::size_t>(std::ranges::count(channels[c].close, true));
    steps += channels[c].at.size();
    reached += static_cast<double>(reachable[c].span()) + 1;
  }
  if (close > 0 && sum.in_float32 && averages_ == Averages::as_onnxruntime &&
      to.rule == Rule::linear && p.chain.empty()) {
    Pending exact{.what = SpreadOf{sum.in, *sum.in_float32},
                  .made = {},
                  .node = p.node,
                  .low = p.low,
                  .high = p.high};
    for (const auto& places : p.spread->picks)
      exact.made.push_back(static_cast<std::int64_t>(places.size()));
    return finished(exact, dims, to.as, name);
  }
  if (close > 0)
    note(
        fmt::format("node {}: {} of {} steps of its results lie so near to a sum that onnxruntime, "
                    "which adds in float32, may have the neighbouring number there: a result may "
                    "differ by one at {:.2g} % of the sums that can be reached",
                    p.node, close, steps, 100 * static_cast<double>(close) / reached));
  // One scale for each channel, if that suffices.
  std::vector<float> scales;
  for (std::size_t c = 0; c < functions.size() && scales.size() == c; ++c)
    if (const auto scale = scale_of(functions[c]);
        scale && (to.rule == Rule::linear || to.rule == Rule::quant) && !falling[c] &&
        agrees(channels[c],
               {.scale = *scale, .zero_point = to.as.zero_point, .range = to.as.format.range()},
               reachable[c], made))
      scales.push_back(*scale);
  if (scales.size() == functions.size())
    return shaped(sum_node(sum, p, std::move(scales), to.as, last));
  const graph::TensorId sums = sum_node(sum, p, {1}, {{32, true}, 0, 1}, p.node + "/sums");
  const graph::TensorId id = add_tensor(last, tensor(sums).shape, to.as);
  return shaped(add_node(p.node + "/steps", thresholds_of(channels, falling, made), {sums}, id));
}

// Real numbers that are added and then quantised have few pairs. The sum of integers rounds in
// another order. If it differs for any pair, a table replaces it.
graph::TensorId Walk::added_reals(const AddOf& add, const Pending& p, const Target& to,
                                  const std::string& name) {
  if (add.constant)
    throw Stop{
        fmt::format("quantises by another rule than QuantizeLinear what node {} adds to quantised "
                    "constants; use float32 constants there",
                    p.node)};
  const graph::Tensor a = tensor(add.a), b = tensor(add.b);
  const auto first = table_of(a), second = table_of(b);
  const auto lo_a = static_cast<std::int32_t>(a.format.range().lo),
             lo_b = static_cast<std::int32_t>(b.format.range().lo);
  graph::Tensor made = alike(to.as);
  graph::Add op;
  bool same = is_ratio_of_add(a, made) && is_ratio_of_add(b, made);
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t k = 0; k < second.size(); ++k) {
      const std::int32_t wanted = number_of(std::clamp(first[i] + second[k], p.low, p.high), to);
      same = same && wanted == graph::added(a, b, made, lo_a + static_cast<std::int32_t>(i),
                                            lo_b + static_cast<std::int32_t>(k));
      op.table.push_back(static_cast<std::int16_t>(wanted));
    }
  if (same) op.table.clear();
  const graph::TensorId id = add_tensor(name, a.shape, to.as);
  return add_node(p.node, std::move(op), {add.a, add.b}, id);
}

graph::TensorId Walk::paired_reals(const PairOf& pair, const Pending& p, const Target& to,
                                   const std::string& name) {
  const auto table = [&](const Real& real) {
    return real.table.empty() ? table_of(tensor(real.id)) : real.table;
  };
  const auto first = table(pair.a), second = table(pair.b);
  const auto lowest = static_cast<std::int32_t>(numbers_of(to).lo);
  graph::Add op;
  for (const float a : first)
    for (const float b : second) {
      const float x = std::clamp(pair.function(a, b), p.low, p.high);
      // onnxruntime quantises 0 / 0 to the lowest number.
      op.table.push_back(static_cast<std::int16_t>(std::isnan(x) ? lowest : number_of(x, to)));
    }
  const graph::TensorId id = add_tensor(name, tensor(pair.a.id).shape, to.as);
  return add_node(p.node, std::move(op), {pair.a.id, pair.b.id}, id);
}

graph::TensorId Walk::joined_reals(const JoinOf& join, const Pending& p, const Target& to,
                                   const std::string& name) {
  std::vector<graph::TensorId> parts;
  for (std::size_t i = 0; i < join.parts.size(); ++i) {
    if (!std::holds_alternative<Real>(join.parts[i]))
      throw Stop{fmt::format(
          "quantises by another rule than QuantizeLinear what node {} joins of the input; put a "
          "quantiser before it",
          p.node)};
    Real part = std::get<Real>(join.parts[i]);
    if (p.low != -unbounded || p.high != unbounded) {
      if (part.table.empty()) part.table = table_of(tensor(part.id));
      for (float& x : part.table) x = std::clamp(x, p.low, p.high);
    }
    parts.push_back(looked_up(part, to, fmt::format("{}/in{}", p.node, i)));
  }
  const graph::TensorId id = add_tensor(name, shape_of(p.made), to.as);
  return add_node(p.node, join.op, std::move(parts), id);
}

std::optional<graph::TensorId> Walk::plain_sums(const Pending& p, const Dims& dims,
                                                const std::string& name) {
  const auto* given = std::get_if<SumOf>(&p.what);
  if (given == nullptr || !p.chain.empty() || p.low != -unbounded || p.high != unbounded ||
      given->scales.size() != 1 || given->divisor != 1 || given->needs_quantiser || dims != p.made)
    return std::nullopt;
  SumOf sum = *given;
  const graph::Tensor in = tensor(sum.in);
  const Target none;
  bool exact = true;
  for (std::size_t c = 0; c < sum.bias.size(); ++c) {
    const Function f = function_of(p, none, sum, in, c);
    if (f.offset != 0) return std::nullopt;
    exact = exact && f.error == 0;
  }
  for (const auto& r :
       graph::reachable_of(graph::Conv{.weights = sum.weights, .bias = sum.bias, .scales = {}}, in))
    if (!r.within({-held, held})) return std::nullopt;
  if (!exact)
    note(
        fmt::format("output {}: sums times one scale; onnxruntime adds in float32, so its last "
                    "bits may differ",
                    name));
  return sum_node(sum, p, {1}, {{32, true}, 0, sum.factor * in.scale * sum.scales[0]}, name);
}

}  // namespace kumiki::gen::onnx
