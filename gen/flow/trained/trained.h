// SPDX-License-Identifier: Apache-2.0
// A trained network and what it runs on, for repeated calls: everything that does not change
// between calls is made once.
#pragma once
#include <memory>
#include <mutex>
#include <optional>

#include "gen/flow/trained/images.h"
#include "gen/flow/trained/on_pipeline.h"
#include "gen/flow/trained/results.h"
#include "gen/flow/trained/subject.h"

namespace kumiki::flow {

class Trained {
 public:
  explicit Trained(Subject subject);  // DesignError: an invalid graph
  Trained(const Trained&) = delete;
  Trained& operator=(const Trained&) = delete;

  const gen::graph::Graph& graph() const { return subject_.network.graph; }
  const std::vector<std::string>& notes() const { return subject_.network.notes; }

  // Multiplications for so many numbers of the input.
  std::uint64_t products(std::size_t numbers) const;

  // The numbers of an output, by its definition; `threads`: 0: one for each processor. Interrupted.
  TensorNumbers predict(const Images& images, gen::graph::TensorId output, unsigned threads) const;

  // Runs the first output on the array, pipeline or engine and compares each result with the
  // definition. A network without either runs on a suggested array.
  struct Ran {
    TensorNumbers output;
    std::optional<std::int64_t> clocks = {};  // for an image on an array or engine
    std::optional<Pace> pace = {};            // for a pipeline
  };
  Ran run(const Images& images, const std::string& machine, unsigned threads, Context& context);

 private:
  Subject subject_;
  gen::graph::Interpreter definition_;
  std::uint64_t of_image_ = 0;  // products
  std::mutex suggesting_;
};

}  // namespace kumiki::flow
