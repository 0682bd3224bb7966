// SPDX-License-Identifier: Apache-2.0
#include "networks.h"

#include <fmt/format.h>

#include "gen/flow/trained/configuration.h"
#include "gen/flow/trained/network_source.h"
#include "gen/flow/usage.h"
#include "gen/graph/picture.h"
#include "gen/graph/text.h"
#include "ir/activity.h"
#include "ir/error.h"
#include "module.h"
#include "work.h"

namespace kumiki::python {
namespace {

// A call with fewer multiplications is so short that it needs no thread for Ctrl-C.
constexpr std::uint64_t brief = 2'000'000;

// A network read from a file.
struct Network {
  Network(const std::string& file, const std::string& cache)
      : name(file),
        context(cache.empty() ? backends::Cache() : backends::Cache(cache)),
        trained({.network = flow::load_network(file)}) {}
  std::string name;
  flow::Context context;
  flow::Trained trained;
};

gen::graph::TensorId find_output(const gen::graph::Graph& graph,
                                 const std::optional<std::string>& name) {
  if (!name) return graph.outputs[0];
  std::string legal;
  for (const gen::graph::TensorId id : graph.outputs) {
    if (graph.tensors[id].name == *name) return id;
    legal += fmt::format("{}{}", legal.empty() ? "" : ", ", graph.tensors[id].name);
  }
  throw flow::UsageError(code::unknown_name,
                         fmt::format("unknown output \"{}\"; use {}", *name, legal));
}

nb::tuple end(const gen::graph::Tensor& t) {
  return nb::make_tuple(t.name, t.shape, t.format.bits, t.format.is_signed,
                        static_cast<double>(t.scale), t.zero_point);
}

// Reports a wrong array as UsageError, because no file is wrong.
flow::Images images_of(const gen::graph::Graph& graph, const gen::config::Array& array) try {
  return flow::read_images(graph, {.arrays = {array}});
} catch (const FileError& e) {
  throw flow::UsageError(e.diagnostic());
}

}  // namespace

nb::list ends_of(const gen::graph::Graph& graph) {
  nb::list all;
  for (const gen::graph::TensorId id : gen::graph::all_inputs(graph))
    all.append(end(graph.tensors[id]));
  for (const gen::graph::TensorId id : graph.outputs) all.append(end(graph.tensors[id]));
  return all;
}

nb::tuple outputs_of(flow::Trained& network, const Given& images, const std::string& machine,
                     const std::optional<std::string>& output, bool as_reals, unsigned threads,
                     flow::Context& context) {
  const gen::config::Array array = array_of(images, "images");
  const auto id = find_output(network.graph(), output);
  std::string doubt;
  const auto compute = [&]() -> flow::Trained::Ran {
    const ir::Activity doing("images through " + network.graph().name);
    const flow::Images read = images_of(network.graph(), array);
    doubt = read.doubt;
    if (machine.empty()) return {network.predict(read, id, threads)};
    return network.run(read, machine, threads, context);
  };
  const bool is_short =
      machine.empty() && network.products(gen::config::count(array.shape)) < brief;
  const flow::Trained::Ran ran = is_short ? briefly(compute) : without_lock(compute);
  const auto& o = ran.output;
  nb::object clocks = ran.clocks ? nb::cast(*ran.clocks) : nb::none();
  if (ran.pace) clocks = nb::cast(ran.pace->between.value_or(ran.pace->first));
  return nb::make_tuple(to_numpy(o.bytes(as_reals), o.type(as_reals), o.shape()), clocks, doubt);
}

void add_networks(nb::module_& m) {
  nb::class_<Network>(m, "Network")
      .def("__init__",
           [](Network* self, const std::string& file, const std::string& cache) {
             without_lock([&] { new (self) Network(file, cache); });
           })
      .def_prop_ro("name", [](const Network& n) { return n.trained.graph().name; })
      .def_prop_ro("notes", [](const Network& n) { return n.trained.notes(); })
      .def_prop_ro("ends", [](const Network& n) { return ends_of(n.trained.graph()); })
      .def("text", [](const Network& n) { return gen::graph::to_text(n.trained.graph()); })
      .def("picture", [](const Network& n) { return gen::graph::network_svg(n.trained.graph()); })
      .def("outputs",
           [](Network& n, const Given& images, const std::string& machine,
              const std::optional<std::string>& output, bool as_reals, unsigned threads) {
             return outputs_of(n.trained, images, machine, output, as_reals, threads, n.context);
           })
      .def(
          "write",
          [](const Network& n, const std::string& file, const std::string& as,
             std::optional<std::int64_t> clocks, std::optional<std::int64_t> slices,
             std::optional<std::int64_t> luts, std::optional<std::int64_t> brams,
             const std::vector<std::string>& in_luts, const std::vector<std::string>& in_trees,
             const std::vector<std::string>& weights_outside, std::optional<double> bytes_a_clock,
             bool force) {
            const flow::LayerFor layer{as,      clocks,   slices,          luts,         brams,
                                       in_luts, in_trees, weights_outside, bytes_a_clock};
            flow::require_size(layer);
            return without_lock([&] {
              const ir::Activity doing("a layer for " + n.trained.graph().name);
              return flow::write_configuration(layer, n.name, n.trained.graph(), file, force).what;
            });
          },
          nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace kumiki::python
