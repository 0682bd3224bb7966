// SPDX-License-Identifier: Apache-2.0
#include "tests/gen/blocks/sort/zero_one.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace kumiki::gen::sort {
namespace {

using Word = std::uint64_t;

// The numbers of ones of every group, counted like an odometer.
class Odometer {
 public:
  explicit Odometer(const Network& n) : groups_(n.groups), ones_(n.groups.size(), 0) {}
  const std::vector<int>& ones() const { return ones_; }
  void next() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (ones_[g] < groups_[g]) {
        ++ones_[g];
        return;
      }
      ones_[g] = 0;
    }
  }

 private:
  std::vector<int> groups_, ones_;
};

// The next 64 inputs and their expected outputs.
void fill(const Network& n, const std::vector<Rank>& ranks, const std::vector<int>& sizes,
          Odometer& odometer, std::vector<Word>& wires, std::vector<Word>& want) {
  std::fill(wires.begin(), wires.begin() + n.inputs(), 0);
  std::fill(want.begin(), want.end(), 0);
  for (unsigned bit = 0; bit < 64; ++bit, odometer.next()) {
    int at = 0;
    for (std::size_t g = 0; g < n.groups.size(); ++g) {
      at += n.groups[g];
      for (int k = 1; k <= odometer.ones()[g]; ++k) wires[at - k] |= Word{1} << bit;
    }
    for (std::size_t o = 0; o < ranks.size(); ++o) {
      int ones = 0;
      for (const int g : ranks[o].groups) ones += odometer.ones()[g];
      want[o] |= Word{ones >= sizes[o] - ranks[o].rank} << bit;
    }
  }
}

void evaluate(const Network& n, std::vector<Word>& w) {
  for (const Sorter& s : n.sorters) {
    const Word a = w[s.in[0]], b = w[s.in[1]], c = s.in.size() == 3 ? w[s.in[2]] : 0;
    const auto put = [&](std::size_t i, Word value) {
      if (i < s.out.size() && s.out[i] != unused) w[s.out[i]] = value;
    };
    if (s.in.size() == 2) {
      put(0, a & b), put(1, a | b);
    } else {
      put(0, a & b & c), put(1, (a & b) | (a & c) | (b & c)), put(2, a | b | c);
    }
  }
}

}  // namespace

std::vector<Rank> ranks(const WindowNetwork& w, int rank) {
  const auto pixels = static_cast<int>(w.row.outputs.size());
  const int size = static_cast<int>(w.row.groups.size()) - pixels + 1;
  std::vector<Rank> all;
  for (int p = 0; p < pixels; ++p) {
    all.push_back({{}, rank});
    for (int c = 0; c < size; ++c) all.back().groups.push_back(p + c);
  }
  return all;
}

std::string wrong_output(const Network& n, const std::vector<Rank>& ranks) {
  std::vector<int> sizes;
  for (const Rank& r : ranks) {
    sizes.push_back(0);
    for (const int g : r.groups) sizes.back() += n.groups.at(g);
  }
  std::uint64_t count = 1;  // inputs of zeros and ones whose groups are sorted
  for (const int size : n.groups) count *= static_cast<std::uint64_t>(size) + 1;
  Odometer odometer(n);
  std::vector<Word> wires(n.wires), want(ranks.size());
  // The last block wraps round to the first inputs.
  for (std::uint64_t from = 0; from < count; from += 64) {
    fill(n, ranks, sizes, odometer, wires, want);
    evaluate(n, wires);
    for (std::size_t o = 0; o < ranks.size(); ++o) {
      const Word wrong = wires[n.outputs[o]] ^ want[o];
      if (wrong == 0) continue;
      const auto bit = static_cast<unsigned>(std::countr_zero(wrong));
      std::string input;
      for (int i = 0; i < n.inputs(); ++i) input += wires[i] >> bit & 1 ? '1' : '0';
      return fmt::format("output {} is {} for {}", o, wires[n.outputs[o]] >> bit & 1, input);
    }
  }
  return "";
}

}  // namespace kumiki::gen::sort
