// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same everywhere: the distributions of the standard library are not.
#pragma once
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace kumiki::tests {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t word() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // From 0 to end - 1.
  std::uint32_t below(std::uint64_t end) { return static_cast<std::uint32_t>(word() % end); }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + below(std::uint64_t{high} - low + 1);
  }
  // From 0 to `last`, of any width.
  std::uint64_t up_to(std::uint64_t last) { return last + 1 == 0 ? word() : word() % (last + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  // Corners of a width (0, -1, least, greatest, one bit) as often as anything in between.
  std::uint64_t operand(unsigned width) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
    const std::uint64_t top = std::uint64_t{1} << (width - 1);
    const std::uint64_t any[]{0,
                              mask,
                              top,
                              top - 1,
                              std::uint64_t{1} << below(width),
                              mask ^ (std::uint64_t{1} << below(width))};
    const auto which = below(12);
    return which < std::size(any) ? any[which] : word() & mask;
  }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace kumiki::tests
