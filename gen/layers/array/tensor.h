// SPDX-License-Identifier: Apache-2.0
// Maps of integers, channel by channel, each row by row.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/arith/format.h"

namespace kumiki::gen::array {

// The low `bits` bits of a value, read as a signed number.
inline std::int64_t wrapped(std::int64_t value, int bits) {
  return arith::value_of(static_cast<std::uint64_t>(value), {bits, true});
}

struct MapShape {
  std::int64_t channels = 1, height = 1, width = 1;
  std::int64_t size() const { return channels * height * width; }
  bool operator==(const MapShape&) const = default;
};

struct Tensor {
  MapShape shape;
  std::vector<std::int32_t> values = std::vector<std::int32_t>(1);

  Tensor() = default;
  explicit Tensor(const MapShape& s) : shape(s), values(static_cast<std::size_t>(s.size())) {}
  std::int64_t index(std::int64_t channel, std::int64_t row, std::int64_t column) const {
    return (channel * shape.height + row) * shape.width + column;
  }
  std::int32_t& at(std::int64_t i) { return values[static_cast<std::size_t>(i)]; }
  std::int32_t at(std::int64_t i) const { return values[static_cast<std::size_t>(i)]; }
  std::int32_t& at(std::int64_t c, std::int64_t y, std::int64_t x) { return at(index(c, y, x)); }
  std::int32_t at(std::int64_t c, std::int64_t y, std::int64_t x) const {
    return at(index(c, y, x));
  }
  bool operator==(const Tensor&) const = default;
};

// Uniform over all signed numbers of `bits` bits. A seed gives the same numbers on every machine.
inline std::int32_t random_number(std::uint64_t seed, std::uint64_t index, int bits) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15u + index;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
  return static_cast<std::int32_t>(static_cast<std::int64_t>(x) >> (64 - bits));
}
Tensor random_tensor(const MapShape& shape, std::uint64_t seed, int bits);

// The weights of a layer, [output][input of its group][row][column]: given, or random. Random
// weights are computed when they are read and take no memory.
class Weights {
 public:
  Weights() = default;
  explicit Weights(std::vector<std::int32_t> values) : values_(std::move(values)) {}
  Weights(std::uint64_t seed, int bits) : seed_(seed), bits_(bits) {}
  std::int32_t operator[](std::int64_t i) const {
    return bits_ == 0 ? values_[static_cast<std::size_t>(i)]
                      : random_number(seed_, static_cast<std::uint64_t>(first_ + i), bits_);
  }
  // The weights from `first` on.
  Weights part(std::int64_t first, std::int64_t count) const {
    Weights w = *this;
    w.first_ += first;
    if (bits_ != 0) return w;
    const auto from = values_.begin() + static_cast<std::ptrdiff_t>(first);
    w.values_.assign(from, from + static_cast<std::ptrdiff_t>(count));
    return w;
  }
  bool random() const { return bits_ != 0; }
  int bits() const { return bits_; }
  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }

 private:
  std::vector<std::int32_t> values_;
  std::uint64_t seed_ = 0;
  std::int64_t first_ = 0;  // index in the seed's sequence
  int bits_ = 0;
};

}  // namespace kumiki::gen::array
