// SPDX-License-Identifier: Apache-2.0
// A DSP48E2 as an aggregate. For the 7 series it becomes a DSP48E1 that does the same. The plan of
// a machine sees to it that there is one: `as_dsp48e1` in dsp.cpp says what it must not use.
//
// Whatever is left out is tied like an unused pin: data and controls to 0, enables to 1, resets to
// 0, cascade inputs open. Parts that the slice does not use are at rest (C all ones and CEC 0, CED
// and CEAD 0 without the pre-adder, CEM 0 without MREG).
#pragma once
#include "gen/hdl/scope.h"
#include "ir/arch.h"
#include "ir/primitives/dsp48e2_attributes.h"

namespace kumiki::gen {

using ir::arch::dsp48e2;

struct Dsp48e2 {
  ir::Dsp48e2Attributes attributes = {};
  // Data at the width of its port, dsp48e2.a and the like; use sext or zext to extend a narrow
  // word.
  Word a = {}, b = {}, c = {}, d = {};
  Word acin = {}, bcin = {}, pcin = {};  // from the slice below
  Net carryin = ir::net_zero, carrycascin = ir::net_open, multsignin = ir::net_open;
  // Controls: a constant, or nets if they change at run time.
  std::uint16_t opmode = 0;
  std::uint8_t alumode = 0, inmode = 0, carryinsel = 0;
  Word opmode_nets = {}, alumode_nets = {}, inmode_nets = {}, carryinsel_nets = {};
  // One enable for every register, and others if some differ (open: the common one).
  Net enable = ir::net_one;
  Net cea1 = ir::net_open, cea2 = ir::net_open, ceb1 = ir::net_open, ceb2 = ir::net_open;
  Net cec = ir::net_open, ced = ir::net_open, cead = ir::net_open, cem = ir::net_open;
  Net cep = ir::net_open, cectrl = ir::net_one, cealumode = ir::net_one, ceinmode = ir::net_one;
  Net cecarryin = ir::net_open;
  Net rstp = ir::net_zero, rstm = ir::net_zero;

  struct Out {
    SInt p;
    Word pcout, acout, bcout;  // to the slice above and nowhere else
    UInt carryout;             // 4 bits
    Net patterndetect, patternbdetect, overflow, underflow, carrycascout, multsignout;
    UInt xorout;  // 8 bits; none of a DSP48E1
  };
  Out add_to(Scope& s, SourceLocation here = SourceLocation::current()) const;
};

// Bits of OPMODE: whether P is added through W or through X.
inline constexpr unsigned w_is_p = 7, x_is_p = 1;
// Lets a net control a bit of OPMODE. The other bits remain.
void control_opmode(Scope& s, Dsp48e2& slice, unsigned bit, Net net);

}  // namespace kumiki::gen
