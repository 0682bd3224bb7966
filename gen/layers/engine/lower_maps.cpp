// SPDX-License-Identifier: Apache-2.0
// How every map is stored.
#include <algorithm>
#include <numeric>

#include "gen/layers/engine/lowerer.h"
#include "gen/layers/engine/normal.h"

namespace kumiki::gen::engine {

using graph::Node;
using graph::TensorId;
using graph::Window;

bool joins_channels(const Node& n) {
  const auto* join = std::get_if<graph::Concat>(&n.op);
  return join != nullptr && join->axis == 0;
}

bool Lowerer::is_output(TensorId id) const { return std::ranges::count(g_.outputs, id) > 0; }

// Maps of equal columns that are joined, each read by nothing else. If all of the columns of one
// are read at a time, they are in phases, and the maps are neighbours in each of these.
bool Lowerer::interleaves(const Node& n) const {
  const auto* join = std::get_if<graph::Concat>(&n.op);
  if (!join || join->axis != 2 || storage_.outside[n.output] || is_output(n.output)) return false;
  const graph::Shape& one = tensor(n.inputs[0]).shape;
  const std::array steps{1, one[2]};
  return std::ranges::all_of(n.inputs,
                             [&](TensorId id) {
                               if (maker_[id] == none || job_of_[maker_[id]] == none) return false;
                               // A second number cannot be in phases.
                               const bool adds = jobs_[job_of_[maker_[id]]].second.has_value();
                               return tensor(id).shape == one && has_one_reader(id) &&
                                      std::ranges::count(n.inputs, id) == 1 && root_[id] == id &&
                                      !storage_.outside[id] && !storage_.by_block[id] &&
                                      (one[2] == 1 || !adds);
                             }) &&
         std::ranges::all_of(readers_[n.output], [&](std::size_t r) {
           const Window* window = graph::window_of(g_.nodes[r].op);
           return (window ? window->stride : std::array{1, 1}) == steps;
         });
}

// Maps that are made where a concat needs them.
void Lowerer::share() {
  for (const Node& n : g_.nodes) {
    if (interleaves(n)) {
      for (std::size_t i = 0; i < n.inputs.size(); ++i) {
        root_[n.inputs[i]] = n.output;
        first_place_[n.inputs[i]] = static_cast<std::int64_t>(i);
      }
    }
    if (!joins_channels(n) || storage_.outside[n.output]) continue;
    std::int64_t channel = 0;
    for (const TensorId id : n.inputs) {
      const bool once = std::ranges::count(n.inputs, id) == 1;
      if (once && root_[id] == id && channel % shape_.rows == 0 && maker_[id] != none &&
          !storage_.outside[id] && !storage_.by_block[id]) {
        root_[id] = n.output;
        first_channel_[id] = channel;
      }
      channel += tensor(id).shape[0];
    }
  }
}

// Sums that overwrite their second number. The lanes read this line by line; a sum that is read
// with a stride is in phases, so each block of it takes the places of the one before.
void Lowerer::overwrite() {
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    const TensorId output = jobs_[j].output;
    if (!storage_.in_place[output] || !can_overwrite(j)) continue;
    const TensorId second = *second_of(jobs_[j]);
    if (jobs_[j].product || !is_read_in_phases(output))
      root_[second] = output;
    else if (root_[output] == output)
      over_[second] = output;
  }
}

// The places of sums that overwrite a map which is stored in another way: no block of the sum
// reaches the block of the second number that is read beside it.
void Lowerer::slide() {
  for (const Job& j : jobs_) {
    const auto second = second_of(j);
    if (!second || over_[*second] != j.output) continue;
    const Window w = window_of(node(j));
    if (maps_[walked(j)].phases != std::array<std::int64_t, 2>{w.stride[0], w.stride[1]}) {
      over_[*second] = *second;  // several walks, each over all blocks
      continue;
    }
    const Map &from = maps_[*second], &to = maps_[j.output];
    const std::int64_t behind =
        std::max(to.block(), to.places() - (to.blocks() - 1) * from.block());
    behind_[*second] = whole_sets(behind);
    std::int64_t& places = buffers_[j.output].places;
    places = std::max(places, behind_[*second] + buffers_[*second].places);
  }
}

// The map that has the numbers of a tensor, and where they begin there.
Lowerer::Within Lowerer::whole(TensorId id) const {
  Within w{.tensor = id};
  while (root_[w.tensor] != w.tensor) {
    w.channel += first_channel_[w.tensor];
    w.place += first_place_[w.tensor];
    w.tensor = root_[w.tensor];
  }
  return w;
}

// A window over few channels of an input: its columns become channels. If there are too many, a
// part of them, by which the window moves.
void Lowerer::unfold() {
  unfolded_.resize(g_.tensors.size());
  for (const TensorId id : graph::all_inputs(g_)) {
    if (!has_one_reader(id)) continue;
    const auto* conv = std::get_if<graph::Conv>(&g_.nodes[readers_[id][0]].op);
    if (!conv || conv->groups != 1) continue;
    const Window& w = conv->window;
    const graph::Shape& s = tensor(id).shape;
    const auto most = static_cast<int>(shape_.rows / s[0]);
    if (w.kernel[1] > 1 && w.kernel[1] <= most) {
      unfolded_[id] = {.columns = w.kernel[1],
                       .stride = w.stride[1],
                       .dilation = w.dilation[1],
                       .before = w.before[1],
                       .width = tensor(g_.nodes[readers_[id][0]].output).shape[2]};
      continue;
    }
    if (w.dilation[1] != 1) continue;
    const int common = std::gcd(std::gcd(w.kernel[1], w.stride[1]), w.before[1]);
    for (int columns = std::min(common, most); columns > 1; --columns) {
      if (common % columns != 0) continue;
      unfolded_[id] = {.columns = columns,
                       .stride = columns,
                       .width = ceil_div(s[2], columns),
                       .kernel = w.kernel[1] / columns,
                       .step = w.stride[1] / columns,
                       .left = w.before[1] / columns};
      break;
    }
  }
}

// The window of a node as it reads its map.
Window Lowerer::window_of(const Node& n) const {
  const Window* found = graph::window_of(n.op);
  Window w = found ? *found : Window{};
  if (is_moved(n)) {
    const Moves& moves = *known_.moves(n);
    for (const std::size_t a : {0, 1}) w.stride[a] = static_cast<int>(moves.stride[a]);
  }
  if (const Unfolded& u = unfolded_[n.inputs[0]]; u.columns > 1) {
    w.kernel[1] = u.kernel;
    w.stride[1] = u.step;
    w.dilation[1] = 1;
    w.before[1] = u.left;
  }
  return w;
}

bool Lowerer::reads_windows(const Job& j) const {
  const graph::Operator& op = node(j).op;
  return !std::holds_alternative<graph::Concat>(op) &&
         !std::holds_alternative<graph::GlobalAverage>(op) &&
         !std::holds_alternative<graph::MatMul>(op) &&
         !std::holds_alternative<graph::Reshape>(op) && !normalises(op);
}

// The columns of the result that one walk makes; other walks make those between them.
std::int64_t Lowerer::walked_width(const Job& j) const {
  const Node& n = node(j);
  const std::int64_t width = tensor(n.output).shape[2];
  if (const auto* resize = std::get_if<graph::Resize>(&n.op)) return width / resize->factor[1];
  if (is_moved(n)) return width / known_.moves(n)->factor[1];
  return width;
}

// Calls f with the map of each concat and that of each of its parts that begins within a tile, from
// the last node on. Whether one of them changed.
bool Lowerer::each_joined(const std::function<void(Map&, Map&)>& f) {
  bool has_changed = false;
  for (auto node = g_.nodes.rbegin(); node != g_.nodes.rend(); ++node) {
    const Node& n = *node;
    if (!joins_channels(n) || storage_.outside[n.output]) continue;
    std::int64_t channel = 0;
    for (const TensorId id : n.inputs) {
      Map &whole_map = maps_[whole(n.output).tensor], &part = maps_[whole(id).tensor];
      const std::array before{whole_map, part};
      if (channel % shape_.columns != 0 && !storage_.outside[id]) f(whole_map, part);
      has_changed = has_changed || before != std::array{whole_map, part};
      channel += tensor(id).shape[0];
    }
  }
  return has_changed;
}

// Phases for all strides with which a map is read, lines as long as those of all that read it. A
// map outside has no phases; every reader arranges its strips as it needs them.
void Lowerer::arrange() {
  for (TensorId id = 0; id < g_.tensors.size(); ++id) {
    const graph::Shape& s = tensor(id).shape;
    maps_[id] = {.channels = s[0], .height = s[1], .width = s[2], .rows = shape_.rows};
    if (const Unfolded& u = unfolded_[id]; u.columns > 1) {
      maps_[id].channels *= u.columns;
      maps_[id].width = u.width;
    }
  }
  const auto reads_map = [&](const Job& j) {
    return reads_windows(j) && !storage_.outside[walked(j)];
  };
  for (const Job& j : jobs_) {
    if (!reads_map(j)) continue;
    Map& in = maps_[whole(walked(j)).tensor];
    const Window w = window_of(node(j));
    for (const std::size_t a : {0, 1})
      in.phases[a] = std::lcm(in.phases[a], std::int64_t{w.stride[a]});
  }
  each_joined([](Map& whole, Map& part) {
    for (const std::size_t a : {0, 1}) part.phases[a] = std::lcm(part.phases[a], whole.phases[a]);
  });
  for (Map& m : maps_) m.pitch = m.least_pitch();
  for (const Job& j : jobs_) {
    if (!reads_map(j)) continue;
    Map& in = maps_[whole(walked(j)).tensor];
    const std::int64_t width = walked_width(j);
    const std::int64_t q = in.phases[1] / window_of(node(j)).stride[1];
    in.pitch = std::max(in.pitch, ceil_div(width, q));
  }
  const auto same_pitch = [](Map& whole, Map& part) {
    whole.pitch = part.pitch = std::max(whole.pitch, part.pitch);
  };
  // There and back: the longest line of all that are joined.
  for (std::size_t i = 0; i < g_.nodes.size() && each_joined(same_pitch); ++i) {
  }
  for (TensorId id = 0; id < g_.tensors.size(); ++id) {
    const TensorId root = whole(id).tensor;
    if (root == id) continue;
    const std::int64_t channels = maps_[id].channels, width = maps_[id].width;
    maps_[id] = maps_[root];
    maps_[id].channels = channels;
    maps_[id].width = width;
  }
  for (TensorId id = 0; id < g_.tensors.size(); ++id) {
    if (storage_.by_block[id]) maps_[id].channels = std::min(maps_[id].channels, shape_.rows);
    buffers_[id].places = whole_sets(maps_[id].places());
  }
  slide();
}

Location Lowerer::location(TensorId id) const {
  if (strip_) {
    if (current_->output == id && strip_->written) return *strip_->written;
    if (walked(*current_) == id && strip_->read) return *strip_->read;
    if (second_of(*current_) == id && strip_->second) return *strip_->second;
  }
  auto [buffer, channel, place] = whole(id);
  std::int64_t offset = channel / shape_.rows * maps_[buffer].block() + place;
  for (; over_[buffer] != buffer; buffer = over_[buffer]) offset += behind_[buffer];
  return {.map = maps_[id], .first_line = 0, .buffer = buffer, .offset = offset};
}

}  // namespace kumiki::gen::engine
