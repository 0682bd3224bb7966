// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/trained.h"

#include <utility>

#include "gen/flow/trained/on_array.h"
#include "gen/flow/trained/on_engine.h"
#include "ir/activity.h"
#include "ir/interrupt.h"

namespace kumiki::flow {
namespace {

// One thread finishes so many before another has started.
constexpr std::uint64_t products_worth_a_thread = 200'000;

}  // namespace

Trained::Trained(Subject subject) : subject_(std::move(subject)), definition_(graph()) {
  for (const gen::graph::Node& n : graph().nodes)
    if (const auto* conv = std::get_if<gen::graph::Conv>(&n.op)) {
      const gen::graph::Shape& map = graph().tensors[n.output].shape;
      of_image_ += conv->weights.size() * static_cast<std::uint64_t>(map[1] * map[2]);
    }
}

std::uint64_t Trained::products(std::size_t numbers) const {
  return (of_image_ + 1) * (numbers / gen::graph::numbers_of_image(graph()) + 1);
}

TensorNumbers Trained::predict(const Images& images, gen::graph::TensorId output,
                               unsigned threads) const {
  TensorNumbers numbers(graph(), output, images.count);
  const bool few = products(images.numbers.size()) < products_worth_a_thread;
  const auto all = definition_.run_all(
      images.numbers, output, few ? 1 : threads,
      few ? std::function<bool(std::size_t)>() : [](std::size_t) { return !ir::interrupted(); });
  ir::stop_if_interrupted();
  numbers.put_all(all);
  return numbers;
}

Trained::Ran Trained::run(const Images& images, const std::string& machine, unsigned threads,
                          Context& context) {
  std::vector<TensorNumbers> wanted;
  wanted.emplace_back(graph(), graph().outputs[0], images.count);
  Ran ran{wanted[0]};
  if (subject_.engine) {
    ran.clocks = compute_on_engine({.engine = *subject_.engine,
                                    .machine = machine,
                                    .family = subject_.family,
                                    .threads = threads},
                                   images.numbers, images.count, wanted, context);
  } else if (subject_.pipeline) {
    ran.pace = compute_on_pipeline({.plan = *subject_.pipeline,
                                    .machine = machine,
                                    .family = subject_.family,
                                    .threads = threads},
                                   images.numbers, images.count, wanted, context);
  } else {
    {
      const std::lock_guard guard(suggesting_);
      if (!subject_.program) subject_.program = suggest_array(graph(), graph().name).program;
    }
    ran.clocks = compute_on_array({.program = *subject_.program,
                                   .machine = machine,
                                   .family = subject_.family,
                                   .threads = threads},
                                  images.numbers, images.count, wanted, context);
  }
  ran.output = std::move(wanted[0]);
  return ran;
}

}  // namespace kumiki::flow
