// SPDX-License-Identifier: Apache-2.0
// A convolution with vector instructions: the same numbers as by its definition
// (gen/operators/conv/meaning.cpp), many at a time.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "gen/arith/float_rule.h"
#include "gen/kernels/planes.h"
#include "gen/kernels/workers.h"

namespace kumiki::gen::kernels {

struct ConvolutionJob {
  Taps taps;
  int groups = 1;
  int channels = 1;                         // of the map
  std::int32_t zero_point = 0;              // of the map
  arith::Interval numbers, result_numbers;  // of the formats of map and results
  std::span<const std::int16_t> weights;    // [result][channel of the group][row][column]
  std::span<const std::int32_t> bias;       // one for each result
  std::span<const arith::FloatRule> rules;  // one for each result
};

// Where the numbers of a map are: words of 32 bits, or bytes. Those are unsigned numbers, and
// signed ones plus 128. One of the two is null.
struct MapFrom {
  const std::int32_t* numbers = nullptr;
  const std::uint8_t* bytes = nullptr;
};
struct MapTo {
  std::int32_t* numbers = nullptr;
  std::uint8_t* bytes = nullptr;
};

class Convolution {
 public:
  virtual ~Convolution() = default;
  virtual void run(const MapFrom& map, const MapTo& results, Workers& workers) const = 0;
  virtual std::size_t results() const = 0;
  // Whether its map, or its results, may be bytes.
  virtual bool takes_bytes() const = 0;
  virtual bool gives_bytes() const = 0;
};

// Computes the results of a map, whose sums wrap around in 32 bits. Null: this processor or these
// numbers do not allow it. The job is read here alone. Bytes are multiplied with VNNI, if
// `with_vnni`.
std::shared_ptr<const Convolution> fast_convolution(const ConvolutionJob& job, bool with_vnni);

// One after the other; what is between two of them is bytes.
void run_chain(std::span<const Convolution* const> chain, const std::int32_t* map,
               std::int32_t* results, Workers& workers);

}  // namespace kumiki::gen::kernels
