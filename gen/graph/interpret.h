// SPDX-License-Identifier: Apache-2.0
// What a graph computes, by the definitions of its operators (gen/operators): 32-bit sums,
// onnxruntime's float32 rules. Machines are compared with the interpreter. Vector instructions
// (gen/kernels) give the same numbers as the definitions.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/kernels/workers.h"

namespace kumiki::gen::graph {

// Computes tables that all images share once. The graph must be valid and outlive the interpreter.
// Several threads may call run(), each with a Memory of its own, or have a Runner each.
class Interpreter {
  struct Step;

 public:
  explicit Interpreter(const Graph& graph);  // DesignError: an invalid graph
  ~Interpreter();

  // The numbers of every tensor for one image, by tensor id; empty for those not computed.
  using Memory = std::vector<std::vector<std::int32_t>>;
  // DesignError if the image does not match the input.
  void run(std::span<const std::int32_t> image, Memory& memory) const;

  // Runs one node; the numbers of its inputs must exist. For machines that leave the node to the
  // host.
  void run_node(std::size_t node, Memory& memory) const;

  // Runs image after image and keeps the numbers of some tensors alone: the memory of others is
  // used again. The interpreter must outlive it.
  class Runner {
   public:
    Runner(const Interpreter& interpreter, std::vector<TensorId> wanted, unsigned threads = 1);
    // The memory has the wanted tensors, until the next call. DesignError as run().
    const Memory& run(std::span<const std::int32_t> image);

   private:
    friend class Interpreter;
    const Memory& compute(std::span<const std::int32_t> image);
    const Interpreter& interpreter_;
    Memory memory_;                // of the wanted tensors
    std::vector<Numbers> shared_;  // of all others
    std::vector<Results> places_;  // by tensor: in one of these
    // Steps that are computed at once, by the first of them: a step, or convolutions of bytes.
    std::vector<std::vector<const Step*>> rows_;
    kernels::Workers workers_;
  };

  // Runs many images on this many threads (0: one for each core); the results of an output follow
  // each other in the order of the images. `progress` gets the number of finished images and is
  // called only in the caller's thread; if it returns false, the run stops without results.
  std::vector<std::int32_t> run_all(std::span<const std::int32_t> images, TensorId output,
                                    unsigned threads = 0,
                                    const std::function<bool(std::size_t)>& progress = {}) const;

 private:
  // Requires whole images of numbers in the range of the input.
  void require_images(std::span<const std::int32_t> images) const;
  void require_image(std::span<const std::int32_t> image) const;  // requires one
  void compute(const Step& step, Memory& memory, kernels::Workers& workers) const;
  const Graph& graph_;
  std::vector<Step> steps_;
};

}  // namespace kumiki::gen::graph
