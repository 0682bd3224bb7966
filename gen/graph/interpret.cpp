// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/interpret.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/graph/messages.h"
#include "ir/error.h"
#include "ir/processors.h"

namespace kumiki::gen::graph {
struct Interpreter::Step {
  const Node* node = nullptr;
  Compute compute;
};

Interpreter::Interpreter(const Graph& graph) : graph_(graph) {
  require_legal(graph);
  for (const Node& n : graph.nodes)
    steps_.push_back(
        {&n, std::visit([&](const auto& op) { return computer(op, ends_of(graph, n)); }, n.op)});
}

Interpreter::~Interpreter() = default;

void Interpreter::require_images(std::span<const std::int32_t> images) const {
  const std::size_t size = numbers_of_image(graph_);
  if (images.size() % size != 0) {
    std::vector<std::string> inputs;
    for (const TensorId id : all_inputs(graph_))
      inputs.push_back(
          fmt::format("{} is {}", graph_.tensors[id].name, to_string(graph_.tensors[id].shape)));
    throw DesignError(code::image_size,
                      fmt::format("an image of {} numbers: the input {}, {} numbers",
                                  images.size() % size, fmt::join(inputs, " and "), size));
  }
  for (std::size_t begin = 0; begin < images.size();)
    for (const TensorId id : all_inputs(graph_)) {
      const Tensor& input = graph_.tensors[id];
      const arith::Interval range = numbers_of_input(graph_, id);
      const auto lo = static_cast<std::int64_t>(range.lo), hi = static_cast<std::int64_t>(range.hi);
      const std::size_t numbers = count(input.shape);
      for (std::size_t i = 0; i < numbers; ++i)
        if (images[begin + i] < lo || images[begin + i] > hi)
          throw DesignError(
              code::image_range,
              fmt::format("image {}, number {} is {}, but the input {} holds {}", begin / size, i,
                          images[begin + i], input.name, to_string(range)));
      begin += numbers;
    }
}

void Interpreter::require_image(std::span<const std::int32_t> image) const {
  require_images(image);
  if (image.size() != numbers_of_image(graph_))
    throw DesignError(code::image_size, fmt::format("{} images: the input {} takes one",
                                                    image.size() / numbers_of_image(graph_),
                                                    graph_.tensors[graph_.input].name));
}

void Interpreter::run(std::span<const std::int32_t> image, Memory& memory) const {
  require_image(image);
  kernels::Workers alone;
  memory.resize(graph_.tensors.size());
  for (const TensorId id : all_inputs(graph_)) {
    const auto part = image.first(count(graph_.tensors[id].shape));
    memory[id].assign(part.begin(), part.end());
    image = image.subspan(part.size());
  }
  for (const Step& s : steps_) compute(s, memory, alone);
}

void Interpreter::run_node(std::size_t node, Memory& memory) const {
  kernels::Workers alone;
  compute(steps_.at(node), memory, alone);
}

void Interpreter::compute(const Step& s, Memory& memory, kernels::Workers& workers) const {
  std::vector<const Numbers*> inputs;
  for (const TensorId id : s.node->inputs) inputs.push_back(&memory[id]);
  Numbers& result = memory[s.node->output];
  result.resize(count(graph_.tensors[s.node->output].shape));
  s.compute(inputs, result, workers);
}

Interpreter::Runner::Runner(const Interpreter& interpreter, std::vector<TensorId> wanted,
                            unsigned threads)
    : interpreter_(interpreter),
      last_read_(interpreter.steps_.size()),
      memory_(interpreter.graph_.tensors.size()),
      workers_(threads) {
  std::vector<bool> is_kept(memory_.size());
  for (const TensorId id : wanted) is_kept[id] = true;
  const auto frees = [&](std::size_t step, TensorId id) {
    if (!is_kept[id]) last_read_[step].push_back(id);
    is_kept[id] = true;
  };
  for (std::size_t s = last_read_.size(); s-- > 0;) {
    for (const TensorId id : interpreter.steps_[s].node->inputs) frees(s, id);
    frees(s, interpreter.steps_[s].node->output);
  }
}

const Interpreter::Memory& Interpreter::Runner::run(std::span<const std::int32_t> image) {
  interpreter_.require_image(image);
  return compute(image);
}

const Interpreter::Memory& Interpreter::Runner::compute(std::span<const std::int32_t> image) {
  const Graph& g = interpreter_.graph_;
  for (const TensorId id : all_inputs(g)) {
    take(id);
    const auto part = image.first(memory_[id].size());
    std::ranges::copy(part, memory_[id].begin());
    image = image.subspan(part.size());
  }
  for (std::size_t s = 0; s < last_read_.size(); ++s) {
    const Step& step = interpreter_.steps_[s];
    take(step.node->output);
    interpreter_.compute(step, memory_, workers_);
    for (const TensorId id : last_read_[s]) free_.push_back(std::move(memory_[id]));
  }
  return memory_;
}

// The free memory that fits best; its numbers are undefined.
void Interpreter::Runner::take(TensorId id) {
  const std::size_t size = count(interpreter_.graph_.tensors[id].shape);
  Numbers& numbers = memory_[id];
  if (numbers.empty()) {
    auto best = free_.end();
    for (auto n = free_.begin(); n != free_.end(); ++n)
      if (n->capacity() >= size && (best == free_.end() || n->capacity() < best->capacity()))
        best = n;
    if (best != free_.end()) {
      numbers = std::move(*best);
      free_.erase(best);
    }
  }
  numbers.resize(size);
}

std::vector<std::int32_t> Interpreter::run_all(
    std::span<const std::int32_t> images, TensorId output, unsigned threads,
    const std::function<bool(std::size_t)>& progress) const {
  require_images(images);
  const std::size_t size = numbers_of_image(graph_);
  const std::size_t of_result = count(graph_.tensors[output].shape);
  const std::size_t all = images.size() / size;
  std::vector<std::int32_t> results(all * of_result);
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> stopped = false;
  std::mutex lock;
  std::condition_variable ended;
  if (threads == 0) threads = ir::processors();
  const auto at_once = static_cast<unsigned>(std::clamp<std::size_t>(all, 1, threads));
  const auto work = [&] {
    Runner runner(*this, {output}, threads / at_once);
    for (std::size_t i = next++; i < all && !stopped; i = next++, ++done) {
      const Memory& memory = runner.compute(images.subspan(i * size, size));
      std::ranges::copy(memory[output],
                        results.begin() + static_cast<std::ptrdiff_t>(i * of_result));
    }
    const std::lock_guard guard(lock);
    ended.notify_one();
  };
  if (threads == 1 && !progress) {
    work();
    return results;
  }
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < at_once; ++t) workers.emplace_back(work);
  // Call `progress` at least once, however fast the workers are.
  bool goes_on = static_cast<bool>(progress);
  while (goes_on) {
    stopped = !progress(done);
    std::unique_lock guard(lock);
    ended.wait_for(guard, std::chrono::milliseconds(20), [&] { return stopped || done >= all; });
    goes_on = done < all && !stopped;
  }
  workers.clear();
  if (stopped) results.clear();
  return results;
}

}  // namespace kumiki::gen::graph
