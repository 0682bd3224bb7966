// SPDX-License-Identifier: Apache-2.0
// Written from the public manual (UG579) and from measured behaviour. Everything here is unsigned
// arithmetic on the low bits of 64-bit words; masks replace most branches, because the same code
// runs for many lanes whose controls differ.
#include "tests/support/dsp48e2_model.h"

#include <bit>
#include <type_traits>

#include <fmt/format.h>

namespace kumiki::ir {
namespace {

using namespace dsp48e2;
using Word = std::uint64_t;
using A = Dsp48e2Attributes;
using In = Dsp48e2Inputs;
using State = Dsp48e2State;

static_assert(std::is_trivially_copyable_v<State>);

constexpr Word low(unsigned bits) { return (Word{1} << bits) - 1; }
constexpr Word all(Word bit) { return Word{0} - (bit & 1); }  // 0 or all ones
constexpr Word pick(Word bit, Word one, Word zero) { return zero ^ (all(bit) & (zero ^ one)); }
constexpr Word extend(Word value, unsigned bits) {  // sign bit to the left, over 64 bits
  Word sign = Word{1} << (bits - 1);
  return ((value & low(bits)) ^ sign) - sign;
}

// The multiplier hands over two words whose sum is the product: the even bits of its magnitude with
// ones from bit 44 up, and the odd bits with the inverted sign at bit 44. A reset makes both words
// 0. That differs from the product 0 only in the carries out of the adder, so `live` records it. m
// = {live, inverted sign, product[43:0]}.
constexpr Word live = Word{1} << 45, even_bits = 0x55555555555, odd_bits = 0xaaaaaaaaaaa;
constexpr Word m_register(Word product) { return live | ((product ^ (Word{1} << 44)) & low(45)); }
constexpr Word partial_u(Word m) { return (all(m >> 45) & (Word{0xf} << 44)) | (m & even_bits); }
constexpr Word partial_v(Word m) { return m & (Word{1} << 44 | odd_bits); }

// The DSP48E1 differs here and in the widths: X has the whole product, with its sign, and Y
// nothing. MULTSIGNOUT is the sign of the product, selected or not. MACC extend adds -MULTSIGNIN
// through Y, where the DSP48E2 adds 2*MULTSIGNIN through X and -1 through Y.
bool is_e1(const A& a) { return a.kind == Kind::dsp48e1; }
unsigned factor_width(const A& a) { return is_e1(a) ? 25 : 27; }

// The operands after the input registers and their multiplexers.
struct Operands {
  Word a_in, b_in;  // port or cascade
  Word a2, b2;      // what the adder and the cascade see
  Word a_mult, b_mult, ad_sum;
};

bool uses_pre_adder(const A& a) {
  bool selected = a.amultsel == AMultSel::ad || a.bmultsel == BMultSel::ad;
  return selected && a.use_mult != UseMult::none;
}

Word inmode(const A& a, const State& s, const In& in) {
  return a.inmodereg != 0 ? s.inmode : in.inmode ^ a.is_inmode_inverted;
}

Operands operands(const A& a, const State& s, const In& in) {
  Operands o;
  o.a_in = a.a_input == Path::cascade ? in.acin : in.a;
  o.b_in = a.b_input == Path::cascade ? in.bcin : in.b;
  o.a2 = a.areg != 0 ? s.a2 : o.a_in;
  o.b2 = a.breg != 0 ? s.b2 : o.b_in;
  // Without input registers the first of the two reads 0.
  Word a1 = a.areg != 0 ? s.a1 : 0, b1 = a.breg != 0 ? s.b1 : 0;
  Word mode = inmode(a, s, in);
  Word a_port = pick(mode, a1, o.a2) & low(factor_width(a)), b_port = pick(mode >> 4, b1, o.b2);
  bool on_b = a.preaddinsel == PreAddInSel::b;
  Word zeroed = all(mode >> 1);
  (on_b ? b_port : a_port) &= ~zeroed;

  bool registered = uses_pre_adder(a);  // D and AD are bypassed when nothing selects them
  Word d = (registered && a.dreg != 0 ? s.d : in.d) & all(mode >> 2);
  Word other = on_b ? extend(b_port, 18) : a_port;
  Word subtract = all(mode >> 3);
  o.ad_sum = (d + (other ^ subtract) - subtract) & low(factor_width(a));
  Word ad = registered && a.adreg != 0 ? s.ad : o.ad_sum;
  o.a_mult = a.amultsel == AMultSel::ad ? ad : a_port;
  o.b_mult = a.bmultsel == BMultSel::ad ? ad & low(18) : b_port;
  return o;
}

Word product(const A& a, const Operands& o) {
  if (a.use_mult == UseMult::none) return 0;
  return extend(o.a_mult, factor_width(a)) * extend(o.b_mult, 18);
}

// What the register M holds.
Word multiplied(const A& a, const Operands& o) {
  return is_e1(a) ? product(a, o) & word_mask : m_register(product(a, o));
}

// A[26] XNOR B[17]: the carry for rounding; 1 if the product is not negative.
Word round_carry(const A& a, const Operands& o) {
  return ~((o.a_mult >> (factor_width(a) - 1)) ^ (o.b_mult >> 17)) & 1;
}

struct Alu {
  Word p, carryout, carrycascout, multsignout, xorout, patterndetect, patternbdetect;
};

struct Sum {
  Word bits;    // 48
  Word carry;   // bit 11, 23, 35, 47: the carry out of a field that ends there, modulo 2
  Word beyond;  // the carry of the top field, 0 to 3
};

// W + s + 2*co + cin, cut into fields of `n` bits; cin enters the lowest.
template <unsigned n>
Sum add(Word w, Word s, Word co, Word cin) {
  Sum sum{0, 0, 0};
  for (unsigned at = 0; at < 48; at += n) {
    auto field = [&](Word x) { return (x >> at) & low(n); };
    Word t = field(w) + field(s) + 2 * field(co) + (at == 0 ? cin : 0);
    sum.bits |= (t & low(n)) << at;
    sum.beyond = t >> n;
    sum.carry |= (sum.beyond & 1) << (at + n - 1);
  }
  return sum;
}

Sum add_simd(const A& a, Word w, Word s, Word co, Word cin) {
  if (a.use_simd == UseSimd::one48) [[likely]]
    return add<48>(w, s, co, cin);
  return a.use_simd == UseSimd::two24 ? add<24>(w, s, co, cin) : add<12>(w, s, co, cin);
}

Word xor_tree(const A& a, Word s) {
  if (a.use_widexor == UseWideXor::off) [[likely]]
    return 0;
  Word six = 0;  // bit i: parity of bits 6i to 6i + 5
  for (unsigned i = 0; i < 8; ++i) six |= Word(std::popcount((s >> (6 * i)) & 0x3f) & 1) << i;
  if (a.xorsimd == XorSimd::xor12) return six;
  Word pairs = six ^ (six >> 1);      // bits 0 2 4 6: groups of 24 inputs
  Word fours = pairs ^ (pairs >> 2);  // bits 0 4: 48 inputs
  Word eight = (fours ^ (fours >> 4)) & 1;
  return (pairs & 0x55) | (fours & 1) << 1 | eight << 3 | ((fours >> 4) & 1) << 5 | (six & 0x80);
}

Word pattern_mask(const A& a, Word c) {
  if (a.use_pattern_detect == UsePatternDetect::no_patdet) return word_mask;
  switch (a.sel_mask) {
    case SelMask::c:
      return c;
    case SelMask::rounding_mode1:
      return (~c << 1) & word_mask;
    case SelMask::rounding_mode2:
      return (~c << 2) & word_mask;
    case SelMask::mask:
      break;
  }
  return a.mask;
}

Word carry_in(const A& a, const State& s, const In& in, const Operands& o) {
  Word sel = a.carryinselreg != 0 ? s.carryinsel : in.carryinsel;
  Word carryin = a.carryinreg != 0 ? s.carryin : in.carryin ^ a.is_carryin_inverted;
  Word round = a.mreg != 0 ? s.roundcarry : round_carry(a, o);
  Word pcin = in.pcin >> 47, p = s.p >> 47;
  // One bit a choice, the selected one shifted out.
  Word choices = carryin | (pcin ^ 1) << 1 | in.carrycascin << 2 | pcin << 3 |
                 Word{s.carrycascout} << 4 | (p ^ 1) << 5 | round << 6 | p << 7;
  return (choices >> sel) & 1;
}

Word shift17(Word value) {
  return static_cast<Word>(static_cast<std::int64_t>(extend(value, 48)) >> 17) & word_mask;
}

Word select_z(const State& s, const In& in, Word c, Word code) {
  switch (code) {
    case 0:
      return 0;
    case 1:
      return in.pcin;
    case 3:
      return c;
    case 5:
      return shift17(in.pcin);
    case 6:
    case 7:
      return shift17(s.p);
    default:
      return s.p;
  }
}

Alu evaluate(const A& a, const State& s, const In& in, const Operands& o) {
  Word opmode = a.opmodereg != 0 ? s.opmode : in.opmode ^ a.is_opmode_inverted;
  Word mode = a.alumodereg != 0 ? s.alumode : in.alumode ^ a.is_alumode_inverted;
  Word c = a.creg != 0 ? s.c : in.c;
  Word m = a.mreg != 0 ? s.m : multiplied(a, o);
  bool macc_extend = ((opmode >> 4) & 7) == 4;

  const Word ws[4] = {0, s.p, a.rnd, c};
  Word xs[4] = {macc_extend ? in.multsignin << 1 : 0, partial_u(m), s.p, o.a2 << 18 | o.b2};
  Word ys[4] = {0, partial_v(m), word_mask, c};
  if (is_e1(a)) {
    xs[0] = 0, xs[1] = m & word_mask, ys[1] = 0;
    if (macc_extend) ys[2] = all(in.multsignin) & word_mask;
  }
  Word w = ws[(opmode >> 7) & 3], x = xs[opmode & 3], y = ys[(opmode >> 2) & 3];
  Word z = select_z(s, in, c, (opmode >> 4) & 7) ^ (all(mode) & word_mask);

  Word sum = x ^ y ^ z, carries = (x & y) | (z & (x | y));
  Word logic = mode >> 2;  // 01: sum, 11: carries, 00: both
  Word cin = logic == 0 ? carry_in(a, s, in, o) : 0;
  Sum t = add_simd(a, w, pick(logic >> 1, carries, sum), carries & ~all(logic), cin);

  Alu r;
  r.p = t.bits ^ (all(mode >> 1) & word_mask);
  Word fields = a.use_simd == UseSimd::one48 ? 8 : a.use_simd == UseSimd::two24 ? 10 : 15;
  Word gathered =
      (t.carry >> 11 & 1) | (t.carry >> 22 & 2) | (t.carry >> 33 & 4) | (t.carry >> 44 & 8);
  r.carryout = (gathered ^ all(mode & mode >> 1)) & fields;  // a borrow shows inverted
  r.carrycascout = t.beyond & 1;
  r.multsignout = (t.beyond >> 1) & 1;
  if (is_e1(a)) r.multsignout = macc_extend ? in.multsignin : m >> 47 & 1;
  r.xorout = xor_tree(a, sum);
  Word mask = pattern_mask(a, c);
  Word differs = (a.sel_pattern == SelPattern::c ? c : a.pattern) ^ r.p;
  r.patterndetect = (differs & ~mask) == 0;
  r.patternbdetect = (~differs & ~mask & word_mask) == 0;
  return r;
}

// A register with synchronous reset that beats the enable.
template <class T>
void load(T& q, Word d, Word enable, Word reset) {
  q = static_cast<T>((q ^ (all(enable) & (q ^ d))) & ~all(reset));
}

void clock_inputs(const A& a, State& s, const In& in, const Operands& o) {
  Word rsta = in.rsta ^ a.is_rsta_inverted, rstb = in.rstb ^ a.is_rstb_inverted;
  if (a.areg != 0) {
    load(s.a2, a.areg == 2 ? s.a1 : o.a_in, in.cea2, rsta);
    load(s.a1, o.a_in, in.cea1, rsta);
  }
  if (a.breg != 0) {
    load(s.b2, a.breg == 2 ? s.b1 : o.b_in, in.ceb2, rstb);
    load(s.b1, o.b_in, in.ceb1, rstb);
  }
  if (a.creg != 0) load(s.c, in.c, in.cec, in.rstc ^ a.is_rstc_inverted);
  if (uses_pre_adder(a)) {
    Word rstd = in.rstd ^ a.is_rstd_inverted;
    if (a.adreg != 0) load(s.ad, o.ad_sum, in.cead, rstd);
    if (a.dreg != 0) load(s.d, in.d, in.ced, rstd);
  }
}

void clock_controls(const A& a, State& s, const In& in) {
  Word rstctrl = in.rstctrl ^ a.is_rstctrl_inverted;
  Word rstcarry = in.rstallcarryin ^ a.is_rstallcarryin_inverted;
  if (a.inmodereg != 0)
    load(s.inmode, in.inmode ^ a.is_inmode_inverted, in.ceinmode,
         in.rstinmode ^ a.is_rstinmode_inverted);
  if (a.opmodereg != 0) load(s.opmode, in.opmode ^ a.is_opmode_inverted, in.cectrl, rstctrl);
  if (a.carryinselreg != 0) load(s.carryinsel, in.carryinsel, in.cectrl, rstctrl);
  if (a.alumodereg != 0)
    load(s.alumode, in.alumode ^ a.is_alumode_inverted, in.cealumode,
         in.rstalumode ^ a.is_rstalumode_inverted);
  if (a.carryinreg != 0)
    load(s.carryin, in.carryin ^ a.is_carryin_inverted, in.cecarryin, rstcarry);
}

// Set in the cycle after the pattern was (or was no longer) detected.
Word auto_reset(const A& a, const State& s, const In& in) {
  if (a.autoreset_patdet == AutoReset::no_reset) return 0;
  Word event = a.autoreset_patdet == AutoReset::reset_match
                   ? s.patterndetect
                   : s.patterndetect_past & (s.patterndetect ^ 1);
  return a.autoreset_priority == AutoResetPriority::cep ? event & in.cep : event;
}

void clock_output(const A& a, State& s, const In& in, const Alu& r) {
  Word reset = (in.rstp ^ a.is_rstp_inverted) | auto_reset(a, s, in), enable = in.cep;
  load(s.patterndetect_past, s.patterndetect, enable, reset);
  load(s.patternbdetect_past, s.patternbdetect, enable, reset);
  load(s.patterndetect, r.patterndetect, enable, reset);
  load(s.patternbdetect, r.patternbdetect, enable, reset);
  load(s.p, r.p, enable, reset);
  load(s.carryout, r.carryout, enable, reset);
  load(s.carrycascout, r.carrycascout, enable, reset);
  load(s.multsignout, r.multsignout, enable, reset);
  load(s.xorout, r.xorout, enable, reset);
}

Dsp48e2Outputs registered(const State& s) {
  Word neither = (s.patterndetect | s.patternbdetect) ^ 1;
  return {.carrycascout = s.carrycascout,
          .carryout = s.carryout,
          .multsignout = s.multsignout,
          .overflow = s.patterndetect_past & neither,
          .p = s.p,
          .patternbdetect = s.patternbdetect,
          .patterndetect = s.patterndetect,
          .pcout = s.p,
          .underflow = s.patternbdetect_past & neither,
          .xorout = s.xorout};
}

// Without the P register there is no earlier value to compare with: OVERFLOW and UNDERFLOW stay 0.
Dsp48e2Outputs combinational(const Alu& r) {
  return {.carrycascout = r.carrycascout,
          .carryout = r.carryout,
          .multsignout = r.multsignout,
          .p = r.p,
          .patternbdetect = r.patternbdetect,
          .patterndetect = r.patterndetect,
          .pcout = r.p,
          .xorout = r.xorout};
}

}  // namespace

Dsp48e2Outputs outputs(const Dsp48e2Attributes& a, const Dsp48e2State& s, const Dsp48e2Inputs& in) {
  Dsp48e2Outputs out =
      a.preg != 0 ? registered(s) : combinational(evaluate(a, s, in, operands(a, s, in)));
  // A cascade that leaves one register earlier shows the first of the two registers.
  Word a_in = a.a_input == Path::cascade ? in.acin : in.a;
  Word b_in = a.b_input == Path::cascade ? in.bcin : in.b;
  out.acout = a.acascreg != a.areg ? s.a1 : a.areg != 0 ? s.a2 : a_in;
  out.bcout = a.bcascreg != a.breg ? s.b1 : a.breg != 0 ? s.b2 : b_in;
  return out;
}

void clock(const Dsp48e2Attributes& a, Dsp48e2State& s, const Dsp48e2Inputs& in) {
  Operands o = operands(a, s, in);
  if (a.preg != 0) clock_output(a, s, in, evaluate(a, s, in, o));
  if (a.mreg != 0) {
    load(s.m, multiplied(a, o), in.cem, in.rstm ^ a.is_rstm_inverted);
    load(s.roundcarry, round_carry(a, o), in.cem, in.rstallcarryin ^ a.is_rstallcarryin_inverted);
  }
  clock_inputs(a, s, in, o);
  clock_controls(a, s, in);
}

std::string verilog_value(const Dsp48e2Parameter& parameter, std::uint64_t value) {
  switch (parameter.param.type) {
    case Param::Type::text:
      return fmt::format("\"{}\"", parameter.param.choices[value]);
    case Param::Type::bits:
      return fmt::format("{}'h{:x}", parameter.param.width, value);
    case Param::Type::integer:
      break;
  }
  return std::to_string(value);
}

std::string verilog_parameters(const Dsp48e2Attributes& attributes) {
  std::string all;
  for (const auto& p : dsp_parameters(attributes.kind))
    if (auto value = p.get(attributes); value != p.param.fallback)
      all +=
          fmt::format("{}.{}({})", all.empty() ? "" : ", ", p.param.name, verilog_value(p, value));
  return all;
}

}  // namespace kumiki::ir
