// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/run/answers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/flow/messages.h"
#include "gen/flow/trained/messages.h"
#include "gen/graph/quantise.h"
#include "ir/error.h"

namespace kumiki::cli {
namespace {

using gen::config::ArrayShape;
using gen::graph::Graph;
using gen::graph::Node;
using gen::graph::Tensor;

// The file must have as many entries as there are images; it may have more if only the first images
// are requested.
void require_count(const std::string& file, std::size_t given, std::size_t images,
                   std::string_view what, bool only_first) {
  if (given == images || (only_first && given > images)) return;
  throw FileError(code::image_count,
                  fmt::format("{} holds {} of {} image{}; it must hold those of {}{}", file, what,
                              given, given == 1 ? "" : "s", only_first ? "at least " : "", images));
}

// The node that makes the first output, if that output is a class index.
const Node* index_maker(const Graph& graph) {
  for (const Node& n : graph.nodes)
    if (n.output == graph.outputs[0] && std::holds_alternative<gen::graph::ArgMax>(n.op)) return &n;
  return nullptr;
}

}  // namespace

Expected::Expected(const std::string& file, const Tensor& tensor, std::size_t images,
                   bool only_first)
    : file_(file, true) {
  const auto given = flow::images_in(file_.array().shape, flow::shape_of(tensor));
  if (!given)
    throw FileError(code::array_shape,
                    fmt::format("{} is {}; it must be {}x{}, the tensor {} of {} image{}", file,
                                gen::config::to_string(file_.array().shape), images,
                                gen::config::to_string(flow::shape_of(tensor)), tensor.name, images,
                                images == 1 ? "" : "s"));
  require_count(file, *given, images, "results", only_first);
}

Expected::Difference Expected::compare(const flow::TensorNumbers& results,
                                       std::size_t images) const {
  const gen::config::Array& wanted = file_.array();
  const bool reals = wanted.type.is_real();
  Difference d;
  std::size_t last = 0;  // last image with a difference
  for (std::size_t i = 0; i < images; ++i)
    for (std::size_t k = 0; k < results.size(); ++k) {
      const std::size_t at = i * results.size() + k;
      const std::int64_t number = results.at(i, k);
      const float real = gen::graph::real_value(results.tensor(), number);
      if (reals ? wanted.real(at) == double{real} : wanted.integer(at) == number) continue;
      if (d.numbers++ == 0) {
        d.image = i;
        d.entry = k;
        d.got = reals ? fmt::format("{}", real) : fmt::format("{}", number);
        d.wanted =
            reals ? fmt::format("{}", wanted.real(at)) : fmt::format("{}", wanted.integer(at));
      }
      if (d.images == 0 || last != i) ++d.images;
      last = i;
    }
  return d;
}

std::string to_string(const Expected::Difference& d, const flow::TensorNumbers& results,
                      const Expected& expected, std::size_t images) {
  return fmt::format(
      "image {}, tensor {}{} is {}, {} has {}: {} number{} of {} differ{}, in {} image{} of {}",
      d.image, results.tensor().name,
      gen::config::place_in(flow::shape_of(results.tensor()), d.entry), d.got, expected.name(),
      d.wanted, d.numbers, d.numbers == 1 ? "" : "s", images * results.size(),
      d.numbers == 1 ? "s" : "", d.images, d.images == 1 ? "" : "s", images);
}

ImageLabels::ImageLabels(const std::string& file, const Graph& graph, std::size_t images,
                         bool only_first)
    : file_(file, false) {
  const Tensor& output = graph.tensors[graph.outputs[0]];
  const Node* maker = index_maker(graph);
  is_index_ = maker != nullptr;
  const Tensor& classes = maker ? graph.tensors[maker->inputs[0]] : output;
  const auto axes = std::ranges::count_if(classes.shape, [](int n) { return n != 1; });
  if (axes != 1)
    throw FileError(code::array_shape,
                    fmt::format("{}: labels are for a network whose first output is an index or a "
                                "list of classes, {} is {}",
                                file, output.name, gen::graph::to_string(output.shape)));
  const auto& labels = file_.array();
  if (std::ranges::count_if(labels.shape, [](std::size_t n) { return n != 1; }) > 1)
    throw FileError(code::array_shape,
                    fmt::format("{} is {}; it must be {}, one label for each image", file,
                                gen::config::to_string(labels.shape), images));
  require_count(file, gen::config::count(labels.shape), images, "labels", only_first);
  const auto most = static_cast<std::int64_t>(gen::graph::count(classes.shape)) - 1;
  for (std::size_t i = 0; i < images; ++i)
    if (const std::int64_t label = labels.integer(i); label < 0 || label > most)
      throw FileError(
          code::label_range,
          fmt::format("{}: label {} is {}; it must be 0 to {}, an index of the output {}", file, i,
                      label, most, classes.name));
}

std::size_t ImageLabels::right(const flow::TensorNumbers& results, std::size_t images) const {
  std::size_t all = 0;
  for (std::size_t i = 0; i < images; ++i) {
    std::int64_t answer = 0;
    if (is_index_) {
      answer = results.at(i, 0);
    } else {
      for (std::size_t k = 1; k < results.size(); ++k)
        if (results.at(i, k) > results.at(i, static_cast<std::size_t>(answer)))
          answer = static_cast<std::int64_t>(k);
    }
    all += answer == file_.array().integer(i);
  }
  return all;
}

}  // namespace kumiki::cli
