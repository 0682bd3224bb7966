// SPDX-License-Identifier: Apache-2.0
#include "ir/design.h"
#include "ir/limits.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

namespace kumiki::ir {

std::string_view Module::name() const { return design_->text(name_); }

Net Module::fresh_nets(std::uint32_t count) {
  Net first{net_count_};
  net_count_ += count;
  return first;
}

void Module::add_port(std::string_view name, Direction direction, std::span<const Net> nets,
                      bool is_signed, PlaceId at) {
  if (find_port(name))
    throw DesignError(
        code::duplicate_name,
        fmt::format("{}: port {} exists already; give another name", this->name(), name));
  if (instantiated_)
    throw DesignError(code::late_port, fmt::format("{}: port {} comes too late, because the module "
                                                   "has an instance already; add ports first",
                                                   this->name(), name));
  auto start = static_cast<std::uint32_t>(port_nets_.size());
  auto width = static_cast<std::uint32_t>(nets.size());
  port_nets_.insert(port_nets_.end(), nets.begin(), nets.end());
  ports_.push_back({design_->intern(name), direction, width, start, is_signed, at});
  (direction == Direction::input ? input_bits_ : output_bits_) += width;
}

Net Module::add_input(std::string_view name, std::uint32_t width, bool is_signed, PlaceId at) {
  std::vector<Net> nets(width);
  Net first = fresh_nets(width);
  for (std::uint32_t i = 0; i < width; ++i) nets[i] = {first.index + i};
  add_port(name, Direction::input, nets, is_signed, at);
  return first;
}

void Module::add_input_driving(std::span<const Net> nets, std::string_view name, bool is_signed,
                               PlaceId at) {
  for (Net n : nets) net_count_ = std::max(net_count_, n.index + 1);
  add_port(name, Direction::input, nets, is_signed, at);
}

void Module::add_output(std::string_view name, std::span<const Net> nets, bool is_signed,
                        PlaceId at) {
  add_port(name, Direction::output, nets, is_signed, at);
}

std::uint32_t Module::store_params(Kind kind, std::span<const std::uint64_t> params) {
  auto k = static_cast<unsigned>(kind);
  auto& proto = prototype(kind);
  if (params.empty() && !proto.params.empty()) {
    std::array<std::uint64_t, 80> defaults;
    for (std::size_t i = 0; i < proto.params.size(); ++i) defaults[i] = proto.params[i].fallback;
    return store_params(kind, std::span<const std::uint64_t>(defaults).first(proto.params.size()));
  }
  if (has_last_params_[k] &&
      std::equal(params.begin(), params.end(), params_.begin() + last_params_[k]))
    return last_params_[k];
  auto start = static_cast<std::uint32_t>(params_.size());
  params_.insert(params_.end(), params.begin(), params.end());
  has_last_params_[k] = true;
  return last_params_[k] = start;
}

CellId Module::add(Cell cell, std::span<const Net> inputs, std::uint32_t outputs, bool fresh) {
  CellId id{static_cast<std::uint32_t>(cells_.size())};
  cell.pins = static_cast<std::uint32_t>(pins_.size());
  pins_.insert(pins_.end(), inputs.begin(), inputs.end());
  if (fresh)
    cell.out = fresh_nets(outputs);
  else
    net_count_ = std::max(net_count_, cell.out.index + outputs);
  cells_.push_back(cell);
  return id;
}

namespace {

void refuse_pins(const Module& m, std::string_view what, std::size_t expected, std::size_t got,
                 PlaceId at) {
  throw DesignError(code::wrong_net_count,
                    fmt::format("{}: {} in module {} must have {} input nets; it has {}",
                                to_string(at), what, m.name(), expected, got));
}

// Counts the cells from time to time, so that a design that grows without end is stopped in time.
// In the end require_few_cells counts every placement of a module.
void require_room(const Module& module) {
  const auto stored = module.cells().size();
  if (stored % 1024 != 1023) return;
  std::uint64_t all = 0;
  for (std::uint32_t m = 0; m < module.design().module_count(); ++m)
    all += module.design().module({m}).cells().size();
  // The elements of vectors are counted whenever the module has grown by an eighth.
  if ((stored + 1) % std::max<std::size_t>(1024, std::bit_floor(stored) / 8) == 0)
    for (const Cell& c : module.cells()) all += c.width - 1;
  require_at_most(module.design().limits().cells, all, "the netlist", "cells and is not complete",
                  "--max-cells");
}

}  // namespace

CellId Module::add_cell_driving(Net out, Kind kind, std::uint32_t width,
                                std::span<const Net> inputs, std::span<const std::uint64_t> params,
                                PlaceId at, BlobId contents) {
  auto& proto = prototype(kind);
  if (!params.empty() && params.size() != proto.params.size())
    throw DesignError(code::parameter_count,
                      fmt::format("{}: {} has {} parameters, but {} are given", to_string(at),
                                  proto.name, proto.params.size(), params.size()));
  if (width == 0 || (width > 1 && !proto.vector))
    throw DesignError(code::no_vector, fmt::format("{}: {} cannot stand {} times in one cell",
                                                   to_string(at), proto.name, width));
  Cell cell{
      .kind = kind, .width = width, .params = store_params(kind, params), .out = out, .place = at};
  CellView v{std::span(params_).subspan(cell.params, proto.params.size()), width, nullptr};
  if (auto want = input_width(kind, v); want != inputs.size())
    refuse_pins(*this, proto.name, want, inputs.size(), at);
  require_room(*this);
  auto id = add(cell, inputs, output_width(kind, v), out == net_open);
  if (contents.value != 0) blobs_[id.value] = contents;
  return id;
}

CellId Module::add_cell(Kind kind, std::uint32_t width, std::span<const Net> inputs,
                        std::span<const std::uint64_t> params, PlaceId at, BlobId contents) {
  return add_cell_driving(net_open, kind, width, inputs, params, at, contents);
}

CellId Module::add_instance_driving(Net out, ModuleId of, std::span<const Net> inputs, PlaceId at,
                                    std::string_view name) {
  Module& child = design_->module(of);
  child.instantiated_ = true;
  if (inputs.size() != child.input_bits())
    refuse_pins(*this, child.name(), child.input_bits(), inputs.size(), at);
  auto id = add({.kind = Kind::instance, .params = of.value, .out = out, .place = at}, inputs,
                child.output_bits(), out == net_open);
  instances_.push_back(id);
  if (!name.empty()) set_cell_name(id, name);
  return id;
}

CellId Module::add_instance(ModuleId of, std::span<const Net> inputs, PlaceId at,
                            std::string_view name) {
  return add_instance_driving(net_open, of, inputs, at, name);
}

void Module::join(Net forward, std::span<const Net> driven, PlaceId at) {
  for (std::uint32_t i = 0; i < driven.size(); ++i)
    joins_.push_back({{forward.index + i}, driven[i], at});
}

void Module::resolve_joins() {
  if (joins_.empty()) return;
  std::unordered_map<std::uint32_t, const Join*> target;
  for (const Join& j : joins_) {
    auto [it, fresh] = target.emplace(j.forward.index, &j);
    if (!fresh)
      throw DesignError(code::multiply_driven,
                        fmt::format("{}: this wire of module {} is driven twice; first at {}",
                                    to_string(j.place), name(), to_string(it->second->place)));
  }
  auto follow = [&](Net n, PlaceId user) {
    std::size_t steps = 0;
    for (auto it = target.find(n.index); it != target.end(); it = target.find(n.index)) {
      if (++steps > joins_.size())
        throw DesignError(code::loop, fmt::format("{}: this wire of module {} drives itself",
                                                  to_string(user), name()));
      n = it->second->driven;
    }
    return n;
  };
  for (Join& j : joins_) j.driven = follow(j.driven, j.place);
  for (auto* pool : {&pins_, &port_nets_, &hint_nets_})
    for (Net& n : *pool) n = follow(n, {});
  joins_.clear();
}

void Module::hint(std::string_view name, std::span<const Net> nets) {
  auto first = static_cast<std::uint32_t>(hint_nets_.size());
  hint_nets_.insert(hint_nets_.end(), nets.begin(), nets.end());
  hints_.push_back({design_->intern(name), first, static_cast<std::uint32_t>(nets.size())});
}

// A cell has one comment: the last one given.
void Module::remark(std::string_view line) {
  const auto cell = static_cast<std::uint32_t>(cells_.size());
  if (!remarks_.empty() && remarks_.back().cell == cell) remarks_.pop_back();
  remarks_.push_back({cell, design_->intern(line)});
}

void Module::set_cell_name(CellId cell, std::string_view name) {
  cell_names_[cell.value] = design_->intern(name);
}

void Module::set_crossing(CellId cell, Crossing crossing) { crossings_[cell.value] = crossing; }

Crossing Module::crossing(CellId id) const {
  if (crossings_.empty()) return Crossing::none;
  const auto it = crossings_.find(id.value);
  return it == crossings_.end() ? Crossing::none : it->second;
}

std::string_view crossing_name(Crossing crossing) {
  constexpr std::string_view names[] = {"none", "each", "first", "second"};
  return names[static_cast<unsigned>(crossing)];
}

void Module::put_port_first(std::string_view name) {
  if (const Port* port = find_port(name)) {
    auto at = ports_.begin() + (port - ports_.data());
    std::rotate(ports_.begin(), at, at + 1);
  }
}

void Module::shrink() {
  ports_.shrink_to_fit();
  port_nets_.shrink_to_fit();
  cells_.shrink_to_fit();
  pins_.shrink_to_fit();
  params_.shrink_to_fit();
  hints_.shrink_to_fit();
  hint_nets_.shrink_to_fit();
}

std::span<const std::uint64_t> Module::params(const Cell& cell) const {
  if (cell.kind == Kind::instance) return {};
  return std::span(params_).subspan(cell.params, prototype(cell.kind).params.size());
}

CellView Module::view(const Cell& cell) const {
  CellView v{params(cell), cell.width, nullptr};
  if (cell.kind == Kind::memory) {
    auto it = blobs_.find(static_cast<std::uint32_t>(&cell - cells_.data()));
    if (it != blobs_.end()) v.blob = design_->blob(it->second);
  }
  return v;
}

std::span<const Net> Module::inputs(const Cell& cell) const {
  std::size_t count = cell.kind == Kind::instance
                          ? design_->module({cell.params}).input_bits()
                          : input_width(cell.kind, {params(cell), cell.width, nullptr});
  return std::span(pins_).subspan(cell.pins, count);
}

std::uint32_t Module::output_count(const Cell& cell) const {
  if (cell.kind == Kind::instance) return design_->module({cell.params}).output_bits();
  return output_width(cell.kind, {params(cell), cell.width, nullptr});
}

StringId Module::cell_name(CellId id) const {
  auto it = cell_names_.find(id.value);
  return it == cell_names_.end() ? StringId{} : it->second;
}

std::vector<CellId> Module::named_cells() const {
  std::vector<CellId> cells;
  for (const auto& [cell, name] : cell_names_) cells.push_back({cell});
  std::sort(cells.begin(), cells.end());
  return cells;
}

const Port* Module::find_port(std::string_view name) const {
  for (const Port& p : ports_)
    if (design_->text(p.name) == name) return &p;
  return nullptr;
}

std::size_t Module::bytes() const {
  auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return of(ports_) + of(port_nets_) + of(cells_) + of(pins_) + of(params_) + of(hints_) +
         of(hint_nets_) + of(instances_) + (cell_names_.size() + blobs_.size()) * 32;
}

std::span<Net> Module::mutable_inputs(CellId id) {
  auto in = inputs(cells_[id.value]);
  return {pins_.data() + cells_[id.value].pins, in.size()};
}

std::span<std::uint64_t> Module::mutable_params(CellId id) {
  // Parameter blocks are shared, so the cell first gets a block of its own.
  auto old = params(cells_[id.value]);
  std::vector<std::uint64_t> copy(old.begin(), old.end());
  cells_[id.value].params = static_cast<std::uint32_t>(params_.size());
  params_.insert(params_.end(), copy.begin(), copy.end());
  return {params_.data() + cells_[id.value].params, copy.size()};
}

void Module::replace_cell(CellId id, Kind kind, std::span<const Net> inputs,
                          std::span<const std::uint64_t> params) {
  Cell& cell = cells_[id.value];
  cell.kind = kind;
  cell.params = store_params(kind, params);
  cell.pins = static_cast<std::uint32_t>(pins_.size());
  pins_.insert(pins_.end(), inputs.begin(), inputs.end());
  has_loose_pins_ = true;
}

Module& Design::add_module(std::string_view name) {
  if (find_module(name))
    throw DesignError(code::duplicate_name,
                      fmt::format("module {} exists already; give another name", name));
  auto id = ModuleId{module_count()};
  auto text_id = intern(name);
  modules_.emplace_back(*this, id, text_id);
  module_ids_.emplace(text(text_id), id);
  return modules_.back();
}

const Module* Design::find_module(std::string_view name) const {
  auto it = module_ids_.find(name);
  return it == module_ids_.end() ? nullptr : &modules_[it->second.value];
}

ModuleId Design::top_id() const {
  if (!top_) throw DesignError(code::no_top, "the design has no top module; call set_top");
  return *top_;
}

StringId Design::intern(std::string_view text) {
  if (text.empty()) return {};
  if (auto it = string_ids_.find(text); it != string_ids_.end()) return it->second;
  StringId id{static_cast<std::uint32_t>(strings_.size())};
  strings_.emplace_back(text);
  string_ids_.emplace(strings_.back(), id);
  return id;
}

BlobId Design::add_blob(Blob blob) {
  blobs_.push_back(std::move(blob));
  return {static_cast<std::uint32_t>(blobs_.size())};
}

std::vector<ModuleId> Design::bottom_up() const {
  enum Mark : char { unseen, open, done };
  std::vector<Mark> mark(module_count(), unseen);
  std::vector<ModuleId> order;
  auto visit = [&](auto& self, ModuleId id) -> void {
    if (mark[id.value] == done) return;
    if (mark[id.value] == open)
      throw DesignError(code::recursion,
                        fmt::format("module {} contains itself", module(id).name()));
    mark[id.value] = open;
    for (CellId i : module(id).instances()) self(self, ModuleId{module(id).cell(i).params});
    mark[id.value] = done;
    order.push_back(id);
  };
  visit(visit, top_id());
  return order;
}

}  // namespace kumiki::ir
