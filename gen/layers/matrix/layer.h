// SPDX-License-Identifier: Apache-2.0
// The layer types "conv2d", "matmul" and "matvec".
#pragma once
#include <memory>

#include "gen/layer/type.h"
#include "gen/layers/matrix/request.h"

namespace kumiki::gen::matrix {

std::unique_ptr<Layer> make_layer(const MatrixRequest& request);

std::unique_ptr<Layer> make_conv(const ConvRequest& request, const config::Target& target);
std::unique_ptr<Layer> make_matmul(const MatmulRequest& request, const config::Target& target);
std::unique_ptr<Layer> make_matvec(const MatvecRequest& request, const config::Target& target);

std::vector<config::LayerType> layer_types();

}  // namespace kumiki::gen::matrix
