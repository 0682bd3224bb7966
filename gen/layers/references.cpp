// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/references.h"

#include <fmt/format.h>

#include "gen/layers/compressor/reference.h"
#include "gen/layers/dot/reference.h"
#include "gen/layers/lut_macc/reference.h"
#include "gen/layers/matrix/reference.h"
#include "gen/layers/neuron/reference.h"
#include "gen/layers/requant/reference.h"
#include "gen/layers/stored_dot/reference.h"
#include "gen/layers/vision/definition.h"
#include "gen/layers/vision/layer.h"

namespace kumiki::gen {
namespace {

template <class... Request>
std::optional<proof::Reference> planned(const std::any& request, const Layer& made) {
  std::optional<proof::Reference> found;
  ((std::any_cast<Request>(&request)
        ? void(found = reference(*std::any_cast<Request>(&request), made.plan_json()))
        : void()),
   ...);
  return found;
}

template <class... Request>
std::optional<proof::Reference> multiplied(const std::any& any, const packing::Limits& limits) {
  std::optional<proof::Reference> found;
  const auto look = [&](const auto* request) {
    if (!request) return;
    auto r = matrix::matrix_request(*request);
    r.limits = limits;
    found = matrix::reference(r);
  };
  (look(std::any_cast<Request>(&any)), ...);
  return found;
}

bool is_too_large(const Layer& made) {
  const auto* pipeline = vision::pipeline_of(made);
  return pipeline && vision::frame_bits(*pipeline) > vision::most_frame_bits;
}

}  // namespace

std::optional<proof::Reference> reference_of(const config::Layer& layer, const Layer& made,
                                             const config::Target& target) {
  packing::Limits limits;
  if (target.column_height) limits.column_height = *target.column_height;
  if (const auto* dot = std::any_cast<dot::Request>(&layer.config))
    return dot::reference(*dot, limits);
  if (const auto* stored = std::any_cast<stored_dot::Request>(&layer.config))
    return stored_dot::reference(*stored, limits);
  if (const auto* video = std::any_cast<vision::Request>(&layer.config)) {
    if (is_too_large(made)) return std::nullopt;
    return vision::reference(*video, limits);
  }
  if (const auto* macc = std::any_cast<lut_macc::Request>(&layer.config))
    return lut_macc::reference(*macc);
  if (const auto* requant = std::any_cast<requant::Request>(&layer.config))
    return requant::reference(*requant);
  if (auto found = multiplied<matrix::ConvRequest, matrix::MatmulRequest, matrix::MatvecRequest>(
          layer.config, limits))
    return found;
  using namespace compressor;
  using namespace neuron;
  return planned<PopcountRequest, XnorPopcountRequest, MultiplierRequest, SumOfProductsRequest,
                 ConstDotRequest, CompressorRequest, NeuronRequest, DenseRequest, SerialRequest>(
      layer.config, made);
}

std::string why_no_reference(const config::Layer& layer, const Layer& made) {
  if (is_too_large(made))
    return fmt::format(
        "the definition keeps a frame whole, of at most {} bits, this one has {}: the same stages "
        "with a smaller width and height can be proved",
        vision::most_frame_bits, vision::frame_bits(*vision::pipeline_of(made)));
  if (layer.type->name == "pe_array")
    return "an array does what the program in its memories says: a definition would be that of "
           "its sequencer, thousands of clocks from a result; lockstep (kumiki sim) speaks for it";
  return "this type has none yet; lockstep (kumiki sim) speaks for it";
}

}  // namespace kumiki::gen
