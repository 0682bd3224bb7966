// SPDX-License-Identifier: Apache-2.0
#include "gen/references.h"

#include "gen/compressor/reference.h"
#include "gen/dot/reference.h"
#include "gen/lut_macc/reference.h"
#include "gen/neuron/reference.h"
#include "gen/requant/reference.h"

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

}  // namespace

std::optional<proof::Reference> reference_of(const config::Layer& layer, const Layer& made,
                                             const config::Target& target) {
  if (const auto* dot = std::any_cast<dot::Request>(&layer.config)) {
    packing::Limits limits;
    if (target.column_height) limits.column_height = *target.column_height;
    return dot::reference(*dot, limits);
  }
  if (const auto* macc = std::any_cast<lut_macc::Request>(&layer.config))
    return lut_macc::reference(*macc);
  if (const auto* requant = std::any_cast<requant::Request>(&layer.config))
    return requant::reference(*requant);
  using namespace compressor;
  using namespace neuron;
  return planned<PopcountRequest, XnorPopcountRequest, MultiplierRequest, SumOfProductsRequest,
                 ConstDotRequest, CompressorRequest, NeuronRequest, DenseRequest, SerialRequest>(
      layer.config, made);
}

}  // namespace kumiki::gen
