// SPDX-License-Identifier: Apache-2.0
// Private to the bit-sliced DSP slice: everything between the operand registers and P.
#pragma once
#include "ir/primitives/dsp48e2_lane_parts.h"

namespace kumiki::ir::dsp48e2 {

struct Alu {
  Lanes p[48], carryout[4] = {}, carrycascout[1], multsignout[1], xorout[8];
  Lanes patterndetect[1], patternbdetect[1];
};

class Adder {
 public:
  Adder(const State& s, const Lanes* in, const Ports& ports, const Front* front)
      : s_(s),
        a_(s.attributes),
        in_(in),
        ports_(ports),
        front_(front),
        opmode_(pin<&In::opmode>(in), a_.is_opmode_inverted, a_.opmodereg, s.opmode),
        alumode_(pin<&In::alumode>(in), a_.is_alumode_inverted, a_.alumodereg, s.alumode),
        is_e1_(a_.kind == Kind::dsp48e1) {}

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
    if (is_e1_) {
      const Lanes extend = macc_extend(), multsignin = pin<&In::multsignin>(in_)[0];
      r.multsignout[0] = (extend & multsignin) | (~extend & product_[44]);
    }
    pattern(r);
  }

 private:
  void select(Mux<48>& w, Mux<48>& x, Mux<48>& y, Mux<48>& z) {
    const auto& o = opmode_;
    w.add(o[7] & ~o[8], s_.p);
    w.add(~o[7] & o[8], [&](Lanes* f) { constant(a_.rnd, f); });
    w.add(o[7] & o[8], ports_.c);

    select_product(x, y);
    Lanes multsignin = pin<&In::multsignin>(in_)[0], ones = every;
    if (is_e1_)
      ones = ~macc_extend() | multsignin;
    else
      x.add(~o[0] & ~o[1] & macc_extend() & multsignin, [](Lanes* f) {
        std::fill_n(f, 48, none);
        f[1] = every;
      });
    x.add(~o[0] & o[1], s_.p);
    x.add(o[0] & o[1], [&](Lanes* f) {
      std::copy_n(ports_.b2, 18, f);
      std::copy_n(ports_.a2, 30, f + 18);
    });

    y.add(~o[2] & o[3] & ones, [](Lanes* f) { std::fill_n(f, 48, every); });
    y.add(o[2] & o[3], ports_.c);

    const Lanes* pcin = pin<&In::pcin>(in_);
    z.add(o[4] & ~o[5] & ~o[6], pcin);
    z.add(~o[4] & ((o[5] & ~o[6]) | (~o[5] & o[6])), s_.p);
    z.add(o[4] & o[5] & ~o[6], ports_.c);
    z.add(o[4] & ~o[5] & o[6], [&](Lanes* f) { shift17(pcin, f); });
    z.add(o[5] & o[6], [&](Lanes* f) { shift17(s_.p, f); });
  }

  void select_product(Mux<48>& x, Mux<48>& y) {
    Lanes in_x = opmode_[0] & ~opmode_[1], in_y = opmode_[2] & ~opmode_[3];
    if (a_.mreg == 0 && (is_e1_ || (in_x | in_y) != none)) {
      front_->multiply(a_, now_);
      product_ = now_;
    }
    const Lanes* m = product_;
    if (is_e1_) {
      x.add(in_x, [&](Lanes* f) { std::fill_n(std::copy_n(m, 44, f), 4, m[44]); });
      return;
    }
    x.add(in_x, [&](Lanes* f) {
      for (unsigned i = 0; i < 44; ++i) f[i] = i % 2 == 0 ? m[i] : none;
      std::fill_n(f + 44, 4, m[45]);
    });
    y.add(in_y, [&](Lanes* f) {
      for (unsigned i = 0; i < 44; ++i) f[i] = i % 2 == 0 ? none : m[i];
      f[44] = m[44];
      std::fill_n(f + 45, 3, none);
    });
  }

  Lanes macc_extend() const { return ~opmode_[4] & ~opmode_[5] & opmode_[6]; }

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
  bool is_e1_;
  Lanes now_[46];
  const Lanes* product_ = s_.m;
};

}  // namespace kumiki::ir::dsp48e2
