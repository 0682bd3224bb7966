// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/dsp48e2_reach.h"

#include "ir/primitives/dsp48e2_pins.h"

namespace kumiki::ir {
namespace {

using namespace dsp48e2;
using A = Dsp48e2Attributes;
using Set = std::uint64_t;

Set pin(std::uint64_t Dsp48e2Inputs::*member) {
  auto pins = dsp48e2_input_pins;
  for (unsigned i = 0; i < pins.size(); ++i)
    if (pins[i].member == member) return Set{1} << i;
  return 0;
}

Set unless(bool registered, Set set) { return registered ? 0 : set; }

// The path of the model, node after node; a register cuts it.
struct Reach {
  Set a2, b2, c, opmode, alumode;
  Set product = 0, round = 0;
  Set carry_in;

  explicit Reach(const A& a) {
    using In = Dsp48e2Inputs;
    a2 = unless(a.areg != 0, pin(a.a_input == Path::cascade ? &In::acin : &In::a));
    b2 = unless(a.breg != 0, pin(a.b_input == Path::cascade ? &In::bcin : &In::b));
    c = unless(a.creg != 0, pin(&In::c));
    opmode = unless(a.opmodereg != 0, pin(&In::opmode));
    alumode = unless(a.alumodereg != 0, pin(&In::alumode));
    if (a.mreg == 0) multiplier(a);
    carry_in = unless(a.carryinreg != 0, pin(&In::carryin)) | pin(&In::pcin) |
               pin(&In::carrycascin) | unless(a.carryinselreg != 0, pin(&In::carryinsel)) | round;
  }

  void multiplier(const A& a) {
    using In = Dsp48e2Inputs;
    Set inmode = unless(a.inmodereg != 0, pin(&In::inmode));
    Set a_port = a2 | inmode, b_port = b2 | inmode;
    bool mult = a.use_mult != UseMult::none;  // without it D and AD are bypassed
    Set d = unless(mult && a.dreg != 0, pin(&In::d));
    Set sum = d | inmode | (a.preaddinsel == PreAddInSel::b ? b_port : a_port);
    Set ad = unless(mult && a.adreg != 0, sum);
    round = (a.amultsel == AMultSel::ad ? ad : a_port) | (a.bmultsel == BMultSel::ad ? ad : b_port);
    if (mult) product = round;
  }

  // The operands of the adder, without the carry in.
  Set operands() const {
    return a2 | b2 | c | opmode | alumode | product | pin(&Dsp48e2Inputs::pcin) |
           pin(&Dsp48e2Inputs::multsignin);
  }
};

}  // namespace

std::uint64_t combinational_inputs(const Dsp48e2Attributes& a, unsigned output) {
  using Out = Dsp48e2Outputs;
  Reach reach(a);
  auto member = dsp48e2_output_pins[output].member;
  if (member == &Out::acout) return unless(a.acascreg != a.areg, reach.a2);
  if (member == &Out::bcout) return unless(a.bcascreg != a.breg, reach.b2);
  if (a.preg != 0) return 0;
  // OVERFLOW and UNDERFLOW depend on the cycle before, which only the registers of P hold.
  if (member == &Out::overflow || member == &Out::underflow) return 0;
  // ALUMODE inverts Z as a whole, and every group of the XOR has an even number of bits.
  if (member == &Out::xorout)
    return unless(a.use_widexor == UseWideXor::off, reach.operands() & ~reach.alumode);
  Set sum = reach.operands() | reach.carry_in;
  if (member == &Out::patterndetect || member == &Out::patternbdetect)
    return unless(a.use_pattern_detect == UsePatternDetect::no_patdet, sum);
  const bool is_e1 = a.kind == Kind::dsp48e1;
  // A DSP48E1 passes on the sign of its product, or in MACC extend what it gets.
  if (is_e1 && member == &Out::multsignout)
    return reach.product | reach.opmode | pin(&Dsp48e2Inputs::multsignin);
  // B, the carry in and MULTSIGNIN of a DSP48E2 enter the lower fields, but these two outputs come
  // from the top field.
  bool top_field = member == &Out::carrycascout || member == &Out::multsignout;
  if (top_field && a.use_simd != UseSimd::one48 && a.use_mult == UseMult::none)
    return reach.operands() & ~(reach.b2 | (is_e1 ? 0 : pin(&Dsp48e2Inputs::multsignin)));
  return sum;
}

}  // namespace kumiki::ir
