// SPDX-License-Identifier: Apache-2.0
// Activations beside those of onnx.cpp. They are functions of one number, so for numbers of 8 bits
// they are tables. The last bits of onnxruntime's float32 may differ; the import counts and reports
// numbers so near to halfway between two results that this matters.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"
#include "gen/operators/lookup/onnx_kernels.h"

namespace kumiki::gen::onnx {
namespace {

double growth(double x) { return std::exp(x) - 1; }

// The float32 error of a result near 0 that is a difference of numbers near 1.
constexpr float of_difference = 0x1p-22F;

float finite(Call& call, const char* name, float otherwise) {
  const float value = call.real(name, otherwise);
  if (!std::isfinite(value))
    throw Stop{fmt::format("has {} = {}; it must be a finite number", name, value)};
  return value;
}

void near(Call& call, float error) {
  Real& real = call.made_real();
  real.approximate = true;
  real.error = std::max(real.error, error);
}

float largest(const std::vector<float>& all) {
  float most = 0;
  for (const float x : all) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace

static void elu(Call& call) {
  const float alpha = finite(call, "alpha", 1);
  apply(
      call,
      [](float x, float a) {
        return x >= 0 ? x : static_cast<float>(static_cast<double>(a) * growth(x));
      },
      alpha);
  near(call, std::abs(alpha) * of_difference);
}

static void celu(Call& call) {
  const float alpha = finite(call, "alpha", 1);
  if (alpha == 0) throw Stop{"has alpha = 0; it must be another number"};
  apply(
      call,
      [](float x, float a) {
        const double d = a;
        return static_cast<float>(std::max(0.0, static_cast<double>(x)) +
                                  std::min(0.0, d * growth(static_cast<double>(x) / d)));
      },
      alpha);
  near(call, std::abs(alpha) * of_difference);
}

static void selu(Call& call) {
  const float alpha = finite(call, "alpha", 1.67326319217681884765625F),
              gamma = finite(call, "gamma", 1.05070102214813232421875F);
  apply(
      call,
      [](float x, float a) {
        return x > 0 ? x : static_cast<float>(static_cast<double>(a) * growth(x));
      },
      alpha);
  for (float& x : call.made_real().table) x *= gamma;
  near(call, std::abs(alpha * gamma) * of_difference);
}

static void softplus(Call& call) {
  apply(call, [](float x, float) {
    return static_cast<float>(std::max(0.0, static_cast<double>(x)) +
                              std::log1p(std::exp(-std::abs(static_cast<double>(x)))));
  });
  near(call, of_difference);
}

static void softsign(Call& call) {
  // Multiplies by the reciprocal, as onnxruntime does.
  apply(call, [](float x, float) { return 1 / (1 + std::abs(x)) * x; });
}

static void thresholded_relu(Call& call) {
  apply(
      call, [](float x, float a) { return x > a ? x : 0.0F; }, finite(call, "alpha", 1));
}

static void gelu(Call& call) {
  const auto form = call.text("approximate", "none");
  if (form != "none" && form != "tanh")
    throw Stop{fmt::format("has approximate = {}; it must be none or tanh", form)};
  if (form == "none")
    return apply(call,
                 [](float x, float) { return 0.5F * x * (kernel_erf(x * 0x1.6a09e6p-1F) + 1); });
  apply(call, [](float x, float) {
    const float slope = 0.0356774081F * x * x + 0.797884561F;
    return 0.5F * x * (kernel_tanh(x * slope) + 1);
  });
}

static void mish(Call& call) {
  apply(call, [](float x, float) {
    const double d = x;
    return static_cast<float>(d * std::tanh(std::log1p(std::exp(-std::abs(d))) + std::max(0.0, d)));
  });
  near(call, 2 * of_difference * std::max(1.0F, largest(call.made_real().table)));
}

static void erf(Call& call) {
  apply(call, [](float x, float) { return kernel_erf(x); });
}
static void exp_of(Call& call) {
  apply(call, [](float x, float) { return kernel_exp(x); });
}

static void log_of(Call& call) {
  apply(
      call, [](float x, float) { return static_cast<float>(std::log(static_cast<double>(x))); }, 0,
      true);
}

static void sqrt_of(Call& call) {
  apply(call, [](float x, float) { return std::sqrt(x); });
}
static void reciprocal(Call& call) {
  apply(call, [](float x, float) { return 1 / x; });
}
static void floor_of(Call& call) {
  apply(call, [](float x, float) { return std::floor(x); });
}
static void ceil_of(Call& call) {
  apply(call, [](float x, float) { return std::ceil(x); });
}
static void round_of(Call& call) {
  apply(call, [](float x, float) { return std::nearbyint(x); });
}
static void sign(Call& call) {
  apply(call, [](float x, float) { return static_cast<float>((x > 0) - (x < 0)); });
}

static void abs_of(Call& call) {
  apply(call, [](float x, float) { return std::abs(x); });
}
static void neg(Call& call) {
  apply(call, [](float x, float) { return -x; });
}

static void pow_of(Call& call) {
  const auto exponents = call.constant_reals(1);
  if (exponents.size() != 1)
    throw Stop{fmt::format("has {} exponents; it must have one", exponents.size())};
  const float exponent = exponents[0];
  if (exponent == 2) return apply(call, [](float x, float) { return x * x; });
  if (exponent == 3) return apply(call, [](float x, float) { return x * x * x; });
  apply(
      call,
      [](float x, float e) {
        return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(e)));
      },
      exponent, true);
}

// LeakyRelu with one slope for each channel, or one for all.
static void p_relu(Call& call) {
  const auto slopes = call.channel_reals(1, call.in(0).dims);
  if (slopes.size() == 1 && std::holds_alternative<Real>(call.in(0).is))
    return apply(
        call, [](float x, float a) { return x >= 0 ? x : a * x; }, slopes[0]);
  for (const float a : slopes)
    if (a < 0 && std::holds_alternative<Pending>(call.in(0).is))
      throw Stop{fmt::format(
          "has the slope {} behind sums; it must be at least 0, or put a quantiser between them",
          a)};
  if (linked(call, 0, {Link::Kind::leaky, slopes})) return;
  call.numbers(0);  // throws a more precise reason if it can
  throw Stop{
      "has a slope for each channel after a function of one number; put a quantiser between them"};
}

namespace {

constexpr auto of_quantised = "between quantised numbers";

}  // namespace

std::vector<Row> activations() {
  return {
      {{"Elu", "lookup", of_quantised}, elu},
      {{"Celu", "lookup", of_quantised}, celu},
      {{"Selu", "lookup", of_quantised}, selu},
      {{"Softplus", "lookup", of_quantised}, softplus},
      {{"Softsign", "lookup", of_quantised}, softsign},
      {{"ThresholdedRelu", "lookup", of_quantised}, thresholded_relu},
      {{"Gelu", "lookup", of_quantised}, gelu},
      {{"com.microsoft.Gelu", "lookup", of_quantised}, gelu},
      {{"Mish", "lookup", of_quantised}, mish},
      {{"Erf", "lookup", of_quantised}, erf},
      {{"Exp", "lookup", of_quantised}, exp_of},
      {{"Log", "lookup", of_quantised}, log_of},
      {{"Sqrt", "lookup", of_quantised}, sqrt_of},
      {{"Reciprocal", "lookup", of_quantised}, reciprocal},
      {{"Floor", "lookup", of_quantised}, floor_of},
      {{"Ceil", "lookup", of_quantised}, ceil_of},
      {{"Round", "lookup", of_quantised}, round_of},
      {{"Sign", "lookup", of_quantised}, sign},
      {{"Abs", "lookup", of_quantised}, abs_of},
      {{"Neg", "lookup", of_quantised}, neg},
      {{"Pow", "lookup", "between quantised numbers, with one exponent"}, pow_of},
      {{"PRelu", "lookup, thresholds",
        "one slope, or one for each channel, between quantised numbers; behind sums from 0 on"},
       p_relu},
  };
}

}  // namespace kumiki::gen::onnx
