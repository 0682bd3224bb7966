// SPDX-License-Identifier: Apache-2.0
// A host at the ports of an array, for simulation. It writes the descriptors, starts the array,
// feeds the streams and collects the results into maps. Clock by clock:
//
//   for (bool more = true; more;) {
//     player.drive(in);
//     more = player.watch(array.step(in));
//   }
#pragma once
#include <optional>
#include <random>
#include <string>

#include "gen/layers/array/ports.h"
#include "gen/layers/array/streams.h"

namespace kumiki::gen::array {

// In how many of 256 clocks a stream stalls although it could go on.
struct Stalls {
  std::uint64_t seed = 1;
  int individual = 0, common = 0, parameters = 0, output = 0;
  static Stalls all(std::uint64_t seed, int of_256) {
    return {seed, of_256, of_256, of_256, of_256};
  }
};

// Counts of one layer, taken at the ports.
struct Measured {
  std::int64_t clocks = 0;  // in which the elements work on the layer, counted from its descriptor
  std::int64_t individual_beats = 0, individual_words = 0, common_words = 0;
  std::int64_t parameter_beats = 0, parameter_words = 0;
  std::int64_t output_beats = 0, output_words = 0;
  std::int64_t individual_waits = 0;  // clocks in which the array waits for an individual beat
  std::int64_t result_waits = 0;      // clocks in which it waits for a result of the previous layer
};

class Player {
 public:
  // `inputs` has one entry for each layer; an empty one means that the layer reads the output of
  // the previous layer. The caller keeps the program alive. Throws DesignError if maps do not
  // match.
  Player(const Program& program, std::vector<std::optional<Tensor>> inputs, Stalls stalls = {});
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // drive() sets the inputs of the next clock, watch() reads its outputs. watch() returns false
  // after the last beat of the last layer, and throws DesignError if the array breaks the rules of
  // its streams.
  void drive(ArrayIn<Values>& in);
  bool watch(const ArrayOut<Values>& out);

  const std::vector<Tensor>& results() const { return results_; }
  const std::vector<Measured>& measured() const { return measured_; }
  std::int64_t clocks() const { return clocks_; }
  // For users that give the array several images at once: which values of a layer's input are on
  // the individual and the common stream in this clock (-1: none), and where the results of the
  // last clock belong.
  struct Words {
    std::size_t layer = 0;
    std::vector<std::int64_t> places = {};
  };
  const Words& individual() const { return individual_words_; }
  const Words& common() const { return common_words_; }
  struct Taken {
    std::size_t layer = 0;
    OutputBeat beat = {};
  };
  const std::optional<Taken>& taken() const { return taken_; }
  // Layers whose last beat has arrived.
  std::size_t layers_done() const { return output_.layer(); }

 private:
  bool stalled(int of_256);
  std::vector<Source> sources() const;
  void take_output(const ArrayOut<Values>& out);

  const Program& program_;
  std::vector<std::optional<Tensor>> inputs_;
  std::vector<Tensor> results_;
  std::vector<std::vector<std::int64_t>> missing_;  // [layer][channel]: outstanding results
  IndividualStream individual_;
  CommonStream common_;
  ParameterStream parameters_;
  OutputStream output_;
  Stalls stalls_;
  std::minstd_rand random_;
  std::vector<RegisterWrite> writes_;
  std::size_t written_ = 0;
  // An offered beat, which stays valid until it is taken, and its contribution to the counts.
  struct Offer {
    bool valid = false;
    std::size_t layer = 0;
    std::int64_t words = 0;
  };
  Offer individual_offer_, common_offer_, parameter_offer_;
  Words individual_words_, common_words_;
  std::optional<Taken> taken_;
  bool out_ready_ = false;
  std::size_t computing_layer_ = 0;
  bool was_computing_ = false;
  std::int64_t clocks_ = 0;
  std::vector<Measured> measured_;
};

// Far more clocks than a run takes with so many stalls, so that a hang is detected.
std::int64_t most_clocks(const Program& program, int stalls_of_256 = 0);

// The first wrong value of a result as text: layer, channel, row, column, expected and actual
// value. Empty if both are equal.
std::optional<std::string> first_difference(const LayerJob& job, const Tensor& expected,
                                            const Tensor& got);
// The results of every layer by definition. `inputs`: as for Player.
std::vector<Tensor> reference(const Program& program,
                              const std::vector<std::optional<Tensor>>& inputs);

}  // namespace kumiki::gen::array
