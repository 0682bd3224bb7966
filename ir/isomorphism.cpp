// SPDX-License-Identifier: Apache-2.0
#include "ir/isomorphism.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/colour.h"
#include "ir/drivers.h"
#include "ir/label.h"
#include "ir/primitives/memory.h"

namespace kumiki::ir {
namespace {

constexpr std::uint32_t nothing = 0xffff'ffff;
using Found = std::optional<std::string>;
using PairModules = std::function<Found(ModuleId, ModuleId)>;

// One of the two modules under comparison.
struct Side {
  Side(const Module& module, ModuleHashes& all)
      : m(module), hashes(all), net(m.net_count(), nothing), cell(m.cells().size(), nothing) {
    for (std::uint32_t n = 0; n < first_free_net; ++n) net[n] = n;
    driver = find_drivers(m, [&](Net n, Driver, Driver second) { more[n].push_back(second); });
  }
  const Cell& at(Driver d) const { return m.cells()[d.cell()]; }
  std::vector<Driver> drivers(Net n);
  std::string describe(Net n);

  const Module& m;
  ModuleHashes& hashes;
  std::vector<Driver> driver;
  std::map<Net, std::vector<Driver>> more;  // of nets with several
  std::vector<std::uint32_t> net, cell;     // the counterparts in the other module
  Colours colours;
};

// All drivers of a net. The order of several must not depend on the order of the cells.
std::vector<Driver> Side::drivers(Net n) {
  std::vector<Driver> all;
  if (!driver[n.index].is_none()) all.push_back(driver[n.index]);
  auto it = more.find(n);
  if (it == more.end()) return all;
  all.insert(all.end(), it->second.begin(), it->second.end());
  if (colours.cells.empty()) colours = refine(m, hashes, {});
  auto key = [&](Driver d) {
    return d.is_cell() ? std::pair(colours.cells[d.cell()], n.index - at(d).out.index)
                       : std::pair(std::uint64_t{0}, d.is_input() ? d.input_bit() : 0u);
  };
  std::sort(all.begin(), all.end(), [&](Driver a, Driver b) { return key(a) < key(b); });
  return all;
}

std::string Side::describe(Net n) {
  if (n.is_constant() || n == net_open) return net_label(m, n);
  std::vector<std::string> texts;
  for (Driver d : drivers(n))
    texts.push_back(d.is_cell() ? kind_label(m, at(d)) + ir::at(at(d).place)
                                : "input " + port_label(m, Direction::input, d.input_bit()));
  return texts.empty() ? "a net without a driver" : fmt::format("{}", fmt::join(texts, " and "));
}

std::string value_text(const Param& p, std::uint64_t v) {
  if (p.type == Param::Type::text && v < p.choices.size()) return std::string(p.choices[v]);
  return p.type == Param::Type::bits ? fmt::format("{:#x}", v) : fmt::format("{}", v);
}

bool same_contents(const Blob* a, const Blob* b) {
  return a == b || (a && b && a->width == b->width && a->limbs == b->limbs);
}

// Walks through one pair of modules from the outputs, breadth first, so that the path to a
// difference is short.
class Walk {
 public:
  Walk(Side& a, Side& b, const PairModules& pair) : a_(a), b_(b), pair_(pair) {}
  Found run();

 private:
  // How the walk came to a net: bit `offset` of the inputs of a reached cell, or of the outputs.
  struct From {
    std::uint32_t reached = nothing, offset = 0;
  };
  struct Reached {
    std::uint32_t cell;  // of the first module
    From from;
  };

  Found nets(Net na, Net nb, From from);
  Found drivers(Driver da, Driver db, Net na, Net nb, From from);
  Found cells(const Cell& ca, const Cell& cb);
  Found unreached();
  std::string way(From from) const;

  Side &a_, &b_;
  const PairModules& pair_;
  std::vector<Reached> reached_;
};

std::string Walk::way(From from) const {
  std::vector<std::string> hops;
  for (; from.reached != nothing; from = reached_[from.reached].from) {
    const Cell& c = a_.m.cells()[reached_[from.reached].cell];
    hops.push_back(fmt::format("{}.{}", kind_label(a_.m, c), input_label(a_.m, c, from.offset)));
  }
  hops.push_back("output " + port_label(a_.m, Direction::output, from.offset));
  std::reverse(hops.begin(), hops.end());
  return fmt::format("{}", fmt::join(hops, " <- "));
}

Found Walk::run() {
  std::uint32_t bit = 0;
  for (std::size_t p = 0; p < a_.m.ports().size(); ++p) {
    if (a_.m.ports()[p].direction == Direction::input) continue;
    auto na = a_.m.port_nets(a_.m.ports()[p]), nb = b_.m.port_nets(b_.m.ports()[p]);
    for (std::size_t i = 0; i < na.size(); ++i)
      if (auto d = nets(na[i], nb[i], {nothing, bit++})) return d;
  }
  for (std::uint32_t r = 0; r < reached_.size(); ++r) {
    auto cell = reached_[r].cell;
    auto na = a_.m.inputs(a_.m.cells()[cell]), nb = b_.m.inputs(b_.m.cells()[a_.cell[cell]]);
    for (std::uint32_t i = 0; i < na.size(); ++i)
      if (auto d = nets(na[i], nb[i], {r, i})) return d;
  }
  return unreached();
}

Found Walk::nets(Net na, Net nb, From from) {
  auto &to_b = a_.net[na.index], &to_a = b_.net[nb.index];
  if (to_b == nb.index && to_a == na.index) return {};
  auto da = a_.drivers(na), db = b_.drivers(nb);
  if (to_b == nothing && to_a == nothing) {
    to_b = nb.index;
    to_a = na.index;
    for (std::size_t i = 0; i < std::min(da.size(), db.size()); ++i)
      if (auto d = drivers(da[i], db[i], na, nb, from)) return fmt::format("{}: {}", way(from), *d);
    if (da.size() == db.size()) return {};
  }
  auto ta = a_.describe(na), tb = b_.describe(nb);
  if (na.is_constant() || na == net_open || nb.is_constant() || nb == net_open ||
      da.size() != db.size())
    return fmt::format("{}: {} against {}", way(from), ta, tb);
  // The two may be alike, but one of them was met before, so one cell would match two.
  return fmt::format("{}: {} was met before, {} {}", way(from), to_b != nothing ? ta : tb,
                     to_b != nothing ? tb : ta,
                     to_a != nothing && to_b != nothing ? "too, elsewhere" : "is new");
}

Found Walk::drivers(Driver da, Driver db, Net na, Net nb, From from) {
  auto different = [&] { return fmt::format("{} against {}", a_.describe(na), b_.describe(nb)); };
  if (!da.is_cell() || !db.is_cell()) return da == db ? Found() : Found(different());
  const Cell &ca = a_.at(da), &cb = b_.at(db);
  if (ca.kind != cb.kind || ca.width != cb.width) return different();
  auto oa = na.index - ca.out.index, ob = nb.index - cb.out.index;
  if (oa != ob)
    return fmt::format("{}.{}{} against {}.{}{}", kind_label(a_.m, ca), output_label(a_.m, ca, oa),
                       at(ca.place), kind_label(b_.m, cb), output_label(b_.m, cb, ob),
                       at(cb.place));
  auto &to_b = a_.cell[da.cell()], &to_a = b_.cell[db.cell()];
  if (to_b == db.cell() && to_a == da.cell()) return {};
  if (to_b != nothing || to_a != nothing)
    return fmt::format("{} was met before, but not as the same cell", different());
  if (auto d = cells(ca, cb)) return d;
  to_b = db.cell();
  to_a = da.cell();
  reached_.push_back({da.cell(), from});
  return {};
}

Found Walk::cells(const Cell& ca, const Cell& cb) {
  auto places = [&] {
    auto pa = to_string(ca.place), pb = to_string(cb.place);
    return pa.empty() && pb.empty() ? "" : fmt::format(" ({} against {})", pa, pb);
  };
  if (ca.kind == Kind::instance) return pair_({ca.params}, {cb.params});
  const auto crossing = [](const Module& m, const Cell& c) {
    return m.crossing({static_cast<std::uint32_t>(&c - m.cells().data())});
  };
  if (const auto xa = crossing(a_.m, ca), xb = crossing(b_.m, cb); xa != xb)
    return fmt::format("{} with CROSSING={} against {}{}", prototype(ca.kind).name,
                       crossing_name(xa), crossing_name(xb), places());
  auto& proto = prototype(ca.kind);
  auto va = a_.m.view(ca), vb = b_.m.view(cb);
  for (std::size_t i = 0; i < proto.params.size(); ++i) {
    if (ca.kind == Kind::memory && i == memory::contents) continue;
    if (va.params[i] != vb.params[i])
      return fmt::format("{} with {}={} against {}{}", proto.name, proto.params[i].name,
                         value_text(proto.params[i], va.params[i]),
                         value_text(proto.params[i], vb.params[i]), places());
  }
  if (!same_contents(va.blob, vb.blob))
    return fmt::format("{} with different contents{}", proto.name, places());
  return {};
}

// The cells and nets that the walk did not meet, as sorted hashes. Matched cells and nets are
// identified by their number in the first module.
Found Walk::unreached() {
  auto rest_of = [](Side& s, bool first) {
    Colours given{std::vector<std::uint64_t>(s.cell.size()),
                  std::vector<std::uint64_t>(s.net.size())};
    auto fix = [&](auto& colours, const auto& counterpart) {
      for (std::uint32_t i = 0; i < colours.size(); ++i)
        if (counterpart[i] != nothing) colours[i] = mix(7, first ? i : counterpart[i]) | 1;
    };
    fix(given.cells, s.cell);
    fix(given.nets, s.net);
    auto colours = refine(s.m, s.hashes, std::move(given));
    std::vector<std::pair<std::uint64_t, std::uint32_t>> rest;
    for (std::uint32_t i = 0; i < s.cell.size(); ++i)
      if (s.cell[i] == nothing) rest.emplace_back(colours.cells[i], i);
    std::sort(rest.begin(), rest.end());
    return rest;
  };
  auto ra = rest_of(a_, true), rb = rest_of(b_, false);
  for (std::size_t i = 0; i < std::max(ra.size(), rb.size()); ++i) {
    if (i < ra.size() && i < rb.size() && ra[i].first == rb[i].first) continue;
    bool in_first = i == rb.size() || (i < ra.size() && ra[i].first < rb[i].first);
    const Module& m = in_first ? a_.m : b_.m;
    const Cell& c = m.cells()[in_first ? ra[i].second : rb[i].second];
    return fmt::format("{}{} of the {} design, which reaches no output, has no counterpart",
                       cell_label(m, c), at(c.place), in_first ? "first" : "second");
  }
  return {};
}

class Comparison {
 public:
  Comparison(const Design& a, const Design& b) : a_(a), b_(b), hash_a_(a), hash_b_(b) {}
  Found run();

 private:
  Found pair(ModuleId a, ModuleId b);
  Found ports(const Module& a, const Module& b) const;

  const Design &a_, &b_;
  ModuleHashes hash_a_, hash_b_;
  std::map<ModuleId, ModuleId> to_b_, to_a_;
  std::vector<std::pair<ModuleId, ModuleId>> pairs_;  // grows while it is processed
};

Found Comparison::run() {
  if (a_.family() != b_.family())
    return fmt::format("family {} against {}", family_name(a_.family()), family_name(b_.family()));
  if (auto d = pair(a_.top_id(), b_.top_id())) return d;
  PairModules pair_them = [&](ModuleId a, ModuleId b) { return pair(a, b); };
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Side a(a_.module(pairs_[i].first), hash_a_), b(b_.module(pairs_[i].second), hash_b_);
    auto d = Walk(a, b, pair_them).run();
    if (d && i > 0) return fmt::format("in module {}: {}", bare_or_quoted(a.m.name()), *d);
    if (d) return d;
  }
  return {};
}

Found Comparison::pair(ModuleId a, ModuleId b) {
  auto [in_b, fresh_a] = to_b_.emplace(a, b);
  auto [in_a, fresh_b] = to_a_.emplace(b, a);
  const Module &ma = a_.module(a), &mb = b_.module(b);
  if (fresh_a && fresh_b) {
    pairs_.emplace_back(a, b);
    return ports(ma, mb);
  }
  if (in_b->second == b && in_a->second == a) return {};
  auto before = fresh_a ? a_.module(in_a->second).name() : b_.module(in_b->second).name();
  return fmt::format("module {} against {}, but {} was met as {} before", bare_or_quoted(ma.name()),
                     bare_or_quoted(mb.name()), bare_or_quoted(fresh_a ? mb.name() : ma.name()),
                     bare_or_quoted(before));
}

std::string port_text(const Module& m, std::size_t index) {
  if (index >= m.ports().size()) return "no port";
  const Port& p = m.ports()[index];
  return fmt::format("{}{} {} of {} bits", p.is_signed ? "signed " : "",
                     p.direction == Direction::input ? "input" : "output",
                     bare_or_quoted(m.design().text(p.name)), p.width);
}

Found Comparison::ports(const Module& a, const Module& b) const {
  for (std::size_t i = 0; i < std::max(a.ports().size(), b.ports().size()); ++i)
    if (auto pa = port_text(a, i), pb = port_text(b, i); pa != pb)
      return fmt::format("port {} of module {}: {} against {}", i + 1, bare_or_quoted(a.name()), pa,
                         pb);
  return {};
}

}  // namespace

std::optional<std::string> first_difference(const Design& first, const Design& second) {
  return Comparison(first, second).run();
}

}  // namespace kumiki::ir
