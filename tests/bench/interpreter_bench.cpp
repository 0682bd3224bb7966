// SPDX-License-Identifier: Apache-2.0
// How many images a second the interpreter of integer graphs takes: a dense network and a
// convolutional one, on one thread and on all.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gen/graph/interpret.h"

namespace kumiki::gen::graph {
namespace {

// A network of 8-bit tensors, layer behind layer, with random weights.
class Chain {
 public:
  explicit Chain(Shape input) {
    graph_.name = "chain";
    graph_.outputs = {tensor(std::move(input))};
  }
  Chain& conv(int channels, int kernel, int stride) {
    const Shape in = last().shape;
    Conv c;
    c.window.kernel = {kernel, kernel};
    c.window.stride = {stride, stride};
    const int terms = in[0] * kernel * kernel;
    for (int i = 0; i < channels * terms; ++i)
      c.weights.push_back(static_cast<std::int16_t>(static_cast<int>(random_() % 255) - 127));
    c.bias.assign(static_cast<std::size_t>(channels), 0);
    c.scales = {1.0f / static_cast<float>(terms * 16)};
    Shape out{channels, c.window.positions(0, in[1]), c.window.positions(1, in[2])};
    return add(std::move(c), std::move(out));
  }
  Chain& dense(int outputs) {
    const Shape in = last().shape;
    if (in[1] * in[2] > 1) add(Reshape{}, {static_cast<int>(count(in)), 1, 1});
    return conv(outputs, 1, 1);
  }
  const Graph& graph() const { return graph_; }

 private:
  TensorId tensor(Shape shape) {
    graph_.tensors.push_back({.name = fmt::format("t{}", graph_.tensors.size()),
                              .shape = std::move(shape),
                              .format = {8, true},
                              .zero_point = 0,
                              .scale = 1});
    return graph_.tensors.size() - 1;
  }
  const Tensor& last() const { return graph_.tensors[graph_.outputs[0]]; }
  Chain& add(Operator op, Shape out) {
    const TensorId from = graph_.outputs[0], to = tensor(std::move(out));
    graph_.nodes.push_back({fmt::format("n{}", graph_.nodes.size()), std::move(op), {from}, to});
    graph_.outputs = {to};
    return *this;
  }

  std::mt19937_64 random_{1};
  Graph graph_;
};

// range(0) threads, 0: all.
void run(benchmark::State& state, const Graph& graph, std::size_t images) {
  const Interpreter network(graph);
  std::mt19937_64 random(2);
  std::vector<std::int32_t> numbers(images * count(graph.tensors[graph.input].shape));
  for (auto& n : numbers) n = static_cast<std::int32_t>(random() % 256) - 128;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        network.run_all(numbers, graph.outputs[0], static_cast<unsigned>(state.range(0))));
  state.counters["images"] =
      benchmark::Counter(static_cast<double>(images) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void dense_784_64_64_10(benchmark::State& state) {
  run(state, Chain({784, 1, 1}).dense(64).dense(64).dense(10).graph(), 2000);
}
void convolutions_on_28x28(benchmark::State& state) {
  run(state, Chain({1, 28, 28}).conv(16, 3, 1).conv(32, 3, 2).conv(32, 3, 2).dense(10).graph(),
      200);
}
BENCHMARK(dense_784_64_64_10)->ArgName("threads")->Arg(1)->Arg(0)->UseRealTime();
BENCHMARK(convolutions_on_28x28)->ArgName("threads")->Arg(1)->Arg(0)->UseRealTime();

}  // namespace
}  // namespace kumiki::gen::graph

BENCHMARK_MAIN();
