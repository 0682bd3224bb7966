// SPDX-License-Identifier: Apache-2.0
// Compares the numbers of a network with expected numbers and with labels.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "gen/flow/trained/images.h"
#include "gen/flow/trained/results.h"

namespace kumiki::cli {

// A file of expected numbers (integers) or real values of a tensor for so many images. It may
// contain more if only the first images are requested.
class Expected {
 public:
  Expected(const std::string& file, const gen::graph::Tensor& tensor, std::size_t images,
           bool only_first);

  struct Difference {
    std::size_t image = 0, entry = 0;  // of the first difference
    std::string got, wanted;
    std::size_t numbers = 0, images = 0;  // how many differ
  };
  // All fields stay 0 if everything is equal.
  Difference compare(const flow::TensorNumbers& results, std::size_t images) const;
  const std::string& name() const { return file_.array().name; }

 private:
  flow::NumbersFile file_;
};

// "image 1, tensor y[2][0] is 6, y.npy has 7: 2 numbers of 24 differ, in 2 images of 3"
std::string to_string(const Expected::Difference& d, const flow::TensorNumbers& results,
                      const Expected& expected, std::size_t images);

// A file of labels, compared with the first output. The answer is the index of its largest number,
// the first of equal ones; or the output is already an index.
class ImageLabels {
 public:
  ImageLabels(const std::string& file, const gen::graph::Graph& graph, std::size_t images,
              bool only_first);
  std::size_t right(const flow::TensorNumbers& results, std::size_t images) const;

 private:
  flow::NumbersFile file_;
  bool is_index_ = false;
};

}  // namespace kumiki::cli
