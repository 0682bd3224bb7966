// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/reload.h"

#include "gen/blocks/packing/hardware/control.h"
#include "gen/hdl/held.h"

namespace kumiki::gen::matrix {

Reload build_reload(Scope& s, const MatrixPlan& p, const MatrixIn<Hardware>& in, Net done) {
  const auto rows = static_cast<std::uint32_t>(p.rows);
  Held loaded(s, 2, 0, in.rst), free(s, 2, 2, in.rst);
  const Net take = s.net(in.w_valid[0] & free.some());
  Reg<UInt> row(s, rows, {.init = 1, .enable = take, .reset = in.rst});  // one-hot
  row.next(rows == 1 ? row.q() : cat(s, {row.q().slice(0, rows - 1), row.q().slice(rows - 1, 1)}));
  const Net next_word = s.net(take & row.q().msb());
  const auto word = packing::position(s, p.words, next_word, in.rst);
  const Net all = s.net(next_word & word.last);
  const auto half = packing::position(s, 2, all, in.rst);
  // The rows read a frame's last words some clocks later.
  const Net freed = packing::delayed_valid(s, done, p.weight_hold(), ir::net_one, in.rst);
  loaded.update(all, done);
  free.update(freed, all);
  Reload r{.write = {}, .loaded = loaded.some(), .ready = free.some()};
  for (std::uint32_t j = 0; j < rows; ++j)
    r.write.enable.push_back(reg(s, take & row.q()[j], {.reset = in.rst}));
  r.write.word = reg(s, cat(s, {Word(half.value), Word(word.value)}));
  for (const UInt& data : in.w_data) {
    r.write.data.push_back(reg(s, data));
    r.write.before.push_back(reg(s, reg(s, data, {.enable = take})));
  }
  return r;
}

}  // namespace kumiki::gen::matrix
