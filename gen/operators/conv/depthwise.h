// SPDX-License-Identifier: Apache-2.0
// A convolution of every channel with a kernel of its own, sums of w * q: zero points and bias are
// left to whoever requantises. Around the map there is the zero point of the input.
//
// Every lane has a chain of `parallel` slices. Each slice has a memory that holds the last lines of
// the map, and reads a number a clock from it; the last slice adds up what its chain finds in the
// steps of a window. The address goes from slice to slice, a clock each, and finds in the memory of
// each slice another position of the kernel, because that was written to another place.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machine.h"
#include "gen/layers/pipeline/machines/raster.h"
#include "gen/layers/pipeline/machines/results.h"
#include "gen/operators/conv/depthwise_pace.h"

namespace kumiki::gen::pipeline {

// Positions of the kernel: those that slices have at a time, and those that follow.
struct DepthwiseSteps {
  std::int64_t lines = 1, columns = 1;                 // steps
  std::vector<std::array<std::int64_t, 2>> of_slices;  // line and column of the first step
  std::int64_t count() const { return lines * columns; }
};

struct DepthwisePlan {
  Stream stream;
  std::int64_t zero_point = 0;
  graph::Window window;
  std::vector<std::int16_t> weights;  // [channel][line][column]
  // Slices of a lane: 1, the lines of the kernel, its columns, or all of it.
  std::int64_t parallel = 1;
  std::int64_t ring = 0;  // words of a memory, a power of two; 0: as many as it needs
  // Of sums that are numbers as they are; nothing: as wide as the sums are.
  std::optional<arith::Format> numbers = {};

  std::optional<std::string> why_not() const;  // empty: it can be built
  std::int64_t positions() const { return std::int64_t{window.kernel[0]} * window.kernel[1]; }
  DepthwiseSteps steps() const;
  RasterPlan raster() const;  // of the map with its border
  std::int64_t least_ring() const;
  std::int64_t words() const { return ring == 0 ? least_ring() : ring; }
  DepthwisePace pace() const;
  ResultsPlan results() const { return {.clocks = 5 + parallel}; }
  arith::Interval weight_range() const;
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const;
  std::int64_t interval() const { return interval_of(pace()); }
  std::int64_t slices() const { return stream.lanes * parallel; }
  int levels() const { return 3; }
  std::string kind() const { return "depthwise"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const DepthwisePlan&) const = default;
};

// The smallest ring with which a frame takes at most one in a hundred more clocks than with one
// four times as large as it has to be.
DepthwisePlan with_ring(DepthwisePlan plan);

MachineOut<Hardware> build(Scope& s, const DepthwisePlan& plan, const MachineIn<Hardware>& in);
std::unique_ptr<Counts> counts_of(const DepthwisePlan& plan);

class DepthwiseModel : public MachineModel {
 public:
  explicit DepthwiseModel(const DepthwisePlan& plan);
  void reset() override;
  MachineOut<Values> shown() const override;
  void clock(const MachineIn<Values>& in) override;

 private:
  ResultsModel::Beat sums() const;  // of the window that ends
  DepthwisePlan plan_;
  Stream out_;
  RasterPlan raster_;
  DepthwiseCounts counts_;
  ResultsModel results_;
  // Frames that are still needed, by their number.
  std::map<std::int64_t, std::vector<ResultsModel::Beat>> frames_;
};

}  // namespace kumiki::gen::pipeline
