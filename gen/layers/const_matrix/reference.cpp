// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/const_matrix/reference.h"

#include <fmt/format.h>

namespace kumiki::gen::const_matrix {

proof::Reference reference(const Plan& promised) {
  const Task& task = promised.task;
  const compressor::Datapath path = promised.datapath();
  const auto in_bits = static_cast<std::uint64_t>(task.input.bits);
  const std::uint64_t out_bits = path.out.width;
  std::string body;
  std::vector<std::string> sums;
  for (std::size_t m = 0; m < task.rows.size(); ++m) {
    std::string sum = "0";
    for (std::size_t n = 0; n < task.rows[m].size(); ++n)
      if (task.rows[m][n] != 0)
        sum += fmt::format(" + {} * {}", proof::constant(task.rows[m][n]),
                           proof::number(fmt::format("x_due[{} +: {}]", n * in_bits, in_bits),
                                         task.input.is_signed));
    body += fmt::format(
        "  wire signed [{}:0] total{} = {};\n"
        "  assign y[{} +: {}] = total{};\n",
        out_bits - 1, m, sum, m * out_bits, out_bits, m);
    sums.push_back(fmt::format("y[{}:{}]", (m + 1) * out_bits - 1, m * out_bits));
  }
  return proof::reference({.in = {{"x", task.rows[0].size() * in_bits}},
                           .out = {"y", task.rows.size() * out_bits},
                           .latency = path.latency,
                           .body = body,
                           .sum_ports = sums});
}

}  // namespace kumiki::gen::const_matrix
