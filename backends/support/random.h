// SPDX-License-Identifier: Apache-2.0
// Random numbers that are equal on every machine, unlike the standard library's distributions.
#pragma once
#include <cstdint>
#include <string_view>

namespace kumiki::backends::lockstep {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // A separate stream for each name, so that a new port does not affect the others.
  Random(std::uint64_t seed, std::string_view name) : state_(seed) {
    for (char c : name) state_ = (word() ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }

  std::uint64_t word() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // From 0 to end - 1; 0 if end is 0. The bias is below 2^-32.
  std::uint32_t below(std::uint32_t end) {
    return static_cast<std::uint32_t>((word() >> 32) * end >> 32);
  }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + below(high - low + 1);
  }
  bool chance(double p) { return static_cast<double>(word() >> 11) * 0x1p-53 < p; }
  bool one_in(std::uint32_t n) { return n != 0 && below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace kumiki::backends::lockstep
