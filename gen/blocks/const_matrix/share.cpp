// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/share.h"

#include <algorithm>
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
  int& operator[](std::uint64_t key) {
    if (2 * used_ > slots_.size()) grow();
    Slot& slot = find(key);
    if (slot.key == none) {
      slot.key = key;
      ++used_;
    }
    return slot.count;
  }
  template <class F>
  void each(const F& f) const {
    for (const Slot& slot : slots_)
      if (slot.key != none) f(slot.key, slot.count);
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = none;
    int count = 0;
  };
  Slot& find(std::uint64_t key) {
    std::size_t at = (key * 0x9e3779b97f4a7c15u) >> 20 & (slots_.size() - 1);
    while (slots_[at].key != none && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.key != none) find(slot.key) = slot;
  }
  std::vector<Slot> slots_{std::size_t{1} << 12};
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
      range_.push_back(range);
      depth_.push_back(0);
    }
    const double base = sharing_.arity;
    const auto reach = [&](const Row& row) {
      double all = 0;
      for (const Operand& o : row) all += std::pow(base, depth_[o.node]);
      return std::max(1.0, all);
    };
    for (const Row& row : sums_.shared) {
      Interval range;
      for (const Operand& o : row) range = range + range_of(o);
      range_.push_back(range);
      const double own = reach(row);
      int depth = 0;
      while (std::pow(base, depth) < own) ++depth;
      depth_.push_back(depth);
      rows_.push_back(row);
    }
    rows_.insert(rows_.end(), sums_.outputs.begin(), sums_.outputs.end());
    for (const Row& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) ++counts_[pair_of(row[i], row[k]).key()];
    counts_.each([this](std::uint64_t key, int count) { consider(key, count); });
    for (const Row& row : rows_) room_.push_back(std::pow(base, sharing_.depth) - reach(row));
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
    const auto outputs = rows_.end() - std::ssize(sums_.outputs);
    std::move(rows_.begin(), outputs, sums_.shared.begin());
    std::move(outputs, rows_.end(), sums_.outputs.begin());
    return ordered(std::move(sums_));
  }

 private:
  Interval range_of(const Operand& o) const {
    const Interval& range = range_[o.node];
    const Interval own{range.lo << o.shift, range.hi << o.shift};
    return o.negative ? -own : own;
  }
  Interval sum_range(const Pair& p) const {
    return range_[p.a] + range_of({p.b, p.shift, p.differs});
  }

  double gain(const Pair& p, int count) const {
    const int shared = std::max(0, std::min(bits_of(range_[p.a]) - p.shift, bits_of(range_[p.b])));
    const double saved =
        count * (sharing_.part * shared + sharing_.more) - (bits_of(sum_range(p)) - p.shift);
    if (sharing_.seed == 0) return saved;
    // The weight of a pair is a hash of its key.
    std::uint64_t hash = (p.key() ^ sharing_.seed) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    return saved * (1 + static_cast<double>(hash >> 40) / (2 << 24));
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
    if (sharing_.depth >= depth_without_limit) return true;
    const double base = sharing_.arity;
    return room_[row] >=
           std::pow(base, depth) - std::pow(base, depth_[p.a]) - std::pow(base, depth_[p.b]);
  }

  void take(const Pair& p) {
    const int depth = std::max(depth_[p.a], depth_[p.b]) + 1;
    int count = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (has_room(r, p, depth)) count += static_cast<int>(find(p, rows_[r]).size());
    if (count < 2 || gain(p, count) <= 0) return;
    const auto node = static_cast<std::uint32_t>(range_.size());
    range_.push_back(sum_range(p));
    depth_.push_back(depth);
    sums_.shared.push_back({{p.a, 0, false}, {p.b, p.shift, p.differs}});
    changed_.clear();
    for (std::size_t r = 0; r < rows_.size(); ++r) replace(r, p, node);
    std::ranges::sort(changed_);
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    for (const std::uint64_t key : changed_) consider(key, counts_[key]);
  }
  void replace(std::size_t r, const Pair& p, std::uint32_t node) {
    Row& row = rows_[r];
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
  std::vector<Row> rows_;  // that may have pairs: the sums shared at the start, the outputs
  std::vector<Interval> range_;
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
