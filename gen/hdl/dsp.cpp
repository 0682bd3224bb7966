// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/dsp.h"

#include <fmt/format.h>

#include <stdexcept>
#include <unordered_map>

#include "gen/hdl/messages.h"

namespace kumiki::gen {
namespace {

// The parts that a slice never uses, whatever its controls are. UG579 requires constant pins there,
// because they cost power although nothing reads them.
struct Unused {
  bool c, d, m;  // C, the pre-adder with D, the product register
};

// A DSP48E1 has no W: its field is 0.
std::uint32_t opmode_width(const Dsp48e2& dsp) {
  return dsp.attributes.kind == ir::Kind::dsp48e1 ? ir::dsp48e2::opmode_bits_of_dsp48e1
                                                  : ir::dsp48e2::opmode_bits;
}

Net opmode_bit(const Dsp48e2& dsp, unsigned bit) {
  return dsp.opmode_nets.width() != 0 ? dsp.opmode_nets[bit]
                                      : ir::constant((dsp.opmode >> bit & 1) != 0);
}

// Whether this field of OPMODE can have the value, after the inverters of the pins.
bool can_be(const Dsp48e2& dsp, unsigned low, unsigned width, unsigned value) {
  for (unsigned i = 0; i < width; ++i) {
    const Net given = low + i >= opmode_width(dsp) ? ir::net_zero : opmode_bit(dsp, low + i);
    const bool inverted = (dsp.attributes.is_opmode_inverted >> (low + i) & 1) != 0;
    const bool wanted = (value >> i & 1) != 0;
    if (given.is_constant() && (given == ir::net_one) != (wanted != inverted)) return false;
  }
  return true;
}

Unused unused(const Dsp48e2& dsp) {
  using namespace ir::dsp48e2;
  const ir::Dsp48e2Attributes& a = dsp.attributes;
  const bool w_or_y_or_z_is_c =
      can_be(dsp, 7, 2, 0b11) || can_be(dsp, 2, 2, 0b11) || can_be(dsp, 4, 3, 0b011);
  const bool pattern_or_mask_is_c = a.use_pattern_detect == UsePatternDetect::patdet &&
                                    (a.sel_pattern == SelPattern::c || a.sel_mask != SelMask::mask);
  const bool preadder = a.amultsel == AMultSel::ad || a.bmultsel == BMultSel::ad;
  return {.c = dsp.c.width() == 0 && !w_or_y_or_z_is_c && !pattern_or_mask_is_c,
          .d = dsp.d.width() == 0 && !preadder,
          .m = a.mreg == 0};
}

// The slice with its unused pins at rest: C is all ones in a register without enable. D and the
// pre-adder are treated likewise. A product register that does not exist gets no enable. Of A a
// multiplier reads the low bits; the others would be wires of its sign.
Dsp48e2 at_rest(Dsp48e2 dsp, Scope& s, SourceLocation here) {
  const Unused u = unused(dsp);
  if (u.c) {
    dsp.c = s.constant(ir::dsp48e2::word_mask, dsp48e2.c, here);
    dsp.attributes.creg = 1;
    dsp.cec = ir::net_zero;
  }
  if (u.d) dsp.ced = dsp.cead = ir::net_zero;
  if (u.m) dsp.cem = ir::net_zero;
  const std::uint32_t read = ir::arch::of(s.family()).dsp.multiplier_a;
  if (dsp.attributes.use_mult == ir::dsp48e2::UseMult::multiply && dsp.a.width() > read) {
    std::vector<Net> a(dsp.a.nets().begin(), dsp.a.nets().end());
    for (std::uint32_t i = read; i < a.size(); ++i)
      if (!a[i].is_constant()) a[i] = ir::net_one;
    dsp.a = bits(s, a, here);
  }
  return dsp;
}

// The low bits of a word whose other bits repeat the highest of them.
Word without_sign_bits(Scope& s, const Word& word, std::uint32_t width) {
  if (word.width() <= width) return word;
  const auto nets = word.nets();
  for (std::uint32_t i = width; i < word.width(); ++i)
    if (nets[i] != nets[width - 1])
      throw std::logic_error(
          fmt::format("a word for {} bits of a DSP48E1 has {} of its own", width, i + 1));
  return bits(s, {nets.begin(), nets.begin() + width});
}

// A DSP48E1 that does the same. It has no W. So what W would add to Z = 0 comes through Z: P as
// itself, RND on C.
Dsp48e2 as_dsp48e1(Dsp48e2 dsp, Scope& s, SourceLocation here) {
  using namespace ir::dsp48e2;
  constexpr ir::arch::DspSlice slice = ir::arch::dsp48e1;
  constexpr unsigned w = opmode_bits_of_dsp48e1, z = 4;
  ir::Dsp48e2Attributes& a = dsp.attributes;
  if (a.bmultsel != BMultSel::b || a.preaddinsel != PreAddInSel::a)
    throw std::logic_error("the pre-adder of a DSP48E1 adds A and D alone");
  std::vector<Net> opmode;
  for (unsigned i = 0; i < opmode_bits; ++i) opmode.push_back(opmode_bit(dsp, i));
  const Net low = opmode[w], high = opmode[w + 1];
  const bool has_w = low != ir::net_zero || high != ir::net_zero;
  if ((a.is_opmode_inverted >> (has_w ? z : w)) != 0 ||
      (has_w && (opmode[z] != ir::net_zero || opmode[z + 1] != ir::net_zero)))
    throw std::logic_error("a DSP48E1 adds no third number to a product");
  if (has_w) {
    // From W = P (01), RND (10) or C (11) to Z = P (010) or C (011).
    const bool is_rnd = low == ir::net_zero, is_p = high == ir::net_zero;
    if (!is_rnd && !is_p && low != high)
      throw std::logic_error("W of a slice that becomes a DSP48E1 may be several numbers");
    if (is_rnd && dsp.c.width() != 0)
      throw std::logic_error("RND and C share the port C of a DSP48E1");
    opmode[z] = high;
    opmode[z + 1] = is_p ? low : high;
    if (is_rnd) dsp.c = s.constant(a.rnd, slice.c, here);
  }
  opmode.resize(w);
  if (dsp.opmode_nets.width() != 0 || has_w) {
    dsp.opmode_nets = bits(s, opmode);
    dsp.opmode = 0;
  }
  a.rnd = 0;
  a.kind = slice.kind;
  dsp.d = without_sign_bits(s, dsp.d, slice.d);
  if (a.use_mult != UseMult::none && dsp.a.width() != 0)
    (void)without_sign_bits(s, dsp.a, slice.multiplier_a);
  return dsp;
}

// The pins that Dsp48e2 can set to something else than their tie-off value.
class Connections {
 public:
  Connections(const Dsp48e2& dsp, Scope& s, SourceLocation here)
      : here_(here), kind_(dsp.attributes.kind) {
    word("A", dsp.a), word("B", dsp.b), word("C", dsp.c), word("D", dsp.d);
    word("ACIN", dsp.acin), word("BCIN", dsp.bcin), word("PCIN", dsp.pcin);
    net("CARRYIN", dsp.carryin), net("CARRYCASCIN", dsp.carrycascin),
        net("MULTSIGNIN", dsp.multsignin);
    control(s, "OPMODE", dsp.opmode_nets, dsp.opmode, opmode_width(dsp));
    control(s, "ALUMODE", dsp.alumode_nets, dsp.alumode, 4);
    control(s, "INMODE", dsp.inmode_nets, dsp.inmode, 5);
    control(s, "CARRYINSEL", dsp.carryinsel_nets, dsp.carryinsel, 3);
    const std::pair<const char*, Net> enables[] = {{"CEA1", dsp.cea1},
                                                   {"CEA2", dsp.cea2},
                                                   {"CEB1", dsp.ceb1},
                                                   {"CEB2", dsp.ceb2},
                                                   {"CEC", dsp.cec},
                                                   {"CED", dsp.ced},
                                                   {"CEAD", dsp.cead},
                                                   {"CEM", dsp.cem},
                                                   {"CEP", dsp.cep},
                                                   {"CECTRL", dsp.cectrl},
                                                   {"CEALUMODE", dsp.cealumode},
                                                   {"CEINMODE", dsp.ceinmode},
                                                   {"CECARRYIN", dsp.cecarryin}};
    for (auto [name, n] : enables) net(name, n == ir::net_open ? dsp.enable : n);
    net("RSTP", dsp.rstp), net("RSTM", dsp.rstm), net("CLK", s.clk());
  }

  // The nets of a pin, appended.
  void append(const ir::Pin& pin, std::vector<Net>& in) const {
    if (auto it = words_.find(pin.name); it != words_.end()) {
      if (it->second.width() != pin.width)
        refuse(here_, code::widths_differ,
               fmt::format("{}.{} has {} bits, it is given {}", ir::prototype(kind_).name, pin.name,
                           pin.width, it->second.width()));
      in.insert(in.end(), it->second.nets().begin(), it->second.nets().end());
      return;
    }
    auto it = nets_.find(pin.name);
    Net tie = pin.tie == ir::Tie::one    ? ir::net_one
              : pin.tie == ir::Tie::open ? ir::net_open
                                         : ir::net_zero;
    in.insert(in.end(), pin.width, it == nets_.end() ? tie : it->second);
  }

 private:
  void word(std::string_view name, const Word& w) {
    if (w.width() != 0) words_.emplace(name, w);
  }
  void net(std::string_view name, Net n) { nets_.emplace(name, n); }
  void control(Scope& s, std::string_view name, const Word& nets, std::uint64_t constant,
               std::uint32_t width) {
    words_.emplace(name, nets.width() != 0 ? nets : s.constant(constant, width, here_));
  }

  SourceLocation here_;
  ir::Kind kind_;
  std::unordered_map<std::string_view, Word> words_;
  std::unordered_map<std::string_view, Net> nets_;
};

}  // namespace

void control_opmode(Scope& s, Dsp48e2& slice, unsigned bit, Net net) {
  std::vector<Net> opmode;
  for (unsigned i = 0; i < opmode_width(slice); ++i)
    opmode.push_back(i == bit ? net : opmode_bit(slice, i));
  slice.opmode_nets = bits(s, opmode);
}

Dsp48e2::Out Dsp48e2::add_to(Scope& s, SourceLocation here) const {
  const bool adapts = attributes.kind != ir::Kind::dsp48e1 && s.family() == ir::Family::series7;
  const Dsp48e2 dsp = at_rest(adapts ? as_dsp48e1(*this, s, here) : *this, s, here);
  const ir::Prototype& proto = ir::prototype(dsp.attributes.kind);
  Connections connections(dsp, s, here);
  std::vector<Net> in;
  for (const ir::Pin& pin : proto.inputs) connections.append(pin, in);
  Net next = s.cell(proto.kind, 1, in, ir::dsp_param_words(dsp.attributes), s.at(here));
  std::unordered_map<std::string_view, Word> outputs;
  for (const ir::Pin& pin : proto.outputs) {
    outputs.emplace(pin.name, s.run(next, pin.width, s.at(here)));
    next.index += pin.width;
  }
  auto get = [&](std::string_view name) { return outputs.at(name); };
  const bool has_xor = outputs.contains("XOROUT");
  return {.p = SInt(get("P")),
          .pcout = get("PCOUT"),
          .acout = get("ACOUT"),
          .bcout = get("BCOUT"),
          .carryout = UInt(get("CARRYOUT")),
          .patterndetect = get("PATTERNDETECT")[0],
          .patternbdetect = get("PATTERNBDETECT")[0],
          .overflow = get("OVERFLOW")[0],
          .underflow = get("UNDERFLOW")[0],
          .carrycascout = get("CARRYCASCOUT")[0],
          .multsignout = get("MULTSIGNOUT")[0],
          .xorout = has_xor ? UInt(get("XOROUT")) : UInt()};
}

}  // namespace kumiki::gen
