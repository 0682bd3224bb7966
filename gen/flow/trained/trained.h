// SPDX-License-Identifier: Apache-2.0
// A trained network and what it runs on, asked again and again: what does not change from call to
// call is made once.
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
  explicit Trained(Subject subject);  // DesignError: an illegal graph
  Trained(const Trained&) = delete;
  Trained& operator=(const Trained&) = delete;

  const gen::graph::Graph& graph() const { return subject_.network.graph; }
  const std::vector<std::string>& notes() const { return subject_.network.notes; }

  // Multiplications of so many numbers of the input.
  std::uint64_t products(std::size_t numbers) const;

  // Of an output, by its definition; on so many threads (0: one a processor). Interrupted.
  TensorNumbers predict(const Images& images, gen::graph::TensorId output, unsigned threads) const;

  // The first output on the array or pipeline, each result compared with the definition; of a
  // network without either on the array that is suggested for it.
  struct Ran {
    TensorNumbers output;
    std::optional<std::int64_t> clocks = {};  // of an image on an array
    std::optional<Pace> pace = {};            // of a pipeline
  };
  Ran run(const Images& images, const std::string& machine, unsigned threads, Context& context);

 private:
  Subject subject_;
  gen::graph::Interpreter definition_;
  std::uint64_t of_image_ = 0;  // products
  std::mutex suggesting_;
};

}  // namespace kumiki::flow
