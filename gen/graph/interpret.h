// SPDX-License-Identifier: Apache-2.0
// What a graph computes, from its definition. It is what machines are compared with, so it is
// plain: a loop an operator, 32-bit sums, the float32 rules of onnxruntime.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::gen::graph {

// Tables that do not change from image to image are made once. The graph has to be legal and has to
// live as long. Calls of run() may come from several threads, each with a Memory of its own.
class Interpreter {
 public:
  explicit Interpreter(const Graph& graph);  // DesignError: an illegal graph
  ~Interpreter();

  // The numbers of every tensor of one image, by its id; of those that were not computed none.
  using Memory = std::vector<std::vector<std::int32_t>>;
  // DesignError when the image is none of the input.
  void run(std::span<const std::int32_t> image, Memory& memory) const;

  // One node alone: the numbers of its inputs have to be there. For machines that leave it to their
  // host.
  void run_node(std::size_t node, Memory& memory) const;

  // Many images, one behind the other, on so many threads (0: as many as there are cores); results
  // of an output one behind the other too. `progress` hears how many are done, in no thread but the
  // caller's, and stops it by false: then there are no results.
  std::vector<std::int32_t> run_all(std::span<const std::int32_t> images, TensorId output,
                                    unsigned threads = 0,
                                    const std::function<bool(std::size_t)>& progress = {}) const;

 private:
  struct Step;
  // Whole images of numbers that the input holds.
  void require_images(std::span<const std::int32_t> images) const;
  void compute(std::span<const std::int32_t> image, Memory& memory) const;
  void compute(const Step& step, Memory& memory) const;
  const Graph& graph_;
  std::vector<Step> steps_;
};

// What Add makes of two numbers.
std::int32_t added(const Tensor& a, const Tensor& b, const Tensor& out, std::int32_t qa,
                   std::int32_t qb);

// What AveragePool makes of the float32 sum of a window of so many taps.
std::int32_t pooled(float sum, int taps, const Tensor& out);

}  // namespace kumiki::gen::graph
