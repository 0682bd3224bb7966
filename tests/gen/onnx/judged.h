// SPDX-License-Identifier: Apache-2.0
// The trained networks of examples/models: their test images, and what onnxruntime makes of them.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gen/config/array_file.h"
#include "gen/graph/quantise.h"
#include "tests/support/golden.h"

namespace kumiki::test {

// A .npy file as float32, which holds all that these files have.
struct Reals {
  std::vector<float> values;
  std::size_t images = 0;
};
inline Reals reals(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  const auto array = gen::config::parse_npy(bytes, file.string(), {.reals = true});
  Reals r{.images = array.shape.at(0)};
  for (std::size_t i = 0; i < gen::config::count(array.shape); ++i)
    r.values.push_back(array.type.is_real() ? static_cast<float>(array.real(i))
                                            : static_cast<float>(array.integer(i)));
  return r;
}

inline std::vector<std::int32_t> quantised(const gen::graph::Tensor& t,
                                           const std::vector<float>& values) {
  std::vector<std::int32_t> all;
  for (const float v : values) all.push_back(gen::graph::quantised(t, v).number);
  return all;
}

inline std::filesystem::path model_file(const std::string& name) {
  return std::filesystem::path(KUMIKI_TEST_DIR) / "../examples/models" / (name + ".onnx");
}

// Logits of onnxruntime, of all images (examples/models/judge.py).
inline Reals judged(const std::string& name) {
  return reals(std::filesystem::path(KUMIKI_TEST_DIR) / "gen/onnx/judged" / (name + ".npy"));
}

// Numbers of the input: all 1,797 digits.
inline std::vector<std::int32_t> digits(const gen::graph::Tensor& input) {
  Reals pixels =
      reals(std::filesystem::path(KUMIKI_TEST_DIR) / "../examples/models/digits_images.npy");
  EXPECT_EQ(pixels.images, 1797U);
  for (float& p : pixels.values) p /= 16;
  return quantised(input, pixels.values);
}

// All 10,000 images of Fashion-MNIST, pixels; none where its package is missing.
inline Reals fashion() {
  namespace fs = std::filesystem;
  if (!fs::exists("/usr/share/datasets/fashion-mnist")) return {};
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const fs::path folder = fs::path(KUMIKI_TEST_TMP) /
                          fmt::format("fashion-{}-{}", test->test_suite_name(), test->name());
  fs::create_directories(folder);
  const auto script = (fs::path(KUMIKI_TEST_DIR) / "../examples/models/fashion_mnist.py").string();
  EXPECT_EQ(
      std::system(fmt::format("python3 '{}' '{}' >/dev/null", script, folder.string()).c_str()), 0);
  Reals all = reals(folder / "images.npy");
  fs::remove_all(folder);
  EXPECT_EQ(all.images, 10'000U);
  return all;
}

// What the host's quantiser makes of pixel / 255.
inline std::vector<std::int32_t> clothes(const Reals& pixels, const gen::graph::Tensor& input,
                                         std::size_t first, std::size_t count) {
  std::vector<std::int32_t> of_pixel, numbers;
  for (int p = 0; p < 256; ++p)
    of_pixel.push_back(gen::graph::quantised(input, static_cast<float>(p) / 255).number);
  constexpr std::size_t size = 28 * 28;
  for (std::size_t i = first * size; i < (first + count) * size; ++i)
    numbers.push_back(of_pixel.at(static_cast<std::size_t>(pixels.values.at(i))));
  return numbers;
}

}  // namespace kumiki::test
