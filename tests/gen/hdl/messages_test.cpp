// SPDX-License-Identifier: Apache-2.0
// What a program that describes hardware does wrong, as it is printed.
#include "tests/support/messages.h"

#include "gen/hdl/hdl.h"
#include "gen/hdl/messages.h"
#include "ir/picture/bars.h"

namespace kumiki::gen {
namespace hdl_messages_test {

constexpr SourceLocation made{"adder.cpp", 10, "adder"}, here{"adder.cpp", 12, "adder"};

// A module with a word of 8 bits.
std::function<void()> building(std::function<void(Scope&, const UInt&)> build) {
  return [build = std::move(build)] {
    Builder b;
    Scope s(b, b.design().add_module("adder"));
    build(s, s.input<UInt>("a", 8, made));
  };
}

TEST(LanguageMessages, AsTheyArePrinted) {
  test::expect_messages(
      "messages/language.txt",
      {{code::widths_differ, building([](Scope& s, const UInt& a) {
          add(s, a, s.input<UInt>("b", 9, made), ir::net_zero, here);
        })},
       {code::no_bits,
        building([](Scope& s, const UInt& a) { saturate(s, as_signed(a), 0, here); })},
       {code::no_such_bit, building([](Scope&, const UInt& a) { (void)a.slice(4, 5, here); })},
       {code::silent_cut, building([](Scope& s, const UInt& a) { zext(s, a, 4, here); })},
       {code::value_does_not_fit,
        building([](Scope& s, const UInt&) { (void)s.constant(16, 4, here); })},
       {code::lut_inputs, building([](Scope& s, const UInt& a) {
          look_up(
              s, 1, [](unsigned i) { return i & 1; }, a.nets(), here);
        })},
       {code::index_too_narrow, building([](Scope& s, const UInt& a) {
          const std::vector<UInt> items(5, a);
          select(s, a.slice(0, 2), std::span<const UInt>(items), here);
        })},
       {code::too_few, building([](Scope& s, const UInt&) { counter(s, {.modulo = 1}, here); })},
       {code::round_drops_all, building([](Scope& s, const UInt& a) {
          round(s, as_signed(a), 8, Rounding::half_even, here);
        })},
       {code::never_driven, building([](Scope& s, const UInt&) {
          const Reg<UInt> sum(s, 8, {}, here);
          s.output("sum", sum.q());
          s.finish();
        })},
       {code::fsm_states, building([](Scope& s, const UInt&) { Fsm(s, 3, 3, {}, here); })},
       {code::late_port, building([](Scope& s, const UInt&) {
          ir::Module& half = s.module().design().add_module("half_adder");
          s.module().add_instance(half.id(), {}, s.at(here));
          half.add_input("carry", 1);
        })},
       {code::parameter_count, building([](Scope& s, const UInt& a) {
          const std::uint64_t params[] = {1, 2};
          s.cell(ir::Kind::lut1, 1, a.slice(0, 1).nets(), params, s.at(here));
        })},
       {code::chart_values, [] {
          (void)picture::bars_svg({{"clocks", {}}});
        }}});
}

}  // namespace hdl_messages_test
}  // namespace kumiki::gen
