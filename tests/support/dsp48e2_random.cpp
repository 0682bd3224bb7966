// SPDX-License-Identifier: Apache-2.0
#include "tests/support/dsp48e2_random.h"

#include <stdexcept>

namespace kumiki::tests {
namespace {

using namespace ir::dsp48e2;

void choose_registers(ir::Dsp48e2Attributes& a, Random& random) {
  a.acascreg = a.areg == 2 ? static_cast<std::uint8_t>(1 + random.below(2)) : a.areg;
  a.bcascreg = a.breg == 2 ? static_cast<std::uint8_t>(1 + random.below(2)) : a.breg;
  if (random.one_in(2)) a.preg = 1;
}

// A mask that leaves a few bits, so that patterns are met.
void choose_pattern(ir::Dsp48e2Attributes& a, Random& random) {
  if (random.one_in(3)) a.use_pattern_detect = UsePatternDetect::patdet;
  std::uint64_t few = random.word() & random.word() & random.word();
  if (random.one_in(2)) few <<= random.below(48);
  a.mask = ~few & word_mask;
  a.pattern = random.operand(48);
  if (a.preg == 0 || a.use_pattern_detect == UsePatternDetect::no_patdet)
    a.autoreset_patdet = AutoReset::no_reset;
}

}  // namespace

ir::Dsp48e2Attributes random_dsp48e2(Random& random, ir::Kind kind) {
  ir::Dsp48e2Attributes a{.kind = kind};
  for (const auto& p : ir::dsp_parameters(a.kind)) {
    std::uint64_t value = random.up_to(p.max);
    if (p.param.name.starts_with("IS_")) value = random.one_in(4) ? value : 0;
    p.set(a, value);
  }
  a.is_clk_inverted = 0;  // the model's clock is the active edge
  if (kind == ir::Kind::dsp48e2) a.rnd = random.operand(48);
  choose_registers(a, random);
  if (a.use_mult == UseMult::none)
    a.mreg = 0;
  else
    a.use_simd = UseSimd::one48;
  choose_pattern(a, random);
  if (!violations(a).empty()) throw std::logic_error("a random configuration is illegal");
  return a;
}

Dsp48e2Stimulus::Dsp48e2Stimulus(const ir::Dsp48e2Attributes& attributes, std::uint64_t seed,
                                 bool illegal_too)
    : attributes_(attributes), random_(seed), illegal_too_(illegal_too) {
  for (auto& controls : legal_) {
    do controls = random_controls();
    while (!is_legal(controls));
  }
  now_ = legal_[0];
}

bool Dsp48e2Stimulus::is_legal(const Controls& c) const {
  const ir::Dsp48e2KnownControls known{.opmode = {static_cast<std::uint16_t>(c.opmode), 0x1ff},
                                       .alumode = {static_cast<std::uint16_t>(c.alumode), 0xf},
                                       .carryinsel = {static_cast<std::uint16_t>(c.carryinsel), 7}};
  return violations(attributes_, known).empty();
}

// Products are chosen half of the time when there is a multiplier, the adder mostly; MACC extend
// would be rare by chance.
Dsp48e2Stimulus::Controls Dsp48e2Stimulus::random_controls() {
  const bool is_e1 = attributes_.kind == ir::Kind::dsp48e1;
  Controls c{random_.below(is_e1 ? 128 : 512), random_.below(16), random_.below(8)};
  if (attributes_.use_mult != UseMult::none && random_.one_in(2))
    c.opmode = ((c.opmode & ~std::uint64_t{15}) | 5) ^ attributes_.is_opmode_inverted;
  if (random_.one_in(16))
    c.opmode = 0b001001000u ^ attributes_.is_opmode_inverted, c.carryinsel = 2;
  if (!random_.one_in(4)) c.alumode = (c.alumode & 3) ^ attributes_.is_alumode_inverted;
  return c;
}

void Dsp48e2Stimulus::choose_controls() {
  if (illegal_too_ && random_.one_in(8))
    now_ = random_controls();
  else if (random_.one_in(3))
    now_ = legal_[random_.below(legal_.size())];
}

ir::Dsp48e2Inputs Dsp48e2Stimulus::next() {
  ir::Dsp48e2Inputs in;
  choose_controls();
  const auto& a = attributes_;
  for (const auto& pin : ir::dsp_input_pins(a.kind)) {
    if (pin.member == nullptr) continue;
    auto& value = in.*pin.member;
    value = pin.width > 1 ? random_.operand(pin.width) : random_.below(2);
    if (pin.name.starts_with("CE")) value = random_.one_in(8) ? 0 : 1;
    if (pin.name.starts_with("RST")) value = random_.one_in(24) ? 1 : 0;
  }
  in.opmode = now_.opmode;
  in.alumode = now_.alumode;
  in.carryinsel = now_.carryinsel;
  in.inmode = random_.below(32);
  in.rsta ^= a.is_rsta_inverted;
  in.rstb ^= a.is_rstb_inverted;
  in.rstc ^= a.is_rstc_inverted;
  in.rstd ^= a.is_rstd_inverted;
  in.rstm ^= a.is_rstm_inverted;
  in.rstp ^= a.is_rstp_inverted;
  in.rstctrl ^= a.is_rstctrl_inverted;
  in.rstinmode ^= a.is_rstinmode_inverted;
  in.rstalumode ^= a.is_rstalumode_inverted;
  in.rstallcarryin ^= a.is_rstallcarryin_inverted;
  return in;
}

}  // namespace kumiki::tests
