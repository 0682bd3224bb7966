// SPDX-License-Identifier: Apache-2.0
// Images for a network from files or memory: numbers of its input, or real values and pixels that
// are quantised here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/config/array_file.h"
#include "gen/graph/graph.h"

namespace kumiki::flow {

// The memory for images, and separately for results.
inline constexpr std::uint64_t most_bytes_of_a_run = std::uint64_t{1} << 30;

struct ImageOptions {
  std::vector<std::string> files;               // NAME=FILE; of one input also FILE
  std::vector<gen::config::Array> arrays = {};  // after those of the files
  std::optional<std::size_t> asked;             // use exactly so many images, from the first on
  std::size_t enough = std::size_t(-1);         // the most images if `asked` is empty
  std::vector<double> mean, deviation;          // of pixels: one for all channels, or one for each
};

struct Images {
  std::vector<std::int32_t> numbers;  // image after image
  std::size_t count = 0, there = 0;   // images used; images in the files
  std::string rule;                   // "pixels / 255, quantised with scale 0.1 and zero point 0"
  std::size_t saturated = 0;          // values outside the input's range
  gen::arith::Interval range;         // of the numbers
  std::string doubt;                  // a suspicion about the numbers; "": none
};
Images read_images(const gen::graph::Graph& graph, const ImageOptions& options);

// A file with numbers: expected results or labels.
class NumbersFile {
 public:
  NumbersFile(const std::string& name, bool reals);
  NumbersFile(const NumbersFile&) = delete;
  const gen::config::Array& array() const { return array_; }

 private:
  std::string bytes_;
  gen::config::Array array_;
};

gen::config::ArrayShape shape_of(const gen::graph::Tensor& tensor);
// Whether both are equal except for ones at their ends.
bool is_same_shape(gen::config::ArrayShape a, gen::config::ArrayShape b);
// The number of images in an array: one for each index of its first axis, or a single image. Empty:
// the shape does not fit.
std::optional<std::size_t> images_in(const gen::config::ArrayShape& given,
                                     const gen::config::ArrayShape& image);

}  // namespace kumiki::flow
