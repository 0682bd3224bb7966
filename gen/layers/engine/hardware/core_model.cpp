// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/hardware/core_model.h"

#include <algorithm>

#include "gen/arith/format.h"
#include "gen/layers/engine/hardware/encode.h"

namespace kumiki::gen::engine {
namespace {

std::int64_t signed_byte(std::uint64_t raw) { return arith::value_of(raw & 255, {8, true}); }

}  // namespace

CoreModel::CoreModel(const CorePlan& plan) : plan_(plan) { power_up(); }

void CoreModel::power_up() {
  const EngineShape& s = plan_.shape;
  maps_.assign(static_cast<std::size_t>(s.places * s.rows), 0);
  weights_.assign(static_cast<std::size_t>(s.weight_words * s.rows * s.columns), 0);
  collected_.assign(static_cast<std::size_t>(s.rows), {});
  taps_.assign(static_cast<std::size_t>(2 * EngineShape::most_taps), {});
  lanes_.assign(static_cast<std::size_t>(s.rows), 0);
  table_.assign(1024, 0);
  clock_ = 0;
  reset();
}

void CoreModel::reset() {
  running_ = in_set_ = in_second_ = ready_ = busy_ = has_room_ = has_room_for_tile_ = claims_ =
      pads_ = false;
  first_set_ = true;
  last_begin_ = -plan_.slots(Unit::depthwise);
  at_ = {};
  tile_word_ = row_ = column_ = word_ = there_ = taken_ = unclaimed_ = 0;
  next_.clear();
  waiting_.clear();
  reads_.fill(false);
  frees_.clear();
  switches_.clear();
  ends_.clear();
  sums_.clear();
  for (Fetch& f : fetches_) f.show = -1;
}

std::int64_t CoreModel::wrapped(std::int64_t place) const {
  return place & ((std::int64_t{1} << plan_.place_bits()) - 1);
}

std::uint8_t* CoreModel::word(std::int64_t place) {
  return &maps_[static_cast<std::size_t>(place * plan_.shape.rows)];
}

CoreOut<Values> CoreModel::shown() const {
  CoreOut<Values> out{};
  out.busy = busy_;
  out.w_ready = has_room_;
  out.p_ready = has_room_for_tile_;
  out.m_writes = !pads_ && (sums_.empty() || sums_.front().clock > clock_);
  out.m_reads = !reads_.back();
  out.m_word.assign(static_cast<std::size_t>(plan_.shape.rows), 0);
  for (const Fetch& f : fetches_) {
    if (f.show != clock_) continue;
    out.m_valid = true;
    std::ranges::copy(f.bytes, out.m_word.begin());
  }
  return out;
}

void CoreModel::clock(const CoreIn<Values>& in) {
  for (Fetch& f : fetches_)
    if (f.fetch == clock_) f.bytes.assign(word(f.place), word(f.place) + plan_.shape.rows);
  std::erase_if(fetches_, [&](const Fetch& f) { return f.show <= clock_ && f.fetch < clock_; });
  if (in.table_write) table_[in.table_number] = in.table_entry;
  if (in.tap_write) taps_[in.tap_number] = {in.tap_offset, in.tap_bounds};
  if (in.m_write)
    for (std::int64_t c = 0; c < plan_.shape.rows; ++c)
      if (in.m_parts >> (c / plan_.shape.columns) & 1)
        word(static_cast<std::int64_t>(in.m_to))[c] =
            static_cast<std::uint8_t>(in.m_data[static_cast<std::size_t>(c)]);
  if (pads_)
    for (std::int64_t bank = 0; bank < EngineShape::pixels; ++bank)
      std::fill_n(word(plan_.padding_row() * EngineShape::pixels + bank), plan_.shape.rows,
                  static_cast<std::uint8_t>(in.pad));
  if (in.m_read)
    fetches_.push_back(
        {clock_ + 2, clock_ + plan_.read_clocks(), static_cast<std::int64_t>(in.m_from), {}});
  walk(in);
  ++clock_;
  if (in.rst) reset();
}

void CoreModel::walk(const In& in) {
  const Unit unit = unit_of(in);
  const bool begins = running_ && !in_set_ && !in_second_ &&
                      clock_ >= last_begin_ + plan_.slots(unit) && (!first_set_ || ready_),
             issues = running_ && (in_set_ || begins), claims = claims_;
  claims_ = begins && first_set_;
  const bool switches = !switches_.empty() && switches_.front() == clock_;
  // The lanes take their parameters; sums that arrive from the next clock on have them.
  if (switches) {
    switches_.pop_front();
    lanes_ = waiting_.front();
  }
  for (Sums& s : sums_)
    if (s.held == clock_) s.parameters = lanes_;
  ready_ =
      there_ >= static_cast<std::int64_t>(in.words) && (in.maximum || unclaimed_ > 0) && !claims;
  const bool takes_parameter = in.p_valid && has_room_for_tile_,
             has_tile = takes_parameter && in.p_last;
  if (takes_parameter) next_.push_back(in.p_data);
  has_room_for_tile_ = !has_tile && std::ssize(waiting_) != plan_.tiles_ahead();
  if (switches) waiting_.pop_front();
  if (has_tile) waiting_.push_back(std::exchange(next_, {}));
  unclaimed_ += (has_tile ? 1 : 0) - (claims && !in.maximum ? 1 : 0);
  ring(in, claims);

  if (begins) {
    last_begin_ = clock_;
    set_is_first_ = first_set_;
    first_set_ = false;
  }
  bool ends_all = false;
  reads_ = {issues || in_second_, reads_.front()};
  in_second_ = false;
  if (issues) {
    in_set_ = true;
    const auto next = [](std::int64_t& at, std::uint64_t last) {
      const bool wraps = at == static_cast<std::int64_t>(last);
      at = wraps ? 0 : at + 1;
      return wraps;
    };
    if (next(at_.block, in.blocks) && next(at_.tap, in.taps) && next(at_.repeat, in.repeats)) {
      in_set_ = false;
      in_second_ = in.adds;
      ends_set(in);
      if (next(at_.set, in.sets)) {
        tile_word_ = (tile_word_ + static_cast<std::int64_t>(in.words)) % plan_.shape.weight_words;
        if (unit != Unit::maximum) frees_.push_back(clock_ + plan_.freed());
        first_set_ = true;
        ends_all = next(at_.tile, in.tiles);
      }
    }
  }
  move(in);
  pads_ = in.start;
  if (ends_all) ends_.push_back(clock_ + plan_.ends(unit));
  const bool done = !ends_.empty() && ends_.front() == clock_;
  if (done) ends_.pop_front();
  busy_ = (busy_ && !done) || in.start;
  running_ = (running_ && !ends_all) || in.start;
  if (in.start) {
    at_ = {};
    to_ = {.tile = static_cast<std::int64_t>(in.target),
           .line = static_cast<std::int64_t>(in.target),
           .place = static_cast<std::int64_t>(in.target),
           .part = static_cast<std::int64_t>(in.part)};
  }
}

void CoreModel::ring(const In& in, bool claims) {
  const EngineShape& s = plan_.shape;
  const bool takes = in.w_valid && has_room_,
             ends_column = takes && row_ + s.beat_bytes() == s.rows;
  const bool done = ends_column && (in.w_depthwise || column_ + 1 == s.columns);
  has_room_ = taken_ < plan_.most_words();
  if (takes) {
    constexpr std::int64_t most = CorePlan::most_columns_of_a_memory;
    const std::int64_t group = in.w_depthwise ? 0 : column_ / most, last = plan_.last_column(group);
    for (std::int64_t i = 0; i < s.beat_bytes(); ++i, ++row_) {
      auto& newest = collected_[static_cast<std::size_t>(row_)];
      std::shift_right(newest.begin(), newest.end(), 1);
      newest[0] = static_cast<std::int8_t>(signed_byte(in.w_data[static_cast<std::size_t>(i)]));
      if (!in.w_depthwise && column_ != last) continue;
      for (std::int64_t c = last; c >= group * most; --c)
        weights_[static_cast<std::size_t>((word_ * s.rows + row_) * s.columns + c)] =
            newest[static_cast<std::size_t>(last - c)];
    }
  }
  if (ends_column) {
    row_ = 0;
    if (!in.w_depthwise) column_ = done ? 0 : column_ + 1;
  }
  if (done) word_ = (word_ + 1) % s.weight_words;
  const auto words = static_cast<std::int64_t>(in.words);
  there_ += (done ? 1 : 0) - (claims ? words : 0);
  const bool frees = !frees_.empty() && frees_.front() == clock_;
  if (frees) frees_.pop_front();
  taken_ += (done ? 1 : 0) - (frees ? words : 0);
}

Unit CoreModel::unit_of(const In& in) {
  return in.maximum ? Unit::maximum : in.depthwise ? Unit::depthwise : Unit::products;
}

// Of a pixel of the set: sums or maxima, [column] or [channel].
std::vector<std::int64_t> CoreModel::results_of(const In& in, std::int64_t pixel) const {
  const EngineShape& s = plan_.shape;
  const Unit unit = unit_of(in);
  const std::int64_t p = at_.set * EngineShape::pixels + pixel,
                     pitch = static_cast<std::int64_t>(in.pitch) + 1, y = p / pitch, x = p % pitch;
  std::vector<std::int64_t> all(
      static_cast<std::size_t>(unit == Unit::products ? s.columns : s.rows),
      unit == Unit::maximum ? -128 : 0);
  std::int64_t word = 0;
  for (std::int64_t repeat = 0; repeat <= static_cast<std::int64_t>(in.repeats); ++repeat) {
    if (in.again) word = 0;
    for (std::uint64_t t = 0; t <= in.taps; ++t) {
      const Tap& tap = taps_[t + (in.tap_bank ? std::size_t{EngineShape::most_taps} : 0)];
      const std::int64_t line = y | repeat;
      const auto bound = [&](std::size_t i) { return static_cast<std::int64_t>(tap.bounds[i]); };
      const bool inside = line >= bound(0) && line < bound(1) && x >= bound(2) && x < bound(3);
      for (std::uint64_t block = 0; block <= in.blocks; ++block, ++word) {
        const std::int64_t place =
            wrapped(static_cast<std::int64_t>(in.from + block * in.block_step + tap.offset) + p +
                    at_.tile * static_cast<std::int64_t>(in.tile_step) +
                    repeat * static_cast<std::int64_t>(in.repeat_step));
        const std::int64_t ring = (tile_word_ + word) % s.weight_words;
        const auto weight = [&](std::int64_t row, std::int64_t c) {
          return std::int64_t{
              weights_[static_cast<std::size_t>((ring * s.rows + row) * s.columns + c)]};
        };
        for (std::int64_t row = 0; row < s.rows; ++row) {
          const std::uint64_t there =
              place < s.places ? maps_[static_cast<std::size_t>(place * s.rows + row)] : 0;
          const std::int64_t number = signed_byte(inside ? there : in.pad);
          std::int64_t& of_row = all[static_cast<std::size_t>(unit == Unit::products ? 0 : row)];
          switch (unit) {
            case Unit::products:
              for (std::int64_t c = 0; c < s.columns; ++c)
                all[static_cast<std::size_t>(c)] += number * weight(row, c);
              break;
            case Unit::depthwise:
              of_row += number * weight(row, plan_.last_column(0));
              break;
            case Unit::maximum:
              of_row = std::max(of_row, number);
          }
        }
      }
    }
  }
  return all;
}

// The numbers for the same lanes.
std::vector<std::uint8_t> CoreModel::seconds_of(const In& in, std::int64_t pixel) const {
  const std::int64_t rows = plan_.shape.rows, columns = plan_.shape.columns;
  const bool is_products = unit_of(in) == Unit::products;
  const std::int64_t tile = at_.tile + (is_products ? static_cast<std::int64_t>(in.part) : 0),
                     tiles = is_products ? plan_.parts() : 1;
  const std::int64_t place = wrapped(static_cast<std::int64_t>(in.second) +
                                     tile / tiles * static_cast<std::int64_t>(in.second_step) +
                                     at_.set * EngineShape::pixels + pixel);
  if (place >= plan_.shape.places) return std::vector<std::uint8_t>(static_cast<std::size_t>(rows));
  const auto word = maps_.begin() + static_cast<std::ptrdiff_t>(place * rows);
  return is_products
             ? std::vector(word + tile % tiles * columns, word + (tile % tiles + 1) * columns)
             : std::vector(word, word + rows);
}

void CoreModel::ends_set(const In& in) {
  const Unit unit = unit_of(in);
  Sums sums{.held = clock_ + plan_.held(unit),
            .clock = clock_ + plan_.written(unit),
            .ends_tile = at_.set == static_cast<std::int64_t>(in.sets),
            .of_pixel = {},
            .seconds = {},
            .parameters = {}};
  for (std::int64_t pixel = 0; pixel < EngineShape::pixels; ++pixel) {
    sums.of_pixel.push_back(results_of(in, pixel));
    if (in.adds) sums.seconds.push_back(seconds_of(in, pixel));
  }
  sums_.push_back(std::move(sums));
  if (set_is_first_ && unit != Unit::maximum) switches_.push_back(clock_ + plan_.held(unit));
}

std::uint8_t CoreModel::written(const In& in, const Sums& sums, std::size_t pixel,
                                std::size_t lane) const {
  const std::int64_t number = sums.of_pixel[pixel][lane];
  if (in.maximum) return static_cast<std::uint8_t>(number);
  const Parameter parameter = parameter_of(sums.parameters[lane]);
  // The lane adds in 32 bits.
  const auto sum = static_cast<std::uint32_t>(number) + static_cast<std::uint32_t>(parameter.bias);
  const auto result = static_cast<std::uint8_t>(arith::requantised(
      parameter.factor, signed_byte(in.zero), {signed_byte(in.low), signed_byte(in.high)},
      static_cast<std::int32_t>(sum)));
  if (!in.has_table) return result;
  const std::uint64_t* half = &table_[in.tap_bank ? 512 : 0];
  const auto entry = [&](std::uint64_t number) {
    return arith::value_of(half[number], {SumTables::bits, true});
  };
  const std::int64_t second = in.adds ? entry(256u + sums.seconds[pixel][lane]) : 0;
  return static_cast<std::uint8_t>(stored_sum(entry(result) + second, in.ties));
}

// The writer, in the clock before its results are stored.
void CoreModel::move(const In& in) {
  if (sums_.empty() || sums_.front().clock > clock_) return;
  const Sums& now = sums_.front();
  const Unit unit = unit_of(in);
  const std::int64_t slot = clock_ - now.clock, turns = unit == Unit::depthwise ? plan_.parts() : 1;
  const auto pixel = static_cast<std::size_t>(slot / turns);
  const bool ends_set = slot + 1 == plan_.slots(unit), ends_tile = ends_set && now.ends_tile,
             ends_line = to_.x == static_cast<std::int64_t>(in.pitch);
  const std::int64_t part = unit == Unit::depthwise ? slot % turns : to_.part,
                     columns = plan_.shape.columns;
  if (to_.x <= static_cast<std::int64_t>(in.width) &&
      to_.y <= static_cast<std::int64_t>(in.height)) {
    const std::int64_t first = unit == Unit::maximum ? 0 : part * columns,
                       count = unit == Unit::maximum ? plan_.shape.rows : columns,
                       lane = unit == Unit::products ? 0 : first;
    for (std::int64_t c = 0; c < count; ++c)
      word(to_.place)[first + c] = written(in, now, pixel, static_cast<std::size_t>(lane + c));
  }
  const bool moves = slot % turns == turns - 1,
             ends_block = unit != Unit::products || to_.part + 1 == plan_.parts();
  // The last one of the steps in turn differs.
  const auto step = [](std::int64_t at, std::uint64_t last, std::uint64_t one,
                       std::uint64_t other) {
    const auto turn = static_cast<std::int64_t>(last);
    return static_cast<std::int64_t>(at % (turn + 1) == turn ? other : one);
  };
  if (ends_tile) {
    if (ends_block) to_.tile = wrapped(to_.tile + static_cast<std::int64_t>(in.target_step));
    to_ = {.tile = to_.tile,
           .line = to_.tile,
           .place = to_.tile,
           .part = unit == Unit::products ? (to_.part + 1) % plan_.parts() : 0};
  } else if (moves && ends_line) {
    to_.line = wrapped(to_.line + step(to_.y, in.line_phases, in.line_step, in.other_line_step));
    to_.place = to_.line;
    to_.x = 0;
    ++to_.y;
  } else if (moves) {
    to_.place =
        wrapped(to_.place + step(to_.x, in.column_phases, in.column_step, in.other_column_step));
    ++to_.x;
  }
  if (ends_set) sums_.pop_front();
}

}  // namespace kumiki::gen::engine
