// SPDX-License-Identifier: Apache-2.0
// CARRY4 (7 series) and CARRY8 (UltraScale and later), MUXF7 and MUXF8.
#include <array>

#include "ir/primitive.h"

namespace kumiki::ir {
namespace {

// Carry in from below (CI), carry in from fabric (CYINIT); the vendor's model ORs them.
constexpr std::array<Pin, 4> carry4_in{
    {{.name = "CI", .tie = Tie::zero}, {.name = "CYINIT", .tie = Tie::zero}, {"DI", 4}, {"S", 4}}};
constexpr std::array<Pin, 2> carry4_out{{{"CO", 4}, {"O", 4}}};
constexpr std::array<Pin, 4> carry8_in{
    {{.name = "CI", .tie = Tie::zero}, {.name = "CI_TOP", .tie = Tie::zero}, {"DI", 8}, {"S", 8}}};
constexpr std::array<Pin, 2> carry8_out{{{"CO", 8}, {"O", 8}}};
constexpr std::array<std::string_view, 2> carry_types{"SINGLE_CY8", "DUAL_CY4"};
constexpr std::array<Param, 1> carry8_params{
    {{.name = "CARRY_TYPE", .type = Param::Type::text, .choices = carry_types}}};

// `carry` runs through `n` positions; DI and S are read, CO and O written, at the given positions.
void run(Lanes carry, unsigned n, const Lanes* di, const Lanes* s, Lanes* co, Lanes* o) {
  for (unsigned i = 0; i < n; ++i) {
    o[i] = s[i] ^ carry;
    carry = di[i] ^ (s[i] & (di[i] ^ carry));
    co[i] = carry;
  }
}

void evaluate4(const CellView&, const Lanes* in, const Lanes*, Lanes* out) {
  run(in[0] | in[1], 4, in + 2, in + 6, out, out + 4);
}

bool is_dual(const CellView& cell) { return cell.params[0] == 1; }

void evaluate8(const CellView& cell, const Lanes* in, const Lanes*, Lanes* out) {
  if (is_dual(cell)) {
    run(in[0], 4, in + 2, in + 10, out, out + 8);
    run(in[1], 4, in + 6, in + 14, out + 4, out + 12);
  } else {
    run(in[0], 8, in + 2, in + 10, out, out + 8);
  }
}

Cost cost4(const CellView&) { return {.carry_bits = 4}; }
Cost cost8(const CellView&) { return {.carry_bits = 8}; }
Cost cost_mux(const CellView& cell) { return {.muxes = cell.width}; }

std::uint64_t reach4(const CellView&, unsigned) { return 0xf; }
std::uint64_t reach8(const CellView& cell, unsigned) { return is_dual(cell) ? 0xf : 0xd; }

// A position depends on inputs at or below it. Its sum does not depend on its own DI; its carry out
// does.
bool reach_position(unsigned input, unsigned in_bit, unsigned output, unsigned out_bit) {
  if (input < 2) return true;
  bool own_di_on_sum = input == 2 && output == 1 && in_bit == out_bit;
  return in_bit <= out_bit && !own_di_on_sum;
}

// The carry input is a wire between neighbouring blocks of a column; fabric enters through CYINIT.
void legal4(const CellView&, std::span<const Net> in, Family, std::vector<std::string>& broken) {
  if (in[0] != net_zero && in[1] != net_zero)
    broken.push_back("CARRY4 uses CI or CYINIT, never both: tie one of them to 0");
}

void legal8(const CellView& cell, std::span<const Net> in, Family family,
            std::vector<std::string>& broken) {
  if (family == Family::series7)
    broken.push_back("CARRY8 does not exist in the 7series family; use CARRY4");
  if (!is_dual(cell) && in[1] != net_zero)
    broken.push_back("CARRY8 with CARRY_TYPE SINGLE_CY8 has no CI_TOP: tie it to 0");
}

constexpr std::array<Pin, 3> mux_in{{{"I0"}, {"I1"}, {"S"}}};
constexpr std::array<Pin, 1> mux_out{{{"O"}}};

void evaluate_mux(const CellView& cell, const Lanes* in, const Lanes*, Lanes* out) {
  auto w = cell.width;
  for (std::uint32_t e = 0; e < w; ++e) out[e] = in[e] ^ (in[2 * w + e] & (in[e] ^ in[w + e]));
}

std::uint64_t reach_mux(const CellView&, unsigned) { return 7; }
bool same_element(unsigned, unsigned in_bit, unsigned, unsigned out_bit) {
  return in_bit == out_bit;
}

}  // namespace

const Prototype& carry_prototype(Kind kind) {
  static const Prototype four{.kind = Kind::carry4,
                              .name = "CARRY4",
                              .inputs = carry4_in,
                              .outputs = carry4_out,
                              .cost = cost4,
                              .reach = reach4,
                              .reach_bit = reach_position,
                              .legality = legal4,
                              .kernel = {.evaluate = evaluate4}};
  static const Prototype eight{.kind = Kind::carry8,
                               .name = "CARRY8",
                               .inputs = carry8_in,
                               .outputs = carry8_out,
                               .params = carry8_params,
                               .cost = cost8,
                               .reach = reach8,
                               .reach_bit = reach_position,
                               .legality = legal8,
                               .kernel = {.evaluate = evaluate8}};
  return kind == Kind::carry4 ? four : eight;
}

const Prototype& muxf_prototype(Kind kind) {
  auto make = [](Kind k, std::string_view name) {
    return Prototype{.kind = k,
                     .name = name,
                     .inputs = mux_in,
                     .outputs = mux_out,
                     .vector = true,
                     .cost = cost_mux,
                     .reach = reach_mux,
                     .reach_bit = same_element,
                     .kernel = {.evaluate = evaluate_mux}};
  };
  static const Prototype seven = make(Kind::muxf7, "MUXF7"), eight = make(Kind::muxf8, "MUXF8");
  return kind == Kind::muxf7 ? seven : eight;
}

}  // namespace kumiki::ir
