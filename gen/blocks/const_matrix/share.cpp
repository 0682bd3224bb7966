// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/share.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>

namespace kumiki::gen::const_matrix {
namespace {

// Two terms and their relation: b is shifted against a, which has the lower shift.
struct Pair {
  std::uint32_t a = 0, b = 0;
  int shift = 0;
  bool differs = false;  // in sign

  std::uint64_t key() const {
    return std::uint64_t{a} << 40 | std::uint64_t{b} << 16 | std::uint64_t(shift) << 1 | differs;
  }
  static Pair of_key(std::uint64_t key) {
    return {static_cast<std::uint32_t>(key >> 40), static_cast<std::uint32_t>(key >> 16 & 0xffffff),
            static_cast<int>(key >> 1 & 0x7fff), (key & 1) != 0};
  }
};

// Which of two terms is `a`.
bool stands_first(const Operand& t, const Operand& u) {
  return t.shift != u.shift ? t.shift < u.shift : t.node < u.node;
}
Pair pair_of(const Operand& t, const Operand& u) {
  const bool ordered = stands_first(t, u);
  const Operand &a = ordered ? t : u, &b = ordered ? u : t;
  return {a.node, b.node, b.shift - a.shift, a.negative != b.negative};
}

// Counts of pairs: a table with open addressing, because it is read millions of times.
class Counts {
 public:
  Counts() : keys_(std::size_t{1} << 16, none), counts_(keys_.size(), 0) {}
  int& operator[](std::uint64_t key) {
    if (2 * used_ > keys_.size()) grow();
    const std::size_t at = find(key);
    if (keys_[at] == none) {
      keys_[at] = key;
      ++used_;
    }
    return counts_[at];
  }
  template <class F>
  void each(const F& f) const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i] != none) f(keys_[i], counts_[i]);
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::size_t find(std::uint64_t key) const {
    std::size_t at = (key * 0x9e3779b97f4a7c15u) >> 20 & (keys_.size() - 1);
    while (keys_[at] != none && keys_[at] != key) at = (at + 1) & (keys_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> keys(2 * keys_.size(), none);
    std::vector<int> counts(keys.size(), 0);
    keys.swap(keys_);
    counts.swap(counts_);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] != none) {
        const std::size_t at = find(keys[i]);
        keys_[at] = keys[i];
        counts_[at] = counts[i];
      }
  }
  std::vector<std::uint64_t> keys_;
  std::vector<int> counts_;
  std::size_t used_ = 0;
};

struct Candidate {
  double gain;
  std::uint64_t key;
  int count;
  // The key decides between equals, so the result is the same on every machine.
  bool operator<(const Candidate& o) const { return gain != o.gain ? gain < o.gain : key > o.key; }
};

class Sharer {
 public:
  Sharer(Sums sums, const Sharing& sharing) : sums_(std::move(sums)), sharing_(sharing) {
    for (const Interval& range : sums_.inputs) {
      low_.push_back(static_cast<std::int64_t>(range.lo));
      high_.push_back(static_cast<std::int64_t>(range.hi));
      depth_.push_back(0);
    }
    for (const Row& row : sums_.outputs)
      for (std::size_t i = 0; i < row.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) ++counts_[pair_of(row[i], row[k]).key()];
    counts_.each([this](std::uint64_t key, int count) { consider(key, count); });
    for (const Row& row : sums_.outputs) {
      const double length = static_cast<double>(std::max<std::size_t>(1, row.size()));
      room_.push_back(std::pow(sharing_.arity, sharing_.depth) - length);
    }
  }

  Sums run() {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const int count = counts_[best.key];
      if (count != best.count)
        consider(best.key, count);
      else
        take(Pair::of_key(best.key));
    }
    return std::move(sums_);
  }

 private:
  static int width(std::int64_t low, std::int64_t high) {
    return low < 0 ? 1 + std::max(std::bit_width(static_cast<std::uint64_t>(~low)),
                                  high < 0 ? 0 : std::bit_width(static_cast<std::uint64_t>(high)))
                   : std::bit_width(static_cast<std::uint64_t>(high));
  }
  void sum_range(const Pair& p, std::int64_t& low, std::int64_t& high) const {
    low = low_[p.a];
    high = high_[p.a];
    const std::int64_t b_low = low_[p.b] << p.shift, b_high = high_[p.b] << p.shift;
    low += p.differs ? -b_high : b_low;
    high += p.differs ? -b_low : b_high;
  }

  double gain(const Pair& p, int count) const {
    std::int64_t low, high;
    sum_range(p, low, high);
    const int a_bits = width(low_[p.a], high_[p.a]), b_bits = width(low_[p.b], high_[p.b]);
    const int shared = std::max(0, std::min(a_bits - p.shift, b_bits));
    return count * (sharing_.part * shared + sharing_.more) - (width(low, high) - p.shift);
  }
  void consider(std::uint64_t key, int count) {
    if (count < 2) return;
    const Pair p = Pair::of_key(key);
    if (std::max(depth_[p.a], depth_[p.b]) + 1 >= sharing_.depth) return;
    const double g = gain(p, count);
    if (g > 0) queue_.push({g, key, count});
  }

  // The positions of the pair's two terms in a row; each term belongs to one match only.
  std::vector<std::pair<std::size_t, std::size_t>> find(const Pair& p, const Row& row) const {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    std::vector<bool> is_taken(row.size(), false);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].node != p.a || is_taken[i]) continue;
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (k == i || is_taken[k] || row[k].node != p.b) continue;
        if (row[k].shift - row[i].shift != p.shift ||
            (row[k].negative != row[i].negative) != p.differs)
          continue;
        found.push_back({i, k});
        is_taken[i] = is_taken[k] = true;
        break;
      }
    }
    return found;
  }

  bool has_room(std::size_t row, const Pair& p, int depth) const {
    const double base = sharing_.arity;
    return room_[row] >=
           std::pow(base, depth) - std::pow(base, depth_[p.a]) - std::pow(base, depth_[p.b]);
  }

  void take(const Pair& p) {
    const int depth = std::max(depth_[p.a], depth_[p.b]) + 1;
    int count = 0;
    for (std::size_t r = 0; r < sums_.outputs.size(); ++r)
      if (has_room(r, p, depth)) count += static_cast<int>(find(p, sums_.outputs[r]).size());
    if (count < 2 || gain(p, count) <= 0) return;
    const auto node = static_cast<std::uint32_t>(low_.size());
    std::int64_t low, high;
    sum_range(p, low, high);
    low_.push_back(low);
    high_.push_back(high);
    depth_.push_back(depth);
    sums_.shared.push_back({{p.a, 0, false}, {p.b, p.shift, p.differs}});
    changed_.clear();
    for (std::size_t r = 0; r < sums_.outputs.size(); ++r) replace(r, p, node);
    std::ranges::sort(changed_);
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    for (const std::uint64_t key : changed_) consider(key, counts_[key]);
  }
  void replace(std::size_t r, const Pair& p, std::uint32_t node) {
    Row& row = sums_.outputs[r];
    const double base = sharing_.arity;
    // Positions change with every pair that is replaced.
    for (auto found = find(p, row); !found.empty() && has_room(r, p, depth_[node]);
         found = find(p, row)) {
      const auto [a, b] = found[0];
      const Operand term{node, row[a].shift, row[a].negative};
      remove(row, std::max(a, b));
      remove(row, std::min(a, b));
      insert(row, term);
      room_[r] -=
          std::pow(base, depth_[node]) - std::pow(base, depth_[p.a]) - std::pow(base, depth_[p.b]);
    }
  }
  void remove(Row& row, std::size_t at) {
    const Operand gone = row[at];
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
    for (const Operand& o : row) --counts_[pair_of(gone, o).key()];
  }
  void insert(Row& row, const Operand& term) {
    for (const Operand& o : row) {
      const std::uint64_t key = pair_of(term, o).key();
      if (++counts_[key] > 1) changed_.push_back(key);
    }
    row.push_back(term);
  }

  Sums sums_;
  Sharing sharing_;
  std::vector<std::int64_t> low_, high_;
  std::vector<int> depth_;
  std::vector<double>
      room_;  // of a row: what its terms may still be deeper, in powers of the arity
  Counts counts_;
  std::priority_queue<Candidate> queue_;
  std::vector<std::uint64_t> changed_;
};

}  // namespace

Sums share(Sums sums, const Sharing& sharing) { return Sharer(std::move(sums), sharing).run(); }

}  // namespace kumiki::gen::const_matrix
