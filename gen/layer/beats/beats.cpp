// SPDX-License-Identifier: Apache-2.0
#include "gen/layer/beats/beats.h"

#include <algorithm>
#include <numeric>

namespace kumiki::gen {
namespace {

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t counted(std::int64_t most, const Given& g, const GivenCounts& given) {
  const auto at = given.find(g.port);
  return g.port.empty() || at == given.end() ? most : divided_up(at->second, g.per);
}

std::int64_t product(const std::vector<Index>& all) {
  std::int64_t n = 1;
  for (const Index& i : all) n *= i.count;
  return n;
}

using Values = std::map<std::string, std::int64_t>;

// Sets the counters of nested loops for step `number`; the slowest counter gets the remaining
// quotient.
void count_to(const std::vector<Index>& loops, std::int64_t number, const GivenCounts& given,
              Values& values) {
  for (std::size_t i = loops.size(); i-- > 0;) {
    const std::int64_t count = counted(loops[i].count, loops[i].given, given);
    const std::int64_t value = i == 0 ? number : number % count;
    values[loops[i].name] = value;
    number /= count;
  }
}

std::int64_t number_of(const std::vector<Index>& loops, const GivenCounts& given,
                       const Values& values) {
  std::int64_t number = 0;
  for (const Index& i : loops) {
    const std::int64_t count = counted(i.count, i.given, given);
    const auto at = values.find(i.name);
    const std::int64_t value = at == values.end() ? 0 : at->second;
    number = number * count + value;
  }
  return number;
}

}  // namespace

std::int64_t Beat::element_count() const { return product(elements); }
std::int64_t Beat::word_count() const { return product(words); }

const arith::Format& Beat::format_of(std::int64_t element) const {
  return formats[static_cast<std::size_t>(element) % formats.size()];
}

std::uint32_t Beat::width_of(std::int64_t element) const {
  return static_cast<std::uint32_t>(format_of(element).bits);
}

std::uint32_t Beat::low_of(std::int64_t element) const {
  const auto n = static_cast<std::int64_t>(formats.size());
  std::uint32_t all = 0, before = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i < element % n) before += width_of(i);
    all += width_of(i);
  }
  return low + static_cast<std::uint32_t>(element / n) * all + before;
}

std::uint32_t Beat::bits() const {
  const std::int64_t last = element_count() - 1;
  return low_of(last) + width_of(last) - low;
}

bool Beat::is_late() const {
  return std::any_of(late.begin(), late.end(), [](auto l) { return l > 0; });
}

std::optional<Coordinates> coordinates(const Beat& beat, std::int64_t word, std::int64_t element,
                                       const GivenCounts& given) {
  Values values;
  count_to(beat.words, word, given, values);
  count_to(beat.elements, element, given, values);
  Coordinates all;
  for (const Coordinate& c : beat.of) {
    std::int64_t sum = 0;
    for (std::size_t i = c.steps.size(); i-- > 0;) {
      // The part below a step must be smaller than the step.
      if (sum >= c.steps[i].size) return std::nullopt;
      sum += c.steps[i].size * values.at(c.steps[i].index);
    }
    if (sum >= counted(c.count, c.given, given)) return std::nullopt;
    all.push_back(sum);
  }
  return all;
}

Spot find(const Beat& beat, const Coordinates& at, const GivenCounts& given) {
  Values values;
  for (std::size_t c = 0; c < beat.of.size(); ++c) {
    std::int64_t rest = at[c];
    for (const Step& s : beat.of[c].steps) {
      values[s.index] = rest / s.size;
      rest %= s.size;
    }
  }
  return {number_of(beat.words, given, values), number_of(beat.elements, given, values)};
}

std::vector<arith::Format> period(std::vector<arith::Format> formats) {
  for (std::size_t n = 1; n < formats.size(); ++n) {
    if (formats.size() % n != 0) continue;
    bool repeats = true;
    for (std::size_t i = n; i < formats.size() && repeats; ++i)
      repeats = formats[i] == formats[i - n];
    if (!repeats) continue;
    formats.resize(n);
    break;
  }
  return formats;
}

std::vector<Numbers> numbers_of(const std::vector<Beat>& beats) {
  std::vector<Numbers> all;
  for (const Beat& b : beats) {
    if (b.formats.size() == 1) {
      if (const auto width = b.width_of(0); width > 1)
        all.push_back({b.port, width, b.formats[0].is_signed, b.part, b.low, b.bits()});
      continue;
    }
    std::vector<arith::Format> each;
    for (std::int64_t i = 0; i < b.element_count(); ++i) each.push_back(b.format_of(i));
    for (Numbers n : side_by_side(b.port, each)) {
      n.low += b.low;
      if (!b.part.empty()) n.part = n.part.empty() ? b.part : b.part + "_" + n.part;
      all.push_back(std::move(n));
    }
  }
  return all;
}

}  // namespace kumiki::gen
