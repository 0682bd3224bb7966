// SPDX-License-Identifier: Apache-2.0
// A user's request for a convolution, a matrix product or a matrix-vector product.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "gen/config/document.h"
#include "gen/config/weights.h"
#include "gen/layers/dot/request.h"
#include "gen/layers/matrix/plan.h"
#include "ir/context.h"

namespace kumiki::gen::matrix {

enum class WeightSource { port, random, values };

// The keys that all three have.
struct Common {
  dot::Operand activations, weights;
  Sharing sharing = Sharing::Weight;
  std::optional<packing::Scheme> scheme;
  std::optional<packing::Objective> objective;
  std::optional<std::int64_t> rows, columns;
  std::optional<std::int64_t> slices;  // absent: usual_slices
  std::optional<std::int64_t> beat;
  dot::Clocking clocking = dot::Clocking::single;
  // The user must choose one of the three: weights are random only on request.
  std::optional<WeightSource> source;
  std::optional<std::uint32_t> seed;
  std::optional<config::Weights> values;
  ir::Context context = {};
};

struct ConvRequest : Common {
  std::int64_t in_channels = 1, height = 1, width = 1, out_channels = 1;
  std::vector<std::int64_t> kernel{3, 3};
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
};

struct MatmulRequest : Common {
  std::int64_t rows_out = 1, inner = 1, columns_out = 1;
};

struct MatvecRequest : Common {
  MatvecRequest() { sharing = Sharing::Input; }
  std::int64_t outputs = 1, inputs = 1;
};

const config::Table& conv_table();
const config::Table& matmul_table();
const config::Table& matvec_table();

// For a request whose weights the table has checked. Throws DesignError that says what is required.
MatrixRequest matrix_request(const ConvRequest& request);
MatrixRequest matrix_request(const MatmulRequest& request);
MatrixRequest matrix_request(const MatvecRequest& request);

}  // namespace kumiki::gen::matrix
