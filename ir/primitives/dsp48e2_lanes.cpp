// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/dsp48e2_lanes.h"

#include <new>

#include "ir/primitives/dsp48e2_lane_adder.h"

namespace kumiki::ir {
namespace {

using namespace dsp48e2;

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
void show(const A& a, const Source& r, Lanes* out) {
  std::copy_n(r.p, 48, pin<&Out::p>(out));
  std::copy_n(r.p, 48, pin<&Out::pcout>(out));
  std::copy_n(r.carryout, 4, pin<&Out::carryout>(out));
  *pin<&Out::carrycascout>(out) = r.carrycascout[0];
  *pin<&Out::multsignout>(out) = r.multsignout[0];
  *pin<&Out::patterndetect>(out) = r.patterndetect[0];
  *pin<&Out::patternbdetect>(out) = r.patternbdetect[0];
  if (a.kind == Kind::dsp48e2) std::copy_n(r.xorout, 8, pin<&Out::xorout>(out));
}

constexpr unsigned input_width(std::span<const Dsp48e2InputPin> pins) {
  unsigned width = 0;
  for (const auto& pin : pins) width += pin.width;
  return width;
}

// The nets of a DSP48E1 in the order of a DSP48E2: the sign of D is repeated, W of OPMODE is 0.
class Widened {
 public:
  explicit Widened(const Lanes* in) {
    constexpr unsigned d = offset_of_pin<&In::d, dsp48e1_input_pins>() + short_factor;
    constexpr unsigned opmode =
        offset_of_pin<&In::opmode, dsp48e1_input_pins>() + opmode_bits_of_dsp48e1;
    Lanes* to = std::copy_n(in, d, in_);
    to = std::fill_n(to, 27 - short_factor, in[d - 1]);
    to = std::copy(in + d, in + opmode, to);
    to = std::fill_n(to, opmode_bits - opmode_bits_of_dsp48e1, none);
    std::copy(in + opmode, in + input_width(dsp48e1_input_pins), to);
  }
  const Lanes* data() const { return in_; }

 private:
  Lanes in_[input_width(dsp48e2_input_pins)];
};

void evaluate_sum(const State& s, const Lanes* in, Lanes* out) {
  Ports ports(s, in);
  Front front(s, in, ports);
  Alu r;
  Adder(s, in, ports, &front).run(r);
  show(s.attributes, r, out);
}

void clock_slice(State& s, const Lanes* in) {
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

State& state_at(Lanes* words) { return *std::launder(reinterpret_cast<State*>(words)); }
const State& state_at(const Lanes* words) {
  return *std::launder(reinterpret_cast<const State*>(words));
}

}  // namespace

std::size_t dsp48e2_lane_state_words() { return sizeof(State) / sizeof(Lanes); }

void dsp48e2_lane_power_up(const Dsp48e2Attributes& attributes, Lanes* state) {
  new (state) State{.attributes = attributes};
}

void dsp48e2_lane_evaluate(const Lanes* in, const Lanes* state, Lanes* out) {
  const State& s = state_at(state);
  const A& a = s.attributes;
  Ports ports(s, in);  // A, B and C are where a DSP48E2 has them
  std::copy_n(a.acascreg != a.areg ? s.a1 : ports.a2, 30, pin<&Out::acout>(out));
  std::copy_n(a.bcascreg != a.breg ? s.b1 : ports.b2, 18, pin<&Out::bcout>(out));
  if (a.preg != 0) {
    show(a, s, out);
    Lanes neither = ~(s.patterndetect[0] | s.patternbdetect[0]);
    *pin<&Out::overflow>(out) = s.patterndetect_past[0] & neither;
    *pin<&Out::underflow>(out) = s.patternbdetect_past[0] & neither;
    return;
  }
  if (a.kind == Kind::dsp48e1)
    evaluate_sum(s, Widened(in).data(), out);
  else
    evaluate_sum(s, in, out);
  *pin<&Out::overflow>(out) = *pin<&Out::underflow>(out) = none;
}

void dsp48e2_lane_clock(const Lanes* in, Lanes* state) {
  State& s = state_at(state);
  if (s.attributes.kind == Kind::dsp48e1)
    clock_slice(s, Widened(in).data());
  else
    clock_slice(s, in);
}

}  // namespace kumiki::ir
