// SPDX-License-Identifier: Apache-2.0
#include "backends/timing/dsp.h"

#include <algorithm>

#include "ir/primitives/dsp48e2_attributes.h"
#include "ir/primitives/dsp48e2_reach.h"

namespace kumiki::backends::timing {
namespace {

using namespace ir::dsp48e2;
using Attributes = ir::Dsp48e2Attributes;
using In = ir::Dsp48e2Inputs;
using Out = ir::Dsp48e2Outputs;

constexpr std::size_t pin(std::uint64_t In::*member) {
  std::size_t i = 0;
  while (ir::dsp48e2_input_pins[i].member != member) ++i;
  return i;
}

Picoseconds later(Picoseconds t, Picoseconds by) { return t == never ? never : t + by; }

// One traversal of the slice, from its pins or from its registers.
class Pass {
 public:
  Pass(const Attributes& a, const ir::timing::DspDelays& d, bool from_registers)
      : a_(a), d_(d), register_(from_registers ? d.clk_to_q : never) {
    at_.fill(never);
  }
  void start_at(std::size_t input) { at_[input] = 0; }

  void run() {
    const Picoseconds a_in = operand(a_.a_input, &In::a, &In::acin);
    const Picoseconds b_in = operand(a_.b_input, &In::b, &In::bcin);
    const Picoseconds a = at_pin(a_in, a_.areg), b = at_pin(b_in, a_.breg);
    acout = later(a, d_.cascade_out);
    bcout = later(b, d_.cascade_out);
    Picoseconds sum =
        std::max({a, b, multiplied(a, b), from(&In::c, a_.creg), from(&In::opmode, a_.opmodereg),
                  from(&In::alumode, a_.alumodereg), from(&In::carryin, a_.carryinreg),
                  from(&In::carryinsel, a_.carryinselreg)});
    for (auto cascade : {&In::pcin, &In::carrycascin, &In::multsignin})
      sum = std::max(sum, at_[pin(cascade)]);
    sum = later(sum, d_.alu);
    p = result(sum);
    if (a_.use_pattern_detect == UsePatternDetect::patdet) pattern = result(later(sum, d_.pattern));
    pcout = later(p, d_.cascade_out);
  }

  Picoseconds p = never, pattern = never, pcout = never, acout = never, bcout = never;
  Picoseconds captured = never;  // by a register, including setup

 private:
  Picoseconds operand(ir::dsp48e2::Path path, std::uint64_t In::*direct,
                      std::uint64_t In::*cascade) const {
    return path == ir::dsp48e2::Path::direct ? later(at_[pin(direct)], d_.pin)
                                             : later(at_[pin(cascade)], d_.cascade_in);
  }

  Picoseconds capture(Picoseconds t, Picoseconds setup) {
    captured = std::max(captured, later(t, setup));
    return register_;
  }
  // `t` includes the path from the pin, which is also part of the setup of a register there.
  Picoseconds at_pin(Picoseconds t, unsigned registers) {
    return registers == 0 ? t : capture(t, std::max(0, d_.setup - d_.pin));
  }
  Picoseconds from(std::uint64_t In::*input, unsigned registers) {
    return at_pin(later(at_[pin(input)], d_.pin), registers);
  }

  // The product, or the signs of its operands, which may be the carry-in. Without the multiplier,
  // the registers D and AD are bypassed.
  Picoseconds multiplied(Picoseconds a, Picoseconds b) {
    const bool multiplies = a_.use_mult != UseMult::none;
    const Picoseconds inmode = from(&In::inmode, a_.inmodereg);
    const Picoseconds a_port = std::max(a, inmode), b_port = std::max(b, inmode);
    Picoseconds ad = std::max({from(&In::d, multiplies ? a_.dreg : 0), inmode,
                               a_.preaddinsel == PreAddInSel::b ? b_port : a_port});
    ad = later(ad, d_.pre_adder);
    const bool reads_ad = a_.amultsel == AMultSel::ad || a_.bmultsel == BMultSel::ad;
    if (multiplies && a_.adreg != 0) ad = reads_ad ? capture(ad, d_.inner_setup) : register_;
    const Picoseconds x = a_.amultsel == AMultSel::ad ? ad : a_port,
                      y = a_.bmultsel == BMultSel::ad ? ad : b_port;
    const Picoseconds operands = later(std::max(x, y), d_.select);
    if (!multiplies) return a_.mreg == 0 ? operands : never;
    const Picoseconds product = later(operands, d_.multiplier);
    return a_.mreg != 0 ? capture(product, d_.inner_setup) : later(product, d_.past_m);
  }

  Picoseconds result(Picoseconds sum) {
    if (a_.preg == 0) return later(sum, d_.out);
    capture(sum, d_.inner_setup);
    return register_ == never ? never : d_.p_clk_to_q;
  }

  const Attributes& a_;
  const ir::timing::DspDelays& d_;
  Picoseconds register_;
  std::array<Picoseconds, DspTiming::inputs> at_{};
};

Picoseconds at_output(const Pass& pass, std::size_t output) {
  const auto member = ir::dsp48e2_output_pins[output].member;
  if (member == &Out::acout) return pass.acout;
  if (member == &Out::bcout) return pass.bcout;
  if (member == &Out::patterndetect || member == &Out::patternbdetect) return pass.pattern;
  const bool cascade =
      member == &Out::pcout || member == &Out::carrycascout || member == &Out::multsignout;
  return cascade ? pass.pcout : pass.p;
}

bool is_control(std::string_view name) { return name.starts_with("CE") || name.starts_with("RST"); }

}  // namespace

DspTiming dsp_timing(const Attributes& a, const Delays& delays) {
  DspTiming t;
  Pass launched(a, delays.dsp, true);
  launched.run();
  for (std::size_t o = 0; o < DspTiming::outputs; ++o) t.clk_to[o] = at_output(launched, o);
  for (std::size_t i = 0; i < DspTiming::inputs; ++i) {
    Pass pass(a, delays.dsp, false);
    pass.start_at(i);
    pass.run();
    t.setup[i] = is_control(ir::dsp48e2_input_pins[i].name) ? delays.dsp.control : pass.captured;
    for (std::size_t o = 0; o < DspTiming::outputs; ++o) {
      const bool reaches = ir::combinational_inputs(a, static_cast<unsigned>(o)) >> i & 1;
      t.through[i][o] = !reaches               ? never
                        : delays.counts_levels ? 1
                                               : std::max(0, at_output(pass, o));
    }
  }
  return t;
}

namespace {

// The registers on which the data sheet's clock limits depend.
struct Registers {
  explicit Registers(const Attributes& a)
      : pattern(a.use_pattern_detect == UsePatternDetect::patdet) {
    if (a.use_mult == UseMult::none) return;
    no_m = a.mreg == 0;
    no_ad = a.adreg == 0 && (a.amultsel == AMultSel::ad || a.bmultsel == BMultSel::ad);
  }
  bool pattern, no_m = false, no_ad = false;
};

}  // namespace

std::uint32_t dsp_limit(const Attributes& attributes, const ClockLimits& limits) {
  const Registers r(attributes);
  if (r.no_m && r.no_ad) return r.pattern ? limits.no_m_no_ad_pattern : limits.no_m_no_ad;
  if (r.no_m) return r.pattern ? limits.no_m_pattern : limits.no_m;
  if (r.no_ad) return r.pattern ? std::min(limits.no_ad, limits.dsp_pattern) : limits.no_ad;
  return r.pattern ? limits.dsp_pattern : limits.dsp;
}

std::string dsp_registers(const Attributes& attributes) {
  const Registers r(attributes);
  std::string text = r.no_m && r.no_ad ? "without M and AD"
                     : r.no_m          ? "without M"
                     : r.no_ad         ? "without AD"
                                       : "with its registers";
  return r.pattern ? text + ", with pattern detector" : text;
}

}  // namespace kumiki::backends::timing
