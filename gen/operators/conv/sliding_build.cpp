// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/dsp.h"
#include "gen/layers/pipeline/machines/earlier.h"
#include "gen/layers/pipeline/machines/lanes.h"
#include "gen/layers/pipeline/machines/raster.h"
#include "gen/operators/conv/kernel_rom.h"
#include "gen/operators/conv/sliding.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::size_t lanes_of_an_index = 8;  // that one copy of it feeds

std::uint32_t clocks_of(std::int64_t clocks) { return static_cast<std::uint32_t>(clocks); }

// A number of every lane, and whether it came by the register A1 too.
struct Tap {
  UInt word;
  bool takes_a1 = false;
};

// The numbers under the kernel in the order of the slices: from the last line to the first one, in
// it from the last column to the first one. Tap i comes i clocks after the first one.
std::vector<Tap> taps_of(Scope& s, const SlidingPlan& p, UInt word, Net valid, Net reset) {
  const std::int64_t lines = p.window.kernel[0], columns = p.window.kernel[1];
  std::vector<Tap> all;
  for (std::int64_t line = 0, came = 0; line < lines; ++line) {
    if (line > 0) {
      Earlier above(s, p.down(), word.width(), false, valid, reset);
      above.keep(word);
      word = above.word();
      s.named(fmt::format("line{}", line), word);
      valid = later(s, valid, Earlier::clocks(p.down()), reset);
      came += Earlier::clocks(p.down());
    }
    // One clock is that of A1.
    const std::int64_t waits = line * columns + p.late() - came;
    const std::int64_t before = std::max<std::int64_t>(waits - 1, 0);
    const UInt last = delay(s, word, clocks_of(before));
    const Net moves = later(s, valid, before, reset);
    for (std::int64_t column = 0; column < columns; ++column) {
      const bool takes_a1 = waits + column > 0;
      const UInt earlier = delay(s, last, clocks_of(column * p.right()), moves);
      all.push_back(
          {delay(s, earlier, clocks_of(waits + column - before - (takes_a1 ? 1 : 0))), takes_a1});
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) s.named(fmt::format("tap{}", i), all[i].word);
  return all;
}

// The weights of each slice, for all lanes, a clock after their numbers. `block`: of the beat that
// comes.
std::vector<std::vector<SInt>> weights_of(Scope& s, const SlidingPlan& p, UInt block) {
  const auto slices = static_cast<std::size_t>(p.positions()),
             lanes = static_cast<std::size_t>(p.stream.lanes);
  const auto words = [&](std::size_t slice, std::size_t lane) {
    return p.weights_at(static_cast<std::int64_t>(slices - 1 - slice),
                        static_cast<std::int64_t>(lane));
  };
  const bool is_counted = p.stream.blocks() > 1;
  if (is_counted) block = delay(s, block, clocks_of(p.late() - 1));
  std::vector<std::vector<SInt>> all(slices);
  if (KernelRom::is_memory(static_cast<std::size_t>(p.stream.blocks()))) {
    // A memory has the weights of all slices of a lane; those of later slices wait.
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::vector<std::vector<std::int64_t>> of_slices;
      for (std::size_t slice = 0; slice < slices; ++slice) of_slices.push_back(words(slice, lane));
      const auto read = KernelRom(of_slices, p.weight_range()).build(s, 0, slices, block);
      for (std::size_t slice = 0; slice < slices; ++slice)
        all[slice].push_back(delay(s, read[slice], static_cast<std::uint32_t>(slice)));
    }
    return all;
  }
  for (std::size_t slice = 0; slice < slices; ++slice) {
    std::vector<std::vector<std::int64_t>> of_lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) of_lanes.push_back(words(slice, lane));
    const KernelRom rom(of_lanes, p.weight_range());
    const UInt next = is_counted ? reg(s, block) : block;
    for (std::size_t lane = 0; lane < lanes; lane += lanes_of_an_index) {
      const UInt index = !is_counted || lane == 0 ? next : reg(s, block);
      for (const SInt& weight :
           rom.build(s, lane, std::min(lanes_of_an_index, lanes - lane), index))
        all[slice].push_back(weight);
    }
    block = next;
  }
  return all;
}

}  // namespace

MachineOut<Hardware> build(Scope& s, const SlidingPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Walk walk = p.schedule();
  const Stream out = p.output();
  Wire<Net> room_next(s);
  const Raster raster = build_raster(s, walk.around, in.in_valid[0], room_next, in.rst);
  const UInt word =
      raster_word(s, walk.around, raster, in.in_data, arith::raw_of(p.zero_point, p.stream.format));
  const Net completes = reg(
      s,
      s.net(raster.moves & raster.column.look_up(walk.columns) & raster.line.look_up(walk.lines)),
      {.reset = in.rst});
  const auto taps = taps_of(s, p, word, reg(s, raster.moves, {.reset = in.rst}), in.rst);

  const auto weights = weights_of(s, p, raster.block.at());
  std::vector<SInt> sums(static_cast<std::size_t>(p.stream.lanes));
  std::vector<Word> cascade(sums.size());
  for (std::size_t slice = 0; slice < taps.size(); ++slice) {
    s.remark(fmt::format("slices {} of {}", slice + 1, taps.size()));
    const auto numbers = lanes_of(taps[slice].word, p.stream.lanes);
    for (std::size_t lane = 0; lane < sums.size(); ++lane) {
      const UInt& x = numbers[lane];
      const SInt number =
          p.stream.format.is_signed ? SInt(Word(x)) : SInt(Word(zext(s, x, x.width() + 1)));
      const std::uint8_t registers = taps[slice].takes_a1 ? 2 : 1;
      constexpr std::uint16_t product = 0b00'000'01'01, from_below = 0b00'001'00'00;
      Dsp48e2 dsp{
          .attributes = {.areg = registers, .acascreg = registers, .breg = 1, .bcascreg = 1},
          .a = sext(s, number, dsp48e2.a),
          .b = sext(s, weights[slice][lane], dsp48e2.b),
          .opmode = product};
      if (slice > 0) {
        dsp.pcin = cascade[lane];
        dsp.opmode |= from_below;
      }
      const Dsp48e2::Out found = dsp.add_to(s);
      cascade[lane] = found.pcout;
      sums[lane] = found.p;
    }
  }
  std::vector<Word> high_to_low;
  for (std::size_t lane = sums.size(); lane-- > 0;)
    high_to_low.push_back(sums[lane].slice(0, static_cast<std::uint32_t>(out.format.bits)));
  const Net arrives = later(s, completes, walk.results.clocks - 1, in.rst);
  const Results results(s, walk.results, arrives, cat(s, high_to_low), in.out_ready, in.rst);
  room_next.drive(results.room_next());
  return {.in_ready = {raster.ready},
          .out_valid = results.valid(),
          .out_data = lanes_of(results.word(), p.stream.lanes)};
}

}  // namespace kumiki::gen::pipeline
