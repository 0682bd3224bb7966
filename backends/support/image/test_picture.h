// SPDX-License-Identifier: Apache-2.0
// Pictures for trying filters, generated from integers only: the same samples on every machine.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "backends/support/image/image.h"

namespace kumiki::backends {

struct TestPicture {
  std::string_view name;
  std::string_view help;
  int channels;
  Image (*make)(int width, int height, std::uint64_t seed);
};
std::span<const TestPicture> test_pictures();

// DesignError for a name that is not in the list, or for an illegal size.
Image test_picture(std::string_view name, int width, int height, std::uint64_t seed = 1);

}  // namespace kumiki::backends
