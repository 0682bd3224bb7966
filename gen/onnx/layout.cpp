// SPDX-License-Identifier: Apache-2.0
#include "gen/onnx/layout.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace kumiki::gen::onnx {
namespace {

bool is_convolution(const Node& n) { return n.op == "Conv" || n.op == "QLinearConv"; }

// A transpose may be moved from its inputs to its result.
bool lets_transposes_pass(const Node& n) {
  constexpr std::string_view ops =
      " Abs Add Cast Celu Clip Concat DequantizeLinear Div Elu Erf Exp Gelu HardSigmoid HardSwish "
      "Identity LeakyRelu Log Max MaxPool Min Mish Mul Neg PRelu Pow QLinearAdd QLinearConcat "
      "QLinearLeakyRelu QLinearMul QLinearSigmoid QuantizeLinear Reciprocal ReduceMean Relu Selu "
      "Sigmoid Softplus Sqrt Sub Tanh ";
  return ops.find(" " + n.op + " ") != std::string_view::npos;
}

class Search {
 public:
  explicit Search(const Model& model) : model_(model) {
    for (const Node& n : model.nodes) {
      for (const auto& output : n.outputs) maker_[output] = &n;
      for (const auto& input : n.inputs) readers_[input].push_back(&n);
    }
  }

  // Where a value comes from; of several inputs, all of them.
  Layout behind(const std::string& value) {
    const auto [known, is_new] = seen_.try_emplace(value, Layout::unknown);
    if (!is_new) return known->second;
    const auto maker = maker_.find(value);
    Layout made = Layout::unknown;
    if (maker == maker_.end()) {
      made = Layout::by_channel;  // an input of the model
    } else if (is_convolution(*maker->second)) {
      made = Layout::by_pixel;
    } else if (lets_transposes_pass(*maker->second)) {
      made = Layout::by_pixel;
      for (const auto& input : maker->second->inputs) {
        if (input.empty() || is_constant(input)) continue;
        const Layout of = behind(input);
        if (of != Layout::by_pixel && made != Layout::unknown) made = of;
      }
    }
    return seen_[value] = made;
  }

  bool reaches_a_convolution(const std::string& value) {
    if (!followed_.insert(value).second) return false;
    const auto readers = readers_.find(value);
    return readers != readers_.end() && std::ranges::any_of(readers->second, [&](const Node* n) {
             return is_convolution(*n) ||
                    (lets_transposes_pass(*n) && reaches_a_convolution(n->outputs[0]));
           });
  }

 private:
  // Also behind quantisers and the like.
  bool is_constant(const std::string& value) const {
    const auto maker = maker_.find(value);
    if (maker == maker_.end()) return model_.constants.contains(value);
    return maker->second->op == "Constant" ||
           (!maker->second->inputs.empty() &&
            std::ranges::all_of(maker->second->inputs, [&](const auto& input) {
              return input.empty() || is_constant(input);
            }));
  }

  const Model& model_;
  std::map<std::string, const Node*, std::less<>> maker_;
  std::map<std::string, std::vector<const Node*>, std::less<>> readers_;
  std::map<std::string, Layout, std::less<>> seen_;
  std::set<std::string, std::less<>> followed_;
};

}  // namespace

Layout layout_of_mean(const Model& model, const Node& mean) {
  Search search(model);
  if (!search.reaches_a_convolution(mean.outputs[0])) return Layout::by_channel;
  return search.behind(mean.inputs[0]);
}

}  // namespace kumiki::gen::onnx
