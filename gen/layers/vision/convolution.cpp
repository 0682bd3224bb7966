// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gen/layers/vision/messages.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace {

std::int64_t dot(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class Convolution : public WindowOperation {
 public:
  explicit Convolution(const ConvolutionRequest& r) : request_(r), size_(r.kernels.front().size) {}

  int size() const override { return size_; }
  Format input() const override { return request_.input; }
  std::string name() const override { return fmt::format("{}{}x{}", request_.name, size_, size_); }

  std::vector<std::int64_t> apply(std::span<const std::int64_t> window,
                                  std::span<const std::int64_t> coefficients) const override {
    std::vector<std::int64_t> all;
    for (std::size_t k = 0; k < request_.kernels.size(); ++k)
      all.push_back(dot(window, request_.loadable
                                    ? coefficients.subspan(k * window.size(), window.size())
                                    : std::span(request_.kernels[k].coefficients)));
    return all;
  }

  std::vector<std::int64_t> loadable() const override {
    std::vector<std::int64_t> all;
    if (request_.loadable)
      for (const Kernel& k : request_.kernels)
        all.insert(all.end(), k.coefficients.begin(), k.coefficients.end());
    return all;
  }
  Format coefficient() const override { return {.bits = request_.coefficient_bits}; }

 protected:
  std::vector<Tap> taps_of(const Pass& pass, bool rows_are_words) const {
    std::vector<Tap> all;
    for (const auto& o : pass.operands())
      all.push_back(rows_are_words ? Tap{o.input % size_, o.input / size_, o.late}
                                   : Tap{o.input / words_, o.input % words_, o.late});
    return all;
  }

  ConvolutionRequest request_;
  int size_;
  int words_ = 1;  // of a column, with two passes
};

// Input i of the pass is the pixel in row i / size, column i % size.
class OnePass : public Convolution {
 public:
  explicit OnePass(const ConvolutionRequest& r) : Convolution(r) {
    PassRequest p{.name = name(),
                  .inputs = std::vector(static_cast<std::size_t>(size_ * size_), r.input),
                  .loadable = r.loadable,
                  .coefficient = coefficient(),
                  .limits = r.limits};
    for (const Kernel& k : r.kernels) p.kernels.push_back(k.coefficients);
    pass_ = Pass(p, r.lanes);
  }
  std::vector<Format> outputs() const override { return pass_.outputs(); }
  std::vector<Tap> taps() const override { return taps_of(pass_, true); }
  int latency() const override { return pass_.latency(); }
  Lanes build_row(Scope& s, const Lanes& taps, std::span<const UInt> coefficients,
                  Net enable) const override {
    return pass_.build(s, taps, coefficients, enable);
  }
  std::vector<std::pair<std::string, const packing::PackingPlan*>> chains() const override {
    return pass_.chains();
  }
  int slices() const override { return pass_.slices(); }
  std::int64_t macs() const override { return pass_.macs(); }
  std::string text() const override {
    return fmt::format("{} x {} in one pass, {}", size_, size_, pass_.text());
  }

 private:
  Pass pass_;
};

// Every kernel is a column filter, whose results are the words of a column, followed by a row
// filter.
class TwoPasses : public Convolution {
 public:
  TwoPasses(const ConvolutionRequest& r, const std::vector<Separation>& parts) : Convolution(r) {
    const auto n = static_cast<std::size_t>(size_);
    PassRequest down{
        .name = name() + "_down", .inputs = std::vector(n, r.input), .limits = r.limits};
    std::vector<std::size_t> word;  // [kernel]: the word of a column that it reads
    for (const Separation& s : parts) {
      const auto known = std::find(down.kernels.begin(), down.kernels.end(), s.vertical);
      word.push_back(static_cast<std::size_t>(known - down.kernels.begin()));
      if (known == down.kernels.end()) down.kernels.push_back(s.vertical);
    }
    words_ = static_cast<int>(down.kernels.size());
    down_ = Pass(down, r.lanes);
    PassRequest along{.name = name() + "_along", .limits = r.limits};
    for (std::size_t column = 0; column < n; ++column)
      for (const Format& f : down_.outputs()) along.inputs.push_back(f);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      std::vector<std::int64_t> row(along.inputs.size(), 0);
      for (std::size_t column = 0; column < n; ++column)
        row[column * down.kernels.size() + word[k]] = parts[k].horizontal[column];
      along.kernels.push_back(std::move(row));
    }
    along_ = Pass(along, r.lanes);
    vertical_ = std::move(down.kernels);
  }
  std::vector<Format> outputs() const override { return along_.outputs(); }
  std::vector<Format> column_words() const override { return down_.outputs(); }
  int column_latency() const override { return down_.latency(); }
  std::vector<std::int64_t> column_values(std::span<const std::int64_t> column) const override {
    std::vector<std::int64_t> all;
    for (const auto& v : vertical_) all.push_back(dot(column, v));
    return all;
  }
  Lanes build_column(Scope& s, const Lanes& rows, Net enable) const override {
    Lanes operands(rows.size());
    for (std::size_t l = 0; l < rows.size(); ++l)
      for (const auto& o : down_.operands())
        operands[l].push_back(delay(s, rows[l][static_cast<std::size_t>(o.input)],
                                    static_cast<std::uint32_t>(o.late), enable));
    return down_.build(s, operands, {}, enable);
  }
  std::vector<Tap> taps() const override { return taps_of(along_, false); }
  int latency() const override { return along_.latency(); }
  Lanes build_row(Scope& s, const Lanes& taps, std::span<const UInt>, Net enable) const override {
    return along_.build(s, taps, {}, enable);
  }
  std::vector<std::pair<std::string, const packing::PackingPlan*>> chains() const override {
    auto all = down_.chains();
    for (const auto& chain : along_.chains()) all.push_back(chain);
    return all;
  }
  int slices() const override { return down_.slices() + along_.slices(); }
  std::int64_t macs() const override { return down_.macs() + along_.macs(); }
  std::string text() const override {
    return fmt::format("{} x {} in two passes: down {}; along {}", size_, size_, down_.text(),
                       along_.text());
  }

 private:
  Pass down_, along_;
  std::vector<std::vector<std::int64_t>> vertical_;
};

std::optional<std::vector<Separation>> separated(const std::vector<Kernel>& kernels) {
  std::vector<Separation> all(kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k)
    if (!separate(kernels[k], all[k])) return std::nullopt;
  return all;
}

}  // namespace

std::unique_ptr<WindowOperation> make_convolution(const ConvolutionRequest& request) {
  const auto parts = request.loadable ? std::nullopt : separated(request.kernels);
  if (request.passes == Passes::two) {
    if (!parts)
      throw DesignError({.code = code::one_pass_only,
                         .key = "passes",
                         .wrong = request.loadable
                                      ? "coefficients that are loaded cannot be cut into two passes"
                                      : "the kernel is not a column times a row",
                         .required = "use one pass"});
    return std::make_unique<TwoPasses>(request, *parts);
  }
  auto one = std::make_unique<OnePass>(request);
  if (request.passes == Passes::one || !parts) return one;
  try {
    auto two = std::make_unique<TwoPasses>(request, *parts);
    if (two->slices() < one->slices()) return two;
  } catch (const DesignError&) {  // the words between the passes are too wide
  }
  return one;
}

}  // namespace kumiki::gen::vision
