// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sets/arrays.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/config/messages.h"
#include "gen/flow/messages.h"
#include "gen/flow/trained/images.h"
#include "gen/flow/trained/messages.h"
#include "gen/flow/usage.h"

namespace kumiki::flow {
namespace {

using gen::config::Array;
using gen::config::ArrayShape;

std::string wanted_text(const Sets& sets) {
  std::vector<std::string> all;
  for (const Operand& o : sets.inputs())
    all.push_back(o.shape.empty() ? fmt::format("{} (N)", o.name)
                                  : fmt::format("{} (N x {})", o.name,
                                                gen::config::to_string(ArrayShape(o.shape))));
  return fmt::format("{}", fmt::join(all, ", "));
}

void require_names(const Sets& sets, const std::map<std::string, Array>& arrays) {
  for (const auto& [name, array] : arrays)
    if (std::ranges::find(sets.inputs(), name, &Operand::name) == sets.inputs().end())
      throw UsageError(code::unknown_name,
                       fmt::format("unknown operand \"{}\"; give {}", name, wanted_text(sets)));
  for (const Operand& o : sets.inputs())
    if (!arrays.contains(o.name))
      throw UsageError(code::missing_argument, fmt::format("the operand {} is missing; give {}",
                                                           o.name, wanted_text(sets)));
}

std::size_t sets_in(const Operand& o, const Array& a) {
  if (a.type.is_real())
    throw UsageError(
        code::unknown_number_type,
        fmt::format("{} is an array of {}; it must have integers of 8 to 64 bits, or booleans",
                    o.name, to_string(a.type)));
  const auto there = images_in(a.shape, ArrayShape(o.shape));
  if (!there || *there == 0)
    throw UsageError(
        code::array_shape,
        fmt::format("{} is {}; it must be N{}{}, with at least one set", o.name,
                    gen::config::to_string(a.shape), o.shape.empty() ? "" : "x",
                    o.shape.empty() ? "" : gen::config::to_string(ArrayShape(o.shape))));
  return *there;
}

}  // namespace

Filled filled(const Sets& sets, const std::map<std::string, Array>& arrays) {
  require_names(sets, arrays);
  Filled all;
  for (const Operand& o : sets.inputs()) {
    const Array& a = arrays.at(o.name);
    const std::size_t count = sets_in(o, a);
    if (!all.numbers.empty() && count != all.count)
      throw UsageError(code::array_shape,
                       fmt::format("{} has {} sets, but {} has {}; all must have the same number",
                                   sets.inputs()[0].name, all.count, o.name, count));
    all.count = count;
    auto& numbers = all.numbers.emplace_back(count * o.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = a.integer(i);
  }
  return all;
}

ResultArray result_array(const Operand& o, const std::vector<std::int64_t>& numbers) {
  ResultArray r{.type = {o.range.lo < 0 ? 'i' : 'u', 1}, .shape = {}, .bytes = {}};
  while (r.type.size < 8 &&
         !o.range.within(
             (gen::arith::Format{8 * static_cast<int>(r.type.size), o.range.lo < 0}).range()))
    r.type.size *= 2;
  r.shape.push_back(numbers.size() / o.size());
  r.shape.insert(r.shape.end(), o.shape.begin(), o.shape.end());
  r.bytes.resize(numbers.size() * r.type.size);
  char* to = r.bytes.data();
  for (const std::int64_t n : numbers)
    for (unsigned i = 0; i < r.type.size; ++i)
      *to++ = static_cast<char>(static_cast<std::uint64_t>(n) >> (8 * i) & 255);
  return r;
}

}  // namespace kumiki::flow
