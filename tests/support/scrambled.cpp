// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "ir/primitives/memory.h"
#include "tests/support/random.h"
#include "tests/support/random_design.h"

namespace kumiki::tests {
namespace {

std::vector<std::uint32_t> shuffled(std::uint32_t count, Random& r) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  r.shuffle(order);
  return order;
}

// New numbers by old; what one cell drives stays together.
std::vector<ir::Net> renumbered(const ir::Module& m, Random& r) {
  struct Block {
    std::uint32_t first, count;
  };
  std::vector<Block> blocks;
  std::vector<bool> covered(m.net_count());
  auto cover = [&](std::uint32_t first, std::uint32_t count) {
    if (count != 0) blocks.push_back({first, count});
    for (std::uint32_t i = 0; i < count; ++i) covered[first + i] = true;
  };
  for (const ir::Cell& c : m.cells()) cover(c.out.index, m.output_count(c));
  for (std::uint32_t n = ir::first_free_net; n < m.net_count(); ++n)
    if (!covered[n]) cover(n, 1);
  r.shuffle(blocks);
  std::vector<ir::Net> to(m.net_count());
  for (std::uint32_t n = 0; n < ir::first_free_net; ++n) to[n] = {n};
  std::uint32_t next = ir::first_free_net;
  for (auto [first, count] : blocks)
    for (std::uint32_t i = 0; i < count; ++i) to[first + i] = {next++};
  return to;
}

class Scrambler {
 public:
  Scrambler(const ir::Design& from, std::uint64_t seed)
      : from_(from), r_(seed), to_(std::make_unique<ir::Design>(from.family())) {}

  std::unique_ptr<ir::Design> run() {
    for (std::uint32_t i : shuffled(from_.module_count(), r_)) {
      module_[i] = to_->add_module(fmt::format("scrambled{}", module_.size())).id();
      numbers_[i] = renumbered(from_.module({i}), r_);
      ports(from_.module({i}), to_->module(module_[i]), numbers_[i]);
    }
    for (std::uint32_t i = 0; i < from_.module_count(); ++i)
      cells(from_.module({i}), to_->module(module_[i]), numbers_[i]);
    to_->set_top(module_[from_.top_id().value]);
    return std::move(to_);
  }

 private:
  static std::vector<ir::Net> map(std::span<const ir::Net> nets, const std::vector<ir::Net>& by) {
    std::vector<ir::Net> out;
    for (ir::Net n : nets) out.push_back(by[n.index]);
    return out;
  }

  void ports(const ir::Module& old, ir::Module& m, const std::vector<ir::Net>& by) {
    for (const ir::Port& p : old.ports()) {
      auto nets = map(old.port_nets(p), by);
      if (p.direction == ir::Direction::input)
        m.add_input_driving(nets, from_.text(p.name), p.is_signed, p.place);
      else
        m.add_output(from_.text(p.name), nets, p.is_signed, p.place);
    }
  }

  void cells(const ir::Module& old, ir::Module& m, const std::vector<ir::Net>& by) {
    for (std::uint32_t i : shuffled(static_cast<std::uint32_t>(old.cells().size()), r_)) {
      const ir::Cell& c = old.cells()[i];
      auto in = map(old.inputs(c), by);
      ir::Net out = old.output_count(c) == 0 ? ir::net_open : by[c.out.index];
      if (c.kind == ir::Kind::instance) {
        m.add_instance_driving(out, module_[c.params], in, c.place);
        continue;
      }
      auto view = old.view(c);
      std::vector<std::uint64_t> params(view.params.begin(), view.params.end());
      ir::BlobId blob;
      if (view.blob) params[ir::memory::contents] = (blob = to_->add_blob(*view.blob)).value;
      m.add_cell_driving(out, c.kind, c.width, in, params, c.place, blob);
    }
  }

  const ir::Design& from_;
  Random r_;
  std::unique_ptr<ir::Design> to_;
  std::map<std::uint32_t, ir::ModuleId> module_;
  std::map<std::uint32_t, std::vector<ir::Net>> numbers_;
};

}  // namespace

std::unique_ptr<ir::Design> scrambled(const ir::Design& design, std::uint64_t seed) {
  return Scrambler(design, seed).run();
}

}  // namespace kumiki::tests
