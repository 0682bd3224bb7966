// SPDX-License-Identifier: Apache-2.0
// Layers with random numbers, and one run of a player on the model.
#pragma once
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gen/layers/array/model.h"
#include "gen/layers/array/player.h"

namespace kumiki::gen::array::test {

// Scales of every channel around the one that fills the results' range, some of them powers of two;
// zero points, often those at the ends; bounds.
inline void give_float32(LayerJob& job, int bits, int weight_bits, std::uint64_t seed) {
  const auto any = [&](std::uint64_t what, int width) {
    return random_number(seed + 9, what, width);
  };
  const auto zero_point = [&](std::uint64_t what) {
    const std::int64_t most = (1 << (bits - 1)) - 1;
    return any(what, 3) == 0 ? -most - 1 : any(what, 3) == 1 ? most : any(what, bits);
  };
  const double products =
      static_cast<double>(job.weight_count()) / static_cast<double>(job.outputs());
  for (std::int64_t c = 0; c < job.outputs(); ++c) {
    const auto at = static_cast<std::uint64_t>(c);
    job.bias.push_back(random_number(seed + 1, at, bits + 4));
    const double usual = std::ldexp(1 / std::sqrt(products), 1 - weight_bits);
    const double spread = 1 + std::ldexp(random_number(seed + 2, at, 20), -20);
    job.scales.push_back(random_number(seed + 3, at, 2) == 0
                             ? std::exp2(std::round(std::log2(static_cast<float>(usual))))
                             : static_cast<float>(usual * spread));
  }
  if (any(1, 2) == 0) job.scales.resize(1);
  job.zero_point = zero_point(2);
  job.input_zero_point = zero_point(3);
  if (any(4, 2) == 0) job.clamp = {{job.zero_point, (1 << (bits - 1)) - 1}};
}

inline LayerJob job_of(const LayerShape& shape, const ArrayPlan& plan, std::uint64_t seed,
                       Pool pool = {}, bool relu = false) {
  LayerJob job{.shape = shape, .pool = pool, .relu = relu};
  job.weights = Weights(seed, plan.request.coefficient_bits);
  const int bits = plan.request.data_bits;
  if (plan.request.float32) {
    give_float32(job, bits, plan.request.coefficient_bits, seed);
    return job;
  }
  for (std::int64_t c = 0; c < job.outputs(); ++c) {
    const auto at = static_cast<std::uint64_t>(c);
    job.bias.push_back(random_number(seed + 1, at, bits + 4));
    job.multiplier.push_back(
        plan.packed() ? static_cast<std::uint32_t>(random_number(seed + 2, at, 16) & 0xFFFF) : 1);
    // So far down that results spread over the data's range.
    const int up = plan.packed() ? 14 : 0;
    job.shift.push_back(std::max(
        1, up + plan.request.coefficient_bits + static_cast<int>(random_number(seed + 3, at, 2))));
  }
  return job;
}

inline LayerShape fc(std::int64_t inputs, std::int64_t outputs, std::int64_t batch = 1) {
  return {.name = fmt::format("fc_{}_{}", inputs, outputs) +
                  (batch == 1 ? "" : fmt::format("_b{}", batch)),
          .kind = Kind::fc,
          .fc = {inputs, outputs, batch}};
}
inline LayerShape conv(const ConvShape& s) {
  return {.name = fmt::format("conv_{}x{}x{}_{}_k{}s{}d{}g{}p{}_{}", s.in_channels, s.height,
                              s.width, s.out_channels, s.kernel, s.stride, s.dilation, s.groups,
                              s.padding_before, s.padding_after),
          .kind = Kind::conv,
          .conv = s};
}

// An input of its own for every layer.
inline std::vector<std::optional<Tensor>> own_inputs(const Program& program, std::uint64_t seed) {
  std::vector<std::optional<Tensor>> all;
  for (const ProgramLayer& layer : program.layers)
    all.emplace_back(
        random_tensor(layer.job.in_shape(), seed + all.size(), program.plan.request.data_bits));
  return all;
}

// Words at the ports are those that the program foretells.
inline void check_figures(const ProgramLayer& layer, const Measured& m) {
  const Figures& f = layer.figures;
  EXPECT_EQ(m.individual_beats, f.individual_beats);
  EXPECT_EQ(m.individual_words, f.individual_words);
  EXPECT_EQ(m.common_words, f.common_words);
  EXPECT_EQ(m.parameter_beats, f.parameter_beats);
  EXPECT_EQ(m.parameter_words, f.parameter_words);
  EXPECT_EQ(m.output_beats, f.output_beats);
  EXPECT_EQ(m.output_words, f.output_words);
}

// Runs a program and holds everything that comes against the reference.
inline std::vector<Measured> run(ArrayModel& model, const Program& program,
                                 const std::vector<std::optional<Tensor>>& inputs,
                                 const Stalls& stalls = {}) {
  Player player(program, inputs, stalls);
  ArrayIn<Values> in;
  std::int64_t most = 10000;
  for (const ProgramLayer& layer : program.layers)
    most += 20 * (layer.figures.clocks + layer.figures.output_beats + 1000);
  try {
    for (bool more = true; more;) {
      player.drive(in);
      more = player.watch(model.step(in));
      if (player.clocks() > most) {
        ADD_FAILURE() << "layer " << player.layers_done() << " does not end";
        return player.measured();
      }
    }
    in.cfg_valid = in.ind_valid = in.com_valid = in.par_valid = false;
    EXPECT_FALSE(model.step(in).busy);
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
    return player.measured();
  }
  const std::vector<Tensor> expected = reference(program, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto wrong = first_difference(program.layers[i].job, expected[i], player.results()[i]);
    EXPECT_FALSE(wrong.has_value()) << *wrong;
    check_figures(program.layers[i], player.measured()[i]);
  }
  return player.measured();
}

}  // namespace kumiki::gen::array::test
