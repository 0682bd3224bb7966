// SPDX-License-Identifier: Apache-2.0
// The layout that is printed, drawn and written is the one there is: vectors of every layer type
// are decoded by it, and what comes out is what the layer is for. Every sum here is written from
// the meaning of the layer, none from its model.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/gen/layer/beats/recording.h"

namespace kumiki::gen::beats::test {
namespace beats_decode_test {

using Int = std::int64_t;

// The first sets of the results, each from the operands of the set before it in the list.
void expect_results(const std::vector<Set>& results, std::size_t least,
                    const std::function<Set(std::size_t)>& wanted) {
  ASSERT_GE(results.size(), least);
  for (std::size_t i = 0; i < results.size(); ++i) ASSERT_EQ(results[i], wanted(i)) << "set " << i;
}

// x[k][term], y[k][term] to sum[p][s].
void expect_dot(const Recording& r, const std::vector<Set>& x, const std::vector<Set>& y,
                const std::vector<Set>& sums, Int terms) {
  const Beat& sum = r.beats.back();
  expect_results(sums, 8, [&](std::size_t i) {
    Set all;
    for (Int p = 0; p < sum.of[0].count; ++p)
      for (Int s = 0; s < sum.of[1].count; ++s)
        for (Int t = 0; t < terms; ++t) all[{p, s}] += x[i].at({p, t}) * y[i].at({s, t});
    return all;
  });
}

TEST(Beats, DotProducts) {
  for (
      const char* more : {
          R"("scheme": "wp487-int8", "terms": 7)",
          R"("scheme": "carry-lane", "terms": 20, "skew": "external")",
          R"("scheme": "single", "terms": 100, "skew": "external", "packed": {"bits": 18}, "shared": {"bits": 8, "signed": false})",
          R"("scheme": "wp486-macc", "terms": 25)",
          R"("scheme": "wrap-counter", "terms": 30)",
          R"("scheme": "four-lane", "terms": 9, "packed": {"bits": 4}, "shared": {"bits": 4, "signed": false})",
      }) {
    SCOPED_TRACE(more);
    const auto layer = layer_of(std::string(R"({"type": "dot", )") + more + "}");
    const auto r = record(*layer, 900);
    const Int terms = r.beat("x").of[1].count;
    expect_dot(r, decoded(r, "x"), decoded(r, "y"), decoded(r, "sum"), terms);
  }
}

TEST(Beats, DotProductsAsAStream) {
  const auto layer = layer_of(R"({"type": "dot", "scheme": "wp486-macc", "terms": 25})", true);
  const auto r = record(*layer, 1200);
  EXPECT_EQ(r.beat("s_axis_in_tdata", "y").low % 8, 0u);
  expect_dot(r, decoded(r, "s_axis_in_tdata", "x"), decoded(r, "s_axis_in_tdata", "y"),
             decoded(r, "m_axis_out_tdata", "sum"), 25);
}

TEST(Beats, LutProducts) {
  for (const char* sum : {"tree", "systolic"}) {
    const auto r =
        record(*layer_of(std::string(R"({"type": "lut_macc", "terms": 5, "sum": ")") + sum +
                         R"(", "a": {"bits": 5}, "b": {"bits": 4, "signed": false}})"),
               300);
    const auto a = decoded(r, "a"), b = decoded(r, "b");
    expect_results(decoded(r, "sum"), 20, [&](std::size_t i) {
      Int total = 0;
      for (Int t = 0; t < 5; ++t) total += a[i].at({t}) * b[i].at({t});
      return Set{{{}, total}};
    });
  }
}

TEST(Beats, Requantisation) {
  const auto r = record(*layer_of(R"({"type": "requant", "accumulator_bits": 20, "bias_bits": 12,
                                      "shift": 16, "result_bits": 8, "rounding": "half-up"})"),
                        300);
  const auto acc = decoded(r, "acc"), scale = decoded(r, "scale"), bias = decoded(r, "bias");
  expect_results(decoded(r, "q"), 50, [&](std::size_t i) {
    const Int product = (acc[i].at({}) + bias[i].at({})) * scale[i].at({});
    return Set{{{}, std::clamp<Int>((product + 32768) >> 16, -128, 127)}};
  });
}

TEST(Beats, SumsOnTrees) {
  const auto check = [](const std::string& json, auto&& sum) {
    SCOPED_TRACE(json);
    for (const char* pipeline : {"0", "1"}) {
      const auto r = record(*layer_of(json + R"(, "pipeline": )" + pipeline + "}"), 260);
      std::map<std::string, std::vector<Set>> in;
      for (std::size_t i = 0; i + 1 < r.beats.size(); ++i)
        in[r.beats[i].port] = decoded(r, r.beats[i]);
      expect_results(decoded(r, r.beats.back()), 100, [&](std::size_t i) {
        return Set{{{0}, sum([&](const char* port, Int n) { return in.at(port)[i].at({n}); })}};
      });
    }
  };
  check(R"({"type": "popcount", "bits": 30)", [](auto&& at) {
    Int n = 0;
    for (Int i = 0; i < 30; ++i) n += at("x", i);
    return n;
  });
  check(R"({"type": "xnor_popcount", "bits": 9, "reading": "bipolar")", [](auto&& at) {
    Int n = 0;
    for (Int i = 0; i < 9; ++i) n += at("x", i) == at("w", i) ? 1 : -1;
    return n;
  });
  check(R"({"type": "multiplier", "a_bits": 6, "b_bits": 5, "signed": true)",
        [](auto&& at) { return at("a", 0) * at("b", 0); });
  check(R"({"type": "sum_of_products", "terms": 3, "a_bits": 4, "b_bits": 5, "signed": true)",
        [](auto&& at) {
          Int n = 0;
          for (Int i = 0; i < 3; ++i) n += at("a", i) * at("b", i);
          return n;
        });
  check(
      R"({"type": "const_dot", "weights": [1, 2, -7, 5], "bits": 6, "constant": 8)",
      [](auto&& at) { return at("x", 0) + 2 * at("x", 1) - 7 * at("x", 2) + 5 * at("x", 3) + 8; });
  check(R"({"type": "compressor", "operands": [{"count": 3, "bits": 5},
            {"bits": 4, "signed": true, "column": 2, "factor": -3}], "constant": -9)",
        [](auto&& at) { return at("x0", 0) + at("x0", 1) + at("x0", 2) - 12 * at("x1", 0) - 9; });
}

TEST(Beats, Neurons) {
  const auto r = record(
      *layer_of(
          R"({"type": "bnn_neuron", "inputs": 10, "weights": [0,1,1,0,1,1,1,0,0,1], "pipeline": 1})"),
      200);
  const Int w[] = {0, 1, 1, 0, 1, 1, 1, 0, 0, 1};
  const auto x = decoded(r, "x"), t = decoded(r, "t");
  expect_results(decoded(r, "y"), 100, [&](std::size_t i) {
    Int agree = 0;
    for (Int n = 0; n < 10; ++n) agree += x[i].at({n}) == w[n];
    return Set{{{0}, agree >= t[i].at({0})}};
  });
  const Int rows[3][6] = {{1, 0, 1, 1, 0, 0}, {0, 0, 1, 0, 1, 1}, {1, 1, 1, 0, 0, 1}};
  const auto dense = record(*layer_of(R"({"type": "bnn_dense", "inputs": 6, "threshold": [3, 4, 2],
      "weights": [[1,0,1,1,0,0],[0,0,1,0,1,1],[1,1,1,0,0,1]], "pipeline": 1})"),
                            200);
  const auto inputs = decoded(dense, "x");
  expect_results(decoded(dense, "y"), 100, [&](std::size_t i) {
    Set y;
    for (Int m = 0; m < 3; ++m) {
      Int agree = 0;
      for (Int n = 0; n < 6; ++n) agree += inputs[i].at({n}) == rows[m][n];
      y[{m}] = agree >= (m == 0 ? 3 : m == 1 ? 4 : 2);
    }
    return y;
  });
}

TEST(Beats, NeuronsInPortions) {
  for (const bool axi : {false, true}) {
    const auto r =
        record(*layer_of(R"({"type": "bnn_serial", "inputs": 11, "cycles": 3})", axi), 400);
    const std::string in = "s_axis_in_tdata";
    const auto x = axi ? decoded(r, in, "x") : decoded(r, "x"),
               w = axi ? decoded(r, in, "w") : decoded(r, "w"),
               y = axi ? decoded(r, "m_axis_out_tdata", "y") : decoded(r, "y");
    // t is no element of the inputs: the first word of a set has the one that counts.
    const Beat& beat = axi ? r.beat(in, "t") : r.beat("t");
    Beat first = beat;
    first.of = {{"word", 3, {{"cycle", 1}}}};
    const auto t = decoded(r, first);
    expect_results(y, 20, [&](std::size_t i) {
      Int agree = 0;
      for (Int n = 0; n < 11; ++n) agree += x[i].at({n}) == w[i].at({n});
      return Set{{{}, agree >= t[i].at({0})}};
    });
  }
}

}  // namespace beats_decode_test
}  // namespace kumiki::gen::beats::test
