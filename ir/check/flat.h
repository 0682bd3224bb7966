// SPDX-License-Identifier: Apache-2.0
// The tree of instances, built only as far as needed. Follows a net through it: back to its driver,
// forward to all its readers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/check/checker.h"

namespace kumiki::ir::checking {

class Flat {
 public:
  // One placement of a module.
  using ContextId = std::uint32_t;
  struct Pin {  // a bit of a cell; without a cell: a bit of a port of a root module
    ContextId context = 0;
    std::uint32_t cell = 0;
    std::uint32_t offset = 0;
    bool is_port = false;
  };

  explicit Flat(Checker& k) : k_(k) {}
  ContextId add_root(ModuleId module);
  ContextId child(ContextId context, std::uint32_t cell);
  const Module& module(ContextId context) const {
    return k_.design().module(contexts_[context].module);
  }
  std::string path(ContextId context) const;          // "top/u0/%12"
  std::string where(ContextId context) const;         // "top/u0/%12: ", "" for a root
  std::string describe(const Pin& pin, bool output);  // "top/u0: LUT6 %5.O at …"

  // The primitive or port that drives a net; empty for constants, open and undriven nets.
  std::optional<Pin> source(ContextId context, Net net);
  // Calls f(pin) for all primitives' inputs and root ports that read a net.
  template <class F>
  void for_each_reader(ContextId context, Net net, F f, unsigned depth = 0);

 private:
  struct Context {
    ModuleId module;
    ContextId parent;
    std::uint32_t cell;  // of the parent
  };
  struct Reader {
    std::uint32_t cell;  // past the cells: an output port
    std::uint32_t offset;
  };
  // Readers by net, in flat arrays, for the nets that can be in a cascade: outputs of DSP slices
  // and instances, and inputs of the module.
  struct Readers {
    std::vector<std::uint32_t> start;
    std::vector<Reader> readers;
  };
  static constexpr ContextId none = 0xffff'ffff;
  static constexpr unsigned hop_limit = 1000;  // ends at a wire that feeds itself through ports

  const Readers& readers(const Module& m);
  template <class F>
  void for_each_use(const Module& m, const std::vector<std::uint8_t>& wanted, F f);

  Checker& k_;
  std::vector<Context> contexts_;
  std::unordered_map<std::uint64_t, ContextId> children_;
  std::unordered_map<std::uint32_t, Readers> readers_;
};

template <class F>
void Flat::for_each_reader(ContextId context, Net net, F f, unsigned depth) {
  if (depth > hop_limit) return;
  const Module& m = module(context);
  const Readers& all = readers(m);
  for (auto i = all.start[net.index]; i < all.start[net.index + 1]; ++i) {
    Reader r = all.readers[i];
    if (r.cell < m.cells().size()) {
      const Cell& c = m.cells()[r.cell];
      if (c.kind != Kind::instance) {
        f(Pin{context, r.cell, r.offset});
        continue;
      }
      auto below = child(context, r.cell);
      for_each_reader(below, k_.facts(module(below)).inputs[r.offset], f, depth + 1);
    } else if (auto up = contexts_[context].parent; up != none) {
      Net out = module(up).cells()[contexts_[context].cell].out;
      for_each_reader(up, Net{out.index + r.offset}, f, depth + 1);
    } else {
      f(Pin{context, 0, r.offset, true});
    }
  }
}

}  // namespace kumiki::ir::checking
