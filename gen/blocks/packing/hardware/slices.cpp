// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/slices.h"

#include <fmt/format.h>

#include "gen/hdl/dsp.h"

namespace kumiki::gen::packing {
namespace {

class SliceBuilder {
 public:
  SliceBuilder(Scope& s, const PackingPlan& plan, const OperandNets& operands,
               const SliceControls& controls)
      : s_(s), plan_(plan), operands_(operands), controls_(controls) {}

  std::vector<SInt> build() {
    for (const Slice& slice : plan_.slices) {
      const auto what = remark(slice);
      s_.remark(what);  // for the cells in the fabric that it needs
      Dsp48e2 dsp = slice_of(slice);
      s_.remark(what);
      out_.push_back(dsp.add_to(s_));
      const std::size_t number = out_.size() - 1;
      s_.named(fmt::format("p{}", number), out_.back().p);
      s_.named(fmt::format("cascade{}", number), UInt(out_.back().pcout));
    }
    std::vector<SInt> words;
    for (const auto& out : out_) words.push_back(out.p);
    return words;
  }

 private:
  // "slice 3: term 2, on top of slice 2, P after 5 clocks".
  std::string remark(const Slice& slice) const {
    return fmt::format(
        "slice {}: {}{}, P after {} clocks", out_.size(),
        slice.term >= 0 ? fmt::format("term {}", slice.term) : std::string("adds words"),
        slice.cascade >= 0 ? fmt::format(", on top of slice {}", slice.cascade) : "", slice.cycle);
  }

  Dsp48e2 slice_of(const Slice& slice) {
    const SliceKind& kind = plan_.kinds[slice.kind];
    Dsp48e2 dsp;
    dsp.attributes.alumodereg = 0;
    dsp.attributes.carryinselreg = 0;
    dsp.attributes.inmodereg = 0;
    dsp.attributes.rnd = static_cast<std::uint64_t>(kind.rnd) & ir::dsp48e2::word_mask;
    dsp.enable = controls_.enable;
    if (slice.cascade >= 0) dsp.pcin = out_[slice.cascade].pcout;
    if (kind.multiplies)
      multiply(dsp, kind, slice);
    else
      add_words(dsp, kind, slice);
    if (kind.c.used()) dsp.c = wire(kind.c, slice, kind.operand_c_delay);
    if (kind.has_carry_in) dsp.carryin = bit(kind.carry_in, slice, 0);
    set_opmode(dsp, kind, slice);
    return dsp;
  }

  void multiply(Dsp48e2& dsp, const SliceKind& kind, const Slice& slice) {
    dsp.inmode = static_cast<std::uint8_t>(kind.inmode);
    dsp.a = extended(wire(plan_.ports.a, slice), dsp48e2.a);
    dsp.b = extended(wire(plan_.ports.b, slice), dsp48e2.b);
    if (plan_.ports.preadder()) {
      dsp.d = wire(plan_.ports.d, slice);
      dsp.attributes.amultsel = ir::dsp48e2::AMultSel::ad;
      // B waits a cycle longer than the operands of the pre-adder wait in A and D.
      dsp.attributes.breg = dsp.attributes.bcascreg = 2;
    }
    if (controls_.no_term.empty() || controls_.no_term[slice.term] == ir::net_open) return;
    // Clears the product register in the clock that would load this cycle's product. Its reset
    // overrides its enable, so the reset must include the enable.
    const Net clear =
        delay(s_, controls_.no_term[slice.term],
              static_cast<std::uint32_t>(plan_.multiply_latency - 2), controls_.enable);
    dsp.rstm = s_.net(clear & controls_.enable);
  }

  void add_words(Dsp48e2& dsp, const SliceKind& kind, const Slice& slice) {
    dsp.attributes.use_mult = ir::dsp48e2::UseMult::none;
    dsp.attributes.mreg = 0;
    if (kind.simd == Simd::Two24) dsp.attributes.use_simd = ir::dsp48e2::UseSimd::two24;
    if (kind.simd == Simd::Four12) dsp.attributes.use_simd = ir::dsp48e2::UseSimd::four12;
    if (!kind.ab.used()) return;
    const UInt ab(wire(kind.ab, slice));
    dsp.a = ab.slice(dsp48e2.b, dsp48e2.a);
    dsp.b = ab.slice(0, dsp48e2.b);
  }

  // OPMODE is constant if all cycles do the same. Otherwise its bits follow the flag of the first
  // cycle; the slice inverts the bits that fall when the flag rises.
  void set_opmode(Dsp48e2& dsp, const SliceKind& kind, const Slice& slice) {
    const std::uint16_t rising = kind.load.bits & ~kind.run.bits & 0x1ff;
    const std::uint16_t falling = kind.run.bits & ~kind.load.bits & 0x1ff;
    if (rising == 0 && falling == 0 && !kind.gated) {
      dsp.opmode = kind.load.bits;
      dsp.attributes.opmodereg = 0;
      return;
    }
    constexpr std::uint32_t width = 9;
    std::vector<Net> nets(width);
    const Net first =
        (rising | falling) != 0 ? controls_.first->after(slice.cycle - 2) : ir::net_zero;
    for (std::uint32_t i = 0; i < width; ++i)
      nets[i] = (rising | falling) >> i & 1 ? first : ir::constant((kind.load.bits >> i & 1) != 0);
    if (kind.gated) nets[7] = nets[8] = bit(kind.gate, slice, kind.operand_c_delay);
    dsp.attributes.is_opmode_inverted = falling;
    dsp.opmode_nets = bits(s_, nets);
    dsp.cectrl = controls_.enable;
  }

  // The bits of a piece. `late` delays operands that enter a later register.
  Word source(const Piece& piece, const Slice& slice, int late) {
    const auto count = static_cast<std::uint32_t>(piece.repeat ? 1 : piece.width);
    const auto lsb = static_cast<std::uint32_t>(piece.lsb);
    UInt found;
    if (piece.from == Piece::From::Slice) {
      found = out_[slice.sources[piece.source]].p.slice(lsb, count);
    } else {
      const UInt raw(operands_.at(piece.operand, slice.term));
      found = delay(s_, raw.slice(lsb, count), static_cast<std::uint32_t>(late), controls_.enable);
    }
    return piece.invert ? s_.word(~found) : found;
  }
  Net bit(const Piece& piece, const Slice& slice, int late) {
    return source(piece, slice, late)[0];
  }

  Word wire(const Wiring& wiring, const Slice& slice, int late = 0) {
    std::vector<Net> nets(static_cast<std::size_t>(wiring.width), ir::net_zero);
    for (const Piece& piece : wiring.pieces) {
      Word from;
      if (piece.from != Piece::From::Constant) from = source(piece, slice, late);
      for (int i = 0; i < piece.width; ++i)
        nets[piece.at + i] = piece.from == Piece::From::Constant
                                 ? ir::constant((piece.value >> i & 1) != 0)
                                 : from[static_cast<std::uint32_t>(piece.repeat ? 0 : i)];
    }
    return bits(s_, nets);
  }

  Word extended(const Word& w, int width) {
    return sext(s_, SInt(w), static_cast<std::uint32_t>(width));
  }

  Scope& s_;
  const PackingPlan& plan_;
  const OperandNets& operands_;
  const SliceControls& controls_;
  std::vector<Dsp48e2::Out> out_;
};

}  // namespace

std::vector<SInt> build_slices(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                               const SliceControls& controls) {
  return SliceBuilder(s, plan, operands, controls).build();
}

}  // namespace kumiki::gen::packing
