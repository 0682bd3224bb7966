// SPDX-License-Identifier: Apache-2.0
// A row of elements: its copy of the step's controls, the shadow chain that collects the next
// pixels, the chain itself, and the slices.
#pragma once
#include "gen/layers/array/hardware/slice.h"

namespace kumiki::gen::array {

struct RowPlan {
  SlicePlan slice;
  int columns = 8, chain = 10, chunk = 2, chunks = 5;
  int direct = 0;      // elements that get a word directly from the individual stream
  bool batch = false;  // the row may have its own operand instead of the common one
  int cut = 0;         // first column of a second part with its own common operands; 0: none
  std::string module_name() const;
  bool operator==(const RowPlan&) const = default;
  int slices() const { return slice.packed ? columns / 2 : columns; }
  int column(int slice_at) const { return slice.packed ? 2 * slice_at : slice_at; }
  bool second(int at) const { return cut > 0 && at >= cut; }  // column of the second part
  // The second part may consist only of the odd last column, which has no slice in the row.
  int commons() const { return second(column(slices() - 1)) ? 2 : 1; }
  bool odd() const { return slice.packed && columns % 2 != 0; }
};
RowPlan row_plan(const ArrayPlan& plan, int row);

template <class R>
struct RowIn {
  typename R::Bit rst;
  typename R::Bit go, load, again, capture;
  typename R::UInt capture_at;
  std::vector<typename R::UInt> common;  // one for each part
  std::vector<typename R::Bit> swap, across, batch;
  std::vector<typename R::UInt> weight;                      // for a batch: shared by all elements
  typename R::Bit shift_in, take_shadow, take_direct, move;  // of the shadow and of the chain
  std::vector<typename R::UInt> pixels;                      // a chunk
  std::vector<typename R::UInt> direct;
  typename R::UInt drain_at;
  static constexpr auto ports() {
    return std::tuple(port("rst", &RowIn::rst), port("go", &RowIn::go), port("load", &RowIn::load),
                      port("again", &RowIn::again), port("capture", &RowIn::capture),
                      port("capture_at", &RowIn::capture_at), port("common", &RowIn::common),
                      port("swap", &RowIn::swap), port("across", &RowIn::across),
                      port("batch", &RowIn::batch), port("weight", &RowIn::weight),
                      port("shift_in", &RowIn::shift_in), port("take_shadow", &RowIn::take_shadow),
                      port("take_direct", &RowIn::take_direct), port("move", &RowIn::move),
                      port("pixels", &RowIn::pixels), port("direct", &RowIn::direct),
                      port("drain_at", &RowIn::drain_at));
  }
};

template <class R>
struct RowOut {
  std::vector<typename R::UInt> sums;    // one for each slice
  std::vector<typename R::UInt> last;    // for odd columns: the operand of a slice shared with the
                                         // row below
  std::vector<typename R::UInt> weight;  // the row's own operand, for that slice
  static constexpr auto ports() {
    return std::tuple(port("sums", &RowOut::sums), port("last", &RowOut::last),
                      port("last_weight", &RowOut::weight));
  }
};

RowOut<Hardware> build_row(Scope& s, const RowPlan& plan, const RowIn<Hardware>& in);

// A slice for the last elements of two rows if the number of columns is odd, or for the last
// element of a remaining row.
struct EdgePlan {
  SlicePlan slice;
  std::string module_name() const;
  bool operator==(const EdgePlan&) const = default;
};
template <class R>
struct EdgeIn {
  typename R::Bit rst;
  typename R::Bit go, load, again, capture;
  typename R::UInt capture_at, common;
  std::vector<typename R::UInt> individual;
  std::vector<typename R::Bit> batch;  // the rows' own weights; all elements share the pixel
  std::vector<typename R::UInt> weights;
  typename R::UInt drain_at;
  static constexpr auto ports() {
    return std::tuple(port("rst", &EdgeIn::rst), port("go", &EdgeIn::go),
                      port("load", &EdgeIn::load), port("again", &EdgeIn::again),
                      port("capture", &EdgeIn::capture), port("capture_at", &EdgeIn::capture_at),
                      port("common", &EdgeIn::common), port("individual", &EdgeIn::individual),
                      port("batch", &EdgeIn::batch), port("weights", &EdgeIn::weights),
                      port("drain_at", &EdgeIn::drain_at));
  }
};
SliceOut<Hardware> build_edge(Scope& s, const EdgePlan& plan, const EdgeIn<Hardware>& in);

}  // namespace kumiki::gen::array
