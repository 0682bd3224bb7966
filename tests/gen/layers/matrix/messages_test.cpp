// SPDX-License-Identifier: Apache-2.0
// What layers on a matrix of chains are refused for, as the program says it.
#include "tests/support/messages.h"

#include "gen/layers/matrix/layer.h"

namespace kumiki::gen::matrix {
namespace matrix_messages_test {

std::function<void()> of(const std::string& layer) {
  return [text = R"({"kumiki": 1, "name": "x", "layers": [{"type": "matvec", )" + layer + "}]}"] {
    static const config::Registry registry{layer_types()};
    (void)config::parse_document(text, "cfg.json", registry);
  };
}

TEST(MatrixMessages, EachHasACode) {
  const std::string any = R"(, "weights_from": "random")";
  kumiki::test::expect_messages(
      "messages/matrix.txt",
      {{Code::not_a_power_of_two,
        of(R"("outputs": 1, "inputs": 2, "values": [1, 2], "words_a_clock": 3)")},
       {Code::values_of_operand,
        of(R"("outputs": 1, "inputs": 2)" + any + R"(, "weights": {"values": [[1, 2]]})")},
       {Code::no_matrix_fits,
        of(R"("outputs": 2, "inputs": 64)" + any + R"(, "rows": 64, "slices": 8)")}});
}

}  // namespace matrix_messages_test
}  // namespace kumiki::gen::matrix
