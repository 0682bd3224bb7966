// SPDX-License-Identifier: Apache-2.0
// An array and the network that runs on it, as the configuration gives them: the keys of layer type
// "pe_array".
#pragma once
#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gen/config/document.h"
#include "gen/config/weights.h"
#include "gen/layers/array/cost.h"
#include "gen/layers/array/reference.h"
#include "gen/layers/common/graph_file.h"

namespace kumiki::gen::array {

struct PoolRequest {
  PoolKind kind = PoolKind::max;
  int size = 2;
  bool operator==(const PoolRequest&) const = default;
};

// Where the map of a layer comes from: the results of the layer before it, or a host.
enum class InputFrom : std::uint8_t { previous, host };
enum class WeightsFrom : std::uint8_t { random };
// How sums become results: by a multiplier of 16 bits and a shift, half up, or as onnxruntime does.
enum class Requantise : std::uint8_t { fixed, float32 };
// What becomes of a node of a graph with sums that the array cannot compute exactly.
enum class Inexact : std::uint8_t { refuse, host };

// What a layer is called; a mean of windows is a convolution with ones on the array.
enum class LayerType : std::uint8_t { conv, fc, average, add };
using Sides =
    std::variant<std::int64_t, std::vector<std::int64_t>>;  // both ways, or [rows, columns]
std::array<std::int64_t, 2> both(const Sides& sides);

// One layer of a network. Keys of convolutions and of fully connected layers side by side: a rule
// of the table says which belong to which.
struct NetworkLayer {
  LayerType type = LayerType::conv;
  std::string name = "layer";
  std::optional<std::int64_t> in_channels, out_channels, height, width;
  std::optional<Sides> kernel;
  Sides stride = std::int64_t{1};
  std::int64_t dilation = 1, groups = 1;
  std::variant<std::int64_t, std::vector<std::int64_t>> padding = std::int64_t{0};
  std::optional<std::int64_t> inputs, outputs;
  // On the way out.
  bool relu = false;
  std::optional<PoolRequest> pool;
  // Or multiplier and shift. Of an array that requantises as float32 one or one an output channel.
  std::optional<std::variant<double, std::vector<double>>> scale;
  std::optional<std::variant<std::int64_t, std::vector<std::int64_t>>> multiplier, shift;
  std::optional<std::int64_t> input_zero_point, zero_point;
  std::optional<std::array<std::int64_t, 2>> clamp;
  std::optional<config::Weights> weights;
  std::optional<std::vector<std::int64_t>> bias;
  std::optional<std::int64_t> seed;  // of random weights
  std::optional<InputFrom> input;    // the first layer's is the host's
  bool operator==(const NetworkLayer&) const = default;

  Kind kind() const { return type == LayerType::fc ? Kind::fc : Kind::conv; }
  std::int64_t made_channels() const;
  // Rows and columns of a convolution's window, of an average that of the map where none is given.
  std::array<std::int64_t, 2> window() const;
};

// A sweep over convolutions: one number runs through a range, the others stay fixed.
enum class Over { out_channels, in_channels, size, kernel };
struct Sweep {
  std::string name = "sweep";
  Over over = Over::out_channels;
  std::int64_t from = 1, to = 1, step = 1;
  std::int64_t in_channels = 256, out_channels = 384, size = 128, kernel = 3;
};

// Published figures for the convolutions, printed beside ours.
struct Comparison {
  std::string name = "other";
  std::int64_t batch = 1;
  std::vector<double> ms = {0};
};

struct Request {
  std::int64_t rows = 27, columns = 27, accumulators = 8, bits = 8;
  double clock_mhz = 200;
  std::optional<std::int64_t> fc_elements;
  std::int64_t batch = 1, split = 1;
  bool batched_fc = false;
  // Keys of the hardware. What is not given follows from the network.
  std::optional<std::int64_t> coefficient_bits, reach, stream_words, window_words, common_words,
      output_words, descriptors;
  std::optional<bool> max_pool, average_pool;
  Requantise requantise = Requantise::fixed;
  std::optional<WeightsFrom> weights_from;  // of the layers without weights of their own
  std::vector<NetworkLayer> network;
  std::optional<GraphFile> graph;  // in its place
  Inexact inexact = Inexact::refuse;
  std::optional<std::vector<Sweep>> sweeps;
  std::optional<std::vector<Comparison>> compare;

  // Images at once in fully connected layers.
  std::int64_t fc_batch() const { return batched_fc ? batch : 1; }
};

const config::TableOf<NetworkLayer>& layer_table();
const config::TableOf<Request>& request_table();
// Without the rules for what runs: for the cost model, which needs no numbers.
const config::TableOf<Request>& cost_table();
// With nothing but pe_array: what `kumiki cost` reads.
const config::Registry& cost_registry();

// The windows that the array is built for.
inline constexpr int largest_kernel = 11, largest_stride = 4, largest_padding = 10;

Array array_of(const Request& request);
// As the array has it: a kernel with two sides is laid into a square one, and of two strides the
// array takes a common part; kept_of() says what the host keeps of the results.
LayerShape shape_of(const NetworkLayer& layer, std::int64_t fc_batch = 1);
std::array<std::int64_t, 2> kept_of(const NetworkLayer& layer);
bool keeps_all(const NetworkLayer& layer);
// The layer's own taps, for each of its outputs, in the kernel of the array.
std::vector<std::int32_t> in_square(const NetworkLayer& layer,
                                    const std::vector<std::int64_t>& weights);
std::vector<LayerShape> shapes_of(const Request& request);

struct Point {
  std::int64_t value;
  Cost cost;
};
std::vector<Point> points(const Array& array, const Sweep& sweep);
const char* name(Over over);

}  // namespace kumiki::gen::array
