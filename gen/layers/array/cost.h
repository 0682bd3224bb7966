// SPDX-License-Identifier: Apache-2.0
// The cost of a layer on an array of R x Q processing elements with T accumulators each: cycles,
// words in and out. These are the formulas of the array paper, for any R and Q, and two modes
// beyond it. Everything is an integer until it is divided by a clock.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/array/shape.h"

namespace kumiki::gen::array {

struct Array {
  std::int64_t rows = 27, columns = 27;
  std::int64_t accumulators = 8;  // T, in each element
  std::int64_t bits = 20;         // of an operand
  double clock_mhz = 200;
  std::int64_t fc_elements = 0;  // elements in use for a fully connected layer; 0: all
  std::int64_t batch = 1;        // images one after the other
  // Beyond the paper. A map that is at most half as high or wide as the array leaves most of it
  // idle. So the array may be cut into up to `split` parts in each direction. All parts work on the
  // same map, each for its own output channels. 1: the paper's form. No slice belongs to two parts.
  std::int64_t split = 1;
  // Beyond the paper. Fully connected layers process a batch at once: weights are broadcast along
  // rows, and the inputs of one image along each column. A single image runs in the paper's form.
  bool batched_fc = false;
  bool narrow_slices = false;  // 25 x 18 bits: no two elements share one

  std::int64_t elements() const { return rows * columns; }
  std::int64_t fc_working() const { return fc_elements == 0 ? elements() : fc_elements; }
  // Two elements share a slice up to 8 bits: neighbours in a row. With an odd number of columns
  // the last elements of two rows share one.
  bool pairs() const { return bits <= 8 && !narrow_slices; }
  std::int64_t slices() const { return pairs() ? (elements() + 1) / 2 : elements(); }
  Cut cut_down(std::int64_t parts) const { return cut(rows, parts, pairs() && columns % 2 != 0); }
  Cut cut_across(std::int64_t parts) const { return cut(columns, parts, pairs()); }
};

// `words` words in `cycles` cycles.
struct Rate {
  std::int64_t words = 0, cycles = 1;
  double words_per_cycle() const {
    return static_cast<double>(words) / static_cast<double>(cycles);
  }
  double gbps(const Array& array) const {
    return words_per_cycle() * static_cast<double>(array.bits) * array.clock_mhz / 1000;
  }
};

// The cost of one layer, for the whole batch.
struct Cost {
  std::int64_t cycles = 0;
  std::int64_t macs = 0;                           // multiplications that the layer requires
  Rate in, out;                                    // from the formulas, while the layer runs
  std::int64_t input_words = 0, output_words = 0;  // rates times cycles
  // Input words if a strip of the map has as many rows as stride and dilation require. The paper's
  // formula is for stride 1; there both are equal for odd kernels.
  std::int64_t fetched_words = 0;
  std::int64_t weight_words = 0;  // distinct weights, each once
  std::int64_t sub_blocks = 1;    // parts of the array with their own output channels

  double ms(const Array& array) const {
    return static_cast<double>(cycles) / (array.clock_mhz * 1000);
  }
};

// How the array is cut for a layer: the fewest parts among those with the fewest turns.
struct SubBlocks {
  Cut down, across;
  std::int64_t parts() const { return down.parts * across.parts; }
};
SubBlocks sub_blocks(const Array& array, const ConvShape& shape);

// DesignError if an Array or a shape is impossible, or if numbers exceed 63 bits.
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
  // Sustained MAC per slice and cycle; 0 without cycles.
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
