// SPDX-License-Identifier: Apache-2.0
// Puts two LUTs in one site, as packers do: only LUTs with a common net, those with the most common
// nets first. Placed and routed designs have a tenth fewer such pairs
// (tests/gen/flow/clock_test.cpp).
#include <algorithm>

#include "backends/fabric/elements.h"

namespace kumiki::backends::fabric {
namespace {

constexpr std::size_t shared_inputs = 5;  // of a site with two functions
constexpr std::size_t looked_at = 64;     // readers of a net; nets with thousands of readers
                                          // suggest no pairs

std::size_t common(const Lut& a, const Lut& b) {
  std::size_t n = 0;
  for (auto i = a.inputs.begin(), j = b.inputs.begin(); i != a.inputs.end() && j != b.inputs.end();)
    if (*i < *j)
      ++i;
    else if (*j < *i)
      ++j;
    else
      ++n, ++i, ++j;
  return n;
}

class Matching {
 public:
  Matching(Elements& elements, const std::vector<bool>& fixed)
      : luts_(elements.luts), fixed_(fixed) {
    readers_.resize(elements.netlist.driver.size());
    for (std::uint32_t i = 0; i < luts_.size(); ++i)
      if (is_free(i))
        for (const std::uint32_t net : luts_[i].inputs) readers_[net].push_back(i);
  }

  void run() {
    for (std::size_t size = shared_inputs; size > 0; --size)
      for (std::uint32_t i = 0; i < luts_.size(); ++i)
        if (is_free(i) && luts_[i].inputs.size() == size) join(i, best(i));
  }

 private:
  // A shift register takes its whole site. So does a function of six inputs or with two outputs.
  bool is_free(std::uint32_t i) const {
    const Lut& l = luts_[i];
    return !l.placed && l.partner == none && l.o6 != none && l.o5 == none && !l.inputs.empty() &&
           l.inputs.size() <= shared_inputs;
  }

  std::uint32_t best(std::uint32_t i) const {
    std::uint32_t with = none;
    std::size_t most = 0;
    for (const std::uint32_t net : luts_[i].inputs) {
      if (readers_[net].size() > looked_at) continue;
      for (const std::uint32_t other : readers_[net]) {
        if (other == i || !is_free(other) || (fixed_[i] && fixed_[other])) continue;
        const std::size_t both = common(luts_[i], luts_[other]);
        if (luts_[i].inputs.size() + luts_[other].inputs.size() - both > shared_inputs) continue;
        if (both > most) most = both, with = other;
      }
    }
    return with;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    if (b != none) luts_[a].partner = b, luts_[b].partner = a;
  }

  std::vector<Lut>& luts_;
  const std::vector<bool>& fixed_;
  std::vector<std::vector<std::uint32_t>> readers_;
};

}  // namespace

void pair_up(Elements& elements, const std::vector<bool>& fixed) {
  Matching(elements, fixed).run();
}

}  // namespace kumiki::backends::fabric
