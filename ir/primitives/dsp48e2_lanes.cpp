// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/dsp48e2_lanes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "ir/primitives/lane_arithmetic.h"

namespace kumiki::ir {

using lanes::every;
using lanes::none;

struct Dsp48e2LaneState {
  alignas(Lanes) Dsp48e2Attributes attributes;
  Lanes a1[30], a2[30], b1[18], b2[18], c[48], d[27], ad[27];
  Lanes m[46];  // {live, inverted sign, product[43:0]}, see dsp48e2_model.cpp
  Lanes inmode[5], opmode[9], alumode[4], carryinsel[3], carryin[1], roundcarry[1];
  Lanes p[48], carryout[4], carrycascout[1], multsignout[1], xorout[8];
  Lanes patterndetect[1], patternbdetect[1], patterndetect_past[1], patternbdetect_past[1];
};

namespace {

using namespace dsp48e2;
using A = Dsp48e2Attributes;
using State = Dsp48e2LaneState;
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

// One of several words by lane: each source for the lanes of its mask. Points at a source when it is
// selected in every lane, which is the rule when controls are constants.
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

constexpr Lanes ones[48] = {every, every, every, every, every, every, every, every, every, every,
                            every, every, every, every, every, every, every, every, every, every,
                            every, every, every, every, every, every, every, every, every, every,
                            every, every, every, every, every, every, every, every, every, every,
                            every, every, every, every, every, every, every, every};

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

bool uses_pre_adder(const A& a) {
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
    // Registers that are not there stay 0, as A1 and B1 then read.
    for (unsigned i = 0; i < 27; ++i)
      a_port[i] = (ports.a2[i] ^ (mode[0] & (ports.a2[i] ^ s.a1[i]))) & a_keep;
    for (unsigned i = 0; i < 18; ++i)
      b_port[i] = (ports.b2[i] ^ (mode[4] & (ports.b2[i] ^ s.b1[i]))) & b_keep;
    a_mult = a_port;
    b_mult = b_port;
    if (a.amultsel == AMultSel::a && a.bmultsel == BMultSel::b) return;

    bool registered = uses_pre_adder(a);
    const Lanes* d = registered && a.dreg != 0 ? s.d : pin<&In::d>(in);
    Lanes gated[27], other[27];
    for (unsigned i = 0; i < 27; ++i) gated[i] = d[i] & mode[2];
    for (unsigned i = 0; i < 27; ++i) other[i] = on_b ? b_port[std::min(i, 17u)] : a_port[i];
    lanes::add<27>(gated, other, mode[3], mode[3], ad_sum);
    const Lanes* ad = registered && a.adreg != 0 ? s.ad : ad_sum;
    if (a.amultsel == AMultSel::ad) a_mult = ad;
    if (a.bmultsel == BMultSel::ad) b_mult = ad;
  }

  Lanes round_carry() const { return ~(a_mult[26] ^ b_mult[17]); }

  void multiply(const A& a, Lanes* m) const {
    if (a.use_mult == UseMult::none)
      std::fill_n(m, 45, none);
    else
      lanes::multiply_27x18(a_mult, b_mult, m);
    m[44] = ~m[44];
    m[45] = every;
  }
};

struct Alu {
  Lanes p[48], carryout[4] = {}, carrycascout[1], multsignout[1], xorout[8];
  Lanes patterndetect[1], patternbdetect[1];
};

// Everything between the operand registers and P.
class Adder {
 public:
  Adder(const State& s, const Lanes* in, const Ports& ports, const Front* front)
      : s_(s),
        a_(s.attributes),
        in_(in),
        ports_(ports),
        front_(front),
        opmode_(pin<&In::opmode>(in), a_.is_opmode_inverted, a_.opmodereg, s.opmode),
        alumode_(pin<&In::alumode>(in), a_.is_alumode_inverted, a_.alumodereg, s.alumode) {}

  void run(Alu& r) {
    Mux<48> w, x, y, z;
    select(w, x, y, z);
    Lanes sum[48], maj[48];
    for (unsigned i = 0; i < 48; ++i) {
      Lanes zi = z[i] ^ alumode_[0], t = x[i] ^ y[i];
      sum[i] = t ^ zi;
      maj[i] = (x[i] & y[i]) | (zi & t);
    }
    widexor(sum, r);
    if ((alumode_[2] | alumode_[3]) != none)
      for (unsigned i = 0; i < 48; ++i) {
        sum[i] ^= alumode_[3] & (sum[i] ^ maj[i]);
        maj[i] &= ~alumode_[2];
      }
    fields(sum, maj, w, r);
    pattern(r);
  }

 private:
  void select(Mux<48>& w, Mux<48>& x, Mux<48>& y, Mux<48>& z) {
    const auto& o = opmode_;
    w.add(o[7] & ~o[8], s_.p);
    w.add(~o[7] & o[8], [&](Lanes* f) { constant(a_.rnd, f); });
    w.add(o[7] & o[8], ports_.c);

    Lanes product_x = o[0] & ~o[1], product_y = o[2] & ~o[3];
    const Lanes* m = s_.m;
    Lanes now[46];
    if (a_.mreg == 0 && (product_x | product_y) != none) {
      front_->multiply(a_, now);
      m = now;
    }
    Lanes macc_extend = ~o[4] & ~o[5] & o[6] & pin<&In::multsignin>(in_)[0];
    x.add(~o[0] & ~o[1] & macc_extend, [](Lanes* f) {
      std::fill_n(f, 48, none);
      f[1] = every;
    });
    x.add(product_x, [&](Lanes* f) {
      for (unsigned i = 0; i < 44; ++i) f[i] = i % 2 == 0 ? m[i] : none;
      std::fill_n(f + 44, 4, m[45]);
    });
    x.add(~o[0] & o[1], s_.p);
    x.add(o[0] & o[1], [&](Lanes* f) {
      std::copy_n(ports_.b2, 18, f);
      std::copy_n(ports_.a2, 30, f + 18);
    });

    y.add(product_y, [&](Lanes* f) {
      for (unsigned i = 0; i < 44; ++i) f[i] = i % 2 == 0 ? none : m[i];
      f[44] = m[44];
      std::fill_n(f + 45, 3, none);
    });
    y.add(~o[2] & o[3], ones);
    y.add(o[2] & o[3], ports_.c);

    const Lanes* pcin = pin<&In::pcin>(in_);
    z.add(o[4] & ~o[5] & ~o[6], pcin);
    z.add(~o[4] & ((o[5] & ~o[6]) | (~o[5] & o[6])), s_.p);
    z.add(o[4] & o[5] & ~o[6], ports_.c);
    z.add(o[4] & ~o[5] & o[6], [&](Lanes* f) { shift17(pcin, f); });
    z.add(o[5] & o[6], [&](Lanes* f) { shift17(s_.p, f); });
  }

  static void constant(std::uint64_t value, Lanes* f) {
    for (unsigned i = 0; i < 48; ++i) f[i] = all(value >> i);
  }

  static void shift17(const Lanes* from, Lanes* f) {
    std::copy_n(from + 17, 31, f);
    std::fill_n(f + 31, 17, from[47]);
  }

  Lanes carry_in() const {
    Bus<3> sel(pin<&In::carryinsel>(in_), 0, a_.carryinselreg, s_.carryinsel);
    Lanes carryin = a_.carryinreg != 0 ? s_.carryin[0]
                                       : pin<&In::carryin>(in_)[0] ^ all(a_.is_carryin_inverted);
    Lanes pcin = pin<&In::pcin>(in_)[47], p = s_.p[47];
    Lanes round = a_.mreg != 0 ? s_.roundcarry[0] : front_->round_carry();
    Lanes even = ~sel[0] & ((~sel[2] & ~sel[1] & carryin) |
                            (~sel[2] & sel[1] & pin<&In::carrycascin>(in_)[0]) |
                            (sel[2] & ~sel[1] & s_.carrycascout[0]) | (sel[2] & sel[1] & round));
    // 001 and 101: inverted signs of PCIN and P; 011 and 111: the signs.
    Lanes odd = sel[0] & (~sel[1] ^ ((sel[2] & p) | (~sel[2] & pcin)));
    return (even | odd) & ~(alumode_[2] | alumode_[3]);
  }

  // W + sum + 2*maj + carry in: first to two words without a ripple, then the ripple. The carries
  // are cut after every field.
  void fields(const Lanes* sum, const Lanes* maj, const Mux<48>& w, Alu& r) {
    unsigned n = a_.use_simd == UseSimd::one48 ? 48 : a_.use_simd == UseSimd::two24 ? 24 : 12;
    Lanes low[48], high[48];  // high has double weight
    for (unsigned i = 0; i < 48; ++i) {
      Lanes below = i == 0 ? none : maj[i - 1];
      Lanes t = sum[i] ^ below;
      low[i] = t ^ w[i];
      high[i] = (sum[i] & below) | (w[i] & t);
    }
    for (unsigned at = n; at < 48; at += n) {  // the first bit of an upper field has none below
      low[at] = sum[at] ^ w[at];
      high[at] = sum[at] & w[at];
    }
    Lanes carry = carry_in(), borrow = alumode_[0] & alumode_[1];
    for (unsigned at = 0; at < 48; at += n, carry = none) {
      Lanes above = none;
      for (unsigned i = at; i < at + n; ++i) {
        Lanes t = low[i] ^ above;
        r.p[i] = t ^ carry ^ alumode_[1];
        carry = (low[i] & above) | (carry & t);
        above = high[i];
      }
      Lanes top = maj[at + n - 1];  // three carries of one weight leave the field
      Lanes one = top ^ above ^ carry;
      r.carryout[(at + n) / 12 - 1] = one ^ borrow;
      r.carrycascout[0] = one;
      r.multsignout[0] = (top & above) | (carry & (top ^ above));
    }
  }

  void widexor(const Lanes* s, Alu& r) const {
    std::fill_n(r.xorout, 8, none);
    if (a_.use_widexor == UseWideXor::off) return;
    Lanes six[8];
    for (unsigned i = 0; i < 8; ++i)
      six[i] = s[6 * i] ^ s[6 * i + 1] ^ s[6 * i + 2] ^ s[6 * i + 3] ^ s[6 * i + 4] ^ s[6 * i + 5];
    if (a_.xorsimd == XorSimd::xor12) {
      std::copy_n(six, 8, r.xorout);
      return;
    }
    Lanes* x = r.xorout;
    for (unsigned i = 0; i < 8; i += 2) x[i] = six[i] ^ six[i + 1];
    x[1] = x[0] ^ x[2];
    x[5] = x[4] ^ x[6];
    x[3] = x[1] ^ x[5];
    x[7] = six[7];
  }

  void pattern(Alu& r) const {
    r.patterndetect[0] = r.patternbdetect[0] = every;
    if (a_.use_pattern_detect == UsePatternDetect::no_patdet) return;
    bool from_c = a_.sel_pattern == SelPattern::c;
    unsigned shift = a_.sel_mask == SelMask::rounding_mode1 ? 1 : 2;
    for (unsigned i = 0; i < 48; ++i) {
      Lanes ignore;
      if (a_.sel_mask == SelMask::mask)
        ignore = all(a_.mask >> i);
      else if (a_.sel_mask == SelMask::c)
        ignore = ports_.c[i];
      else
        ignore = i < shift ? none : ~ports_.c[i - shift];
      Lanes differs = r.p[i] ^ (from_c ? ports_.c[i] : all(a_.pattern >> i));
      r.patterndetect[0] &= ~differs | ignore;
      r.patternbdetect[0] &= differs | ignore;
    }
  }

  const State& s_;
  const A& a_;
  const Lanes* in_;
  const Ports& ports_;
  const Front* front_;
  Bus<9> opmode_;
  Bus<4> alumode_;
};

template <auto member>
Lanes control(const Lanes* in, unsigned inverted = 0) {
  return pin<member>(in)[0] ^ all(inverted);
}

void clock_inputs(State& s, const Lanes* in, const Ports& ports, const Front& front) {
  const A& a = s.attributes;
  if (uses_pre_adder(a)) {
    Lanes reset = control<&In::rstd>(in, a.is_rstd_inverted);
    if (a.adreg != 0) lanes::load<27>(s.ad, front.ad_sum, control<&In::cead>(in), reset);
    if (a.dreg != 0) lanes::load<27>(s.d, pin<&In::d>(in), control<&In::ced>(in), reset);
  }
  if (a.areg != 0) {
    Lanes reset = control<&In::rsta>(in, a.is_rsta_inverted);
    lanes::load<30>(s.a2, a.areg == 2 ? s.a1 : ports.a_in, control<&In::cea2>(in), reset);
    lanes::load<30>(s.a1, ports.a_in, control<&In::cea1>(in), reset);
  }
  if (a.breg != 0) {
    Lanes reset = control<&In::rstb>(in, a.is_rstb_inverted);
    lanes::load<18>(s.b2, a.breg == 2 ? s.b1 : ports.b_in, control<&In::ceb2>(in), reset);
    lanes::load<18>(s.b1, ports.b_in, control<&In::ceb1>(in), reset);
  }
  if (a.creg != 0)
    lanes::load<48>(s.c, pin<&In::c>(in), control<&In::cec>(in),
                    control<&In::rstc>(in, a.is_rstc_inverted));
}

void clock_controls(State& s, const Lanes* in) {
  const A& a = s.attributes;
  Lanes rstctrl = control<&In::rstctrl>(in, a.is_rstctrl_inverted);
  if (a.inmodereg != 0)
    lanes::load<5>(s.inmode, Bus<5>(pin<&In::inmode>(in), a.is_inmode_inverted).at,
                   control<&In::ceinmode>(in),
                   control<&In::rstinmode>(in, a.is_rstinmode_inverted));
  if (a.opmodereg != 0)
    lanes::load<9>(s.opmode, Bus<9>(pin<&In::opmode>(in), a.is_opmode_inverted).at,
                   control<&In::cectrl>(in), rstctrl);
  if (a.carryinselreg != 0)
    lanes::load<3>(s.carryinsel, pin<&In::carryinsel>(in), control<&In::cectrl>(in), rstctrl);
  if (a.alumodereg != 0)
    lanes::load<4>(s.alumode, Bus<4>(pin<&In::alumode>(in), a.is_alumode_inverted).at,
                   control<&In::cealumode>(in),
                   control<&In::rstalumode>(in, a.is_rstalumode_inverted));
  if (a.carryinreg != 0)
    lanes::load<1>(s.carryin, Bus<1>(pin<&In::carryin>(in), a.is_carryin_inverted).at,
                   control<&In::cecarryin>(in),
                   control<&In::rstallcarryin>(in, a.is_rstallcarryin_inverted));
}

void clock_output(State& s, const Lanes* in, const Alu& r) {
  const A& a = s.attributes;
  Lanes reset = control<&In::rstp>(in, a.is_rstp_inverted), enable = control<&In::cep>(in);
  if (a.autoreset_patdet != AutoReset::no_reset) {
    Lanes event = a.autoreset_patdet == AutoReset::reset_match
                      ? s.patterndetect[0]
                      : s.patterndetect_past[0] & ~s.patterndetect[0];
    reset |= a.autoreset_priority == AutoResetPriority::cep ? event & enable : event;
  }
  lanes::load<1>(s.patterndetect_past, s.patterndetect, enable, reset);
  lanes::load<1>(s.patternbdetect_past, s.patternbdetect, enable, reset);
  lanes::load<1>(s.patterndetect, r.patterndetect, enable, reset);
  lanes::load<1>(s.patternbdetect, r.patternbdetect, enable, reset);
  lanes::load<48>(s.p, r.p, enable, reset);
  lanes::load<4>(s.carryout, r.carryout, enable, reset);
  lanes::load<1>(s.carrycascout, r.carrycascout, enable, reset);
  lanes::load<1>(s.multsignout, r.multsignout, enable, reset);
  lanes::load<8>(s.xorout, r.xorout, enable, reset);
}

// P and what leaves with it; Source is the state or an Alu.
template <class Source>
void show(const Source& r, Lanes* out) {
  std::copy_n(r.p, 48, pin<&Out::p>(out));
  std::copy_n(r.p, 48, pin<&Out::pcout>(out));
  std::copy_n(r.carryout, 4, pin<&Out::carryout>(out));
  *pin<&Out::carrycascout>(out) = r.carrycascout[0];
  *pin<&Out::multsignout>(out) = r.multsignout[0];
  *pin<&Out::patterndetect>(out) = r.patterndetect[0];
  *pin<&Out::patternbdetect>(out) = r.patternbdetect[0];
  std::copy_n(r.xorout, 8, pin<&Out::xorout>(out));
}

State& state_at(Lanes* words) { return *reinterpret_cast<State*>(words); }
const State& state_at(const Lanes* words) { return *reinterpret_cast<const State*>(words); }

}  // namespace

std::size_t dsp48e2_lane_state_words() { return sizeof(State) / sizeof(Lanes); }

void dsp48e2_lane_power_up(const Dsp48e2Attributes& attributes, Lanes* state) {
  std::fill_n(state, dsp48e2_lane_state_words(), none);
  state_at(state).attributes = attributes;
}

void dsp48e2_lane_evaluate(const Lanes* in, const Lanes* state, Lanes* out) {
  const State& s = state_at(state);
  const A& a = s.attributes;
  Ports ports(s, in);
  std::copy_n(a.acascreg != a.areg ? s.a1 : ports.a2, 30, pin<&Out::acout>(out));
  std::copy_n(a.bcascreg != a.breg ? s.b1 : ports.b2, 18, pin<&Out::bcout>(out));
  if (a.preg != 0) {
    show(s, out);
    Lanes neither = ~(s.patterndetect[0] | s.patternbdetect[0]);
    *pin<&Out::overflow>(out) = s.patterndetect_past[0] & neither;
    *pin<&Out::underflow>(out) = s.patternbdetect_past[0] & neither;
    return;
  }
  Front front(s, in, ports);
  Alu r;
  Adder(s, in, ports, &front).run(r);
  show(r, out);
  *pin<&Out::overflow>(out) = *pin<&Out::underflow>(out) = none;
}

void dsp48e2_lane_clock(const Lanes* in, Lanes* state) {
  State& s = state_at(state);
  const A& a = s.attributes;
  Ports ports(s, in);
  Front front(s, in, ports);
  if (a.preg != 0) {
    Alu r;
    Adder(s, in, ports, &front).run(r);
    clock_output(s, in, r);
  }
  if (a.mreg != 0) {
    Lanes m[46], round = front.round_carry();
    front.multiply(a, m);
    lanes::load<46>(s.m, m, control<&In::cem>(in), control<&In::rstm>(in, a.is_rstm_inverted));
    lanes::load<1>(s.roundcarry, &round, control<&In::cem>(in),
                   control<&In::rstallcarryin>(in, a.is_rstallcarryin_inverted));
  }
  clock_inputs(s, in, ports, front);
  clock_controls(s, in);
}

}  // namespace kumiki::ir
