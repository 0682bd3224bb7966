// SPDX-License-Identifier: Apache-2.0
// A network as an array runs it: a descriptor for every layer, and what each is going to take.
#pragma once
#include "gen/layers/array/layout.h"
#include "gen/layers/array/registers.h"

namespace kumiki::gen::array {

// What holds a layer up when its clocks are more than its steps.
enum class Limit : std::uint8_t { steps, shifts, loader, drain };
const char* name(Limit limit);

// Of one layer, on streams that never wait.
struct Figures {
  std::int64_t steps = 0;
  // From its descriptor on, overhead included.
  std::int64_t clocks = 0;
  Limit limit = Limit::steps;
  // Nothing comes near to holding the steps up: the clocks are these to the last one, otherwise
  // near them; `fill` more for the first window of a network.
  bool exact = false;
  std::int64_t fill = 0;
  std::int64_t individual_beats = 0, individual_words = 0;  // words: the lanes that are kept
  std::int64_t common_words = 0;
  std::int64_t parameter_beats = 0, parameter_words = 0;
  std::int64_t output_beats = 0, output_words = 0;
  Cost formula;  // the cost model's, of this array

  std::int64_t input_words() const { return individual_words + common_words; }
};

struct ProgramLayer {
  LayerJob job;
  Layout layout;
  bool keep = false;  // the common operands of a lot, on chip
  Descriptor descriptor;
  arith::Certificate certificate;  // its sums stay within the accumulators
  Figures figures;

  std::int64_t common_length() const { return layout.block_steps(); }
  std::int64_t common_repeats() const { return layout.blocks(); }
  std::int64_t common_lots() const { return layout.weight_groups(); }
};

struct Program {
  ArrayPlan plan;
  std::vector<ProgramLayer> layers;
  std::vector<RegisterWrite> writes() const;  // all descriptors
  RegisterWrite start() const;
};

// DesignError that names the layer, the rule and what is legal.
Program compile(const ArrayPlan& plan, std::vector<LayerJob> jobs);
// Of a layer, whatever its numbers.
Figures foretell(const ArrayPlan& plan, const LayerShape& shape, const Pool& pool = {});

// What the layers are going to take, for people and for programs.
std::string to_text(const std::vector<ProgramLayer>& layers);
void write(config::Writer& w, const ProgramLayer& layer);

}  // namespace kumiki::gen::array
