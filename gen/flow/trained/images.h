// SPDX-License-Identifier: Apache-2.0
// Images for a network out of files or of memory: numbers of its input as they are, or real values
// and pixels, which are quantised.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/config/array_file.h"
#include "gen/graph/graph.h"

namespace kumiki::flow {

// Memory for images, and once more for results.
inline constexpr std::uint64_t most_bytes_of_a_run = std::uint64_t{1} << 30;

struct ImageOptions {
  std::vector<std::string> files;
  std::vector<gen::config::Array> arrays = {};  // behind those of the files
  std::optional<std::size_t> asked;      // images, the first of them; there have to be so many
  std::size_t enough = std::size_t(-1);  // where nobody asked
  std::vector<double> mean, deviation;   // of pixels: one for all channels, or one each
};

struct Images {
  std::vector<std::int32_t> numbers;  // image by image
  std::size_t count = 0, there = 0;   // images that were taken, and that the files hold
  std::string rule;                   // "pixels / 255, quantised with scale 0.1 and zero point 0"
  std::size_t saturated = 0;          // values beyond what the input can hold
  gen::arith::Interval range;         // of the numbers
  std::string doubt;                  // about the numbers; "": none
};
Images read_images(const gen::graph::Graph& graph, const ImageOptions& options);

// A file of numbers: of expected results, of labels.
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
// Whether they are the same but for ones at their ends.
bool is_same_shape(gen::config::ArrayShape a, gen::config::ArrayShape b);
// The images that an array holds: one each of its first axis, or it is one itself. Nothing: it has
// another shape.
std::optional<std::size_t> images_in(const gen::config::ArrayShape& given,
                                     const gen::config::ArrayShape& image);

}  // namespace kumiki::flow
