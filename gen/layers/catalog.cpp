// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/catalog.h"

#include <fmt/format.h>

#include <type_traits>

#include "gen/layer/layer_error.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/setup.h"
#include "gen/layers/compressor/request.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/lut_macc/layer.h"
#include "gen/layers/matrix/layer.h"
#include "gen/layers/neuron/dense.h"
#include "gen/layers/neuron/neuron.h"
#include "gen/layers/neuron/serial.h"
#include "gen/layers/requant/layer.h"
#include "gen/layers/stored_dot/layer.h"
#include "gen/layers/vision/layer.h"
#include "ir/activity.h"
#include "ir/error.h"
#include "ir/limits.h"

namespace kumiki::gen {
namespace {

struct Entry {
  config::LayerType type;
  std::unique_ptr<Layer> (*make)(const config::Layer&, const config::Target&);
};

// `make` is a function of the request, or of the request and the target.
template <class Request, auto make>
std::unique_ptr<Layer> from_config(const config::Layer& layer, const config::Target& target) {
  if constexpr (std::is_invocable_v<decltype(make), const Request&, const config::Target&>)
    return make(layer.as<Request>(), target);
  else
    return make(layer.as<Request>());
}

const std::vector<Entry>& entries() {
  using enum ir::Family;
  static const std::vector<Entry> all{
      {{"dot",
        "two packed dot products that share an operand",
        &dot::request_table(),
        {ultrascale, ultrascale_plus}},
       from_config<dot::Request, dot::make_layer>},
      {{"matvec",
        "a matrix times vectors on a matrix of packed chains",
        &matrix::matvec_table(),
        {ultrascale, ultrascale_plus}},
       from_config<matrix::MatvecRequest, matrix::make_matvec>},
      {{"matmul",
        "a product of matrices on a matrix of packed chains",
        &matrix::matmul_table(),
        {ultrascale, ultrascale_plus}},
       from_config<matrix::MatmulRequest, matrix::make_matmul>},
      {{"conv2d",
        "a convolution on a matrix of packed chains",
        &matrix::conv_table(),
        {ultrascale, ultrascale_plus}},
       from_config<matrix::ConvRequest, matrix::make_conv>},
      {{"requant",
        "an accumulator scaled, rounded and clamped to an operand in one slice",
        &requant::request_table(),
        {ultrascale, ultrascale_plus}},
       from_config<requant::Request, requant::make_layer>},
      {{"popcount", "the number of ones", &compressor::popcount_table()},
       from_config<compressor::PopcountRequest,
                   compressor::make_layer<compressor::PopcountRequest>>},
      {{"compressor", "the sum of any words on one tree", &compressor::compressor_table()},
       from_config<compressor::CompressorRequest,
                   compressor::make_layer<compressor::CompressorRequest>>},
      {{"xnor_popcount", "how many bits agree", &compressor::xnor_popcount_table()},
       from_config<compressor::XnorPopcountRequest,
                   compressor::make_layer<compressor::XnorPopcountRequest>>},
      {{"multiplier", "a product without DSP slices", &compressor::multiplier_table()},
       from_config<compressor::MultiplierRequest,
                   compressor::make_layer<compressor::MultiplierRequest>>},
      {{"sum_of_products", "products and their sum on one tree",
        &compressor::sum_of_products_table()},
       from_config<compressor::SumOfProductsRequest,
                   compressor::make_layer<compressor::SumOfProductsRequest>>},
      {{"const_dot", "a dot product with embedded weights", &compressor::const_dot_table()},
       from_config<compressor::ConstDotRequest,
                   compressor::make_layer<compressor::ConstDotRequest>>},
      {{"bnn_neuron", "a binarised neuron", &neuron::neuron_table()},
       from_config<neuron::NeuronRequest, neuron::make_neuron>},
      {{"bnn_serial", "a binarised neuron over several cycles", &neuron::serial_table()},
       from_config<neuron::SerialRequest, neuron::make_serial>},
      {{"bnn_dense", "binarised neurons that share their inputs", &neuron::dense_table()},
       from_config<neuron::DenseRequest, neuron::make_dense>},
      {{"vision",
        "a pipeline of image filters on video streams",
        &vision::request_table(),
        {ultrascale, ultrascale_plus}},
       [](const config::Layer& layer, const config::Target& target) {
         return vision::make_layer(layer.as<vision::Request>(), target);
       }},
      {{"pe_array",
        "an array of processing elements that runs a network from a program",
        &array::request_table(),
        {ultrascale, ultrascale_plus}},
       [](const config::Layer& layer, const config::Target&) {
         const auto& request = layer.as<array::Request>();
         const auto plan = array::plan(array::hardware_of(request));
         return array::make_array(array::compile(plan, array::jobs_of(request, plan)));
       }},
      {{"stored_dot",
        "dot products whose weights rest in the slices and are loaded meanwhile",
        &stored_dot::request_table(),
        {ultrascale, ultrascale_plus}},
       from_config<stored_dot::Request, stored_dot::make_layer>},
      {{"lut_macc",
        "a sum of products in LUTs and carry chains, without a slice",
        &lut_macc::request_table(),
        {series7, ultrascale, ultrascale_plus}},
       from_config<lut_macc::Request, lut_macc::make_layer>},
  };
  return all;
}

// What only shows with the target (a column too short for a scheme) is a mistake of the layer.
std::unique_ptr<Layer> made(const Entry& e, const config::Layer& l, const config::Target& target) {
  try {
    return e.make(l, target);
  } catch (const ir::LimitError& error) {
    throw ir::LimitError(fmt::format("{}: {}", l.pointer, error.what()));
  } catch (const DesignError& error) {
    throw LayerError(l.pointer, error.what());
  }
}

}  // namespace

const config::Registry& registry() {
  static const config::Registry all([] {
    std::vector<config::LayerType> types;
    for (const Entry& e : entries()) types.push_back(e.type);
    return types;
  }());
  return all;
}

std::vector<NamedLayer> make_layers(const config::Document& document, const std::string& file) {
  std::vector<NamedLayer> layers;
  for (const config::Layer& l : document.layers)
    for (const Entry& e : entries())
      if (e.type.name == l.type->name) {
        const ir::Activity doing(fmt::format("planning layer \"{}\"", l.name));
        layers.push_back({l.name, l.type->name, ir::origin(fmt::format("{}: {}", file, l.pointer)),
                          made(e, l, document.target)});
      }
  return layers;
}

}  // namespace kumiki::gen
