// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/partial.h"

#include "gen/layers/vision/pixel/make.h"

namespace kumiki::gen::vision {
namespace {

class OnFirst : public PixelOperation {
 public:
  OnFirst(std::unique_ptr<PixelOperation> inner,
          const std::vector<packing::OperandFormat>& channels)
      : inner_(std::move(inner)),
        count_(static_cast<std::ptrdiff_t>(inner_->inputs().size())),
        inputs_(channels),
        outputs_(inner_->outputs()) {
    outputs_.insert(outputs_.end(), channels.begin() + count_, channels.end());
  }
  const std::vector<packing::OperandFormat>& inputs() const override { return inputs_; }
  const std::vector<packing::OperandFormat>& outputs() const override { return outputs_; }
  int latency() const override { return inner_->latency(); }
  std::string name() const override { return inner_->name(); }
  std::string text() const override { return inner_->text() + ", the other channels wait"; }

  std::vector<std::int64_t> apply(std::span<const std::int64_t> in) const override {
    auto all = inner_->apply(in.first(static_cast<std::size_t>(count_)));
    all.insert(all.end(), in.begin() + count_, in.end());
    return all;
  }
  Pixels build(Scope& s, const Pixels& in, Net enable) const override {
    Pixels first;
    for (const auto& p : in) first.emplace_back(p.begin(), p.begin() + count_);
    Pixels out = inner_->build(s, first, enable);
    for (std::size_t p = 0; p < in.size(); ++p)
      for (auto w = in[p].begin() + count_; w != in[p].end(); ++w)
        out[p].push_back(delay(s, *w, static_cast<std::uint32_t>(latency()), enable));
    return out;
  }

 private:
  std::unique_ptr<PixelOperation> inner_;
  std::ptrdiff_t count_;
  std::vector<packing::OperandFormat> inputs_, outputs_;
};

}  // namespace

std::unique_ptr<PixelOperation> on_first(const PixelRequest& request,
                                         const std::vector<packing::OperandFormat>& channels,
                                         std::size_t count) {
  auto inner = make_operation(
      request, {channels.begin(), channels.begin() + static_cast<std::ptrdiff_t>(count)});
  if (count == channels.size()) return inner;
  return std::make_unique<OnFirst>(std::move(inner), channels);
}

}  // namespace kumiki::gen::vision
