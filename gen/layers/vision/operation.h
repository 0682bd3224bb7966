// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a window on the pixels it covers, with fixed latency and one enable. It has two
// parts. The column part reads the pixels of one column and runs once for each column; the row part
// reads the results of neighbouring columns. (Erosion: the minimum of a column, then the minimum of
// the columns.) It knows nothing of borders, lines and frames.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::vision {

using Format = packing::OperandFormat;
// Values at the same time: [lane][value]. A lane is one channel of one of the pixels of a beat.
using Lanes = std::vector<std::vector<UInt>>;

// An input of the row part: word `word` of the column part's results for column `column` of the
// window (0 is the leftmost), with a skew of `late` clocks.
struct Tap {
  int column = 0, word = 0, late = 0;
  friend bool operator==(const Tap&, const Tap&) = default;
};

class WindowOperation {
 public:
  virtual ~WindowOperation() = default;

  virtual int size() const = 0;  // of the window, odd
  virtual Format input() const = 0;
  virtual std::vector<Format> outputs() const = 0;  // of a lane
  virtual std::string name() const = 0;             // part of a module's name, unique
  virtual std::string text() const = 0;             // for people

  // The definition: window[row * size + column].
  virtual std::vector<std::int64_t> apply(std::span<const std::int64_t> window,
                                          std::span<const std::int64_t> coefficients) const = 0;

  // Column part. Without one the words are the pixels, the uppermost first.
  virtual std::vector<Format> column_words() const {
    return std::vector(static_cast<std::size_t>(size()), input());
  }
  virtual int column_latency() const { return 0; }
  // The results of the column part for one column.
  virtual std::vector<std::int64_t> column_values(std::span<const std::int64_t> column) const {
    return {column.begin(), column.end()};
  }
  virtual Lanes build_column(Scope&, const Lanes& rows, Net) const { return rows; }

  // Row part. `latency`: from a tap without skew to the outputs.
  virtual std::vector<Tap> taps() const = 0;
  virtual int latency() const = 0;
  virtual Lanes build_row(Scope& s, const Lanes& taps, std::span<const UInt> coefficients,
                          Net enable) const = 0;

  // The initial values of coefficients that come through a port.
  virtual std::vector<std::int64_t> loadable() const { return {}; }
  virtual Format coefficient() const { return {}; }

  // The packed chains, whose plans prove the slices, with the names of their modules.
  virtual std::vector<std::pair<std::string, const packing::PackingPlan*>> chains() const {
    return {};
  }

  virtual int slices() const = 0;
  virtual std::int64_t macs() const = 0;  // of a beat
};

}  // namespace kumiki::gen::vision
