// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/presets.h"

#include <fmt/format.h>

#include <numeric>
#include <span>

#include "gen/layers/vision/messages.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace {

// 1, n, n(n-1)/2, … : the row of Pascal's triangle with `size` entries.
std::vector<std::int64_t> binomial(int size) {
  std::vector<std::int64_t> row{1};
  for (int n = 1; n < size; ++n) row.push_back(row.back() * (size - n) / n);
  return row;
}

Kernel product(const std::vector<std::int64_t>& vertical,
               const std::vector<std::int64_t>& horizontal) {
  Kernel k{static_cast<int>(vertical.size()), {}};
  for (const auto v : vertical)
    for (const auto h : horizontal) k.coefficients.push_back(v * h);
  return k;
}

// Smooths across and takes a difference along: the derivative filters of that size.
std::vector<std::int64_t> difference(int size) {
  const auto smooth = binomial(size - 2);
  std::vector<std::int64_t> d(static_cast<std::size_t>(size), 0);
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    d[i] -= smooth[i];
    d[i + 2] += smooth[i];
  }
  return d;
}

[[noreturn]] void no_such_size(const char* what, int size, const char* known) {
  throw DesignError({.code = code::size_not_known,
                     .key = "size",
                     .wrong = fmt::format("{} has no kernel of size {}", what, size),
                     .required = std::string("the size must be ") + known});
}

std::vector<Kernel> derivative(Preset preset, int size) {
  const bool scharr =
      preset == Preset::scharr || preset == Preset::scharr_x || preset == Preset::scharr_y;
  if (scharr && size != 3) no_such_size("scharr", size, "3");
  if (size > 7) no_such_size("sobel", size, "3, 5 or 7");
  const auto smooth = scharr ? std::vector<std::int64_t>{3, 10, 3} : binomial(size);
  const auto along = difference(size);
  const Kernel x = product(smooth, along), y = product(along, smooth);
  switch (preset) {
    case Preset::sobel_x:
    case Preset::scharr_x:
      return {x};
    case Preset::sobel_y:
    case Preset::scharr_y:
      return {y};
    default:
      return {x, y};
  }
}

}  // namespace

PresetKernels preset_kernels(Preset preset, int size) {
  const auto cells = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  switch (preset) {
    case Preset::convolve:
      throw DesignError(code::no_coefficients, "a kernel of one's own has coefficients");
    case Preset::box:
      return {{{size, std::vector<std::int64_t>(cells, 1)}}, static_cast<std::int64_t>(cells)};
    case Preset::gaussian: {
      if (size > 7) no_such_size("gaussian", size, "3, 5 or 7 (8-bit coefficients end there)");
      // The binomial kernel of size 7 has 400 in the middle, which is too large. The outer product
      // of a row with sum 16 replaces it.
      const auto row = size == 7 ? std::vector<std::int64_t>{1, 2, 3, 4, 3, 2, 1} : binomial(size);
      const auto sum = std::accumulate(row.begin(), row.end(), std::int64_t{0});
      return {{product(row, row)}, sum * sum};
    }
    case Preset::sharpen:
      if (size != 3) no_such_size("sharpen", size, "3");
      return {{{3, {0, -1, 0, -1, 5, -1, 0, -1, 0}}}, 1};
    case Preset::emboss:
      if (size != 3) no_such_size("emboss", size, "3");
      return {{{3, {-2, -1, 0, -1, 1, 1, 0, 1, 2}}}, 1};
    case Preset::laplacian: {
      if (size == 3) return {{{3, {0, 1, 0, 1, -4, 1, 0, 1, 0}}}, 1};
      if (size != 5) no_such_size("laplacian", size, "3 or 5");
      // The second difference of the binomial in both directions.
      const std::vector<std::int64_t> second{1, 0, -2, 0, 1}, smooth = binomial(5);
      const Kernel x = product(smooth, second), y = product(second, smooth);
      Kernel sum = x;
      for (std::size_t i = 0; i < cells; ++i) sum.coefficients[i] += y.coefficients[i];
      return {{sum}, 1};
    }
    default:
      return {derivative(preset, size), 1};
  }
}

bool separate(const Kernel& kernel, Separation& into) {
  const auto n = static_cast<std::size_t>(kernel.size);
  const auto row = [&](std::size_t i) { return std::span(kernel.coefficients).subspan(i * n, n); };
  std::size_t first = 0;
  std::int64_t common = 0;
  for (; first < n && common == 0; ++first)
    for (const auto c : row(first)) common = std::gcd(common, c);
  if (common == 0) return false;  // all zeros
  into.horizontal.clear();
  for (const auto c : row(first - 1)) into.horizontal.push_back(c / common);
  std::size_t lead = 0;
  while (into.horizontal[lead] == 0) ++lead;
  into.vertical.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (row(i)[lead] % into.horizontal[lead] != 0) return false;
    const auto v = row(i)[lead] / into.horizontal[lead];
    for (std::size_t j = 0; j < n; ++j)
      if (v * into.horizontal[j] != row(i)[j]) return false;
    into.vertical.push_back(v);
  }
  return true;
}

}  // namespace kumiki::gen::vision
