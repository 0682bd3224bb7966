// SPDX-License-Identifier: Apache-2.0
// Constant matrices in lockstep with the plain product: shapes, widths, signs, registers, both
// families of carry chains; and netlists that are wrong in one place.
#include <gtest/gtest.h>

#include "gen/layers/const_matrix/layer.h"
#include "tests/support/cache.h"
#include "tests/support/network_rig.h"
#include "tests/support/random.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace const_matrix_lockstep_test {

using const_matrix::Request;
using const_matrix::WeightSource;

std::unique_ptr<Layer> make(const Request& request) { return const_matrix::make_layer(request); }

Request random_request(tests::Random& random, std::int64_t most) {
  Request r{.outputs = random.between(1, static_cast<std::uint32_t>(most)),
            .inputs = random.between(1, static_cast<std::uint32_t>(most)),
            .bits = static_cast<int>(random.between(1, 9)),
            .is_signed = random.chance(60),
            .source = WeightSource::random,
            .weight_bits = static_cast<int>(random.between(2, 9)),
            .seed = random.below(1000),
            .effort = 0};
  switch (random.below(5)) {
    case 0:
      r.latency = 0;
      break;
    case 1:
      break;  // as it comes
    case 2:
      r.latency = static_cast<int>(random.between(1, 4));
      break;
    default:
      r.levels = static_cast<int>(random.between(2, 6));
  }
  return r;
}

struct Matrices : test::NetworkRig {
  Matrices(std::uint64_t seed, std::size_t count, std::int64_t most,
           ir::Family family = ir::Family::ultrascale_plus)
      : NetworkRig(test::layers_of("const_matrix", requests(seed, count, most), make), family) {
    options.stall = 0.15;
    options.resets = 6;
  }
  static std::vector<Request> requests(std::uint64_t seed, std::size_t count, std::int64_t most) {
    tests::Random random(seed);
    std::vector<Request> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(random_request(random, most));
    return all;
  }
};

TEST(ConstMatrixLockstep, RandomShapes) {
  Matrices matrices(test::rotating_seed(), test::long_form() ? 120 : 40, 9);
  EXPECT_GT(matrices.run_native(800).comparisons, 800 * matrices.layers.size());
}

TEST(ConstMatrixLockstep, SevenSeriesHasItToo) {
  Matrices matrices(test::rotating_seed() + 1, 15, 9, ir::Family::series7);
  EXPECT_GT(matrices.run_native(500).comparisons, 500 * matrices.layers.size());
}

TEST(ConstMatrixLockstep, ALargeOne) {
  Request large{
      .outputs = 32, .inputs = 32, .source = WeightSource::random, .weight_bits = 8, .effort = 0};
  test::NetworkRig rig(test::layers_of("const_matrix", std::vector{large}, make));
  EXPECT_GT(rig.run_native(300).comparisons, 300u);
}

TEST(ConstMatrixLockstep, OnVerilator) {
  Matrices matrices(3, 6, 5);
  EXPECT_GT(matrices.run_verilated(2000, test::shared_cache).comparisons,
            2000 * matrices.layers.size());
}

TEST(ConstMatrixLockstep, AChangedNetlistIsSeen) { Matrices(5, 4, 6).expect_mutants_seen(90); }

}  // namespace const_matrix_lockstep_test
}  // namespace kumiki::gen
