// SPDX-License-Identifier: Apache-2.0
// What a layer costs on an array of R x Q processing elements with T accumulators each: cycles,
// words in and out. The formulas of the array paper, for any R and Q, and the two modes that go
// beyond it. Everything is an integer until it meets a clock.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/array/shape.h"

namespace kumiki::gen::array {

struct Array {
  std::int64_t rows = 27, columns = 27;
  std::int64_t accumulators = 8;  // of an element: T
  std::int64_t bits = 20;         // of an operand
  double clock_mhz = 200;
  std::int64_t fc_elements = 0;  // that work on a fully connected layer; 0: all
  std::int64_t batch = 1;        // images one after the other
  // Beyond the paper. A map that is at most half as high or wide as the array leaves most of it
  // idle: the array may be cut in up to `split` parts each way, all working on the same map for
  // output channels of their own. 1: the paper's form. No slice is in two parts.
  std::int64_t split = 1;
  // A batch at once: weights broadcast along rows, inputs of as many images along columns. One
  // image runs in the paper's form.
  bool batched_fc = false;

  std::int64_t elements() const { return rows * columns; }
  std::int64_t fc_working() const { return fc_elements == 0 ? elements() : fc_elements; }
  // Two elements share a DSP48E2 up to 8 bits: neighbours in a row, and of odd columns the last
  // ones of two rows.
  bool packed() const { return bits <= 8; }
  std::int64_t slices() const { return packed() ? (elements() + 1) / 2 : elements(); }
  Cut cut_down(std::int64_t parts) const { return cut(rows, parts, packed() && columns % 2 != 0); }
  Cut cut_across(std::int64_t parts) const { return cut(columns, parts, packed()); }
};

// So many words in so many cycles.
struct Rate {
  std::int64_t words = 0, cycles = 1;
  double words_per_cycle() const {
    return static_cast<double>(words) / static_cast<double>(cycles);
  }
  double gbps(const Array& array) const {
    return words_per_cycle() * static_cast<double>(array.bits) * array.clock_mhz / 1000;
  }
};

// Of a layer, for the whole batch.
struct Cost {
  std::int64_t cycles = 0;
  std::int64_t macs = 0;                           // that the layer needs
  Rate in, out;                                    // as the formulas say, while the layer runs
  std::int64_t input_words = 0, output_words = 0;  // the rates times the cycles
  // Input words when a strip of the map has as many rows as stride and dilation ask for. The
  // paper's formula is that of stride 1; there, at odd kernels, the two are equal.
  std::int64_t fetched_words = 0;
  std::int64_t weight_words = 0;  // distinct weights, each once
  std::int64_t sub_blocks = 1;    // parts of the array with output channels of their own

  double ms(const Array& array) const {
    return static_cast<double>(cycles) / (array.clock_mhz * 1000);
  }
};

// How the array is cut for a layer: in the fewest parts that make the turns as few as they get.
struct SubBlocks {
  Cut down, across;
  std::int64_t parts() const { return down.parts * across.parts; }
};
SubBlocks sub_blocks(const Array& array, const ConvShape& shape);

// DesignError when an Array or a shape is impossible, or the numbers leave 63 bits.
Cost cost(const Array& array, const ConvShape& shape);
Cost cost(const Array& array, const FcShape& shape);
Cost cost(const Array& array, const LayerShape& layer);

struct NetworkCost {
  std::vector<Cost> layers;
  std::int64_t cycles = 0, macs = 0;
  std::int64_t conv_cycles = 0, conv_macs = 0;

  double ms(const Array& array) const {
    return static_cast<double>(cycles) / (array.clock_mhz * 1000);
  }
  double frames_per_second(const Array& array) const {
    return 1000 * static_cast<double>(array.batch) / ms(array);
  }
  // Sustained, what every slice does in every cycle; 0 without cycles.
  double macs_per_slice(const Array& array) const { return ratio(array, macs, cycles); }
  double conv_macs_per_slice(const Array& array) const {
    return ratio(array, conv_macs, conv_cycles);
  }

 private:
  static double ratio(const Array& array, std::int64_t macs, std::int64_t cycles) {
    return cycles == 0 ? 0
                       : static_cast<double>(macs) /
                             (static_cast<double>(cycles) * static_cast<double>(array.slices()));
  }
};
NetworkCost cost(const Array& array, const std::vector<LayerShape>& network);

}  // namespace kumiki::gen::array
