// SPDX-License-Identifier: Apache-2.0
// A network in the form that an array runs: a descriptor for every layer, and its clocks and words.
#pragma once
#include <memory>

#include "gen/layers/array/layout.h"
#include "gen/layers/array/registers.h"

namespace kumiki::gen::array {

// The bottleneck of a layer that takes more clocks than steps.
enum class Limit : std::uint8_t { steps, shifts, loader, drain };
const char* name(Limit limit);

// The clocks and words of one layer on streams that never wait.
struct Figures {
  std::int64_t steps = 0;
  // Counted from the layer's descriptor, overhead included.
  std::int64_t clocks = 0;
  Limit limit = Limit::steps;
  // True if nothing comes near to delaying the steps: `clocks` is then exact, otherwise close. The
  // first operands of a network take `fill` more clocks: a window, or weights through their queue.
  bool exact = false;
  std::int64_t fill = 0;
  std::int64_t individual_beats = 0, individual_words = 0;  // words: the lanes that are kept
  std::int64_t common_words = 0;
  std::int64_t parameter_beats = 0, parameter_words = 0;
  std::int64_t output_beats = 0, output_words = 0;
  Cost formula;  // the cost model's figures for this array

  std::int64_t input_words() const { return individual_words + common_words; }
};

struct ProgramLayer {
  LayerJob job;
  std::vector<std::int64_t> offsets = {};  // of the sums, one for each output channel, or none
  Layout layout;
  bool keep = false;  // the common operands of a lot stay on the chip
  Descriptor descriptor;
  arith::Certificate certificate;  // proves that its sums fit the accumulators
  Figures figures;

  std::int64_t offset_of(std::int64_t channel) const {
    return offsets.empty() ? 0 : offsets[static_cast<std::size_t>(channel)];
  }
  std::int64_t common_length() const { return layout.block_steps(); }
  std::int64_t common_repeats() const { return layout.blocks(); }
  std::int64_t common_lots() const { return layout.weight_groups(); }
};

struct Lowering;  // lowering/lowering.h

struct Program {
  ArrayPlan plan;
  std::vector<ProgramLayer> layers;
  std::shared_ptr<const Lowering> lowering = {};  // only for layers that come from a graph
  std::vector<RegisterWrite> writes() const;      // all descriptors
  RegisterWrite start() const;
};

// Throws DesignError that names the layer, the rule and what is required.
Program compile(const ArrayPlan& plan, std::vector<LayerJob> jobs);
// The figures of a layer; they do not depend on its numbers.
Figures foretell(const ArrayPlan& plan, const LayerShape& shape, const Pool& pool = {});

// The figures of the layers as text and as JSON.
std::string to_text(const std::vector<ProgramLayer>& layers);
void write(config::Writer& w, const ProgramLayer& layer);

}  // namespace kumiki::gen::array
