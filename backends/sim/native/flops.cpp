// SPDX-License-Identifier: Apache-2.0
// Registers are updated in place, so a register that feeds another one directly must be updated
// after it. Depth 0 reads no register; depth n + 1 reads a register of depth n. The clock works
// from the greatest depth down. A ring is opened at one register, whose input is copied first.
#include "backends/sim/native/flops.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kumiki::backends::native {
namespace {

// A shorter run costs more than gathering its bits one by one.
constexpr std::size_t shortest_run = 8;

class FlopPlacement {
 public:
  FlopPlacement(const Lowered& all, std::vector<std::uint32_t>& slot, Program& program)
      : all_(all),
        slot_(slot),
        p_(program),
        count_(static_cast<std::uint32_t>(all.flops.size())),
        flop_of_(all.value.size(), none),
        depth_(count_, none),
        is_set_aside_(count_),
        d_slot_(count_) {
    for (std::uint32_t f = 0; f < count_; ++f) flop_of_[all.flops[f].q] = f;
  }

  void run() {
    find_depths();
    place_helpers();
    p_.first_q = p_.slots;
    p_.flop_init.reserve(count_);
    std::vector<std::uint32_t> sorted(count_);
    for (std::uint32_t f = 0; f < count_; ++f) sorted[f] = f;
    auto key = [&](std::uint32_t f) { return std::pair(depth_[f], all_.flops[f].control); };
    std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return key(a) < key(b); });
    for (std::size_t i = 0, end; i < count_; i = end) {
      for (end = i; end < count_ && key(sorted[end]) == key(sorted[i]); ++end) {
      }
      place_group(std::span(sorted).subspan(i, end - i));
    }
    std::reverse(p_.flops.begin(), p_.flops.end());
    for (std::uint32_t f = 0; f < count_; ++f)
      if (is_set_aside_[f]) p_.copies.push_back({slot_[all_.flops[f].d], d_slot_[f]});
    for (auto [value, to] : control_copy_) p_.copies.push_back({slot_[value], to});
  }

 private:
  void find_depths() {
    std::vector<std::uint32_t> chain;
    constexpr std::uint32_t open = none - 1;
    for (std::uint32_t first = 0; first < count_; ++first) {
      chain.clear();
      auto f = first;
      for (; f != none && depth_[f] == none; f = flop_of_[all_.flops[f].d]) {
        depth_[f] = open;
        chain.push_back(f);
      }
      bool is_ring = f != none && depth_[f] == open;
      if (is_ring) is_set_aside_[chain.back()] = true;
      std::uint32_t next = f == none || is_ring ? 0 : depth_[f] + 1;
      for (auto it = chain.rbegin(); it != chain.rend(); ++it) depth_[*it] = next++;
    }
  }

  // Slots for copies: inputs of opened rings, and enables and resets that are registers.
  void place_helpers() {
    for (std::uint32_t f = 0; f < count_; ++f)
      if (is_set_aside_[f]) d_slot_[f] = p_.slots++;
    for (const Control& c : all_.controls)
      for (auto value : {c.enable, c.reset})
        if (flop_of_[value] != none && control_copy_.try_emplace(value, p_.slots).second)
          ++p_.slots;
  }

  std::uint32_t control_slot(std::uint32_t value) const {
    auto copy = control_copy_.find(value);
    return copy == control_copy_.end() ? slot_[value] : copy->second;
  }

  // Orders registers of one depth and control by their inputs. If several have the same input, all
  // first ones come before all second ones, and so on.
  void place_group(std::span<std::uint32_t> group) {
    for (auto f : group)
      if (!is_set_aside_[f]) d_slot_[f] = slot_[all_.flops[f].d];
    auto by_input = [&](auto a, auto b) { return d_slot_[a] < d_slot_[b]; };
    std::stable_sort(group.begin(), group.end(), by_input);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> turn;  // earlier readers of this input
    for (std::size_t i = 0; i < group.size(); ++i) {
      bool again = i > 0 && d_slot_[group[i]] == d_slot_[group[i - 1]];
      turn.emplace_back(again ? turn.back().first + 1 : 0, group[i]);
    }
    std::stable_sort(turn.begin(), turn.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = turn[i].second;
    for (auto f : group) {
      slot_[all_.flops[f].q] = p_.slots++;
      p_.flop_init.push_back(all_.flops[f].init);
    }
    emit_group(group);
  }

  void emit_group(std::span<const std::uint32_t> group) {
    const Control& control = all_.controls[all_.flops[group[0]].control];
    if (control.enable == 0 && control.reset == 0) return;  // never changes its value
    std::size_t scattered = 0;                              // the first one not in a run yet
    for (std::size_t i = 0, end; i < group.size(); i = end) {
      for (end = i + 1; end < group.size() && d_slot_[group[end]] == d_slot_[group[end - 1]] + 1;
           ++end) {
      }
      if (end - i < shortest_run) continue;
      emit_gather(control, group.subspan(scattered, i - scattered));
      emit_run(control, group.subspan(i, end - i), d_slot_[group[i]], false);
      scattered = end;
    }
    emit_gather(control, group.subspan(scattered));
  }

  void emit_gather(const Control& control, std::span<const std::uint32_t> flops) {
    if (flops.empty()) return;
    auto first = static_cast<std::uint32_t>(p_.pool.size());
    for (auto f : flops) p_.pool.push_back(d_slot_[f]);
    emit_run(control, flops, first, true);
  }

  void emit_run(const Control& control, std::span<const std::uint32_t> flops, std::uint32_t d,
                bool is_gather) {
    p_.flops.push_back({.q = slot_[all_.flops[flops[0]].q],
                        .d = d,
                        .count = static_cast<std::uint32_t>(flops.size()),
                        .enable = control_slot(control.enable),
                        .reset = control_slot(control.reset),
                        .is_set = control.is_set,
                        .is_gather = is_gather});
  }

  const Lowered& all_;
  std::vector<std::uint32_t>& slot_;
  Program& p_;
  std::uint32_t count_;
  std::vector<std::uint32_t> flop_of_;  // of every value
  std::vector<std::uint32_t> depth_;
  std::vector<bool> is_set_aside_;
  std::vector<std::uint32_t> d_slot_;
  std::map<std::uint32_t, std::uint32_t> control_copy_;  // value to the slot of its copy
};

}  // namespace

void place_flops(const Lowered& all, std::vector<std::uint32_t>& slot, Program& program) {
  FlopPlacement(all, slot, program).run();
}

}  // namespace kumiki::backends::native
