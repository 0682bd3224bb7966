// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/diagram/diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "ir/machine.h"

namespace kumiki::backends {
namespace {

constexpr std::size_t instances_apart = 4;
constexpr std::uint32_t nobody = ~std::uint32_t{0};

// "gen/x.cpp" of "gen/x.cpp:41 (cfg.json: /layers/3)".
std::string file_of(ir::PlaceId place) {
  const auto text = ir::to_string(place);
  return text.substr(0, text.find(':'));
}

// "weight loader" from build_weight_loader(). If the function's name does not describe a part of
// the circuit, the block gets the name of its file.
std::string block_name(ir::PlaceId place) {
  auto name = ir::function_of(place);
  for (const std::string_view verb : {"build_", "make_", "add_"})
    if (name.starts_with(verb)) name.erase(0, verb.size());
  for (const std::string_view general : {"", "build", "make", "run", "add"})
    if (name == general) name = std::filesystem::path(file_of(place)).stem().string();
  std::ranges::replace(name, '_', ' ');
  return name;
}

class Drawing {
 public:
  explicit Drawing(const ir::Module& m) : m_(m) {
    result_.module = m.name();
    result_.about = m.about();
    add_ports(ir::Direction::input);
    count_instances();
    for (std::uint32_t i = 0; i < m.cells().size(); ++i) owner_.push_back(block_of(i));
    add_ports(ir::Direction::output);
    finish_texts();
    name_signals();
    connect();
    sort();
  }
  Diagram result() && { return std::move(result_); }

 private:
  std::uint32_t add(Block block) {
    result_.blocks.push_back(std::move(block));
    return static_cast<std::uint32_t>(result_.blocks.size() - 1);
  }

  void add_ports(ir::Direction direction) {
    for (const ir::Port& p : m_.ports()) {
      const auto name = m_.design().text(p.name);
      if (p.direction != direction || ir::is_clock_port(name)) continue;
      const bool is_input = direction == ir::Direction::input;
      port_blocks_.emplace_back(&p, add({is_input ? Block::Kind::input : Block::Kind::output,
                                         std::string(name),
                                         fmt::format("{}{}", p.width, p.is_signed ? " signed" : ""),
                                         {}}));
    }
  }

  void count_instances() {
    for (const ir::CellId id : m_.instances()) ++places_[m_.cell(id).params];
  }

  std::uint32_t block_of(std::uint32_t index) {
    const ir::Cell& c = m_.cells()[index];
    if (c.kind == ir::Kind::instance) return block_of_instance(index, c);
    const bool is_memory = c.kind == ir::Kind::memory || c.kind == ir::Kind::uram288;
    const auto kind = ir::is_dsp(c.kind) ? Block::Kind::slices
                      : is_memory        ? Block::Kind::memory
                                         : Block::Kind::logic;
    const auto file = file_of(c.place);
    const auto name = block_name(c.place);
    const auto [at, is_new] = groups_.try_emplace({kind, file, name}, 0);
    if (is_new) at->second = add({kind, name, {}, file});
    contents_[at->second][ir::prototype(c.kind).name] += c.width;
    return at->second;
  }

  std::uint32_t block_of_instance(std::uint32_t index, const ir::Cell& c) {
    const auto name = m_.design().text(m_.cell_name({index}));
    const auto of = m_.design().module({c.params}).name();
    const auto places = places_[c.params];
    if (places <= instances_apart)
      return add({Block::Kind::instance, std::string(name), std::string(of), {}});
    const auto [at, is_new] = merged_.try_emplace(c.params, 0);
    if (is_new)
      at->second = add(
          {Block::Kind::instance, std::string(name), fmt::format("{}, {} places", of, places), {}});
    last_name_[at->second] = name;
    return at->second;
  }

  void finish_texts() {
    for (const auto& [block, cells] : contents_)
      for (const auto& [name, n] : cells) {
        auto& text = result_.blocks[block].text;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name);
      }
    for (const auto& [block, name] : last_name_)
      result_.blocks[block].name += fmt::format(" to {}", name);
  }

  void name_signals() {
    for (const ir::NameHint& h : m_.hints())
      for (const ir::Net n : m_.hint_nets(h)) signal_[n.index] = m_.design().text(h.name);
    for (const auto& [p, block] : port_blocks_)
      if (p->direction == ir::Direction::input)
        for (const ir::Net n : m_.port_nets(*p)) signal_[n.index] = m_.design().text(p->name);
  }

  void connect() {
    std::vector<std::uint32_t> driver(m_.net_count(), nobody);
    for (const auto& [p, block] : port_blocks_)
      if (p->direction == ir::Direction::input)
        for (const ir::Net n : m_.port_nets(*p)) driver[n.index] = block;
    for (std::uint32_t i = 0; i < m_.cells().size(); ++i) {
      const ir::Cell& c = m_.cells()[i];
      for (std::uint32_t k = 0; k < m_.output_count(c); ++k) driver[c.out.index + k] = owner_[i];
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> nets;
    const auto use = [&](ir::Net n, std::uint32_t by) {
      if (n.index < ir::first_free_net || driver[n.index] == nobody || driver[n.index] == by)
        return;
      nets[{driver[n.index], by}].insert(n.index);
    };
    for (std::uint32_t i = 0; i < m_.cells().size(); ++i)
      for (const ir::Net n : m_.inputs(m_.cells()[i])) use(n, owner_[i]);
    for (const auto& [p, block] : port_blocks_)
      if (p->direction == ir::Direction::output)
        for (const ir::Net n : m_.port_nets(*p)) use(n, block);
    for (const auto& [ends, all] : nets)
      result_.wires.push_back(
          {ends.first, ends.second, static_cast<std::uint32_t>(all.size()), common_name(all)});
  }

  // The common name of all nets, or none. Most bits of a memory have no separate name.
  std::string common_name(const std::set<std::uint32_t>& nets) const {
    std::string_view name;
    for (const auto n : nets) {
      const auto at = signal_.find(n);
      if (at == signal_.end() || (!name.empty() && at->second != name)) return {};
      name = at->second;
    }
    return std::string(name);
  }

  // The next block is the one that waits for the fewest wires from unplaced blocks. Inputs stay in
  // front, outputs at the end.
  void sort() {
    const auto n = static_cast<std::uint32_t>(result_.blocks.size());
    std::vector<std::uint32_t> waits(n), place(n, nobody), order;
    for (const Wire& w : result_.wires) ++waits[w.to];
    const auto rank = [&](std::uint32_t b) {
      const auto kind = result_.blocks[b].kind;
      return std::tuple(kind == Block::Kind::input    ? 0
                        : kind == Block::Kind::output ? 2
                                                      : 1,
                        waits[b], b);
    };
    while (order.size() < n) {
      std::uint32_t next = nobody;
      for (std::uint32_t b = 0; b < n; ++b)
        if (place[b] == nobody && (next == nobody || rank(b) < rank(next))) next = b;
      place[next] = static_cast<std::uint32_t>(order.size());
      order.push_back(next);
      for (const Wire& w : result_.wires)
        if (w.from == next) --waits[w.to];
    }
    std::vector<Block> sorted;
    for (const auto b : order) sorted.push_back(std::move(result_.blocks[b]));
    result_.blocks = std::move(sorted);
    for (Wire& w : result_.wires) w.from = place[w.from], w.to = place[w.to];
    std::sort(result_.wires.begin(), result_.wires.end(), [](const Wire& a, const Wire& b) {
      return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    });
  }

  const ir::Module& m_;
  Diagram result_;
  std::vector<std::pair<const ir::Port*, std::uint32_t>> port_blocks_;
  std::map<std::uint32_t, std::size_t> places_;          // of a module
  std::map<std::uint32_t, std::uint32_t> merged_;        // module to block
  std::map<std::uint32_t, std::string_view> last_name_;  // of a merged block
  std::map<std::tuple<Block::Kind, std::string, std::string>, std::uint32_t> groups_;
  std::map<std::uint32_t, std::map<std::string_view, std::uint64_t>> contents_;
  std::map<std::uint32_t, std::string_view> signal_;  // of a net
  std::vector<std::uint32_t> owner_;                  // of a cell
};

}  // namespace

Diagram diagram(const ir::Module& module) { return Drawing(module).result(); }

}  // namespace kumiki::backends
