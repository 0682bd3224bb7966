// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/layering.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::gen::graph {
namespace {

constexpr std::size_t most_places = 50'000;
constexpr int gap = 28, line_width = 12, sweeps = 8;
constexpr std::int64_t unit = 64;  // positions are multiples of 1/64, so every machine computes the
                                   // same

using Neighbours = std::vector<std::vector<std::size_t>>;

class Layers {
 public:
  Layers(const std::vector<int>& widths,
         const std::vector<std::pair<std::size_t, std::size_t>>& lines) {
    for (const int w : widths) out_.places.push_back({.width = w});
    for (const auto& [from, to] : lines) {
      int& row = out_.places[to].row;
      row = std::max(row, out_.places[from].row + 1);
    }
    for (const auto& [from, to] : lines) pass(from, to);
    for (std::size_t i = 0; i < out_.places.size(); ++i) {
      const auto row = static_cast<std::size_t>(out_.places[i].row);
      if (out_.rows.size() <= row) out_.rows.resize(row + 1);
      out_.rows[row].push_back(i);
    }
  }

  Layering made() {
    order();
    position();
    return std::move(out_);
  }

 private:
  void pass(std::size_t from, std::size_t to) {
    std::vector<std::size_t> line{from};
    for (int row = out_.places[from].row + 1; row < out_.places[to].row; ++row) {
      if (out_.places.size() == most_places)
        throw DesignError(
            code::out_of_range,
            fmt::format(
                "the picture has more than {} boxes and lines between them; draw a smaller network",
                most_places));
      line.push_back(out_.places.size());
      out_.places.push_back({.row = row, .width = line_width, .is_box = false});
    }
    line.push_back(to);
    above_.resize(out_.places.size());
    below_.resize(out_.places.size());
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      below_[line[i]].push_back(line[i + 1]);
      above_[line[i + 1]].push_back(line[i]);
    }
    out_.lines.push_back(std::move(line));
  }

  std::vector<std::size_t> ranks() const {
    std::vector<std::size_t> rank(out_.places.size());
    for (const auto& row : out_.rows)
      for (std::size_t i = 0; i < row.size(); ++i) rank[row[i]] = i;
    return rank;
  }

  // Counts the pairs of lines that cross, with a tree of counts over the ranks of the lower row.
  std::size_t crossings() const {
    const auto rank = ranks();
    std::size_t all = 0;
    for (std::size_t r = 0; r + 1 < out_.rows.size(); ++r) {
      std::vector<std::size_t> count(out_.rows[r + 1].size() + 1);
      std::size_t before = 0;
      for (const std::size_t from : out_.rows[r]) {
        std::vector<std::size_t> ends;
        for (const std::size_t to : below_[from]) ends.push_back(rank[to]);
        for (const std::size_t end : ends) {
          std::size_t upto = 0;
          for (std::size_t i = end + 1; i > 0; i -= i & -i) upto += count[i];
          all += before - upto;
        }
        for (const std::size_t end : ends)
          for (std::size_t i = end + 1; i < count.size(); i += i & -i) ++count[i];
        before += ends.size();
      }
    }
    return all;
  }

  // Moves places to the mean of their neighbours, from above and from below in turn; keeps the best
  // order.
  void order() {
    auto best = out_.rows;
    std::size_t fewest = crossings();
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
      const bool down = sweep % 2 == 0;
      const Neighbours& seen = down ? above_ : below_;
      for (std::size_t i = 0; i < out_.rows.size(); ++i) {
        auto& row = out_.rows[down ? i : out_.rows.size() - 1 - i];
        const auto rank = ranks_of(row, seen);
        std::ranges::stable_sort(row, {}, [&](std::size_t p) { return rank[p]; });
        for (std::size_t k = 0; k < row.size(); ++k) rank_[row[k]] = k;
      }
      if (const std::size_t now = crossings(); now < fewest) fewest = now, best = out_.rows;
    }
    out_.rows = best;
  }

  // Means of the neighbours' ranks in 64ths; a place without neighbours keeps its rank.
  std::vector<std::int64_t> ranks_of(const std::vector<std::size_t>& row, const Neighbours& seen) {
    if (rank_.empty()) rank_ = ranks();
    std::vector<std::int64_t> mean(out_.places.size());
    for (const std::size_t p : row) {
      std::int64_t sum = 0;
      for (const std::size_t n : seen[p]) sum += static_cast<std::int64_t>(rank_[n]) * unit;
      mean[p] =
          seen[p].empty() ? static_cast<std::int64_t>(rank_[p]) * unit : sum / std::ssize(seen[p]);
    }
    return mean;
  }

  std::int64_t apart(std::size_t a, std::size_t b) const {
    return (out_.places[a].width + out_.places[b].width) * unit / 2 + gap * unit;
  }

  // Moves places as near to their wanted positions as order and widths allow. Neighbours that would
  // overlap move together, to their mean.
  void settle(const std::vector<std::size_t>& row, const std::vector<std::int64_t>& wanted,
              std::vector<std::int64_t>& x) const {
    struct Block {
      std::int64_t sum = 0, weight = 0;
      std::size_t size = 0;
      std::int64_t mean() const { return sum / weight; }
    };
    std::vector<std::int64_t> offset(row.size());
    for (std::size_t i = 1; i < row.size(); ++i)
      offset[i] = offset[i - 1] + apart(row[i - 1], row[i]);
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < row.size(); ++i) {
      // Keeping a passing line straight has more weight than centring a box.
      const std::int64_t weight = out_.places[row[i]].is_box ? 1 : 4;
      blocks.push_back({(wanted[i] - offset[i]) * weight, weight, 1});
      while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
        const Block last = blocks.back();
        blocks.pop_back();
        blocks.back().sum += last.sum;
        blocks.back().weight += last.weight;
        blocks.back().size += last.size;
      }
    }
    std::size_t i = 0;
    for (const Block& b : blocks)
      for (std::size_t k = 0; k < b.size; ++k, ++i) x[row[i]] = b.mean() + offset[i];
  }

  void position() {
    std::vector<std::int64_t> x(out_.places.size());
    for (const auto& row : out_.rows) settle(row, std::vector<std::int64_t>(row.size()), x);
    for (int sweep = 0; sweep < 2 * sweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t i = 0; i < out_.rows.size(); ++i) {
        const auto& row = out_.rows[down ? i : out_.rows.size() - 1 - i];
        std::vector<std::int64_t> wanted;
        for (const std::size_t p : row) {
          const auto& seen = (down ? above_ : below_)[p];
          std::int64_t sum = 0;
          for (const std::size_t n : seen) sum += x[n];
          wanted.push_back(seen.empty() ? x[p] : sum / std::ssize(seen));
        }
        settle(row, wanted, x);
      }
    }
    std::int64_t left = 0;
    for (std::size_t p = 0; p < x.size(); ++p)
      left = std::min(left, x[p] - out_.places[p].width * unit / 2);
    for (std::size_t p = 0; p < x.size(); ++p)
      out_.places[p].x = static_cast<int>((x[p] - left) / unit);
  }

  Layering out_;
  Neighbours above_, below_;
  std::vector<std::size_t> rank_;
};

}  // namespace

Layering layered(const std::vector<int>& widths,
                 const std::vector<std::pair<std::size_t, std::size_t>>& lines) {
  return Layers(widths, lines).made();
}

}  // namespace kumiki::gen::graph
