// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/pixel/make.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "gen/layers/vision/messages.h"
#include "gen/layers/vision/pixel/fit.h"
#include "gen/layers/vision/pixel/name.h"
#include "gen/layers/vision/pixel/recipe.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace {

std::string list(const Formats& formats) {
  std::string out;
  for (const OperandFormat& f : formats) out += (out.empty() ? "" : ", ") + to_string(f);
  return out;
}

// What all operations share: formats, latency, names, and the checks of their inputs.
class Operation : public PixelOperation {
 public:
  const Formats& inputs() const override { return inputs_; }
  const Formats& outputs() const override { return outputs_; }
  int latency() const override { return latency_; }
  std::string name() const override { return name_; }
  std::string text() const override { return text_; }

  Pixels build(Scope& s, const Pixels& pixels, Net enable) const override {
    for (const auto& pixel : pixels) {
      if (pixel.size() != inputs_.size())
        throw DesignError(code::pixel_differs,
                          fmt::format("{}: the pixel has {} channels instead of {}", name_,
                                      pixel.size(), inputs_.size()));
      for (std::size_t c = 0; c < pixel.size(); ++c)
        if (static_cast<int>(pixel[c].width()) != inputs_[c].bits)
          throw DesignError(code::pixel_differs,
                            fmt::format("{}: channel {} has {} bits, but its format is {}", name_,
                                        c, pixel[c].width(), to_string(inputs_[c])));
    }
    return make(s, pixels, enable);
  }

 protected:
  Operation(std::string name, Formats inputs)
      : name_(std::move(name)), inputs_(std::move(inputs)) {}
  // Sets everything that follows from the formats of the inputs.
  void results(Formats outputs, int latency, const std::string& formula) {
    for (const OperandFormat& f : outputs) f.validate(name_ + ": result", 1);
    outputs_ = std::move(outputs);
    latency_ = latency;
    text_ = fmt::format("{}: {} -> {}", formula, list(inputs_), list(outputs_));
  }
  virtual Pixels make(Scope& s, const Pixels& pixels, Net enable) const = 0;

 private:
  std::string name_, text_;
  Formats inputs_, outputs_;
  int latency_ = 0;
};

// Applies a recipe to every channel; channels of equal formats share one.
class Elementwise : public Operation {
 public:
  using Planner = std::function<Recipe(const Formats&)>;

  Elementwise(std::string name, Formats inputs, std::size_t operands,
              std::optional<std::int64_t> constant, const Planner& plan_for)
      : Operation(std::move(name), std::move(inputs)), constant_(constant) {
    const std::size_t images = operands - (constant ? 1 : 0);
    channels_ = this->inputs().size() / images;
    if (channels_ == 0 || this->inputs().size() % images != 0)
      throw DesignError({.code = code::images_incomplete,
                         .wrong = fmt::format("{} takes {} images, but the pixel has {} channels",
                                              this->name(), images, this->inputs().size()),
                         .required = fmt::format("give it {} channels, or a multiple", images)});
    Formats outputs;
    int latency = 0;
    for (std::size_t c = 0; c < channels_; ++c) {
      Formats formats;
      for (std::size_t k = 0; k < images; ++k) formats.push_back(this->inputs()[c + k * channels_]);
      if (constant_) formats.push_back(format_of(Interval::point(*constant_)));
      const auto same = std::find(formats_.begin(), formats_.end(), list(formats));
      recipe_.push_back(static_cast<std::size_t>(same - formats_.begin()));
      if (same == formats_.end()) {
        recipes_.push_back(plan_for(formats));
        formats_.push_back(list(formats));
      }
      outputs.push_back(recipes_[recipe_.back()].result);
      latency = std::max(latency, recipes_[recipe_.back()].latency);
    }
    results(std::move(outputs), latency, recipes_[0].formula);
  }

  std::vector<std::int64_t> apply(std::span<const std::int64_t> in) const override {
    std::vector<std::int64_t> out;
    for (std::size_t c = 0; c < channels_; ++c) {
      std::vector<std::int64_t> operands;
      for (std::size_t at = c; at < in.size(); at += channels_) operands.push_back(in[at]);
      if (constant_) operands.push_back(*constant_);
      out.push_back(recipes_[recipe_[c]].value(operands));
    }
    return out;
  }

 private:
  Pixels make(Scope& s, const Pixels& pixels, Net enable) const override {
    Pixels out(pixels.size(), std::vector<UInt>(channels_));
    for (std::size_t r = 0; r < recipes_.size(); ++r) {
      std::vector<Words> operands((inputs().size() / channels_) + (constant_ ? 1 : 0));
      for (const auto& pixel : pixels)
        for (std::size_t c = 0; c < channels_; ++c) {
          if (recipe_[c] != r) continue;
          for (std::size_t k = 0; c + k * channels_ < pixel.size(); ++k)
            operands[k].push_back(pixel[c + k * channels_]);
          if (constant_) operands.back().push_back(constant_word(s));
        }
      Words made = recipes_[r].make(s, operands, enable);
      made = delayed(s, std::move(made), latency() - recipes_[r].latency, enable);
      std::size_t next = 0;
      for (auto& pixel : out)
        for (std::size_t c = 0; c < channels_; ++c)
          if (recipe_[c] == r) pixel[c] = made[next++];
    }
    return out;
  }

  UInt constant_word(Scope& s) const {
    const auto width = static_cast<std::uint32_t>(format_of(Interval::point(*constant_)).bits);
    return UInt(Word(s.signed_constant(*constant_, width + 1))).slice(0, width);
  }

  std::optional<std::int64_t> constant_;
  std::size_t channels_;              // of the result
  std::vector<std::string> formats_;  // of the operands of every recipe
  std::vector<Recipe> recipes_;
  std::vector<std::size_t> recipe_;  // of every channel
};

class Selection : public Operation {
 public:
  Selection(std::vector<int> channels, Formats inputs)
      : Operation(name_of(ChannelSelect{channels}), std::move(inputs)),
        channels_(std::move(channels)) {
    Formats outputs;
    std::string which;
    for (const int c : channels_) {
      if (c < 0 || c >= static_cast<int>(this->inputs().size()))
        throw DesignError(
            {.code = code::no_such_channel,
             .key = "channels",
             .wrong = fmt::format("the pixel has no channel {}", c),
             .required = fmt::format("channels must be 0 to {}", this->inputs().size() - 1)});
      outputs.push_back(this->inputs()[static_cast<std::size_t>(c)]);
      which += fmt::format("{}{}", which.empty() ? "" : ", ", c);
    }
    if (outputs.empty())
      throw DesignError({.code = code::no_such_channel,
                         .key = "channels",
                         .wrong = "no channel is chosen",
                         .required = "choose at least one"});
    results(std::move(outputs), 0, fmt::format("channels {}", which));
  }
  std::vector<std::int64_t> apply(std::span<const std::int64_t> in) const override {
    std::vector<std::int64_t> out;
    for (const int c : channels_) out.push_back(in[static_cast<std::size_t>(c)]);
    return out;
  }

 private:
  Pixels make(Scope&, const Pixels& pixels, Net) const override {
    Pixels out;
    for (const auto& pixel : pixels) {
      out.emplace_back();
      for (const int c : channels_) out.back().push_back(pixel[static_cast<std::size_t>(c)]);
    }
    return out;
  }
  std::vector<int> channels_;
};

// The number of operands and the constant of every kind.
struct Operands {
  std::size_t count = 1;
  std::optional<std::int64_t> constant = {};
};
Operands operands(const Add& r) { return {2, r.constant}; }
Operands operands(const Subtract& r) { return {2, r.constant}; }
Operands operands(const AbsDiff& r) { return {2, r.constant}; }
Operands operands(const Extreme& r) { return {2, r.constant}; }
Operands operands(const Bitwise& r) {
  if (r.gate != Gate::not_) return {2, r.constant};
  if (r.constant)
    throw DesignError({.code = code::not_of_constant,
                       .key = "constant",
                       .wrong = "\"not\" has one operand and takes no constant",
                       .required = "remove the constant"});
  return {1};
}
Operands operands(const Accumulate&) { return {2}; }
Operands operands(const AccumulateWeighted&) { return {2}; }
Operands operands(const Threshold&) { return {1}; }
Operands operands(const Abs&) { return {1}; }
Operands operands(const Magnitude&) { return {2}; }
Operands operands(const Scale&) { return {1}; }

std::unique_ptr<PixelOperation> make(const ChannelSelect& r, const Formats& inputs) {
  return std::make_unique<Selection>(r.channels, inputs);
}
template <class Request>
std::unique_ptr<PixelOperation> make(const Request& r, const Formats& inputs) {
  const Operands o = operands(r);
  return std::make_unique<Elementwise>(name_of(r), inputs, o.count, o.constant,
                                       [&](const Formats& f) { return plan(r, f); });
}

}  // namespace

std::unique_ptr<PixelOperation> make_operation(const PixelRequest& request, const Formats& inputs) {
  for (std::size_t c = 0; c < inputs.size(); ++c)
    inputs[c].validate(fmt::format("channel {}", c), 1);
  return std::visit([&](const auto& r) { return make(r, inputs); }, request);
}

}  // namespace kumiki::gen::vision
