// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/max_pool/pool_axis.h"

#include <algorithm>

namespace kumiki::gen::pipeline {
namespace {

// One axis of graph::Window.
struct Windows {
  std::int64_t length, windows, kernel, stride, dilation, before;
  std::int64_t first(std::int64_t window) const { return window * stride - before; }
  std::int64_t last(std::int64_t window) const { return first(window) + (kernel - 1) * dilation; }
};

std::vector<bool> all_alike(std::size_t count, bool value) { return std::vector(count, value); }

// Needs one comparison: `looks_back` at every position except the first one of a window.
void keep_one(const Windows& w, PoolAxis& a) {
  std::int64_t place = -1;
  std::vector<std::int64_t> completed;
  for (std::int64_t j = 0; j < w.windows; ++j)
    completed.push_back(place = std::max(place + 1, std::min(w.last(j), w.length - 1)));
  const auto count = static_cast<std::size_t>(std::max(w.length, place + 1));
  a.completes = all_alike(count, false);
  PoolStep step{.looks_back = all_alike(count, false),
                .keeps_found = true,
                .restarts = all_alike(count, false)};
  for (std::int64_t j = 0; j < w.windows; ++j) {
    const std::int64_t first = std::max<std::int64_t>(w.first(j), 0);
    const std::int64_t last = completed[static_cast<std::size_t>(j)];
    a.completes[static_cast<std::size_t>(last)] = true;
    for (std::int64_t at = first + 1; at <= last; ++at)
      step.looks_back[static_cast<std::size_t>(at)] = true;
  }
  for (std::int64_t j = 0; j < w.windows; ++j) {
    const auto first = static_cast<std::size_t>(std::max<std::int64_t>(w.first(j), 0));
    step.restarts[first] = step.looks_back[first];
  }
  if (w.kernel > 1) a.steps.push_back(std::move(step));
}

void double_up(const Windows& w, PoolAxis& a) {
  const auto count = static_cast<std::size_t>(std::max(w.length, w.last(w.windows - 1) + 1));
  a.completes = all_alike(count, false);
  for (std::int64_t j = 0; j < w.windows; ++j)
    a.completes[static_cast<std::size_t>(w.last(j))] = true;
  for (std::int64_t width = 1; width < w.kernel;) {
    const std::int64_t by = std::min(width, w.kernel - width);
    PoolStep step{.distance = by * w.dilation, .looks_back = all_alike(count, true)};
    // Without padding before the map, a window that ends has all of its positions.
    if (w.before > 0)
      std::fill_n(step.looks_back.begin(), std::min(static_cast<std::size_t>(step.distance), count),
                  false);
    a.steps.push_back(std::move(step));
    width += by;
  }
}

}  // namespace

std::vector<bool> PoolAxis::inside() const {
  std::vector<bool> table = all_alike(completes.size(), false);
  std::fill_n(table.begin(), length, true);
  return table;
}

PoolAxis::PoolAxis(const graph::Window& window, int axis, std::int64_t the_length)
    : length(the_length) {
  const auto i = static_cast<std::size_t>(axis);
  if (window.reach(axis) > length + window.before[i] + window.after[i]) return;
  windows = window.positions(axis, static_cast<int>(length));
  const Windows w{.length = length,
                  .windows = windows,
                  .kernel = window.kernel[i],
                  .stride = window.stride[i],
                  .dilation = window.dilation[i],
                  .before = window.before[i]};
  is_blind = window.sees_nothing(axis, static_cast<int>(length));
  if (is_blind) return;
  const bool in_a_row = w.dilation == 1 || w.kernel == 1;
  const bool share_one = w.kernel >= 3 && w.stride == w.kernel - 1;
  if (in_a_row && (w.stride >= w.kernel || share_one))
    keep_one(w, *this);
  else
    double_up(w, *this);
}

}  // namespace kumiki::gen::pipeline
