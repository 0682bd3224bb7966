// SPDX-License-Identifier: Apache-2.0
// The core of the engine: it walks over a map, multiplies, requantises and writes the next map.
//
// A walk issues a word in every clock: a place for each of four pixels, and the place of a word of
// weights. The words of a set follow each other without a gap, so nothing in the columns waits. A
// set begins when the results of the set before it have had time to leave, and the first set of a
// tile when all weights of the tile are in the ring.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/hdl/ports.h"
#include "gen/layers/engine/hardware/core_plan.h"
#include "gen/layers/engine/op.h"

namespace kumiki::gen::engine {

// What an operation is: registers that do not change from a clock before `start` until `busy` is 0
// again. Counts are less 1.
template <class R>
struct CoreIn {
  typename R::Bit rst, start;
  typename R::Bit has_table;
  typename R::Bit adds, ties;          // a second number; ties go to the even result
  typename R::Bit depthwise, maximum;  // the unit; neither: products
  typename R::UInt from, block_step, tile_step, repeat_step;  // places
  typename R::UInt blocks, taps, repeats, sets, tiles;        // less 1
  typename R::UInt words;                                     // of a tile
  typename R::UInt pitch;                                     // of the walk, less 1
  typename R::UInt again;  // 1: each repetition reads the same weights
  typename R::UInt pad;
  typename R::UInt zero, low, high;  // of results
  typename R::UInt target, target_step, part, column_step, other_column_step, line_step,
      other_line_step;
  typename R::UInt column_phases, line_phases;  // less 1: the last step of so many is the other one
  typename R::UInt width, height;               // less 1
  typename R::UInt second, second_step;  // the place of the second number; from block to block
  // The table of taps has two halves: one is read, and the highest bit of a tap's number says into
  // which one it is written.
  typename R::Bit tap_bank, tap_write;
  typename R::UInt tap_number, tap_offset;
  std::vector<typename R::UInt> tap_bounds;  // first line, line behind; first column, column behind
  // An entry of the tables behind the lanes, which have two halves as well. The number has the half
  // above the table, that of the lanes' results or that of the second numbers.
  typename R::Bit table_write;
  typename R::UInt table_number, table_entry;
  // Rows of weights, as many as a beat has: of all rows of a word, or of those of a tap of the
  // depthwise unit. A parameter of a lane, part by part; the last one of a tile.
  typename R::Bit w_valid, w_depthwise, p_valid, p_last;
  std::vector<typename R::UInt> w_data;
  typename R::UInt p_data;
  // Movers. They have the banks in clocks in which `m_writes` or `m_reads` is 1.
  typename R::Bit m_write, m_read;
  typename R::UInt m_to, m_from, m_parts;
  std::vector<typename R::UInt> m_data;
  static constexpr auto ports() {
    return std::tuple(
        port("rst", &CoreIn::rst), port("start", &CoreIn::start),
        port("depthwise", &CoreIn::depthwise), port("maximum", &CoreIn::maximum),
        port("has_table", &CoreIn::has_table), port("adds", &CoreIn::adds),
        port("ties", &CoreIn::ties), port("from", &CoreIn::from),
        port("block_step", &CoreIn::block_step), port("tile_step", &CoreIn::tile_step),
        port("repeat_step", &CoreIn::repeat_step), port("blocks", &CoreIn::blocks),
        port("taps", &CoreIn::taps), port("repeats", &CoreIn::repeats), port("sets", &CoreIn::sets),
        port("tiles", &CoreIn::tiles), port("words", &CoreIn::words), port("pitch", &CoreIn::pitch),
        port("again", &CoreIn::again), port("pad", &CoreIn::pad), port("zero", &CoreIn::zero),
        port("low", &CoreIn::low), port("high", &CoreIn::high), port("target", &CoreIn::target),
        port("target_step", &CoreIn::target_step), port("part", &CoreIn::part),
        port("column_step", &CoreIn::column_step),
        port("other_column_step", &CoreIn::other_column_step),
        port("line_step", &CoreIn::line_step), port("other_line_step", &CoreIn::other_line_step),
        port("column_phases", &CoreIn::column_phases), port("line_phases", &CoreIn::line_phases),
        port("width", &CoreIn::width), port("height", &CoreIn::height),
        port("second", &CoreIn::second), port("second_step", &CoreIn::second_step),
        port("tap_bank", &CoreIn::tap_bank), port("tap_write", &CoreIn::tap_write),
        port("tap_number", &CoreIn::tap_number), port("tap_offset", &CoreIn::tap_offset),
        port("tap_bounds", &CoreIn::tap_bounds), port("table_write", &CoreIn::table_write),
        port("table_number", &CoreIn::table_number), port("table_entry", &CoreIn::table_entry),
        port("w_valid", &CoreIn::w_valid), port("w_depthwise", &CoreIn::w_depthwise),
        port("w_data", &CoreIn::w_data), port("p_valid", &CoreIn::p_valid),
        port("p_last", &CoreIn::p_last), port("p_data", &CoreIn::p_data),
        port("m_write", &CoreIn::m_write), port("m_to", &CoreIn::m_to),
        port("m_parts", &CoreIn::m_parts), port("m_data", &CoreIn::m_data),
        port("m_read", &CoreIn::m_read), port("m_from", &CoreIn::m_from));
  }
};

template <class R>
struct CoreOut {
  typename R::Bit busy;
  typename R::Bit w_ready, p_ready;
  typename R::Bit m_writes, m_reads, m_valid;
  std::vector<typename R::UInt> m_word;
  static constexpr auto ports() {
    return std::tuple(port("busy", &CoreOut::busy), port("w_ready", &CoreOut::w_ready),
                      port("p_ready", &CoreOut::p_ready), port("m_writes", &CoreOut::m_writes),
                      port("m_reads", &CoreOut::m_reads), port("m_valid", &CoreOut::m_valid),
                      port("m_word", &CoreOut::m_word, &CoreOut::m_valid));
  }
};

CoreIn<Hardware> input_shape(const CorePlan& plan);
CoreOut<Hardware> output_shape(const CorePlan& plan);
CoreOut<Hardware> build_core(Scope& s, const CorePlan& plan, const CoreIn<Hardware>& in);

}  // namespace kumiki::gen::engine
