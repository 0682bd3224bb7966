// SPDX-License-Identifier: Apache-2.0
// A network of every kind of layer that counts, small enough to follow by hand, and images for it.
#pragma once
#include <string>

#include "gen/config/array_file.h"

namespace kumiki::test {

// A convolution that is pooled, with `sums` a sum of maps, a dense layer: "z" of "x", both named
// so.
inline std::string small_network(bool sums = false) {
  const std::string flat = sums ? "scale 0x1p-2 zero 0" : "scale 0x1p-3 zero 7";
  return "graph net\n"
         "tensor x u8 1x6x6 scale 0x1p-3 zero 3\n"
         "tensor y u8 2x6x6 scale 0x1p-3 zero 7\n"
         "tensor p u8 2x3x3 scale 0x1p-3 zero 7\n" +
         (sums ? "tensor s u8 2x3x3 " + flat + "\n" : "") + "tensor f u8 18x1x1 " + flat +
         R"(
tensor z s8 3x1x1 scale 0x1p-1 zero -4
input x
output z
conv /0/Conv x -> y kernel 3x3 before 1x1 after 1x1
  scales 0x1p-5 0x1.8p-5
  bias 40 -90
  weights 3 -2 9 7 5 -8 4 1 2 -3 6 2 8 -7 1 4 5 -9
max_pool /1/Pool y -> p kernel 2x2 stride 2x2
)" + (sums ? "add /2/Add p p -> s\n" : "") +
         "reshape /3/Flat " + (sums ? "s" : "p") + R"( -> f
conv /4/Gemm f -> z kernel 1x1
  scales 0x1p-7
  bias 1 2 3
  weights 9 -8 7 -6 5 -4 3 -2 1 9 -8 7 -6 5 -4 3 -2 1 2 3 -4 5 -6 7 -8 9 2 3 -4 5 -6 7 -8 9 2 3
  weights 1 1 1 1 1 1 1 1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1
)";
}

// So many images as the bytes of an npy file.
inline std::string small_images(int count) {
  std::string npy = gen::config::npy_header({'u', 1}, {static_cast<std::size_t>(count), 1, 6, 6});
  for (int i = 0; i < count * 36; ++i) npy += static_cast<char>(i * i * 7 + i / 36 * 31);
  return npy;
}

}  // namespace kumiki::test
