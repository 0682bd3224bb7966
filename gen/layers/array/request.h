// SPDX-License-Identifier: Apache-2.0
// An array and the network that runs on it, from the configuration: the keys of layer type
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

// The source of a layer's map: the results of the previous layer, or the host.
enum class InputFrom : std::uint8_t { previous, host };
enum class WeightsFrom : std::uint8_t { random };
// How sums become results: by a 16-bit multiplier and a shift, rounding half up, or as in
// onnxruntime.
enum class Requantise : std::uint8_t { fixed, float32 };
// How to treat a graph node with sums that the array cannot compute exactly.
enum class Inexact : std::uint8_t { refuse, host };

// The type of a layer; a mean of windows is a convolution with ones on the array.
enum class LayerType : std::uint8_t { conv, fc, average, add };
using Sides =
    std::variant<std::int64_t, std::vector<std::int64_t>>;  // one for both, or [rows, columns]
std::array<std::int64_t, 2> both(const Sides& sides);

// One layer of a network. It has the keys of convolutions and of fully connected layers; a rule of
// the table says which keys belong to which type.
struct NetworkLayer {
  LayerType type = LayerType::conv;
  std::string name = "layer";
  std::optional<std::int64_t> in_channels, out_channels, height, width;
  std::optional<Sides> kernel;
  Sides stride = std::int64_t{1};
  std::int64_t dilation = 1, groups = 1;
  std::variant<std::int64_t, std::vector<std::int64_t>> padding = std::int64_t{0};
  std::optional<std::int64_t> inputs, outputs;
  // Output.
  bool relu = false;
  std::optional<PoolRequest> pool;
  // Or multiplier and shift. On an array that requantises as float32: one scale, or one for each
  // output channel.
  std::optional<std::variant<double, std::vector<double>>> scale;
  std::optional<std::variant<std::int64_t, std::vector<std::int64_t>>> multiplier, shift;
  std::optional<std::int64_t> input_zero_point, zero_point;
  std::optional<std::array<std::int64_t, 2>> clamp;
  std::optional<config::Weights> weights;
  std::optional<std::vector<std::int64_t>> bias;
  std::optional<std::int64_t> seed;  // for random weights
  std::optional<InputFrom> input;    // the first layer's input comes from the host
  bool operator==(const NetworkLayer&) const = default;

  Kind kind() const { return type == LayerType::fc ? Kind::fc : Kind::conv; }
  std::int64_t made_channels() const;
  // Rows and columns of a convolution's window; for an average without a kernel those of the map.
  std::array<std::int64_t, 2> window() const;
};

// A sweep over convolutions: one number varies, the others stay fixed.
enum class Over { out_channels, in_channels, size, kernel };
struct Sweep {
  std::string name = "sweep";
  Over over = Over::out_channels;
  std::int64_t from = 1, to = 1, step = 1;
  std::int64_t in_channels = 256, out_channels = 384, size = 128, kernel = 3;
};

// Published figures for the convolutions, printed next to ours.
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
  bool narrow_slices = false;  // of the target, no key
  // Keys of the hardware. Omitted ones follow from the network.
  std::optional<std::int64_t> coefficient_bits, reach, stream_words, window_words, common_words,
      output_words, descriptors;
  std::optional<bool> max_pool, average_pool;
  Requantise requantise = Requantise::fixed;
  std::optional<WeightsFrom> weights_from;  // for layers without weights of their own
  std::vector<NetworkLayer> network;
  std::optional<GraphFile> graph;  // instead of `network`
  Inexact inexact = Inexact::refuse;
  std::optional<std::vector<Sweep>> sweeps;
  std::optional<std::vector<Comparison>> compare;

  // Images that fully connected layers process at once.
  std::int64_t fc_batch() const { return batched_fc ? batch : 1; }
};

const config::TableOf<NetworkLayer>& layer_table();
const config::TableOf<Request>& request_table();
// Without the rules for programs that run: the cost model needs no numbers.
const config::TableOf<Request>& cost_table();
// Contains only pe_array; `kumiki cost` reads it.
const config::Registry& cost_registry();

// The largest windows that the array supports.
inline constexpr int largest_kernel = 11, largest_stride = 4, largest_padding = 10;

Array array_of(const Request& request);
// The layer as the array computes it. A kernel with two different sides is embedded in a square
// one. Two different strides are reduced to a common part; kept_of() gives the results that the
// host keeps.
LayerShape shape_of(const NetworkLayer& layer, std::int64_t fc_batch = 1);
std::array<std::int64_t, 2> kept_of(const NetworkLayer& layer);
bool keeps_all(const NetworkLayer& layer);
// Embeds the layer's taps, for each of its outputs, in the array's square kernel.
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
