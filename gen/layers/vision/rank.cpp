// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/rank.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumiki::gen::vision {
namespace {

class RankFilter : public WindowOperation {
 public:
  explicit RankFilter(const RankRequest& r) : request_(r) {
    const auto networks = sort::window_rank(r.size, r.pixels, r.rank);
    const auto sorter = [&](const sort::Network& network, int lanes) {
      return sort::SortPlan{network, r.input.bits, r.input.is_signed, lanes, r.form};
    };
    column_ = sorter(networks.column, r.pixels * r.channels);
    row_ = sorter(networks.row, r.channels);
  }

  int size() const override { return request_.size; }
  Format input() const override { return request_.input; }
  std::vector<Format> outputs() const override { return {request_.input}; }
  std::string name() const override {
    return fmt::format("{}{}x{}", request_.name, size(), size());
  }
  std::string text() const override {
    const auto down = sort::cost(column_), along = sort::cost(row_);
    return fmt::format(
        "rank {} of {} x {}: {} + {} comparisons, {}, {} slices and {} LUTs, latency {} + {}",
        request_.rank, size(), size(), down.comparisons, along.comparisons,
        request_.form == sort::Form::slices ? "in FOUR12 slices" : "in LUTs",
        down.slices + along.slices, down.luts() + along.luts(), column_.latency(), row_.latency());
  }

  std::vector<std::int64_t> apply(std::span<const std::int64_t> window,
                                  std::span<const std::int64_t>) const override {
    std::vector<std::int64_t> all(window.begin(), window.end());
    const auto at = all.begin() + request_.rank;
    std::nth_element(all.begin(), at, all.end());
    return {*at};
  }

  std::vector<Format> column_words() const override { return std::vector(words(), request_.input); }
  int column_latency() const override { return column_.latency(); }
  std::vector<std::int64_t> column_values(std::span<const std::int64_t> column) const override {
    return sort::sorted(column_.network, {column.begin(), column.end()});
  }
  Lanes build_column(Scope& s, const Lanes& rows, Net enable) const override {
    return sort::sort(s, column_, rows, enable);
  }

  std::vector<Tap> taps() const override {
    std::vector<Tap> all;
    for (int column = 0; column < size(); ++column)
      for (int word = 0; word < static_cast<int>(words()); ++word) all.push_back({column, word, 0});
    return all;
  }
  // A sorter in LUTs compares in its first clock, so the taps, which come from multiplexers, get a
  // register.
  int latency() const override { return row_.latency() + (in_luts() ? 1 : 0); }
  // The network reads every column of a beat's windows once: all columns of the first pixel's
  // window, then the last column of every other pixel's.
  Lanes build_row(Scope& s, const Lanes& taps, std::span<const UInt>, Net enable) const override {
    const auto channels = static_cast<std::size_t>(request_.channels);
    const auto pixels = static_cast<std::size_t>(request_.pixels);
    Lanes columns(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      columns[c] = taps[c];
      for (std::size_t p = 1; p < pixels; ++p) {
        const auto& window = taps[p * channels + c];
        columns[c].insert(columns[c].end(), window.end() - static_cast<std::ptrdiff_t>(words()),
                          window.end());
      }
    }
    if (in_luts())
      for (auto& lane : columns)
        for (UInt& word : lane) word = reg(s, word, {.enable = enable});
    const auto results = sort::sort(s, row_, columns, enable);
    Lanes out(pixels * channels);
    for (std::size_t p = 0; p < pixels; ++p)
      for (std::size_t c = 0; c < channels; ++c) out[p * channels + c] = {results[c][p]};
    return out;
  }

  int slices() const override { return sort::cost(column_).slices + sort::cost(row_).slices; }
  std::int64_t macs() const override { return 0; }

 private:
  bool in_luts() const { return request_.form == sort::Form::luts; }
  std::size_t words() const { return column_.network.outputs.size(); }

  RankRequest request_;
  sort::SortPlan column_, row_;
};

}  // namespace

std::unique_ptr<WindowOperation> make_rank(const RankRequest& request) {
  return std::make_unique<RankFilter>(request);
}

}  // namespace kumiki::gen::vision
