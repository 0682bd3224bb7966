// SPDX-License-Identifier: Apache-2.0
// Random numbers that are equal on every machine, unlike the distributions of <random>.
#pragma once
#include <cstdint>

namespace kumiki::gen::compressor {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  double unit() { return static_cast<double>(next()) / (1ull << 31); }

 private:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  std::uint64_t state_;
};

}  // namespace kumiki::gen::compressor
