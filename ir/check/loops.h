// SPDX-License-Identifier: Apache-2.0
// Which inputs reach which outputs without a register, exactly, bit by bit. Whole cells are checked
// first, which is fast and misses no loop. This exact check runs only if the first one finds a
// cycle.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ir/check/checker.h"
#include "ir/label.h"

namespace kumiki::ir::checking {

class BitReach {
 public:
  explicit BitReach(Checker& k) : k_(k) {}

  // Calls f(offset) for the input bits of a cell that reach this output bit.
  template <class F>
  void for_each(const Module& m, const Cell& c, std::uint32_t output, F f);

  // Lists the hops of a path through a cell, one a line, down into the modules of instances.
  void list_hops(const Module& m, const Cell& c, std::uint32_t input, std::uint32_t output,
                 const std::string& path, std::string& lines);

 private:
  using InputBits = std::vector<std::uint32_t>;
  // The direct inputs of every output bit of a module; made at the first request.
  const std::vector<InputBits>& ports(const Module& m);
  InputBits inputs_of(const Module& m, Net output);
  void list_inside(const Module& m, std::uint32_t input, std::uint32_t output,
                   const std::string& path, std::string& lines);

  Checker& k_;
  std::map<ModuleId, std::vector<InputBits>> known_;
};

template <class F>
void BitReach::for_each(const Module& m, const Cell& c, std::uint32_t output, F f) {
  if (c.kind == Kind::instance) {
    for (std::uint32_t bit : ports(m.design().module({c.params}))[output]) f(bit);
    return;
  }
  auto& proto = prototype(c.kind);
  if (!proto.reach) return;
  auto view = plain_view(m, c);
  auto to = locate(proto.outputs, view, output);
  auto mask = proto.reach(view, to.pin);
  std::uint32_t offset = 0;
  for (unsigned i = 0; i < proto.inputs.size(); ++i) {
    auto width = pin_width(proto.inputs[i], view);
    if (mask >> i & 1)
      for (std::uint32_t b = 0; b < width; ++b)
        if (!proto.reach_bit || proto.reach_bit(i, b, to.pin, to.bit)) f(offset + b);
    offset += width;
  }
}

}  // namespace kumiki::ir::checking
