// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/memory.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ir/arch.h"
#include "ir/ceil_div.h"
#include "ir/primitive.h"
#include "ir/primitives/addresses.h"
#include "ir/primitives/memory_parts.h"

namespace kumiki::ir {
namespace {

using namespace memory;

constexpr std::array<std::string_view, 3> reads{"ASYNC", "REGISTERED", "TWICE_REGISTERED"};
constexpr std::array<std::string_view, 3> styles{"distributed", "block", "ultra"};
constexpr std::array<Param, parameter_count> params{
    {{.name = "DEPTH", .fallback = 2},
     {.name = "WIDTH", .fallback = 1},
     {.name = "ADDRESS_BITS", .fallback = 1},
     {.name = "READ", .type = Param::Type::text, .choices = reads},
     {.name = "STYLE", .type = Param::Type::text, .choices = styles},
     {.name = "CONTENTS"}}};
constexpr std::array<Pin, 6> inputs{
    {{.name = "CLK", .clock = true},
     {.name = "WE", .tie = Tie::zero},
     {.name = "WADDR", .tie = Tie::zero, .width_param = address_bits},
     {.name = "WDATA", .tie = Tie::zero, .width_param = width},
     {.name = "RE", .tie = Tie::one},
     {.name = "RADDR", .width_param = address_bits}}};
constexpr std::array<Pin, 1> outputs{{{.name = "RDATA", .width_param = width}}};

struct Shape {
  explicit Shape(const CellView& cell)
      : d(cell.params[depth]), w(cell.params[width]), a(cell.params[address_bits]) {}
  std::size_t d, w, a;
  std::size_t we() const { return 1; }
  std::size_t waddr() const { return 2; }
  std::size_t wdata() const { return 2 + a; }
  std::size_t re() const { return 2 + a + w; }
  std::size_t raddr() const { return 3 + a + w; }
};

std::size_t read_stages(const CellView& cell) { return cell.params[read]; }

// State: DEPTH words of WIDTH lanes, then the read registers, the one next to the array first.
std::size_t state_words(const CellView& cell) {
  Shape s(cell);
  return s.w * (s.d + read_stages(cell));
}

void power_up(const CellView& cell, Lanes* state) {
  Shape s(cell);
  std::fill_n(state, state_words(cell), 0);
  if (!cell.blob) return;
  auto per = cell.blob->limbs_per_word();
  auto words = std::min(s.d, cell.blob->limbs.size() / per);
  for (std::size_t i = 0; i < words; ++i)
    for (std::size_t b = 0; b < s.w; ++b)
      state[i * s.w + b] = Lanes{0} - (cell.blob->limbs[i * per + b / 64] >> (b % 64) & 1);
}

// Adds to words that must be 0 in these lanes.
void look_up(const Shape& s, const Lanes* in, const Lanes* state, Lanes lanes, Lanes* out) {
  for_each_address(in + s.raddr(), s.a, lanes, [&](std::size_t at, Lanes same) {
    if (at >= s.d) return;
    const Lanes* word = state + at * s.w;
    for (std::size_t b = 0; b < s.w; ++b) out[b] |= word[b] & same;
  });
}

void evaluate(const CellView& cell, const Lanes* in, const Lanes* state, Lanes* out) {
  Shape s(cell);
  auto stages = read_stages(cell);
  if (stages == 0) {
    std::fill_n(out, s.w, 0);
    return look_up(s, in, state, ~Lanes{0}, out);
  }
  std::copy_n(state + (s.d + stages - 1) * s.w, s.w, out);
}

void clock(const CellView& cell, const Lanes* in, Lanes* state) {
  Shape s(cell);
  auto stages = read_stages(cell);
  Lanes* registers = state + s.d * s.w;
  if (stages > 0) {
    // The second register has no enable of its own, like the output register of a block RAM with
    // its enable tied.
    if (stages == 2) std::copy_n(registers, s.w, registers + s.w);
    const Lanes hold = ~in[s.re()];
    for (std::size_t b = 0; b < s.w; ++b) registers[b] &= hold;
    look_up(s, in, state, ~hold, registers);
  }
  for_each_address(in + s.waddr(), s.a, in[s.we()], [&](std::size_t at, Lanes lanes) {
    if (at >= s.d) return;
    for (std::size_t b = 0; b < s.w; ++b)
      state[at * s.w + b] ^= lanes & (state[at * s.w + b] ^ in[s.wdata() + b]);
  });
}

// Distributed: RAM32M (32 x 6 in four LUTs) or RAM64M (64 x 3 in four LUTs). Block: the cheapest
// shape of an 18 Kbit block.
Cost cost(const CellView& cell) {
  Shape s(cell);
  Cost c;
  if (cell.params[style] == distributed) {
    const auto four = s.d <= 32 ? ceil_div(s.w, 6u) : ceil_div(s.w, 3u) * ceil_div(s.d, 64u);
    c.lut_rams = static_cast<std::uint32_t>(4 * four);
    c.ffs = static_cast<std::uint32_t>(read_stages(cell) * s.w);
  } else if (cell.params[style] == block) {
    c.brams_18k = memory::brams_18k(s.d, s.w);
  } else {
    c.urams = memory::urams(s.d, s.w);
  }
  return c;
}

std::uint64_t reach(const CellView& cell, unsigned) {
  return read_stages(cell) == 0 ? 1u << Input::read_address : 0;
}

void legality(const CellView& cell, std::span<const Net>, Family family,
              std::vector<std::string>& broken) {
  Shape s(cell);
  if (s.d < 2 || s.w < 1 || s.w > 4096 || s.a < 1 || s.a > 24)
    broken.push_back(
        fmt::format("a memory of {} words of {} bits is not possible; it must have 2 to 2^24 words "
                    "of 1 to 4096 bits",
                    s.d, s.w));
  else if ((std::size_t{1} << s.a) < s.d || (std::size_t{1} << (s.a - 1)) >= s.d)
    broken.push_back(fmt::format("{} address bits do not fit {} words", s.a, s.d));
  if (cell.params[style] != distributed && read_stages(cell) == 0)
    broken.push_back("only distributed memory can be read without a clock");
  if (cell.params[style] == ultra && !arch::of(family).has_ultra_ram)
    broken.push_back("UltraRAM exists in the ultrascale+ family only");
  if (cell.params[style] == ultra && cell.blob)
    broken.push_back("UltraRAM has no initial contents");
  if (cell.blob && cell.blob->width != s.w)
    broken.push_back(
        fmt::format("contents are {} bits wide, the memory {}", cell.blob->width, s.w));
}

}  // namespace

const Prototype& memory_prototype() {
  static const Prototype p{.kind = Kind::memory,
                           .name = "MEMORY",
                           .inputs = inputs,
                           .outputs = outputs,
                           .params = params,
                           .cost = cost,
                           .reach = reach,
                           .legality = legality,
                           .kernel = {state_words, power_up, evaluate, clock}};
  return p;
}

namespace {

// Blocks of one shape.
std::uint64_t blocks_of(const arch::MemoryShape& s, std::uint64_t depth, std::uint64_t width) {
  return ceil_div(width, s.width) * ceil_div(depth, s.depth);
}

std::uint64_t blocks_of_one_shape(std::uint64_t depth, std::uint64_t width) {
  std::uint64_t best = ~std::uint64_t{0};
  for (const arch::MemoryShape& s : arch::block_ram_18k)
    best = std::min(best, blocks_of(s, depth, width));
  return best;
}

}  // namespace

std::vector<std::uint32_t> memory::widths_of_parts(std::uint64_t depth, std::uint32_t width) {
  struct Best {
    std::uint64_t blocks = 0;
    std::size_t shape = 0;  // of the blocks of the highest bits
  };
  constexpr auto& shapes = arch::block_ram_18k;
  const auto rest = [&](std::uint32_t bits, std::size_t shape) {
    return bits - std::min(bits, static_cast<std::uint32_t>(shapes[shape].width));
  };
  std::vector<Best> best(width + 1);
  for (std::uint32_t bits = 1; bits <= width; ++bits) {
    best[bits].blocks = ~std::uint64_t{0};
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      const std::uint64_t blocks =
          best[rest(bits, shape)].blocks + blocks_of(shapes[shape], depth, 1);
      // Of equals the narrowest, so that fewer shapes occur.
      if (blocks <= best[bits].blocks) best[bits] = {blocks, shape};
    }
  }
  if (best[width].blocks == blocks_of_one_shape(depth, width)) return {width};
  std::array<std::uint32_t, shapes.size()> of_shape{};
  for (std::uint32_t bits = width; bits > 0;) {
    const std::size_t shape = best[bits].shape;
    const std::uint32_t left = rest(bits, shape);
    of_shape[shape] += bits - left;
    bits = left;
  }
  std::vector<std::uint32_t> all;
  for (const std::uint32_t bits : of_shape)
    if (bits > 0) all.push_back(bits);
  return all;
}

std::uint32_t memory::urams(std::uint64_t depth, std::uint64_t width) {
  return static_cast<std::uint32_t>(blocks_of(arch::ultra_ram, depth, width));
}

std::uint32_t memory::brams_18k(std::uint64_t depth, std::uint64_t width) {
  std::uint64_t all = 0;
  for (const std::uint32_t part : widths_of_parts(depth, static_cast<std::uint32_t>(width)))
    all += blocks_of_one_shape(depth, part);
  return static_cast<std::uint32_t>(all);
}

}  // namespace kumiki::ir
