// SPDX-License-Identifier: Apache-2.0
// Registers of every kind on both clocks: flip-flops with enable and reset, shift registers,
// memories, a slice. The same small circuit stands on clk and on clk2x.
#pragma once
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"

namespace kumiki::test {

// Four words that depend on the whole past of a and b, of four bits each.
inline std::vector<gen::UInt> every_register(gen::Scope& s, const gen::UInt& a,
                                             const gen::UInt& b) {
  using namespace gen;
  Reg<UInt> sum(s, 8, {.init = 0x5a, .enable = a[0], .reset = b[3]});
  sum.next(add(s, sum.q(), cat(s, {b, a})));
  const UInt late = delay(s, a, 7, b[1]), later = delay(s, b, 20);
  std::vector<Word> read;
  for (const auto stages : {ir::memory::registered, ir::memory::twice_registered})
    read.push_back(Memory{.depth = 16,
                          .width = 4,
                          .read = stages,
                          .contents = {3, 1, 4, 1, 5, 9, 2, 6},
                          .write_enable = a[1],
                          .write_address = b,
                          .write_data = a,
                          .read_enable = b[2],
                          .read_address = a}
                       .add_to(s));
  const UInt looked_up = Memory{.depth = 16,
                                .width = 4,
                                .style = ir::memory::distributed,
                                .read = ir::memory::asynchronous,
                                .write_enable = b[0],
                                .write_address = a,
                                .write_data = b,
                                .read_address = b}
                             .add_to(s);
  const SInt product = Dsp48e2{.a = zext(s, a, 30),
                               .b = zext(s, b, 18),
                               .opmode = 0b000100101,
                               .enable = a[2],
                               .rstp = b[2]}
                           .add_to(s)
                           .p;
  return {sum.q(), cat(s, {late, later}), cat(s, read),
          UInt(s.word(Word(product.slice(0, 4)) ^ Word(reg(s, looked_up))))};
}

inline void build_two_clocks(gen::Builder& builder) {
  using namespace gen;
  Scope s(builder, builder.design().add_module("both"));
  const auto a = s.input<UInt>("a", 4), b = s.input<UInt>("b", 4);
  const auto slow = every_register(s, a, b);
  for (std::size_t i = 0; i < slow.size(); ++i) s.output("slow" + std::to_string(i), slow[i]);
  const UInt fa = to_fast(s, a, b), fb = to_fast(s, b);
  std::vector<UInt> fast;
  {
    const auto on_fast = s.fast();
    fast = every_register(s, fa, fb);
  }
  for (std::size_t i = 0; i < fast.size(); ++i) {
    const auto pair = to_slow(s, fast[i], i % 2 == 0 ? Half::first : Half::second);
    s.output("first" + std::to_string(i), pair.first);
    s.output("second" + std::to_string(i), pair.second);
  }
  s.finish();
  builder.design().set_top(s.module().id());
}

}  // namespace kumiki::test
