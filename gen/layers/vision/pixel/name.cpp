// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/pixel/name.h"

#include <fmt/format.h>

namespace kumiki::gen::vision {
namespace {

std::string number(std::int64_t n) { return n < 0 ? fmt::format("m{}", -n) : std::to_string(n); }
std::string constant(const std::optional<std::int64_t>& c) {
  return c ? "_c" + number(*c) : std::string();
}
std::string width(int bits, bool is_signed) {
  return bits ? fmt::format("_{}{}", is_signed ? 's' : 'u', bits) : "";
}
std::string fit(const Fit& f) {
  static constexpr const char* words[] = {"", "_wrap", "_sat"};
  return words[static_cast<int>(f.overflow)] + width(f.bits, f.is_signed);
}

std::string base(const Add& r) { return "add" + constant(r.constant) + fit(r.fit); }
std::string base(const Subtract& r) { return "subtract" + constant(r.constant) + fit(r.fit); }
std::string base(const AbsDiff& r) { return "abs_diff" + constant(r.constant); }
std::string base(const Extreme& r) {
  return (r.end == End::minimum ? "min" : "max") + constant(r.constant);
}
std::string base(const Bitwise& r) {
  static constexpr const char* gates[] = {"and", "or", "xor", "not"};
  return gates[static_cast<int>(r.gate)] + constant(r.constant);
}
std::string base(const Accumulate&) { return "accumulate"; }
std::string base(const AccumulateWeighted& r) {
  return fmt::format("accumulate_weighted_{}_{}", r.alpha, r.shift);
}
std::string base(const Threshold& r) {
  const std::string band =
      r.low && r.high ? number(*r.low) + "to" + number(*r.high) : "gt" + number(r.value);
  return fmt::format("threshold_{}_{}_{}", band, number(r.true_value), number(r.false_value));
}
std::string base(const Abs&) { return "abs"; }
std::string base(const Magnitude& r) {
  static constexpr const char* norms[] = {"l1", "max", "l2"};
  return fmt::format("magnitude_{}{}", norms[static_cast<int>(r.norm)], fit(r.fit));
}
std::string base(const Scale& r) {
  static constexpr const char* rounding[] = {"down", "up", "even"};
  const std::string addend = r.addend == 0 ? "" : "_plus" + number(r.addend);
  return fmt::format("scale_{}{}_{}_{}_{}{}", number(r.multiplier), addend, r.shift,
                     number(r.offset), rounding[static_cast<int>(r.rounding)],
                     width(r.bits, r.is_signed));
}

bool is_sliced(const ChannelSelect&) { return false; }
template <class Request>
bool is_sliced(const Request& r) {
  return r.style == Style::slices;
}
std::string base(const ChannelSelect& r) {
  std::string out = "channels";
  for (const int c : r.channels) out += fmt::format("_{}", c);
  return out;
}

}  // namespace

std::string name_of(const PixelRequest& request) {
  return std::visit([](const auto& r) { return base(r) + (is_sliced(r) ? "_slices" : ""); },
                    request);
}

}  // namespace kumiki::gen::vision
