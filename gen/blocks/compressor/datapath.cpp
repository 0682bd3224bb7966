// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/datapath.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/arith/format.h"
#include "gen/hdl/limbs.h"
#include "gen/hdl/state.h"

namespace kumiki::gen::compressor {

namespace {

std::vector<UInt> input_words(Scope& s, const Datapath& path) {
  std::vector<UInt> words;
  for (const PortShape& p : path.in) {
    const std::uint32_t bits = p.count * p.width;
    UInt all = p.is_signed && p.count == 1 ? as_unsigned(s.input<SInt>(p.name, bits))
                                           : s.input<UInt>(p.name, bits);
    for (std::uint32_t i = 0; i < p.count; ++i) words.push_back(all.slice(i * p.width, p.width));
  }
  return words;
}

// The netlist without registers, in a separate design.
const ir::Module& build_combinational(Builder& builder, ir::OriginId origin, const Datapath& path,
                                      const BuildWords& build) {
  ir::Module& m = builder.design().add_module(path.module);
  Scope s(builder, m, origin);
  s.output(path.out.name, build(s, input_words(s, path), ir::net_one));
  s.finish();
  return m;
}

UInt build_placed(Scope& s, ir::OriginId origin, const Datapath& path, const BuildWords& build,
                  Net enable) {
  Builder scratch(s.family(), s.builder().design().limits());
  const ir::Module& from = build_combinational(scratch, origin, path, build);
  std::vector<Net> inputs;
  for (const UInt& word : input_words(s, path))
    inputs.insert(inputs.end(), word.nets().begin(), word.nets().end());
  return bits(s, build_with_registers(s, from, *path.placement, inputs, enable));
}

}  // namespace

std::shared_ptr<const Placement> place_registers(const Datapath& path, ir::Family family,
                                                 const BuildWords& build, const Between& between,
                                                 const std::function<bool()>& pulse) {
  Builder scratch(family);
  return std::make_shared<Placement>(
      place_registers(build_combinational(scratch, {}, path, build), between, pulse));
}

ir::Module& build_datapath(Builder& builder, ir::OriginId origin, const Datapath& path,
                           const BuildWords& build) {
  ir::Module& m = builder.design().add_module(builder.free_module_name(path.module));
  m.set_about(path.about);
  Scope s(builder, m, origin);
  const bool pipelined = path.latency > 0;
  Net reset = ir::net_zero, enable = ir::net_one, valid = ir::net_one;
  if (pipelined) {
    reset = s.input<UInt>("rst", 1)[0];
    enable = s.input<UInt>("en", 1)[0];
    valid = s.input<UInt>("in_valid", 1)[0];
  }
  UInt out = path.placement ? build_placed(s, origin, path, build, enable)
                            : build(s, input_words(s, path), enable);
  for (unsigned i = 0; i < path.latency; ++i)
    valid = reg(s, valid, {.enable = enable, .reset = reset});
  if (pipelined) s.output("out_valid", bits(s, {valid}));
  if (path.out.is_signed && path.out.count == 1)
    s.output(path.out.name, as_signed(out));
  else
    s.output(path.out.name, out);
  s.finish();
  return m;
}

namespace {

std::uint32_t limbs(const PortShape& p) { return (p.count * p.width + 63) / 64; }

// The model: keeps the last `latency` results, and holds them while the enable is 0. Before the
// first operands, the results are those of zeros.
class DatapathModel : public ir::Machine {
 public:
  DatapathModel(const Datapath& path, const Compute& compute) : path_(path), compute_(compute) {
    power_up();
  }

  void power_up() override {
    std::size_t words = 0;
    for (const PortShape& p : path_.in) words += p.count;
    history_.assign(path_.latency, {false, compute_(WordValues(words, 0))});
  }

  void step(const ir::Frame& in, ir::Frame& out) override {
    const std::uint64_t* limb = in.data();
    const bool pipelined = path_.latency > 0;
    bool reset = false, enable = true, valid = true;
    if (pipelined) {
      reset = limb[0] & 1;
      enable = limb[1] & 1;
      valid = limb[2] & 1;
      limb += 3;
    }
    WordValues words;
    for (const PortShape& p : path_.in) {
      for (std::uint32_t i = 0; i < p.count; ++i)
        words.push_back(arith::value_of(bits_at(limb, i * p.width, p.width),
                                        {static_cast<int>(p.width), p.is_signed}));
      limb += limbs(p);
    }
    out.clear();
    if (pipelined) out.push_back(history_.back().valid);
    append(pipelined ? history_.back().out : compute_(words), out);
    if (pipelined && enable) {
      std::rotate(history_.begin(), history_.end() - 1, history_.end());
      history_[0] = {valid, compute_(words)};
    }
    if (reset)
      for (Entry& e : history_) e.valid = false;
  }

 private:
  void append(const WordValues& words, ir::Frame& out) const {
    const auto first = out.size();
    out.resize(first + limbs(path_.out), 0);
    for (std::uint32_t i = 0; i < path_.out.count; ++i)
      put_bits(out.data() + first, i * path_.out.width, path_.out.width,
               static_cast<std::uint64_t>(words[i]));
  }

  struct Entry {
    bool valid;
    WordValues out;
  };
  Datapath path_;
  Compute compute_;
  std::vector<Entry> history_;
};

}  // namespace

std::unique_ptr<ir::Machine> datapath_model(const Datapath& path, const Compute& compute) {
  return std::make_unique<DatapathModel>(path, compute);
}

}  // namespace kumiki::gen::compressor
