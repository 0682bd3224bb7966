// SPDX-License-Identifier: Apache-2.0
// A trained network on an array of processing elements: which node of the graph is a layer of the
// array, which one is left to the host, and why. The layers are those that a user could have typed
// as `network`.
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
  joined,  // done by the layer before it
  free,    // the same numbers in the same order: nothing is done
  host
};
const char* name(Place place);

// A node of the graph.
struct LoweredNode {
  Place place = Place::host;
  std::size_t layer = 0;  // where it is one, or done by one
  std::string why;        // on the host: the reason; as a layer: what became of it, if anything
  bool operator==(const LoweredNode&) const = default;
};

// A layer reads the numbers of a tensor less `input_offset` and gives those of another one less
// `output_offset`: numbers of the array have a sign, so that 0 to 255 are -128 to 127.
struct LoweredLayer {
  std::size_t node = 0;
  graph::TensorId input = 0, output = 0;
  int input_offset = 0, output_offset = 0;
  bool operator==(const LoweredLayer&) const = default;
};

// What is done for an image, one after the other: so many layers with one start of the array, each
// but the first on the results before it or on what the host has already; or a node by the host.
struct Action {
  bool on_array = false;
  std::size_t first = 0, layers = 0;  // on the array
  std::size_t node = 0;               // on the host
  bool operator==(const Action&) const = default;
};

struct Lowering {
  std::shared_ptr<const graph::Graph> graph;
  std::vector<LoweredNode> nodes;     // one for each of the graph
  std::vector<NetworkLayer> network;  // `input` says whether a layer takes the results before it
  std::vector<LoweredLayer> layers;   // one for each of the network
  std::vector<Action> actions;
  // By value: the graphs are compared too.
  bool operator==(const Lowering& other) const;
};

// The request has a graph that could be read. `left_out`: nodes that the host shall do, and why.
Lowering lower(const Request& request, const std::map<std::size_t, std::string>& left_out = {});
// The request with the layers of its graph as its network, or as it is.
Request with_layers(const Request& request);
// What is wrong with the keys around a graph; of a request without one, that it has a network.
config::Violations check_graph(const Request& request);

// The array and the layers that run on it. Throws config::Refusal with the node: a sum that the
// array cannot compute exactly, unless the request leaves such nodes to the host.
Program program_of_graph(const Request& request);

// A line a node, of a program that has a lowering; the same as members of an object already begun.
std::string lowering_text(const Program& program);
void write_lowering(config::Writer& w, const Program& program);

}  // namespace kumiki::gen::array
