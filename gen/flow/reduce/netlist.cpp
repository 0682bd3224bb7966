// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/reduce/netlist.h"

#include <algorithm>

#include "ir/primitives/memory.h"
#include "ir/text.h"

namespace kumiki::reduction {
namespace {

using ir::Cell;
using ir::Net;

// The design once more, without what is gone.
class Rebuilt {
 public:
  explicit Rebuilt(const NetlistText& netlist)
      : netlist_(netlist), design_(netlist.read->family(), netlist.read->limits()) {
    for (std::uint32_t m = 0; m < from().module_count(); ++m) {
      if (netlist_.modules[m].gone) continue;
      const ir::Module& old = from().module({m});
      ids_[m] = design_.add_module(old.name()).id();
      collect_constants(m);
      ports(m);
    }
    // Instances need the ports of their modules first.
    for (const auto& [m, id] : ids_) cells(m);
    if (from().has_top() && ids_.contains(from().top_id().value))
      design_.set_top(ids_.at(from().top_id().value));
  }
  const ir::Design& design() const { return design_; }

 private:
  const ir::Design& from() const { return *netlist_.read; }

  void collect_constants(std::uint32_t m) {
    const ir::Module& old = from().module({m});
    for (std::uint32_t i = 0; i < old.cells().size(); ++i) {
      const Cell& c = old.cells()[i];
      const auto found = netlist_.modules[m].cells.find(i);
      const bool of_gone = c.kind == ir::Kind::instance && netlist_.modules[c.params].gone;
      if (found == netlist_.modules[m].cells.end() && !of_gone) continue;
      const Net value = of_gone ? ir::net_zero : found->second;
      for (std::uint32_t o = 0; o < old.output_count(c); ++o) constant_[m][c.out.index + o] = value;
    }
  }

  std::vector<Net> nets(std::uint32_t m, std::span<const Net> of) {
    std::vector<Net> all(of.begin(), of.end());
    for (Net& n : all)
      if (const auto found = constant_[m].find(n.index); found != constant_[m].end())
        n = found->second;
    return all;
  }

  std::vector<Net> output(std::uint32_t m, std::uint32_t port, std::vector<Net> bits) const {
    const auto& constant = netlist_.modules[m].outputs;
    for (std::size_t b = 0; b < bits.size(); ++b)
      if (const auto found = constant.find({port, b}); found != constant.end())
        bits[b] = found->second;
    return bits;
  }

  void ports(std::uint32_t m) {
    const ir::Module& old = from().module({m});
    ir::Module& now = design_.module(ids_.at(m));
    const auto& gone = netlist_.modules[m];
    for (std::uint32_t p = 0; p < old.ports().size(); ++p) {
      if (gone.ports.contains(p)) continue;
      const ir::Port& port = old.ports()[p];
      const auto name = from().text(port.name);
      if (port.direction == ir::Direction::input)
        now.add_input_driving(old.port_nets(port), name, port.is_signed);
      else
        now.add_output(name, output(m, p, nets(m, old.port_nets(port))), port.is_signed);
    }
    if (gone.without_names) return;
    now.set_about(old.about());
    for (const ir::NameHint& h : old.hints())
      now.hint(from().text(h.name), nets(m, old.hint_nets(h)));
  }

  void cells(std::uint32_t m) {
    const ir::Module& old = from().module({m});
    ir::Module& now = design_.module(ids_.at(m));
    const auto& gone = netlist_.modules[m];
    for (std::uint32_t i = 0; i < old.cells().size(); ++i) {
      const Cell& c = old.cells()[i];
      if (gone.cells.contains(i)) continue;
      auto inputs = nets(m, old.inputs(c));
      for (auto p = gone.pins.lower_bound(c.pins);
           p != gone.pins.end() && p->first < c.pins + inputs.size(); ++p)
        inputs[p->first - c.pins] = p->second;
      const auto name = gone.without_names ? "" : from().text(old.cell_name({i}));
      if (c.kind == ir::Kind::instance) {
        if (!netlist_.modules[c.params].gone)
          now.add_instance_driving(c.out, ids_.at(c.params), inputs, {}, name);
        continue;
      }
      std::vector<std::uint64_t> params(old.params(c).begin(), old.params(c).end());
      ir::BlobId contents;
      if (const ir::Blob* blob = old.view(c).blob) {
        contents = design_.add_blob(*blob);
        params[ir::memory::contents] = contents.value;
      }
      const auto made = now.add_cell_driving(c.out, c.kind, c.width, inputs, params, {}, contents);
      if (!name.empty()) now.set_cell_name(made, name);
      if (const auto x = old.crossing({i}); x != ir::Crossing::none) now.set_crossing(made, x);
    }
  }

  const NetlistText& netlist_;
  ir::Design design_;
  std::map<std::uint32_t, ir::ModuleId> ids_;
  std::map<std::uint32_t, std::map<std::uint32_t, Net>> constant_;  // by module and net
};

using NetlistEdits = std::vector<Edit<NetlistText>>;

class NetlistShrinker {
 public:
  NetlistShrinker(NetlistText& best, Search& search) : best_(best), search_(search) {}

  void run() {
    for (bool more = true; more && !search_.spent();) {
      more = make(modules());
      for (const Net value : {ir::net_zero, ir::net_one}) more |= make(cells(value));
      for (const Net value : {ir::net_zero, ir::net_one}) more |= make(reads(value));
      more |= make(ports());
      more |= make(names());
    }
  }

 private:
  bool make(const NetlistEdits& edits) {
    if (!make_most(best_, edits, search_)) return false;
    best_ = netlist_text(to_text(best_));
    return true;
  }
  const ir::Module& module(std::uint32_t m) const { return best_.read->module({m}); }

  NetlistEdits modules() const {
    NetlistEdits edits;
    for (std::uint32_t m = 0; m < best_.modules.size(); ++m)
      if (!best_.read->has_top() || best_.read->top_id().value != m)
        edits.push_back([m](NetlistText& t) { t.modules[m].gone = true; });
    return edits;
  }
  NetlistEdits cells(Net value) const {
    NetlistEdits edits;
    for (std::uint32_t m = 0; m < best_.modules.size(); ++m)
      for (std::uint32_t i = 0; i < module(m).cells().size(); ++i)
        edits.push_back([=](NetlistText& t) { t.modules[m].cells[i] = value; });
    return edits;
  }
  // Bit by bit.
  NetlistEdits reads(Net value) const {
    NetlistEdits edits;
    for (std::uint32_t m = 0; m < best_.modules.size(); ++m)
      for (std::uint32_t p = 0; p < module(m).all_inputs().size(); ++p)
        if (const Net n = module(m).all_inputs()[p]; !n.is_constant() && n != ir::net_open)
          edits.push_back([=](NetlistText& t) { t.modules[m].pins[p] = value; });
    for (std::uint32_t m = 0; m < best_.modules.size(); ++m)
      for (std::uint32_t p = 0; p < module(m).ports().size(); ++p) {
        const ir::Port& port = module(m).ports()[p];
        if (port.direction == ir::Direction::input) continue;
        for (std::size_t b = 0; b < port.width; ++b)
          if (!module(m).port_nets(port)[b].is_constant())
            edits.push_back([=](NetlistText& t) { t.modules[m].outputs[{p, b}] = value; });
      }
    return edits;
  }
  // Edits of the top's ports: outputs, and inputs that nobody reads.
  NetlistEdits ports() const {
    NetlistEdits edits;
    if (!best_.read->has_top()) return edits;
    const auto top = best_.read->top_id().value;
    std::set<Net> read(module(top).all_inputs().begin(), module(top).all_inputs().end());
    for (const ir::Port& p : module(top).ports())
      if (p.direction == ir::Direction::output)
        read.insert(module(top).port_nets(p).begin(), module(top).port_nets(p).end());
    for (std::uint32_t p = 0; p < module(top).ports().size(); ++p) {
      const ir::Port& port = module(top).ports()[p];
      if (port.direction == ir::Direction::output ||
          std::ranges::none_of(module(top).port_nets(port),
                               [&](Net n) { return read.contains(n); }))
        edits.push_back([=](NetlistText& t) { t.modules[top].ports.insert(p); });
    }
    return edits;
  }
  NetlistEdits names() const {
    NetlistEdits edits;
    for (std::uint32_t m = 0; m < best_.modules.size(); ++m) {
      const bool any = !module(m).about().empty() || !module(m).hints().empty() ||
                       !module(m).named_cells().empty();
      if (any) edits.push_back([m](NetlistText& t) { t.modules[m].without_names = true; });
    }
    return edits;
  }

  NetlistText& best_;
  Search& search_;
};

}  // namespace

NetlistText netlist_text(const std::string& text) {
  NetlistText netlist{.read = ir::parse(text), .modules = {}};
  netlist.modules.resize(netlist.read->module_count());
  return netlist;
}

std::string to_text(const NetlistText& netlist) { return ir::print(Rebuilt(netlist).design()); }

std::size_t count(const NetlistText& netlist) {
  const Rebuilt now(netlist);
  std::size_t n = 0;
  for (std::uint32_t m = 0; m < now.design().module_count(); ++m)
    n += now.design().module({m}).cells().size();
  return n;
}

void shrink(NetlistText& best, Search& search) { NetlistShrinker(best, search).run(); }

}  // namespace kumiki::reduction
