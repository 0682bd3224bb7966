// SPDX-License-Identifier: Apache-2.0
// Removes everything that reaches no output of its complete module: for example a counter that only
// another shape needs, or upper bits of a word without readers.
#include <algorithm>

#include "ir/design.h"
#include "ir/machine.h"

namespace kumiki::ir {
namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

// Elements can be cut out of a vector cell if its outputs are consecutive.
bool can_be_cut(const Cell& cell) {
  return cell.width > 1 && prototype(cell.kind).outputs.size() == 1;
}

// The input nets of elements `low` and up: those that all elements share, and their own.
template <class Action>
void for_each_pin(const Module& m, const Cell& cell, std::uint32_t low, std::uint32_t count,
                  Action action) {
  const auto nets = m.inputs(cell);
  if (cell.kind == Kind::instance || cell.width == 1) {
    for (Net n : nets) action(n);
    return;
  }
  std::size_t at = 0;
  for (const Pin& pin : prototype(cell.kind).inputs) {
    const std::size_t all = pin_width(pin, m.view(cell));
    const std::size_t each = pin.shared ? 0 : all / cell.width;
    const std::size_t first = at + low * each, number = pin.shared ? all : count * each;
    for (std::size_t i = 0; i < number; ++i) action(nets[first + i]);
    at += all;
  }
}

// Finds what reaches an output. Every instance stays, because only its module knows its purpose.
// The module also says which of its inputs it reads.
class Live {
 public:
  explicit Live(const Module& m) : m_(m), driver_(m.net_count(), nobody), net_(m.net_count()) {
    const auto cells = m.cells();
    for (std::uint32_t i = 0; i < cells.size(); ++i)
      std::fill_n(driver_.begin() + cells[i].out.index, m.output_count(cells[i]), i);
    done_.resize(cells.size());
    for (const Port& p : m.ports())
      if (p.direction == Direction::output)
        for (Net n : m.port_nets(p)) want(n);
    for (CellId i : m.instances()) {
      const Module& child = m.design().module({m.cell(i).params});
      const auto nets = m.inputs(m.cell(i));
      for (std::uint32_t bit = 0; bit < nets.size(); ++bit)
        if (child.reads_input(bit)) want(nets[bit]);
    }
    while (!open_.empty()) {
      const Net n = open_.back();
      open_.pop_back();
      const auto i = driver_[n.index];
      const Cell& cell = cells[i];
      if (cell.kind == Kind::instance) continue;
      if (can_be_cut(cell)) {
        for_each_pin(m_, cell, n.index - cell.out.index, 1, [&](Net pin) { want(pin); });
      } else if (!done_[i]) {
        done_[i] = true;
        for (Net pin : m_.inputs(cell)) want(pin);
      }
    }
  }
  bool operator()(Net n) const { return net_[n.index]; }

 private:
  void want(Net n) {
    if (n.index >= net_.size() || net_[n.index]) return;
    net_[n.index] = true;
    if (driver_[n.index] != nobody) open_.push_back(n);
  }
  const Module& m_;
  std::vector<std::uint32_t> driver_;
  std::vector<bool> net_, done_;
  std::vector<Net> open_;
};

}  // namespace

bool Module::reads_input(std::uint32_t bit) const {
  return !std::binary_search(unread_inputs_.begin(), unread_inputs_.end(), bit);
}

void Module::sweep() {
  const Live live(*this);
  unread_inputs_.clear();
  std::uint32_t bit = 0;
  for (const Port& p : ports_)
    if (p.direction == Direction::input)
      for (Net n : port_nets(p)) {
        // The clock remains an input, even if the module has no registers any more.
        if (!live(n) && !is_clock_port(design_->text(p.name))) unread_inputs_.push_back(bit);
        ++bit;
      }
  // What a module does not read needs no driver.
  for (CellId i : instances_) {
    const Module& child = design_->module({cell(i).params});
    const auto nets = mutable_inputs(i);
    for (std::uint32_t b = 0; b < nets.size(); ++b)
      if (!child.reads_input(b) && !live(nets[b])) nets[b] = net_zero;
  }
  struct Kept {
    std::uint32_t cell, low, count;
  };
  std::vector<Kept> kept;
  for (std::uint32_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    const auto outputs = output_count(cell);
    const auto wanted = [&](std::uint32_t o) { return live({cell.out.index + o}); };
    if (can_be_cut(cell)) {
      for (std::uint32_t low = 0, high; low < cell.width; low = high + 1) {
        for (high = low; high < cell.width && wanted(high);) ++high;
        if (high > low) kept.push_back({i, low, high - low});
      }
      continue;
    }
    bool any = cell.kind == Kind::instance;
    for (std::uint32_t o = 0; o < outputs && !any; ++o) any = wanted(o);
    if (any) kept.push_back({i, 0, cell.width});
  }
  const bool whole = kept.size() == cells_.size() && std::ranges::all_of(kept, [&](const Kept& k) {
                       return k.count == cells_[k.cell].width;
                     });
  if (whole && !has_loose_pins_) return;
  std::vector<Cell> cells;
  std::vector<Net> pins;
  std::vector<std::uint32_t> first_of(cells_.size() + 1, nobody);  // where a cell is now
  for (const Kept& k : kept) {
    Cell cell = cells_[k.cell];
    const auto begin = static_cast<std::uint32_t>(pins.size());
    for_each_pin(*this, cells_[k.cell], k.low, k.count, [&](Net n) { pins.push_back(n); });
    if (first_of[k.cell] == nobody) first_of[k.cell] = static_cast<std::uint32_t>(cells.size());
    cell.pins = begin;
    cell.out.index += k.low;
    cell.width = k.count;
    cells.push_back(cell);
  }
  // A removed cell hands its remark to the next one.
  std::uint32_t next = first_of.back() = static_cast<std::uint32_t>(cells.size());
  std::vector<std::uint32_t> at_or_behind(first_of);
  for (std::size_t i = first_of.size(); i-- > 0;)
    at_or_behind[i] = next = first_of[i] == nobody ? next : first_of[i];
  const auto move = [&](auto& by_cell) {
    std::remove_cvref_t<decltype(by_cell)> moved;
    for (const auto& [cell, what] : by_cell)
      if (first_of[cell] != nobody) moved.emplace(first_of[cell], what);
    by_cell = std::move(moved);
  };
  move(cell_names_);
  move(blobs_);
  // All parts of a cell that was cut declare the same crossing.
  std::unordered_map<std::uint32_t, Crossing> crossings;
  if (!crossings_.empty())
    for (std::uint32_t i = 0; i < kept.size(); ++i)
      if (const auto it = crossings_.find(kept[i].cell); it != crossings_.end())
        crossings.emplace(i, it->second);
  crossings_ = std::move(crossings);
  for (CellId& i : instances_) i.value = first_of[i.value];
  std::vector<Remark> remarks;
  for (const Remark& r : remarks_) {
    const auto cell = at_or_behind[r.cell];
    if (!remarks.empty() && remarks.back().cell == cell) remarks.pop_back();
    if (cell < cells.size()) remarks.push_back({cell, r.line});
  }
  remarks_ = std::move(remarks);
  cells_ = std::move(cells);
  pins_ = std::move(pins);
  has_loose_pins_ = false;
}

}  // namespace kumiki::ir
