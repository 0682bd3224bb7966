// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/format.h"

#include <fmt/format.h>

#include "gen/blocks/packing/messages.h"
#include "gen/hdl/messages.h"
#include "ir/arch.h"

namespace kumiki::gen::packing {
namespace {

constexpr int kMaxBits = ir::arch::dsp48e2.multiplier_a;  // the widest multiplier port

Interval of_bits(const OperandFormat& f) {
  Interval all = f.format().range();
  if (f.is_signed && f.narrow) all.lo = -all.hi;
  return all;
}

Interval of_values(const std::vector<std::vector<std::int64_t>>& values) {
  Interval all = Interval::point(values.front().front());
  for (const auto& row : values)
    for (const std::int64_t value : row) all = hull(all, Interval::point(value));
  return all;
}

}  // namespace

Interval OperandFormat::interval() const {
  if (known()) return of_values(values);
  if (range) return {range->first, range->second};
  return of_bits(*this);
}

Interval OperandFormat::interval(int operand, std::int64_t term) const {
  if (!known()) return interval();
  return Interval::point(values.at(operand).at(term));
}

std::optional<Diagnostic> OperandFormat::contradiction(std::int64_t terms) const {
  const auto wrong = [](Code code, std::string what, std::string required = {}) {
    return Diagnostic{.code = code, .wrong = std::move(what), .required = std::move(required)};
  };
  if (bits < 1 || bits > kMaxBits)
    return wrong(code::operand_format, fmt::format("{} bits are not possible", bits),
                 fmt::format("use 1 to {}", kMaxBits));
  if (narrow && (!is_signed || bits < 2))
    return wrong(code::operand_format,
                 "narrow drops the lowest value of a signed operand of at least 2 bits");
  if (range && range->first > range->second)
    return wrong(code::operand_format,
                 fmt::format("range [{}, {}] is empty", range->first, range->second));
  for (const auto& row : values)
    if (std::ssize(row) != terms)
      return wrong(code::wrong_count,
                   fmt::format("{} values known for {} terms", row.size(), terms));
  if (!interval().within(of_bits(*this)))
    return wrong(
        code::value_does_not_fit,
        fmt::format("values in {} do not fit {} {} bits, which hold {}", to_string(interval()),
                    is_signed ? "signed" : "unsigned", bits, to_string(of_bits(*this))));
  return {};
}

void OperandFormat::validate(const std::string& who, std::int64_t terms) const {
  if (const auto wrong = contradiction(terms))
    throw DesignError(wrong->code, fmt::format("{}: {}", who, to_string(*wrong)));
}

std::string to_string(const OperandFormat& f) {
  const std::string text = to_string(f.format()) + (f.narrow ? " narrow" : "");
  if (f.known()) return text + " known in " + to_string(f.interval());
  if (f.range) return text + " in " + to_string(f.interval());
  return text;
}

}  // namespace kumiki::gen::packing
