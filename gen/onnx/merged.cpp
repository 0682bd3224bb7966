// SPDX-License-Identifier: Apache-2.0
// Merges double quantisation: one pair of QuantizeLinear and DequantizeLinear directly behind
// another. onnxruntime merges both into one pair with their common range, and this changes numbers,
// so the model is rewritten in the same way. Conditions: nobody else reads between the pairs, all
// scales and zero points are given constants, and both have the same 8-bit type.
#include <algorithm>
#include <cmath>

#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {
namespace {

struct Pair {
  Type type = Type::u8;
  float scale = 1;
  std::int64_t zero_point = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

class Merge {
 public:
  explicit Merge(const Model& model) : model_(model) {
    for (const auto& [name, array] : model.constants) constants_.emplace(name, &array);
    for (std::size_t n = 0; n < model.nodes.size(); ++n) {
      const Node& node = model.nodes[n];
      if (node.op == "Constant" && node.outputs.size() == 1)
        if (const auto found = node.attributes.find("value"); found != node.attributes.end())
          if (const auto* array = std::get_if<Array>(&found->second))
            constants_.emplace(node.outputs[0], array);
      for (const std::string& in : node.inputs) readers_[in].push_back(n);
    }
    // The model itself reads its outputs.
    for (const Port& p : model.outputs) readers_[p.name].push_back(model.nodes.size());
  }

  std::optional<Model> run() {
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) look(n);
    if (removed_.empty()) return std::nullopt;
    std::vector<Node> left;
    for (std::size_t n = 0; n < made_->nodes.size(); ++n)
      if (!removed_.contains(n)) left.push_back(std::move(made_->nodes[n]));
    made_->nodes = std::move(left);
    return std::move(made_);
  }

 private:
  const Node* node(std::size_t n, std::string_view op) const {
    if (n >= model_.nodes.size() || removed_.contains(n)) return nullptr;
    const Node& found = model_.nodes[n];
    return found.op == op && found.inputs.size() == 3 && found.outputs.size() == 1 ? &found
                                                                                   : nullptr;
  }
  const Array* one(const std::string& name) const {
    const auto found = constants_.find(name);
    return found == constants_.end() || found->second->count() != 1 ? nullptr : found->second;
  }
  std::optional<Pair> pair_of(const Node& n) const {
    const Array *scale = one(n.inputs[1]), *zero = one(n.inputs[2]);
    if (scale == nullptr || zero == nullptr || scale->type != Type::f32 ||
        (zero->type != Type::u8 && zero->type != Type::s8))
      return std::nullopt;
    return Pair{zero->type, scale->floats()[0], zero->integers()[0]};
  }
  const std::vector<std::size_t>& readers(const Node& n) const {
    static const std::vector<std::size_t> none;
    const auto found = readers_.find(n.outputs[0]);
    return found == readers_.end() ? none : found->second;
  }

  // q1 -> d1 -> q2 -> all of d2 becomes q1 -> all of d2.
  void look(std::size_t n) {
    const Node* q1 = node(n, "QuantizeLinear");
    if (q1 == nullptr || readers(*q1).size() != 1) return;
    const std::size_t first = readers(*q1)[0];
    const Node* d1 = node(first, "DequantizeLinear");
    if (d1 == nullptr || readers(*d1).size() != 1) return;
    const std::size_t second = readers(*d1)[0];
    const Node* q2 = node(second, "QuantizeLinear");
    if (q2 == nullptr || readers(*q2).empty()) return;
    const auto outer = pair_of(*q1), inner = pair_of(*q2);
    if (!outer || !inner || outer->type != inner->type || pair_of(*d1) != outer || outer == inner)
      return;
    for (const std::size_t r : readers(*q2)) {
      const Node* d2 = node(r, "DequantizeLinear");
      if (d2 == nullptr || pair_of(*d2) != inner) return;
    }
    if (!made_) made_ = model_;
    const Pair both = common(*outer, *inner);
    const std::string scale =
        add(q1->outputs[0] + "/scale", array_of(Dims{}, std::vector{both.scale}));
    const std::string zero =
        add(q1->outputs[0] + "/zero_point", array_of({}, std::vector{both.zero_point}, both.type));
    const auto take = [&](std::size_t at) {
      made_->nodes[at].inputs[1] = scale;
      made_->nodes[at].inputs[2] = zero;
    };
    take(n);
    for (const std::size_t r : readers(*q2)) {
      take(r);
      made_->nodes[r].inputs[0] = q1->outputs[0];
    }
    removed_.insert({first, second});
  }

  // Computes in float32, in onnxruntime's order.
  static Pair common(const Pair& a, const Pair& b) {
    const std::int64_t low = a.type == Type::s8 ? -128 : 0, high = low + 255;
    const auto real = [](std::int64_t number, const Pair& p) {
      return static_cast<float>(number - p.zero_point) * p.scale;
    };
    const float least = std::max(real(low, a), real(low, b)),
                most = std::min(real(high, a), real(high, b));
    Pair both{a.type, (most - least) / 255.0F, 0};
    const float zero = std::round(static_cast<float>(low) - least / both.scale);
    if (std::isfinite(zero))
      both.zero_point = static_cast<std::int64_t>(
          std::clamp(zero, static_cast<float>(low), static_cast<float>(high)));
    return both;
  }

  std::string add(std::string name, Array array) {
    while (made_->constants.contains(name) || readers_.contains(name)) name += "'";
    made_->constants.emplace(name, std::move(array));
    return name;
  }

  const Model& model_;
  std::optional<Model> made_;
  std::map<std::string, const Array*, std::less<>> constants_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> readers_;
  std::set<std::size_t> removed_;
};

}  // namespace

std::optional<Model> merged_quantisers(const Model& model) { return Merge(model).run(); }

}  // namespace kumiki::gen::onnx
