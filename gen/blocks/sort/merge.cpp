// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/sort/merge.h"

#include <algorithm>

namespace kumiki::gen::sort {
namespace {

Wires every_other(const Wires& w, std::size_t from) {
  Wires out;
  for (std::size_t i = from; i < w.size(); i += 2) out.push_back(w[i]);
  return out;
}

int extreme(Wiring& wiring, Wires wires, bool largest) {
  while (wires.size() > 1) {
    Wires next;
    for (std::size_t i = 0; i + 1 < wires.size(); i += 2)
      next.push_back(largest ? wiring.high(wires[i], wires[i + 1])
                             : wiring.low(wires[i], wires[i + 1]));
    if (wires.size() % 2) next.push_back(wires.back());
    wires = std::move(next);
  }
  return wires[0];
}

// At most `size` adjacent windows. All contain the columns of the core. Each also has a run of
// columns that ends at the core and one that begins after it.
Wires around_core(Wiring& wiring, const Wires& wires, std::size_t size, bool largest) {
  const std::size_t windows = wires.size() - size + 1;
  const auto both = [&](int a, int b) { return largest ? wiring.high(a, b) : wiring.low(a, b); };
  const auto core = wires.begin() + static_cast<std::ptrdiff_t>(windows) - 1;
  const auto after = wires.begin() + static_cast<std::ptrdiff_t>(size);
  // before[i]: the core and the wires from i on.
  Wires before(windows, extreme(wiring, Wires(core, after), largest));
  for (std::size_t i = windows - 1; i-- > 0;) before[i] = both(wires[i], before[i + 1]);
  Wires out{before[0]};
  int run = unused;
  for (std::size_t i = 1; i < windows; ++i) {
    const int next = wires[size + i - 1];
    run = run == unused ? next : both(run, next);
    out.push_back(both(before[i], run));
  }
  return out;
}

}  // namespace

Wires merged(Wiring& wiring, const Wires& a, const Wires& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  if (a.size() == 1 && b.size() == 1) {
    const auto [low, high] = wiring.order(a[0], b[0]);
    return {low, high};
  }
  const Wires even = merged(wiring, every_other(a, 0), every_other(b, 0));
  const Wires odd = merged(wiring, every_other(a, 1), every_other(b, 1));
  Wires out{even[0]};
  for (std::size_t i = 0; i < std::max(odd.size(), even.size() - 1); ++i) {
    if (i < odd.size() && i + 1 < even.size()) {
      const auto [low, high] = wiring.order(odd[i], even[i + 1]);
      out.insert(out.end(), {low, high});
    } else {
      out.push_back(i < odd.size() ? odd[i] : even[i + 1]);
    }
  }
  return out;
}

int selected(Wiring& wiring, const std::vector<Wires>& lists, int rank) {
  int total = 0;
  for (const Wires& w : lists) total += static_cast<int>(w.size());
  int below = rank, above = total - 1 - rank;  // how many may still be smaller, larger
  std::vector<Wires> now = lists;
  while (now.size() > 1) {
    // Merge the two shortest lists first.
    std::stable_sort(now.begin(), now.end(),
                     [](const Wires& x, const Wires& y) { return x.size() < y.size(); });
    Wires both = merged(wiring, now[0], now[1]);
    const int high = std::max(0, static_cast<int>(both.size()) - 1 - below);
    const int low = std::max(0, static_cast<int>(both.size()) - 1 - above);
    both.erase(both.end() - high, both.end());
    both.erase(both.begin(), both.begin() + low);
    below -= low, above -= high;
    now.erase(now.begin(), now.begin() + 2);
    now.push_back(std::move(both));
  }
  return now[0].at(static_cast<std::size_t>(below));
}

Wires sliding(Wiring& wiring, const Wires& wires, int size, bool largest) {
  const auto n = static_cast<std::size_t>(size);
  const std::size_t windows = wires.size() - n + 1;
  // Windows that share a core cost size + 2 * windows - 4 together, a single window size - 1. For
  // up to four windows, equal parts cost least if the windows share something.
  std::size_t part = std::min(windows, n);
  while (windows % part != 0) --part;
  Wires out;
  for (std::size_t at = 0; at < windows; at += part) {
    const auto from = wires.begin() + static_cast<std::ptrdiff_t>(at);
    const Wires some = around_core(
        wiring, Wires(from, from + static_cast<std::ptrdiff_t>(n + part - 1)), n, largest);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

}  // namespace kumiki::gen::sort
