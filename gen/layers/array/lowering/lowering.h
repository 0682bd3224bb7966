// SPDX-License-Identifier: Apache-2.0
// Runs a trained network on an array of processing elements: which nodes of the graph are layers of
// the array, which ones the host computes, and why. The layers are such as a user could write under
// `network`.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/array/request.h"

namespace kumiki::gen::array {

struct Program;

enum class Place : std::uint8_t {
  array,   // a layer
  joined,  // part of the previous layer
  free,    // the same numbers in the same order: no work
  host
};
const char* name(Place place);

// A node of the graph.
struct LoweredNode {
  Place place = Place::host;
  std::size_t layer = 0;  // the node's layer, or the layer that includes it
  std::string why;        // host: the reason; layer: how the node was changed, if it was
  bool operator==(const LoweredNode&) const = default;
};

// A layer reads the numbers of a tensor minus `input_offset` and produces those of another one
// minus `output_offset`: the array's numbers are signed, so 0 to 255 become -128 to 127.
struct LoweredLayer {
  std::size_t node = 0;
  graph::TensorId input = 0, output = 0;
  int input_offset = 0, output_offset = 0;
  bool operator==(const LoweredLayer&) const = default;
};

// One step in the processing of an image. Either several layers in one start of the array; each but
// the first reads the previous results or what the host already has. Or one node on the host.
struct Action {
  bool on_array = false;
  std::size_t first = 0, layers = 0;  // if on_array
  std::size_t node = 0;               // otherwise
  bool operator==(const Action&) const = default;
};

struct Lowering {
  std::shared_ptr<const graph::Graph> graph;
  std::vector<LoweredNode> nodes;     // one for each node of the graph
  std::vector<NetworkLayer> network;  // `input` says whether a layer reads the previous results
  std::vector<LoweredLayer> layers;   // one for each layer of the network
  std::vector<Action> actions;
  // By value: compares the graphs too.
  bool operator==(const Lowering& other) const;
};

// The request must have a readable graph. `left_out`: nodes that the host must compute, and why.
Lowering lower(const Request& request, const std::map<std::size_t, std::string>& left_out = {});
// The request with the layers of its graph as its network; unchanged without a graph.
Request with_layers(const Request& request);
// Checks the keys around a graph; without a graph, requires a network.
config::Violations check_graph(const Request& request);

// The array and its layers. Throws config::Refusal with the node for a sum that the array cannot
// compute exactly, unless the request leaves such nodes to the host.
Program program_of_graph(const Request& request);

// One line for each node of a program with a lowering; the second form writes members of an open
// object.
std::string lowering_text(const Program& program);
void write_lowering(config::Writer& w, const Program& program);

}  // namespace kumiki::gen::array
