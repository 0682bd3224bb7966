// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gen/blocks/packing/hardware/control.h"
#include "gen/layers/matrix/core.h"
#include "gen/layers/matrix/exit.h"
#include "gen/layers/matrix/feeder.h"
#include "gen/layers/matrix/reload.h"

namespace kumiki::gen::matrix {

MatrixIn<Hardware> input_shape(const MatrixPlan& p) {
  const auto words = [](std::int64_t count, int width) {
    return std::vector(static_cast<std::size_t>(count),
                       UInt::shape(static_cast<std::uint32_t>(width)));
  };
  MatrixIn<Hardware> in{};
  in.in_data = words(p.beat * p.word_rows(), p.activations.bits);
  if (!p.embedded()) {
    in.w_valid.resize(1);
    in.w_data = words(p.tile_channels(), p.weights.bits);
  }
  return in;
}

// Column results order the packed operand fastest; a beat orders the pixel fastest.
std::vector<arith::Format> formats_of_beat(const MatrixPlan& p) {
  std::vector<arith::Format> all;
  for (std::int64_t c = 0; c < p.tile_channels(); ++c)
    for (std::int64_t x = 0; x < p.pixels; ++x) all.push_back(p.result_format(c, x));
  return all;
}

MatrixOut<Hardware> output_shape(const MatrixPlan& p) {
  MatrixOut<Hardware> out{};
  for (const arith::Format& f : formats_of_beat(p))
    out.out_data.push_back(UInt::shape(static_cast<std::uint32_t>(f.bits)));
  if (!p.embedded()) out.w_ready.resize(1);
  return out;
}

namespace {

// Beats of the stream with their border, one clock later, from registers. In the border these
// registers are reset to the pad value.
std::vector<RingWrite> ring_writes(Scope& s, const MatrixPlan& p, const Loader& loader,
                                   const std::vector<UInt>& in_data, Net reset) {
  const auto rows = static_cast<std::size_t>(p.ring_rows()),
             halves = static_cast<std::size_t>(p.halves());
  const std::uint64_t pad = arith::raw_of(p.pad, p.activations.bits);
  const std::size_t together = p.rows_of_a_copy();
  // For a sign, only its highest bit.
  const auto kept = static_cast<std::uint32_t>(p.pixel_bits());
  std::vector<RingWrite> all;
  for (std::size_t first = 0; first < rows; first += together) {
    RingWrite write{.enable = reg(s, loader.write, {.reset = reset}),
                    .address = reg(s, loader.address),
                    .data = {}};
    for (std::size_t half = 0; half < halves; ++half)
      for (std::size_t row = first; row < std::min(first + together, rows); ++row) {
        std::vector<Word> high_to_low;
        for (auto k = static_cast<std::size_t>(p.beat); k-- > 0;) {
          const UInt& data = in_data[(k * halves + half) * rows + row];
          high_to_low.push_back(
              reg(s, data.slice(data.width() - kept, kept),
                  {.init = pad >> (data.width() - kept), .reset = loader.is_border[k]}));
        }
        write.data.push_back(cat(s, high_to_low));
      }
    all.push_back(write);
  }
  if (p.in_trees() && p.tree().has_border)
    all.back().data.push_back(bits(s, {reg(s, loader.is_border[0])}));
  return all;
}

// Loads weights row by row, word by word, until every memory is full; then no more until a reset,
// or until the next frame.
struct Weights {
  WeightWrite write;
  Net loaded = ir::net_one;
  std::vector<Net> ready;
};

Weights build_weights(Scope& s, const MatrixPlan& p, const MatrixIn<Hardware>& in, Net frame_done) {
  if (p.embedded()) return {};
  if (p.reloads) {
    Reload again = build_reload(s, p, in, frame_done);
    return {std::move(again.write), again.loaded, {again.ready}};
  }
  const auto rows = static_cast<std::uint32_t>(p.rows);
  Reg<Net> loaded(s, {.reset = in.rst}), ready(s, {.init = 1, .reset = in.rst});
  const Net take = s.net(in.w_valid[0] & ready);
  Reg<UInt> row(s, rows, {.init = 1, .enable = take, .reset = in.rst});  // one-hot
  row.next(rows == 1 ? row.q() : cat(s, {row.q().slice(0, rows - 1), row.q().slice(rows - 1, 1)}));
  const Net next_word = s.net(take & row.q().msb());
  const auto word = packing::position(s, p.group_clocks(), next_word, in.rst);
  const Net all = s.net(next_word & word.last);
  loaded.next(loaded | all);
  ready.next(ready & ~all);
  Weights w{.write = {}, .loaded = loaded.q(), .ready = {ready.q()}};
  const auto chain = static_cast<std::uint32_t>(p.chain_rows());
  for (std::uint32_t j = 0; j < chain; ++j) {
    const Bit here = p.is_double ? row.q()[j] | row.q()[chain + j] : Bit(row.q()[j]);
    w.write.enable.push_back(reg(s, take & here, {.reset = in.rst}));
  }
  w.write.word = word.value.width() == 0 ? s.constant(0, 1) : reg(s, word.value);
  if (p.is_double) {
    Reg<Net> second(s, {.enable = take, .reset = in.rst});
    second.next(row.q()[chain - 1] | (second & ~row.q().msb()));
    const UInt half = reg(s, bits(s, {second.q()}));
    w.write.word = word.value.width() == 0 ? half : cat(s, {w.write.word, half});
  }
  for (const UInt& data : in.w_data) w.write.data.push_back(reg(s, data));
  return w;
}

}  // namespace

MatrixOut<Hardware> build(Scope& s, const MatrixPlan& p, const MatrixIn<Hardware>& in) {
  s.module().set_about(
      fmt::format("{} rows x {} columns of chains, {} clocks a set", p.rows, p.columns, p.words));
  std::optional<Wire<Net>> frame_done;
  if (p.reloads) frame_done.emplace(s);
  const Weights weights = build_weights(s, p, in, p.reloads ? Net(*frame_done) : ir::net_zero);
  Room room(s, p, in.rst);
  const Feeder feeder = build_feeder(s, p, {in.rst, in.in_valid, weights.loaded, room.some()});
  if (p.reloads) frame_done->drive(feeder.frame_done);
  const Results results = build_core(s, p,
                                     {.rst = in.rst,
                                      .ring = ring_writes(s, p, feeder.loader, in.in_data, in.rst),
                                      .weights = weights.write,
                                      .pixel_addresses = feeder.pixel_addresses,
                                      .weight_address = feeder.weight_address,
                                      .start = feeder.start,
                                      .last = feeder.last,
                                      .ends = feeder.ends});
  const Results out = build_exit(s, p, results, in.out_ready, in.rst);
  room.update(feeder.goes, reg(s, out.valid & in.out_ready, {.reset = in.rst}));
  MatrixOut<Hardware> ports{.in_ready = feeder.loader.ready,
                            .out_valid = out.valid,
                            .out_last = out.last,
                            .out_data = {},
                            .w_ready = weights.ready};
  for (const auto& column : out.words)
    ports.out_data.insert(ports.out_data.end(), column.begin(), column.end());
  return ports;
}

}  // namespace kumiki::gen::matrix
