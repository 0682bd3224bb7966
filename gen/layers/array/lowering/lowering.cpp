// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/lowering/lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/config/kind.h"
#include "gen/config/messages.h"
#include "gen/layers/array/lowering/lowerer.h"
#include "gen/layers/array/messages.h"
#include "gen/layers/array/refusal.h"
#include "gen/layers/array/setup.h"

namespace kumiki::gen::array {
namespace {

config::Violation nothing(const Lowering& l) {
  std::string text;
  for (std::size_t i = 0; i < l.nodes.size() && i < 4; ++i)
    text += fmt::format("; {}: {}", l.graph->nodes[i].name, l.nodes[i].why);
  return {code::nothing_on_array, "graph", "the graph has no node that the array computes",
          "it needs a convolution or a dense layer of 8 bits" + text, true};
}

}  // namespace

const char* name(Place place) {
  switch (place) {
    case Place::array:
      return "array";
    case Place::joined:
      return "joined";
    case Place::free:
      return "free";
    case Place::host:
      return "host";
  }
  return "";
}

bool Lowering::operator==(const Lowering& o) const {
  return *graph == *o.graph && nodes == o.nodes && network == o.network && layers == o.layers &&
         actions == o.actions;
}

Lowering lower(const Request& request, const std::map<std::size_t, std::string>& left_out) {
  return Lowerer(request, left_out).lowered();
}

Request with_layers(const Request& request) {
  Request all = request;
  if (!request.graph || !request.graph->graph) return all;
  all.network = lower(request).network;
  all.graph.reset();
  return all;
}

config::Violations check_graph(const Request& r) {
  if (!r.graph) {
    if (!r.network.empty()) return {};
    return {{code::missing_key, "network", "is missing",
             "give a list of layers, or \"graph\" with the file of a trained network"}};
  }
  config::Violations all;
  if (!r.network.empty())
    all.push_back(
        {code::conflicting_keys, "graph", "is given beside \"network\"", "give one or the other"});
  if (r.graph->wrong) {
    all.push_back(*r.graph->wrong);
    all.back().key = "graph";
  } else if (const Lowering l = lower(r); l.network.empty()) {
    all.push_back(nothing(l));
  }
  if (r.requantise != Requantise::float32)
    all.push_back({code::conflicting_keys, "graph",
                   "is given, but the array requantises with a fixed multiplier",
                   "set \"requantise\" to \"float32\""});
  if (r.batched_fc)
    all.push_back({code::conflicting_keys, "batched_fc", "is true, but a graph runs image by image",
                   "set it to false"});
  if (r.weights_from)
    all.push_back({code::key_without_use, "weights_from",
                   "is given, but the graph has weights of its own", "remove it"});
  return all;
}

Program program_of_graph(const Request& request) {
  std::map<std::size_t, std::string> left_out;
  for (;;) {
    auto lowering = std::make_shared<Lowering>(lower(request, left_out));
    if (lowering->network.empty()) throw config::Refusal(nothing(*lowering));
    Request typed = request;
    typed.graph.reset();
    typed.network = lowering->network;
    try {
      const ArrayPlan p = plan(hardware_of(typed));
      Program program = compile(p, jobs_of(typed, p));
      program.lowering = std::move(lowering);
      return program;
    } catch (const Refusal& e) {
      const auto layer = std::ranges::find(typed.network, e.layer, &NetworkLayer::name);
      if (layer == typed.network.end())
        throw config::Refusal({e.code(), e.key.empty() || e.key == "network" ? "graph" : e.key,
                               e.message, e.required, true});
      const auto number = static_cast<std::size_t>(layer - typed.network.begin());
      const std::size_t node = lowering->layers[number].node;
      const bool inexact =
          e.code() == code::accumulator_overflow || e.code() == code::beyond_float32;
      if (inexact && request.inexact == Inexact::host) {
        left_out[node] = e.message;
        continue;
      }
      throw config::Refusal(
          {e.code(), "graph",
           fmt::format("node {}: {}", lowering->graph->nodes[node].name, e.message),
           inexact ? "set \"inexact\" to \"host\" to leave such nodes to the host" : e.required,
           true});
    }
  }
}

}  // namespace kumiki::gen::array
