// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_design.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ir/machine.h"
#include "ir/primitives/memory.h"
#include "tests/support/random.h"

namespace kumiki::tests {
namespace {

using ir::Kind;
using ir::Net;
using Nets = std::vector<Net>;

struct Made {
  ir::ModuleId id;
  bool clocked;
  bool placed = false;
};

class ModuleMaker {
 public:
  ModuleMaker(ir::Module& m, Random& r, const RandomShape& shape, std::vector<Made>& children,
              bool clocked)
      : m_(m), r_(r), shape_(shape), children_(children), clocked_(clocked) {}

  void run(bool top) {
    ports();
    if (clocked_) promise_registers();
    auto count = r_.between(1, shape_.cells);
    for (std::uint32_t i = 0; i < count; ++i) step();
    // The top is clocked and can hold what nobody has placed yet.
    for (Made& child : children_)
      if (top && !child.placed) instance(child);
    for (auto [first, width] : promised_) flop(first, width);
    outputs();
  }

 private:
  struct Promise {
    Net first;
    std::uint32_t width;
  };

  void ports();
  void promise_registers();
  void step();
  void outputs();
  void hint(Net first, std::uint32_t width);

  void lut();
  void lut6_2();
  void staircase();
  void carry4();
  void carry8();
  void mux(Kind kind, Nets& from, Nets* to);
  void flop(Net out, std::uint32_t width);
  void srl16();
  void srl32();
  void memory();
  void instance(Made& child);

  std::uint32_t width() { return r_.chance(50) ? 1 : r_.between(1, shape_.max_width); }
  std::uint64_t bits(unsigned count) {
    return count >= 64 ? r_.word() : r_.word() & ((std::uint64_t{1} << count) - 1);
  }
  Net data() {
    if (pool_.empty() || r_.chance(6)) return ir::constant(r_.chance(50));
    return read(r_.pick(pool_));
  }
  Net read(Net n) {
    unread_.erase(std::remove(unread_.begin(), unread_.end(), n), unread_.end());
    return n;
  }
  void data(Nets& in, std::uint32_t count) {
    while (count-- > 0) in.push_back(data());
  }
  Net tied_or_data(Net tied) { return r_.chance(50) ? tied : data(); }
  void publish(Net first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      pool_.push_back({first.index + i});
      unread_.push_back({first.index + i});
    }
  }
  Net add(Kind kind, std::uint32_t w, const Nets& in, std::vector<std::uint64_t> params = {},
          Net out = ir::net_open, ir::BlobId blob = {}) {
    bool fresh = out == ir::net_open;
    auto id = m_.add_cell_driving(out, kind, w, in, params, place(), blob);
    const ir::Cell& c = m_.cell(id);
    if (r_.chance(10)) m_.set_cell_name(id, name("c"));
    if (fresh) publish(c.out, m_.output_count(c));
    return c.out;
  }
  std::string name(std::string_view stem);
  ir::PlaceId place() {
    return ir::place("random", static_cast<std::uint32_t>(m_.cells().size() + 1));
  }

  ir::Module& m_;
  Random& r_;
  const RandomShape& shape_;
  std::vector<Made>& children_;
  bool clocked_;
  Net clock_ = ir::net_open;
  Nets pool_, unread_;
  Nets lut_outputs_, mux7_outputs_, free_carries_;
  std::vector<Promise> promised_;
  std::uint32_t names_ = 0;
};

std::string ModuleMaker::name(std::string_view stem) {
  static const std::vector<std::string> odd{"reg",   "always", "a b", "x[3]", "x",   "X",
                                            "0zero", "end",    "a.b", "$sys", "\\q", "clk",
                                            "wire",  "x_1",    "ünï", "y0",   "\"",  "x"};
  if (shape_.odd_names && r_.chance(60)) return r_.pick(odd);
  return fmt::format("{}{}", stem, names_++);
}

void ModuleMaker::ports() {
  if (clocked_) clock_ = m_.add_input(ir::clock_port, 1);
  auto count = r_.between(1, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto w = width();
    publish(m_.add_input(fmt::format("i{}", i), w, r_.chance(40), place()), w);
  }
  unread_.clear();  // an input need not be read
}

void ModuleMaker::promise_registers() {
  for (auto count = r_.below(4); count > 0; --count) {
    auto w = width();
    Net first = m_.fresh_nets(w);
    promised_.push_back({first, w});
    publish(first, w);
  }
}

void ModuleMaker::hint(Net first, std::uint32_t w) {
  Nets nets;
  for (std::uint32_t i = 0; i < w; ++i) nets.push_back({first.index + i});
  m_.hint(name("n"), nets);
}

void ModuleMaker::step() {
  switch (r_.below(clocked_ ? 22 : 14)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return lut();
    case 5:
    case 6:
      return shape_.false_loops && r_.chance(50) ? staircase() : lut6_2();
    case 7:
    case 8:
      return carry4();
    case 9:
      return shape_.family == ir::Family::series7 ? carry4() : carry8();
    case 10:
      return mux(Kind::muxf7, lut_outputs_, &mux7_outputs_);
    case 11:
      return mux(Kind::muxf8, mux7_outputs_, nullptr);
    case 12:
    case 13:
      return children_.empty() ? lut() : instance(children_[r_.below(children_.size())]);
    case 14:
    case 15:
    case 16:
    case 17:
      return flop(ir::net_open, width());
    case 18:
      return srl16();
    case 19:
      return srl32();
    default:
      return shape_.memories && r_.chance(60) ? memory() : flop(ir::net_open, width());
  }
}

void ModuleMaker::lut() {
  auto k = r_.between(1, 6), w = width();
  Nets in;
  data(in, k * w);
  auto kind = static_cast<Kind>(static_cast<unsigned>(Kind::lut1) + k - 1);
  Net out = add(kind, w, in, {bits(1u << k)});
  for (std::uint32_t i = 0; i < w; ++i) lut_outputs_.push_back({out.index + i});
  if (r_.chance(20)) hint(out, w);
}

void ModuleMaker::lut6_2() {
  auto w = width();
  Nets in;
  data(in, 6 * w);
  Net out = add(Kind::lut6_2, w, in, {bits(64)});
  for (std::uint32_t i = 0; i < w; ++i) lut_outputs_.push_back({out.index + i});
}

// Element e reads elements before it.
void ModuleMaker::staircase() {
  auto w = r_.between(2, std::max(2u, shape_.max_width));
  Net out = m_.fresh_nets(w);
  Nets in{data()};
  for (std::uint32_t e = 1; e < w; ++e) in.push_back({out.index + r_.below(e)});
  data(in, w);
  add(Kind::lut2, w, in, {bits(4)}, out);
  publish(out, w);
}

void ModuleMaker::carry4() {
  Nets in(2, ir::net_zero);
  if (!free_carries_.empty() && r_.chance(50)) {
    in[0] = read(free_carries_.back());
    free_carries_.pop_back();
  } else {
    in[1] = data();
  }
  data(in, 8);
  free_carries_.push_back({add(Kind::carry4, 1, in).index + 3});
}

void ModuleMaker::carry8() {
  bool dual = r_.chance(30);
  Nets in{tied_or_data(ir::net_zero), dual ? data() : ir::net_zero};
  data(in, 16);
  add(Kind::carry8, 1, in, {dual});
}

void ModuleMaker::mux(Kind kind, Nets& from, Nets* to) {
  if (from.empty()) return kind == Kind::muxf7 ? lut() : mux(Kind::muxf7, lut_outputs_, &from);
  auto w = width();
  Nets in;
  for (std::uint32_t i = 0; i < 2 * w; ++i) in.push_back(read(r_.pick(from)));
  data(in, w);
  Net out = add(kind, w, in);
  for (std::uint32_t i = 0; to && i < w; ++i) to->push_back({out.index + i});
}

void ModuleMaker::flop(Net out, std::uint32_t w) {
  bool set = r_.chance(30);
  Nets in{clock_, tied_or_data(ir::net_one)};
  data(in, w);
  in.push_back(tied_or_data(ir::net_zero));
  Net q =
      add(set ? Kind::fdse : Kind::fdre, w, in, {bits(1), 0, r_.chance(20), r_.chance(10)}, out);
  if (r_.chance(20)) hint(q, w);
}

void ModuleMaker::srl16() {
  auto w = width();
  Nets in;
  for (unsigned i = 0; i < 4; ++i) in.push_back(tied_or_data(ir::constant(r_.chance(50))));
  in.insert(in.end(), {tied_or_data(ir::net_one), clock_});
  data(in, w);
  add(Kind::srl16e, w, in, {bits(16), 0});
}

void ModuleMaker::srl32() {
  auto w = width();
  Nets in;
  for (unsigned i = 0; i < 5; ++i) in.push_back(tied_or_data(ir::constant(r_.chance(50))));
  in.insert(in.end(), {tied_or_data(ir::net_one), clock_});
  data(in, w);
  add(Kind::srlc32e, w, in, {bits(32), 0});
}

void ModuleMaker::memory() {
  namespace mem = ir::memory;
  auto address = r_.between(1, 6), w = r_.between(1, shape_.max_width);
  std::uint64_t depth = std::uint64_t{1} << address;
  auto style = r_.below(shape_.family == ir::Family::ultrascale_plus ? 3 : 2);
  auto read_mode = style == mem::distributed ? r_.below(3) : r_.between(1, 2);
  ir::BlobId blob;
  if (style != mem::ultra && r_.chance(60)) {
    ir::Blob contents{w, {}};
    for (auto n = r_.between(1, static_cast<std::uint32_t>(depth)); n > 0; --n)
      contents.limbs.push_back(r_.chance(30) ? 0 : bits(w));
    blob = m_.design().add_blob(std::move(contents));
  }
  Nets in{clock_, tied_or_data(ir::net_zero)};
  data(in, address + w);
  in.push_back(tied_or_data(ir::net_one));
  data(in, address);
  add(Kind::memory, 1, in, {depth, w, address, read_mode, style, blob.value}, ir::net_open, blob);
}

void ModuleMaker::instance(Made& child) {
  if (child.clocked && !clocked_) return lut();
  child.placed = true;
  const ir::Module& of = m_.design().module(child.id);
  Nets in;
  if (child.clocked) in.push_back(clock_);
  data(in, of.input_bits() - (child.clocked ? 1 : 0));
  auto id = m_.add_instance(child.id, in, place(), r_.chance(50) ? name("u") : std::string());
  publish(m_.cell(id).out, of.output_bits());
}

void ModuleMaker::outputs() {
  if (unread_.empty()) unread_.push_back(data());
  if (r_.chance(20)) unread_.push_back(data());
  Nets all = unread_;
  std::span<const Net> rest = all;
  for (unsigned i = 0; !rest.empty(); ++i) {
    auto w = std::min<std::size_t>(rest.size(), r_.between(1, shape_.max_width));
    m_.add_output(fmt::format("y{}", i), rest.first(w), r_.chance(40), place());
    rest = rest.subspan(w);
  }
}

}  // namespace

std::unique_ptr<ir::Design> random_design(std::uint64_t seed, const RandomShape& shape) {
  Random r(seed);
  auto design = std::make_unique<ir::Design>(shape.family);
  std::vector<Made> made;
  auto count = r.between(1, shape.modules);
  for (std::uint32_t i = 0; i < count; ++i) {
    bool top = i + 1 == count, clocked = top || r.chance(70);
    std::string name = top ? "top" : fmt::format("m{}", i);
    if (shape.odd_names && !top && r.chance(50)) name = fmt::format("odd {}.[{}]", i, name);
    ir::Module& m = design->add_module(name);
    if (r.chance(30)) m.set_about("random \"module\"");
    ModuleMaker(m, r, shape, made, clocked).run(top);
    m.shrink();
    made.push_back({m.id(), clocked});
    design->set_top(m.id());
  }
  return design;
}

}  // namespace kumiki::tests
