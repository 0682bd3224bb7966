// SPDX-License-Identifier: Apache-2.0
// Places for all maps, and what makes them fewer.
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {

using graph::TensorId;

Lowerer::Lowerer(const Known& known, const EngineShape& shape, const Storage& storage, bool draft)
    : known_(known),
      g_(known.graph()),
      shape_(shape),
      storage_(storage),
      draft_(draft),
      readers_(g_.tensors.size()),
      maker_(g_.tensors.size(), none),
      first_channel_(g_.tensors.size(), 0),
      first_place_(g_.tensors.size(), 0),
      behind_(g_.tensors.size(), 0),
      maps_(g_.tensors.size()),
      is_gate_(g_.tensors.size(), false),
      is_loaded_(g_.tensors.size(), false),
      buffers_(g_.tensors.size()) {
  for (TensorId id = 0; id < g_.tensors.size(); ++id) root_.push_back(id);
  over_ = root_;
  for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
    for (const TensorId id : g_.nodes[n].inputs) readers_[id].push_back(n);
    // A constant comes as an input does.
    if (!std::holds_alternative<graph::Constant>(g_.nodes[n].op)) maker_[g_.nodes[n].output] = n;
  }
}

// A buffer has its places from the first step to the last one that needs it. The largest ones
// choose first, each the lowest places that are free all that time.
void Lowerer::allocate() {
  std::vector<std::size_t> order, placed, meeting;
  for (std::size_t b = 0; b < buffers_.size(); ++b)
    if (buffers_[b].first != none) order.push_back(b);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t b) { return buffers_[b].places; });
  for (const std::size_t number : order) {
    Buffer& b = buffers_[number];
    meeting.clear();
    for (const std::size_t p : placed)
      if (buffers_[p].first <= b.last && b.first <= buffers_[p].last) meeting.push_back(p);
    std::ranges::sort(meeting, {}, [&](std::size_t p) { return buffers_[p].base; });
    for (const std::size_t p : meeting) {
      if (buffers_[p].base - b.base >= b.places) break;
      b.base = std::max(b.base, buffers_[p].base + buffers_[p].places);
    }
    placed.push_back(number);
    if (b.base + b.places > used_) {
      used_ = b.base + b.places;
      tightest_ = b.first;
    }
  }
  // Where the maps alone need too many places, that step is the tightest one.
  std::vector<std::int64_t> needed(steps_.size() + 1);
  for (const std::size_t b : order) {
    needed[buffers_[b].first] += buffers_[b].places;
    needed[buffers_[b].last + 1] -= buffers_[b].places;
  }
  std::partial_sum(needed.begin(), needed.end(), needed.begin());
  const auto most = std::ranges::max_element(needed);
  if (*most > shape_.places) tightest_ = static_cast<std::size_t>(most - needed.begin());
  for (TensorId id = 0; id < g_.tensors.size(); ++id)
    maps_[id].base = places_of(location(id)).first;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Uses& u = uses_[i];
    if (auto* load = std::get_if<Load>(&steps_[i])) load->to.base = places_of(*u.written).first;
    if (auto* store = std::get_if<Store>(&steps_[i])) store->from.base = places_of(*u.read).first;
    if (auto* normalise = std::get_if<Normalise>(&steps_[i])) {
      normalise->from += places_of(*u.read).first;
      normalise->to += places_of(*u.written).first;
    }
    if (auto* op = std::get_if<Op>(&steps_[i])) {
      op->walk.from += places_of(*u.read).first;
      op->target.first += places_of(*u.written).first;
      if (op->reads_target)
        op->walk.taps.back().offset +=
            op->target.of_block(op->first_tile * shape_.columns / shape_.rows) - op->walk.from;
      if (u.second) op->second->from.first += places_of(*u.second).first;
      for (std::vector<Fill>& of_tile : op->fills)
        for (Fill& fill : of_tile) fill.place += places_of(*u.weights).first;
    }
  }
}

std::vector<Held> Lowerer::held() const {
  std::vector<Held> all;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& b = buffers_[i];
    if (b.first == none) continue;
    const bool is_strip = b.tensor != none;
    all.push_back({.tensor = is_strip ? b.tensor : i,
                   .place = b.base,
                   .places = b.places,
                   .first = b.first,
                   .last = b.last,
                   .is_strip = is_strip});
  }
  return all;
}

// The results of the network leave behind the last job; they are those of the job that made them.
std::optional<std::size_t> Lowerer::node_of_step(std::size_t step) const {
  if (job_of_step_[step] != none) return jobs_[job_of_step_[step]].node;
  const auto* store = std::get_if<Store>(&steps_[step]);
  const std::size_t maker = store ? maker_[store->tensor] : none;
  if (maker == none) return std::nullopt;
  return job_of_[maker] == none ? maker : jobs_[job_of_[maker]].node;
}

std::pair<std::int64_t, std::int64_t> Lowerer::places_of(const Location& at) const {
  const std::int64_t base = buffers_[at.buffer].base + at.offset;
  return {base, base + at.map.places()};
}

// A step waits for the last one of the other unit whose places it changes, or that changes its own.
void Lowerer::wait() {
  std::vector<std::size_t> number;  // in its unit
  std::array<std::size_t, 2> count{};
  const auto unit = [&](std::size_t i) { return std::holds_alternative<Op>(steps_[i]) ? 1U : 0U; };
  const auto meets = [&](const std::optional<Location>& a, const std::optional<Location>& b) {
    if (!a || !b) return false;
    const auto [a_from, a_to] = places_of(*a);
    const auto [b_from, b_to] = places_of(*b);
    return a_from < b_to && b_from < a_to;
  };
  const auto conflict = [&](const Uses& a, const Uses& b) {
    const auto changes = [&](const Uses& one, const Uses& other) {
      return meets(one.written, other.read) || meets(one.written, other.second) ||
             meets(one.written, other.weights);
    };
    return meets(a.written, b.written) || changes(a, b) || changes(b, a);
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    std::size_t waits = 0;
    for (std::size_t j = i; j-- > 0;)
      if (unit(j) != unit(i) && conflict(uses_[i], uses_[j])) {
        waits = number[j] + 1;
        break;
      }
    waits_.push_back(waits);
    number.push_back(count[unit(i)]++);
  }
}

// One stream brings all steps, and what waits holds up what is behind it. So a step that moves maps
// comes behind the operation beside which it may be done, but before the one that needs it. Drafts
// keep their order, of which `tightest_` is a step.
void Lowerer::interleave() {
  std::vector<std::size_t> moves, order;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (!std::holds_alternative<Op>(steps_[i])) moves.push_back(i);
  std::size_t operations = 0;
  auto move = moves.begin();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!std::holds_alternative<Op>(steps_[i])) continue;
    while (static_cast<std::size_t>(move - moves.begin()) < waits_[i]) order.push_back(*move++);
    order.push_back(i);
    while (move != moves.end() && waits_[*move] <= operations) order.push_back(*move++);
    ++operations;
  }
  order.insert(order.end(), move, moves.end());

  const auto reorder = [&](auto& list) {
    auto all = std::exchange(list, {});
    for (const std::size_t i : order) list.push_back(std::move(all[i]));
  };
  reorder(steps_);
  reorder(uses_);
  reorder(waits_);
  reorder(job_of_step_);
  for (Buffer& b : buffers_) b.first = none, b.last = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) note(uses_[i], i);
}

// Whether the result of a job may have the places of its second number: nothing reads this later,
// and the job reads it only there.
bool Lowerer::can_overwrite(std::size_t number) const {
  const Job& j = jobs_[number];
  const auto second = second_of(j);
  if (!second || walked(j) == *second) return false;
  if (maker_[*second] == none || root_[*second] != *second || is_output(*second)) return false;
  if (std::holds_alternative<graph::Concat>(g_.nodes[maker_[*second]].op)) return false;
  for (const TensorId id : {*second, j.output})
    if (storage_.outside[id] || storage_.by_block[id]) return false;
  if (tensor(*second).shape != tensor(j.output).shape) return false;
  return std::ranges::all_of(
      readers_[*second], [&](std::size_t r) { return job_of_[r] != none && job_of_[r] <= number; });
}

bool Lowerer::is_read_in_phases(TensorId id) const {
  return std::ranges::any_of(jobs_, [&](const Job& r) {
    const graph::Window* window = graph::window_of(node(r).op);
    return walked(r) == id && reads_windows(r) &&
           (is_moved(node(r)) || (window && window->stride != std::array{1, 1}));
  });
}

bool Lowerer::can_go_by_block(std::size_t number) const {
  if (number + 1 >= jobs_.size()) return false;
  const Job &maker = jobs_[number], &reader = jobs_[number + 1];
  const TensorId id = maker.output;
  const auto* made = std::get_if<graph::Conv>(&node(maker).op);
  const auto* read = std::get_if<graph::Conv>(&node(reader).op);
  if (!made || made->groups != 1 || !read || walked(reader) != id || !has_one_reader(id))
    return false;
  const int channels = tensor(id).shape[0];
  if (read->groups != channels || std::ssize(read->bias) != channels || channels <= shape_.rows)
    return false;
  std::vector<TensorId> all{walked(maker), id, reader.output};
  for (const auto& second : {second_of(maker), second_of(reader)})
    if (second) all.push_back(*second);
  Map block = maps_[id];
  block.channels = std::min(block.channels, shape_.rows);
  return root_[id] == id &&
         maps_[all[0]].places() + block.places() + maps_[reader.output].places() <= shape_.places &&
         std::ranges::none_of(all, [&](TensorId t) { return storage_.outside[t]; });
}

// Whether every job that makes or reads a tensor can do so in strips, or in place.
bool Lowerer::can_be_outside(TensorId id) const {
  const auto goes_in_strips = [&](std::size_t node_number) {
    const std::size_t j = job_of_[node_number];
    if (j == none) return false;
    const bool by_block =
        storage_.by_block[jobs_[j].output] || (j > 0 && storage_.by_block[jobs_[j - 1].output] &&
                                               walked(jobs_[j]) == jobs_[j - 1].output);
    return !by_block && reads_windows(jobs_[j]) &&
           !std::holds_alternative<graph::Resize>(node(jobs_[j]).op) && !is_moved(node(jobs_[j])) &&
           !(jobs_[j].product && jobs_[j].product->gate == id);
  };
  if (storage_.by_block[id]) return false;
  if (maker_[id] == none) {
    if (is_output(id)) return false;
  } else if (const graph::Node& n = g_.nodes[maker_[id]]; joins_channels(n)) {
    if (!can_be_together_outside(n)) return false;
  } else if (!goes_in_strips(maker_[id]) || jobs_[job_of_[maker_[id]]].output != id) {
    return false;
  }
  return std::ranges::all_of(readers_[id], [&](std::size_t r) {
    const graph::Node& n = g_.nodes[r];
    if (!joins_channels(n)) return goes_in_strips(r);
    std::int64_t channel = 0;
    for (const TensorId part : n.inputs) {
      if (part == id) break;
      channel += tensor(part).shape[0];
    }
    return channel % shape_.rows == 0 && std::ranges::count(n.inputs, id) == 1;
  });
}

bool Lowerer::can_be_together_outside(const graph::Node& concat) const {
  std::int64_t channel = 0;
  for (const TensorId part : concat.inputs) {
    const auto is_concat = [&](std::size_t r) {
      return std::holds_alternative<graph::Concat>(g_.nodes[r].op);
    };
    if (channel % shape_.rows != 0 || maker_[part] == none || is_output(part) ||
        std::ranges::count_if(readers_[part], is_concat) != 1)
      return false;
    channel += tensor(part).shape[0];
  }
  return true;
}

bool Lowerer::relieve(Storage& storage) const {
  const auto is_needed = [&](TensorId id) {
    const Buffer& b = buffers_[whole(id).tensor];
    return b.first != none && b.first <= tightest_ && tightest_ <= b.last;
  };
  const std::size_t tight = job_of_step_[tightest_];
  if (tight != none && can_overwrite(tight) && !storage.in_place[jobs_[tight].output]) {
    storage.in_place[jobs_[tight].output] = true;
    return true;
  }
  for (std::size_t j = 0; j < jobs_.size(); ++j)
    if (const TensorId id = jobs_[j].output;
        !storage.by_block[id] && can_go_by_block(j) && is_needed(id)) {
      storage.by_block[id] = true;
      return true;
    }
  // The largest map goes outside; first one that only waits.
  std::optional<TensorId> found;
  const auto rank = [&](TensorId id) {
    const bool waits = tight != none && id != walked(jobs_[tight]) && id != jobs_[tight].output &&
                       id != second_of(jobs_[tight]);
    return std::pair{waits, maps_[id].places()};
  };
  for (TensorId id = 0; id < g_.tensors.size(); ++id) {
    if (storage_.outside[id] || maker_[id] == none || !can_be_outside(id) || !is_needed(id) ||
        maps_[id].places() <= 2 * storage_.strip)
      continue;
    if (!found || rank(id) > rank(*found)) found = id;
  }
  if (found) {
    storage.outside[*found] = true;
    return true;
  }
  if (storage.strip <= shape_.places / 128) return false;
  storage.strip /= 2;
  return true;
}

}  // namespace kumiki::gen::engine
