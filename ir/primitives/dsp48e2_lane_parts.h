// SPDX-License-Identifier: Apache-2.0
// Private to the bit-sliced DSP slice: its registers, its pins and multiplexers, its multiplier.
#pragma once
#include <algorithm>
#include <type_traits>

#include "ir/arch.h"
#include "ir/primitives/dsp48e2_attributes.h"
#include "ir/primitives/dsp48e2_pins.h"
#include "ir/primitives/lane_arithmetic.h"

namespace kumiki::ir::dsp48e2 {

using lanes::every;
using lanes::none;

struct LaneState {
  alignas(Lanes) Dsp48e2Attributes attributes;
  Lanes a1[30], a2[30], b1[18], b2[18], c[48], d[27], ad[27];
  // {live, inverted sign, product[43:0]}, see tests/support/dsp48e2_model.cpp; of a DSP48E1 the
  // product alone.
  Lanes m[46];
  Lanes inmode[5], opmode[9], alumode[4], carryinsel[3], carryin[1], roundcarry[1];
  Lanes p[48], carryout[4], carrycascout[1], multsignout[1], xorout[8];
  Lanes patterndetect[1], patternbdetect[1], patterndetect_past[1], patternbdetect_past[1];
};

using A = Dsp48e2Attributes;
using State = LaneState;
using In = Dsp48e2Inputs;
using Out = Dsp48e2Outputs;
static_assert(std::is_trivially_copyable_v<State> && sizeof(State) % sizeof(Lanes) == 0);

template <auto member, const auto& pins>
constexpr unsigned offset_of_pin() {
  unsigned at = 0;
  for (const auto& pin : pins) {
    if (pin.member == member) return at;
    at += pin.width;
  }
  return at;
}
template <auto member>
const Lanes* pin(const Lanes* in) {
  return in + offset_of_pin<member, dsp48e2_input_pins>();
}
template <auto member>
Lanes* pin(Lanes* out) {
  return out + offset_of_pin<member, dsp48e2_output_pins>();
}

constexpr Lanes all(std::uint64_t bit) { return Lanes{0} - (bit & 1); }

// A control bus behind its inverters and, if it has one, its register.
template <unsigned bits>
struct Bus {
  Lanes at[bits];
  Bus(const Lanes* pins, unsigned inverted) {
    for (unsigned i = 0; i < bits; ++i) at[i] = pins[i] ^ all(inverted >> i);
  }
  Bus(const Lanes* pins, unsigned inverted, unsigned reg, const Lanes* q) : Bus(pins, inverted) {
    if (reg != 0) std::copy_n(q, bits, at);
  }
  Lanes operator[](unsigned i) const { return at[i]; }
};

// Selects one of several words by lane: each source for the lanes of its mask. Points at a source
// if it is selected in every lane, which is the rule when controls are constants.
template <unsigned bits>
class Mux {
 public:
  const Lanes* data() const { return data_; }
  Lanes operator[](unsigned i) const { return data_[i]; }

  template <class Source>  // a pointer, or a function that fills a scratch word
  void add(Lanes mask, Source&& source) {
    if (mask == none) return;
    const Lanes* from;
    Lanes filled[bits];
    if constexpr (std::is_invocable_v<Source, Lanes*>) {
      source(filled);
      from = filled;
    } else {
      from = source;
      if (mask == every) {
        data_ = from;
        return;
      }
    }
    for (unsigned i = 0; i < bits; ++i) own_[i] |= from[i] & mask;
  }

 private:
  Lanes own_[bits] = {};
  const Lanes* data_ = own_;
};

// The operands after the input registers.
struct Ports {
  const Lanes *a_in, *b_in, *a2, *b2, *c;
  Ports(const State& s, const Lanes* in) {
    const A& a = s.attributes;
    a_in = a.a_input == Path::cascade ? pin<&In::acin>(in) : pin<&In::a>(in);
    b_in = a.b_input == Path::cascade ? pin<&In::bcin>(in) : pin<&In::b>(in);
    a2 = a.areg != 0 ? s.a2 : a_in;
    b2 = a.breg != 0 ? s.b2 : b_in;
    c = a.creg != 0 ? s.c : pin<&In::c>(in);
  }
};

// The multiplier of a DSP48E1 takes this many bits of the 27.
inline constexpr unsigned short_factor = arch::dsp48e1.multiplier_a;

inline bool uses_pre_adder(const A& a) {
  bool selected = a.amultsel == AMultSel::ad || a.bmultsel == BMultSel::ad;
  return selected && a.use_mult != UseMult::none;
}

// The pre-adder and the operands of the multiplier.
struct Front {
  Lanes a_port[27], b_port[18], ad_sum[27];
  const Lanes *a_mult, *b_mult;

  Front(const State& s, const Lanes* in, const Ports& ports) {
    const A& a = s.attributes;
    Bus<5> mode(pin<&In::inmode>(in), a.is_inmode_inverted, a.inmodereg, s.inmode);
    bool on_b = a.preaddinsel == PreAddInSel::b;
    Lanes a_keep = on_b ? every : ~mode[1], b_keep = on_b ? ~mode[1] : every;
    // Registers that do not exist stay 0, which is what A1 and B1 read in this case.
    for (unsigned i = 0; i < 27; ++i)
      a_port[i] = (ports.a2[i] ^ (mode[0] & (ports.a2[i] ^ s.a1[i]))) & a_keep;
    for (unsigned i = 0; i < 18; ++i)
      b_port[i] = (ports.b2[i] ^ (mode[4] & (ports.b2[i] ^ s.b1[i]))) & b_keep;
    const bool is_short = a.kind == Kind::dsp48e1;
    if (is_short) repeat_sign(a_port);
    a_mult = a_port;
    b_mult = b_port;
    if (a.amultsel == AMultSel::a && a.bmultsel == BMultSel::b) return;

    bool registered = uses_pre_adder(a);
    const Lanes* d = registered && a.dreg != 0 ? s.d : pin<&In::d>(in);
    Lanes gated[27], other[27];
    for (unsigned i = 0; i < 27; ++i) gated[i] = d[i] & mode[2];
    for (unsigned i = 0; i < 27; ++i) other[i] = on_b ? b_port[std::min(i, 17u)] : a_port[i];
    lanes::add<27>(gated, other, mode[3], mode[3], ad_sum);
    if (is_short) repeat_sign(ad_sum);
    const Lanes* ad = registered && a.adreg != 0 ? s.ad : ad_sum;
    if (a.amultsel == AMultSel::ad) a_mult = ad;
    if (a.bmultsel == BMultSel::ad) b_mult = ad;
  }

  // A factor of a DSP48E1, sign-extended.
  static void repeat_sign(Lanes* factor) {
    std::fill(factor + short_factor, factor + 27, factor[short_factor - 1]);
  }

  Lanes round_carry() const { return ~(a_mult[26] ^ b_mult[17]); }

  void multiply(const A& a, Lanes* m) const {
    if (a.use_mult == UseMult::none)
      std::fill_n(m, 45, none);
    else
      lanes::multiply_27x18(a_mult, b_mult, m);
    if (a.kind == Kind::dsp48e1) {
      m[45] = m[44];
    } else {
      m[44] = ~m[44];
      m[45] = every;
    }
  }
};

}  // namespace kumiki::ir::dsp48e2
