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
  Inputs inputs;
  for (const TensorId id : s.node->inputs) inputs.emplace_back(memory[id]);
  Numbers& results = memory[s.node->output];
  results.resize(count(graph_.tensors[s.node->output].shape));
  s.compute(inputs, results, workers);
}

namespace {

// Memories that tensors have one after the other.
struct Shared {
  std::vector<std::size_t> sizes, free;

  std::size_t take(std::size_t size) {
    // The smallest that is large enough. If there is none, the largest grows.
    const auto fit = [&](std::size_t m) {
      return sizes[m] < size ? std::pair{true, ~sizes[m]} : std::pair{false, sizes[m]};
    };
    const auto best = std::ranges::min_element(free, {}, fit);
    if (best == free.end()) {
      sizes.push_back(size);
      return sizes.size() - 1;
    }
    const std::size_t taken = *best;
    free.erase(best);
    sizes[taken] = std::max(sizes[taken], size);
    return taken;
  }
};

}  // namespace

Interpreter::Runner::Runner(const Interpreter& interpreter, std::vector<TensorId> wanted,
                            unsigned threads)
    : interpreter_(interpreter),
      memory_(interpreter.graph_.tensors.size()),
      places_(memory_.size()),
      workers_(threads) {
  const Graph& g = interpreter.graph_;
  const auto size_of = [&](TensorId id) { return count(g.tensors[id].shape); };
  const auto is_wanted = [&](TensorId id) { return !memory_[id].empty(); };
  for (const TensorId id : wanted) {
    memory_[id].resize(size_of(id));
    places_[id] = memory_[id];
  }
  std::vector<std::size_t> times_read(memory_.size());
  for (const Node& n : g.nodes)
    for (const TensorId id : n.inputs) ++times_read[id];
  // Whether the numbers of a step are bytes that the next step alone reads.
  const auto are_between = [&](const Step& s, const Step& next) {
    const kernels::Convolution *from = s.compute.convolution(), *to = next.compute.convolution();
    const TensorId id = s.node->output;
    return from && to && from->gives_bytes() && to->takes_bytes() && !is_wanted(id) &&
           times_read[id] == 1 && next.node->inputs[0] == id;
  };
  for (const Step& s : interpreter.steps_) {
    if (rows_.empty() || !are_between(*rows_.back().back(), s)) rows_.emplace_back();
    rows_.back().push_back(&s);
  }
  std::vector<std::vector<TensorId>> last_needed(rows_.size());
  std::vector<bool> is_met(memory_.size());
  const auto meet = [&](std::size_t row, TensorId id) {
    if (!is_met[id] && !is_wanted(id)) last_needed[row].push_back(id);
    is_met[id] = true;
  };
  for (std::size_t r = rows_.size(); r-- > 0;) {
    for (const TensorId id : rows_[r].front()->node->inputs) meet(r, id);
    meet(r, rows_[r].back()->node->output);
  }
  Shared shared;
  std::vector<std::size_t> memory_of(memory_.size());
  const auto begin = [&](TensorId id) {
    if (!is_wanted(id)) memory_of[id] = shared.take(size_of(id));
  };
  std::ranges::for_each(all_inputs(g), begin);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    begin(rows_[r].back()->node->output);
    for (const TensorId id : last_needed[r]) shared.free.push_back(memory_of[id]);
  }
  for (const std::size_t size : shared.sizes) shared_.emplace_back(size);
  const auto place = [&](TensorId id) {
    if (!is_wanted(id)) places_[id] = Results(shared_[memory_of[id]]).first(size_of(id));
  };
  std::ranges::for_each(all_inputs(g), place);
  for (const auto& row : rows_) place(row.back()->node->output);
}

const Interpreter::Memory& Interpreter::Runner::run(std::span<const std::int32_t> image) {
  interpreter_.require_image(image);
  return compute(image);
}

const Interpreter::Memory& Interpreter::Runner::compute(std::span<const std::int32_t> image) {
  for (const TensorId id : all_inputs(interpreter_.graph_)) {
    const Results to = places_[id];
    std::ranges::copy(image.first(to.size()), to.begin());
    image = image.subspan(to.size());
  }
  for (const auto& row : rows_) {
    const Results results = places_[row.back()->node->output];
    Inputs inputs;
    for (const TensorId id : row.front()->node->inputs) inputs.emplace_back(places_[id]);
    if (row.size() == 1) {
      row.front()->compute(inputs, results, workers_);
      continue;
    }
    std::vector<const kernels::Convolution*> chain;
    for (const Step* s : row) chain.push_back(s->compute.convolution());
    kernels::run_chain(chain, inputs[0].data(), results.data(), workers_);
  }
  return memory_;
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
