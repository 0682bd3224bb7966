// SPDX-License-Identifier: Apache-2.0
// The numbers of a network's tensors for many images: computed on all cores, written as .npy.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gen/config/array_file.h"
#include "gen/graph/graph.h"
#include "gen/graph/interpret.h"

namespace kumiki::flow {

// A tensor for all images. Each number has the smallest type that holds the tensor's format.
class TensorNumbers {
 public:
  TensorNumbers(const gen::graph::Graph& graph, gen::graph::TensorId id, std::size_t images);

  gen::graph::TensorId id() const { return id_; }
  const gen::graph::Tensor& tensor() const { return *tensor_; }
  std::size_t size() const { return size_; }  // numbers in an image
  // Several threads may put different images.
  void put(std::size_t image, std::span<const std::int32_t> numbers);
  void put_all(std::span<const std::int32_t> numbers);  // all images in sequence
  std::int64_t at(std::size_t image, std::size_t k) const;
  // (number - zero point) * scale, or the softmax of these of an image.
  std::vector<float> reals(std::size_t image) const;
  void use_softmax();  // UsageError: the tensor is not a vector

  gen::config::NumberType type(bool as_reals) const;
  gen::config::ArrayShape shape() const;  // images first
  std::string npy(bool as_reals) const;
  std::string bytes(bool as_reals) const;  // the data after the header of .npy
  static std::uint64_t bytes_of_image(const gen::graph::Tensor& tensor, bool as_reals);

 private:
  const gen::graph::Tensor* tensor_;
  gen::graph::TensorId id_;
  std::size_t images_, size_;
  gen::config::NumberType type_;
  bool is_softmax_ = false;
  std::string bytes_;  // little-endian
};

// Runs the network on so many threads (0: one for each processor). Interrupted.
void compute(const gen::graph::Graph& graph, std::span<const std::int32_t> images,
             std::size_t count, unsigned threads, std::span<TensorNumbers> wanted);

}  // namespace kumiki::flow
