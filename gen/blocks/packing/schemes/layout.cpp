// SPDX-License-Identifier: Apache-2.0
// The positions of the operands on the ports, and the lanes that follow from them.
#include <fmt/format.h>

#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/schemes/draft.h"

namespace kumiki::gen::packing {
namespace {

// An operand as written into a port: its bits, read as signed or unsigned. The top bit may be
// inverted, which subtracts the centre.
struct Field {
  OperandRef operand;
  int bits = 0;
  int shift = 0;
  bool flip = false;
  bool is_signed = false;
};

Piece operand_bits(const Field& f, int lsb, int width, int at, bool repeat, bool invert) {
  return {.from = Piece::From::Operand,
          .operand = f.operand,
          .lsb = lsb,
          .width = width,
          .at = at,
          .repeat = repeat,
          .invert = invert};
}

// The field from its shift up to `top`; sign-extended if it is signed.
void write(Wiring& port, const Field& f, int top) {
  const int sign = f.bits - 1;
  const int sign_at = f.shift + sign;
  const int sign_bits = f.is_signed ? top - sign_at : 1;
  if (!f.flip && sign_bits == 1) {
    port.pieces.push_back(operand_bits(f, 0, f.bits, f.shift, false, false));
    return;
  }
  if (sign > 0) port.pieces.push_back(operand_bits(f, 0, sign, f.shift, false, false));
  if (sign_bits > 0)
    port.pieces.push_back(operand_bits(f, sign, sign_bits, sign_at, sign_bits > 1, f.flip));
}

// Writes a signed operand minus K > 0 without an adder. Let t be the lowest set bit of K. Below t
// the sign repeats. Bit t is set in -K; the borrow of a negative operand clears it. The bits above
// are constant.
void write_minus(Wiring& port, const Field& f, Exact k, int top) {
  int t = 0;
  while ((k >> t & 1) == 0) ++t;
  write(port, f, t);
  port.pieces.push_back(operand_bits(f, f.bits - 1, 1, t, false, !f.flip));
  if (top > t + 1) add_constant(port, (-k) >> (t + 1), top - t - 1, t + 1);
}

// Slots past the last term multiply zeros, whatever the operand's range is.
Interval with_zero(const Interval& range) { return hull(range, Interval::point(0)); }

// Fields of the 18-bit side. All fields below the top one must be unsigned, because their signs
// cannot borrow.
std::vector<Field> shared_fields(const Request& request, const Grid& grid, Centres& centres) {
  const OperandFormat& format = request.shared;
  const auto half = std::int64_t{1} << (format.bits - 1);
  std::vector<Field> fields;
  for (int j = 0; j < grid.shared; ++j) {
    Field f{{Side::Shared, j}, format.bits, j * grid.spacing, false, format.is_signed};
    const bool top = j == grid.shared - 1;
    std::int64_t centre = 0;
    const bool no_room = f.shift + format.bits > request.limits.narrow_bits - 1;
    if (!top && format.is_signed) {
      centre = -half;
      f.flip = true, f.is_signed = false;
    } else if (top && !format.is_signed && (no_room || (grid.shared == 1 && grid.centre_shared))) {
      centre = half;
      f.flip = true, f.is_signed = true;
    }
    centres.shared.push_back(centre);
    fields.push_back(f);
  }
  return fields;
}

// Bits up to the top bit of the last operand. With a range, the value may fit although the raw bits
// do not.
int packed_bits(const Request& request, const Grid& grid) {
  return (grid.packed - 1) * grid.shared * grid.spacing + request.packed.bits;
}
int shared_bits(const Request& request, const Grid& grid) {
  return (grid.shared - 1) * grid.spacing + request.shared.bits;
}

std::vector<Field> packed_fields(const Request& request, const Grid& grid, Centres& centres) {
  const OperandFormat& format = request.packed;
  const bool centre = grid.centre_packed && !format.is_signed;
  std::vector<Field> fields;
  for (int i = 0; i < grid.packed; ++i) {
    centres.packed.push_back(centre ? std::int64_t{1} << (format.bits - 1) : 0);
    fields.push_back({{Side::Packed, i},
                      format.bits,
                      i * grid.shared * grid.spacing,
                      centre,
                      format.is_signed || centre});
  }
  return fields;
}

// If no field borrows, all fields go on A. Otherwise the low field goes on A and the others on D. A
// signed field between two others is written offset-binary on D, and A removes the offset.
void wire_wide(Ports& ports, const std::vector<Field>& fields, int width) {
  ports.a.width = width;
  const bool borrows = fields.size() > 1 && fields.front().is_signed;
  if (!borrows) {
    for (const auto& f : fields) write(ports.a, f, &f == &fields.back() ? width : f.shift + f.bits);
    return;
  }
  ports.d.width = width;
  Exact offset = 0;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    Field f = fields[i];
    if (i + 1 == fields.size()) {
      write(ports.d, f, width);
      continue;
    }
    f.flip = !f.flip, f.is_signed = false;
    write(ports.d, f, f.shift + f.bits);
    offset += power_of_two(f.shift + f.bits - 1);
  }
  if (offset == 0)
    write(ports.a, fields.front(), width);
  else
    write_minus(ports.a, fields.front(), offset, width);
}

Interval packed_word(const Request& request, const Grid& grid, const Centres& centres) {
  Interval word;
  for (int i = 0; i < grid.packed; ++i)
    word = word + shifted(with_zero(request.packed.interval()) - centres.packed[i],
                          i * grid.shared * grid.spacing);
  return word;
}

Interval shared_word(const Request& request, const Grid& grid, const Centres& centres) {
  Interval word;
  for (int j = 0; j < grid.shared; ++j)
    word =
        word + shifted(with_zero(request.shared.interval()) - centres.shared[j], j * grid.spacing);
  return word;
}

bool fits(const Request& request, const Grid& grid) {
  const bool lanes_fit =
      grid.packed * grid.shared == 1 ||
      (grid.spacing >= request.shared.bits && grid.spacing * grid.shared >= request.packed.bits &&
       grid.spacing * (grid.packed * grid.shared - 1) < kWordBits);
  if (!lanes_fit || packed_bits(request, grid) > request.limits.wide_bits ||
      shared_bits(request, grid) > request.limits.narrow_bits)
    return false;
  Centres centres;
  packed_fields(request, grid, centres);
  shared_fields(request, grid, centres);
  return packed_word(request, grid, centres).within(signed_range(request.limits.wide_bits)) &&
         shared_word(request, grid, centres).within(signed_range(request.limits.narrow_bits));
}

}  // namespace

int largest_spacing(const Request& request, Grid grid) {
  for (grid.spacing = kWordBits - 1; grid.spacing > 0; --grid.spacing)
    if (fits(request, grid)) return grid.spacing;
  return 0;
}

bool rows_fit(const Request& request, int packed, int shared) {
  const auto fit = [](const OperandFormat& format, int count) {
    return !format.known() || static_cast<int>(format.values.size()) == count;
  };
  return fit(request.packed, packed) && fit(request.shared, shared);
}

Grid grid_of(const Request& request, int packed, int shared) {
  const Tuning& tuning = request.tuning;
  Grid grid{.packed = tuning.packed_count.value_or(packed),
            .shared = tuning.shared_count.value_or(shared),
            .centre_packed = tuning.centre_packed.value_or(false),
            .centre_shared = tuning.centre_shared.value_or(false)};
  if (grid.packed * grid.shared == 1) return grid;
  if (tuning.guard) {
    grid.spacing = *tuning.guard;
    return grid;
  }
  // No spacing fits: take the narrowest one that keeps the operands apart; then the proof names the
  // port.
  grid.spacing = std::max<int>(request.shared.bits, ceil_div(request.packed.bits, grid.shared));
  std::int64_t longest = -1;
  const int largest = largest_spacing(request, grid);
  for (int spacing = 1; spacing <= largest; ++spacing) {
    Grid candidate = grid;
    candidate.spacing = spacing;
    if (!fits(request, candidate)) continue;
    Draft probe(request, Scheme::OffsetBinary);
    const std::int64_t limit =
        probe.lay_out(candidate) ? offset_limit(probe.plan.lanes) : longest - 1;
    if (limit >= longest) longest = limit, grid.spacing = spacing;
  }
  return grid;
}

bool Draft::lay_out(const Grid& grid) {
  plan.packed_count = grid.packed;
  plan.shared_count = grid.shared;
  plan.guard = grid.packed * grid.shared > 1 ? grid.spacing : 0;
  plan.centres = {};
  const auto packed = packed_fields(request_, grid, plan.centres);
  const auto shared = shared_fields(request_, grid, plan.centres);
  const auto rows = [&](const OperandFormat& format, int count, const char* side) {
    if (!format.known() || static_cast<int>(format.values.size()) == count) return;
    refuse(code::wrong_count, fmt::format("known {} operands", side),
           "one row of values for every operand",
           Interval::point(static_cast<Exact>(format.values.size())), Interval::point(count));
  };
  rows(plan.packed, grid.packed, "packed");
  rows(plan.shared, grid.shared, "shared");
  const int lanes = grid.packed * grid.shared;
  if (grid.spacing * (lanes - 1) >= kWordBits)
    refuse(code::not_proved, "first bit of the top lane",
           fmt::format("a spacing of at most {1} for {0} lanes", lanes,
                       lanes > 1 ? (kWordBits - 1) / (lanes - 1) : 0),
           Interval::point(grid.spacing * (lanes - 1)), Interval{0, kWordBits - 1});
  if (refusal_) return false;

  wire_wide(plan.ports, packed, plan.limits.wide_bits);
  plan.ports.b.width = plan.limits.narrow_bits;
  for (const auto& f : shared)
    write(plan.ports.b, f, &f == &shared.back() ? plan.limits.narrow_bits : f.shift + f.bits);
  for (const auto& f : packed) plan.ports.packed_shift.push_back(f.shift);
  for (const auto& f : shared) plan.ports.shared_shift.push_back(f.shift);
  plan.multiply_latency = plan.ports.preadder() ? 4 : 3;

  const int best = largest_spacing(request_, grid);
  const std::string otherwise =
      best > 0 ? fmt::format("a spacing of {} for {} x {}", best, to_string(plan.packed),
                             to_string(plan.shared))
               : fmt::format("narrower operands; {} x {} of {} x {} fit at no spacing", grid.packed,
                             grid.shared, to_string(plan.packed), to_string(plan.shared));
  plan.ports.wide = packed_word(request_, grid, plan.centres);
  plan.ports.narrow = shared_word(request_, grid, plan.centres);
  if (grid.packed > 1)
    proof().at_most("bits of a packed operand", plan.packed.bits, grid.shared * grid.spacing,
                    otherwise);
  if (grid.shared > 1)
    proof().at_most("bits of a shared operand", plan.shared.bits, grid.spacing, otherwise);
  give_back_ = grid.give_back;
  if (give_back_) {
    proof().within("packed word, its top bit the sign bit of A", plan.ports.wide,
                   unsigned_range(plan.limits.wide_bits));
    proof().equals("bits of the packed word", grid.spacing + plan.packed.bits,
                   plan.limits.wide_bits,
                   fmt::format("G = {}", plan.limits.wide_bits - plan.packed.bits));
  } else {
    proof().within(fmt::format("packed word on the {}-bit side", plan.limits.wide_bits),
                   plan.ports.wide, signed_range(plan.limits.wide_bits), otherwise);
  }
  proof().within(fmt::format("shared word on the {}-bit side", plan.limits.narrow_bits),
                 plan.ports.narrow, signed_range(plan.limits.narrow_bits), otherwise);
  const int wide = packed_bits(request_, grid), narrow = shared_bits(request_, grid);
  if (wide > plan.limits.wide_bits)
    proof().at_most("raw bits of the packed word", wide, plan.limits.wide_bits, otherwise);
  if (narrow > plan.limits.narrow_bits)
    proof().at_most("raw bits of the shared word", narrow, plan.limits.narrow_bits, otherwise);

  plan.lanes.clear();
  for (int i = 0; i < grid.packed; ++i)
    for (int j = 0; j < grid.shared; ++j) {
      const int at = (i * grid.shared + j) * grid.spacing;
      const bool top = i * grid.shared + j == lanes - 1;
      const Interval x = with_zero(plan.packed.interval()) - plan.centres.packed[i];
      const Interval y = with_zero(plan.shared.interval()) - plan.centres.shared[j];
      // The interval includes 0, so a chain shorter than its neighbours stays within their bounds.
      const Interval product = with_zero(x * y);
      plan.lanes.push_back({.packed = i,
                            .shared = j,
                            .offset = at,
                            .width = top ? kWordBits - at : grid.spacing,
                            .term = product,
                            .term_bits = signed_bits(product),
                            .is_signed = true});
    }
  return true;
}

}  // namespace kumiki::gen::packing
