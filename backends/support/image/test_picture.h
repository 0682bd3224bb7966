// SPDX-License-Identifier: Apache-2.0
// Pictures that filters are tried on, made here: the same samples everywhere, from integers only.
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

// DesignError for a name that is not in the list, or a size that no Image has.
Image test_picture(std::string_view name, int width, int height, std::uint64_t seed = 1);

}  // namespace kumiki::backends
