// SPDX-License-Identifier: Apache-2.0
// The meaning of an operator: what it requires of its tensors, what it computes, and which numbers
// its result can have. NAME/meaning.h declares these functions for its operator. A function that an
// operator does not declare has the default below.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gen/arith/float_rule.h"
#include "gen/kernels/convolution.h"
#include "gen/kernels/workers.h"
#include "gen/operators/tensor.h"

namespace kumiki::gen::graph {

struct Graph;
struct Node;

// The tensors of one node.
struct Ends {
  std::vector<const Tensor*> inputs;
  const Tensor* output = nullptr;

  const Tensor& in(std::size_t i = 0) const { return *inputs[i]; }
  const Tensor& out() const { return *output; }
};

constexpr int largest_axis = 1 << 20;

// Checks one node and reports what is wrong. The tensors are valid by themselves, and the node has
// as many inputs as the operator takes.
class NodeCheck {
 public:
  // `numbers`: the range of each input.
  NodeCheck(Ends ends, std::vector<arith::Interval> numbers,
            std::function<void(std::string)> finding)
      : ends_(std::move(ends)), numbers_(std::move(numbers)), finding_(std::move(finding)) {}

  const Ends& ends() const { return ends_; }
  const Tensor& in(std::size_t i = 0) const { return ends_.in(i); }
  const Tensor& out() const { return ends_.out(); }
  std::size_t inputs() const { return ends_.inputs.size(); }
  const arith::Interval& numbers(std::size_t i = 0) const { return numbers_[i]; }

  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    finding_(fmt::format(text, std::forward<Args>(args)...));
  }

  // Each reports what is wrong; a bool result says whether the check holds.
  bool is_map(const Tensor& t);
  bool makes(const Shape& shape);           // the result must have this shape
  void makes_as_many(const Shape& shape);   // or another one of as many numbers
  bool sees(const std::vector<int>& view);  // an empty view, or one of the numbers of the input
  // The window must fit a map of this shape; `shape` becomes that of its positions.
  bool fits(const Window& w, Shape& shape);
  void means_as(const Tensor& in);  // equal numbers of `in` and the result mean the same
  void values_fit(const std::vector<std::int16_t>& values);
  // onnxruntime adds in 32 bits; a sum that overflows has no meaning.
  void sums_fit(const std::vector<arith::Interval>& sums);

 private:
  Ends ends_;
  std::vector<arith::Interval> numbers_;
  std::function<void(std::string)> finding_;
};

using Numbers = std::vector<std::int32_t>;
using Inputs = std::vector<std::span<const std::int32_t>>;
using Results = std::span<std::int32_t>;

// Computes the numbers of one image from those of the inputs. `results` has their size, and its
// numbers are undefined. It is a function of (inputs, results), or of (inputs, results, workers) if
// it shares its work.
class Compute {
 public:
  template <class F>
  Compute(F compute) {
    if constexpr (std::is_invocable_v<F&, const Inputs&, Results, kernels::Workers&>)
      compute_ = std::move(compute);
    else
      compute_ = [compute = std::move(compute)](const Inputs& inputs, Results results,
                                                kernels::Workers&) { compute(inputs, results); };
  }
  explicit Compute(std::shared_ptr<const kernels::Convolution> convolution)
      : convolution_(std::move(convolution)) {
    compute_ = [&c = *convolution_](const Inputs& inputs, Results results,
                                    kernels::Workers& workers) {
      c.run({.numbers = inputs[0].data(), .bytes = nullptr},
            {.numbers = results.data(), .bytes = nullptr}, workers);
    };
  }
  // Null: it is none, or has no vector instructions.
  const kernels::Convolution* convolution() const { return convolution_.get(); }
  void operator()(const Inputs& inputs, Results results, kernels::Workers& workers) const {
    compute_(inputs, results, workers);
  }

 private:
  std::function<void(const Inputs&, Results, kernels::Workers&)> compute_;
  std::shared_ptr<const kernels::Convolution> convolution_;
};

constexpr std::size_t one_or_more = static_cast<std::size_t>(-1);
// The number of inputs.
template <class Op>
constexpr std::size_t inputs_of() {
  if constexpr (requires { Op::inputs; })
    return Op::inputs;
  else
    return 1;
}

// Whether every number of the result is a number of an input.
template <class Op>
constexpr bool hands_on() {
  if constexpr (requires { Op::hands_on; })
    return Op::hands_on;
  else
    return false;
}

// The range of the result, given the ranges of the inputs.
template <class Op>
arith::Interval reached(const Op&, const Ends& ends, const std::vector<arith::Interval>& numbers) {
  if constexpr (!hands_on<Op>()) return ends.out().format.range();
  arith::Interval all = numbers[0];
  for (const arith::Interval& n : numbers) all = hull(all, n);
  return all;
}

// The rule that turns the sums of each channel into numbers.
template <class Op>
std::vector<arith::FloatRule> rules(const Op&, const Ends&) {
  return {};
}

// The range of each channel's sums, bias included, given the range of the input.
template <class Op>
std::vector<arith::Interval> reachable_sums(const Op&, const Ends&, const arith::Interval&) {
  return {};
}

// Visits the words and lists of an operator in the text of a graph, in order (fields.h). An
// operator without any has no member `fields`.
template <class Op, class Visitor>
void visit_fields(Op& op, Visitor&& visitor) {
  if constexpr (requires { std::remove_const_t<Op>::fields(op, visitor); })
    std::remove_const_t<Op>::fields(op, visitor);
}

}  // namespace kumiki::gen::graph
