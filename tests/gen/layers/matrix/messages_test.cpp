// SPDX-License-Identifier: Apache-2.0
// What layers on a matrix of chains are refused for, as the program says it.
#include "gen/layers/common/messages.h"
#include "gen/layers/matrix/messages.h"

#include <fmt/format.h>

#include "gen/layers/matrix/layer.h"
#include "gen/layers/matrix/plan.h"
#include "tests/support/messages.h"

namespace kumiki::gen::matrix {
namespace matrix_messages_test {

std::function<void()> of(const std::string& layer, const char* type = "matvec") {
  return [text = fmt::format(R"({{"kumiki": 1, "name": "x", "layers": [{{"type": "{}", {}}}]}})",
                             type, layer)] {
    static const config::Registry registry{layer_types()};
    (void)config::parse_document(text, "cfg.json", registry);
  };
}

// What the keys of a layer keep from the plan.
void odd_rows() {
  MatrixRequest request{.shape = {.in_channels = 3, .out_channels = 2}};
  request.is_double = true;
  request.rows = 3;
  (void)plan(request);
}

TEST(MatrixMessages, EachHasACode) {
  const std::string any = R"(, "weights_from": "random")";
  kumiki::test::expect_messages(
      "messages/matrix.txt",
      {{code::not_a_power_of_two,
        of(R"("outputs": 1, "inputs": 2, "values": [1, 2], "words_a_clock": 3)")},
       {code::values_of_operand,
        of(R"("outputs": 1, "inputs": 2)" + any + R"(, "weights": {"values": [[1, 2]]})")},
       {code::no_matrix_fits,
        of(R"("outputs": 2, "inputs": 64)" + any + R"(, "rows": 64, "slices": 8)")},
       {code::no_matrix_fits,
        of(R"("outputs": 3, "inputs": 3)" + any + R"(, "rows": 3, "clocking": "double")")},
       {code::no_matrix_fits, odd_rows},
       {code::no_matrix_fits, of(R"("outputs": 8194, "inputs": 4097, "rows": 1, "columns": 1,
              "weights_from": "port")")},
       {code::no_weights, of(R"("outputs": 1, "inputs": 2, "weights_from": "values")")},
       {code::over_limit, of(R"("outputs": 4096, "inputs": 3907)" + any)},
       {code::key_without_use,
        of(R"("outputs": 4, "inputs": 4)" + any + R"(, "slices": 4, "rows": 2, "columns": 2)")},
       {code::kernel_beyond_map,
        of(R"("in_channels": 1, "out_channels": 1, "height": 4, "width": 5, "kernel": [3, 3],
              "dilation": 2)" +
               any,
           "conv2d")}});
}

}  // namespace matrix_messages_test
}  // namespace kumiki::gen::matrix
