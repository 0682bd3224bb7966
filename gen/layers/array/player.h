// SPDX-License-Identifier: Apache-2.0
// A host at the ports of an array, for simulation: it writes the descriptors, starts, feeds the
// streams and puts the results in maps. Clock by clock:
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

// In how many of 256 clocks a stream that could go on stalls.
struct Stalls {
  std::uint64_t seed = 1;
  int individual = 0, common = 0, parameters = 0, output = 0;
  static Stalls all(std::uint64_t seed, int of_256) {
    return {seed, of_256, of_256, of_256, of_256};
  }
};

// Counts of one layer, taken at the ports.
struct Measured {
  std::int64_t clocks = 0;  // in which the elements work on the layer, from its descriptor on
  std::int64_t individual_beats = 0, individual_words = 0, common_words = 0;
  std::int64_t parameter_beats = 0, parameter_words = 0;
  std::int64_t output_beats = 0, output_words = 0;
  std::int64_t individual_waits = 0;  // clocks in which the array waits for an individual beat
  std::int64_t result_waits = 0;      // and for a result of the layer before
};

class Player {
 public:
  // `inputs` has one entry a layer; an empty one means that the layer takes the output of the layer
  // before. The caller keeps the program alive. Throws DesignError when maps do not fit.
  Player(const Program& program, std::vector<std::optional<Tensor>> inputs, Stalls stalls = {});
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // drive() sets the inputs of the next clock, watch() takes its outputs. watch() returns false
  // when the last beat of the last layer has come, and throws DesignError when the array breaks the
  // rules of its streams.
  void drive(ArrayIn<Values>& in);
  bool watch(const ArrayOut<Values>& out);

  const Tensor& input(std::size_t layer) const;
  const std::vector<Tensor>& results() const { return results_; }
  const std::vector<Measured>& measured() const { return measured_; }
  std::int64_t clocks() const { return clocks_; }
  // For those who give the array more than one image's numbers: the values of a layer's input that
  // stand on the individual and the common stream in this clock (-1: none), and where the results
  // belong that the last clock has brought.
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
  // Layers whose last beat has come.
  std::size_t layers_done() const { return output_.layer(); }

 private:
  bool stalled(int of_256);
  std::vector<Source> sources() const;
  void take_output(const ArrayOut<Values>& out);

  const Program& program_;
  std::vector<std::optional<Tensor>> inputs_;
  std::vector<Tensor> results_;
  std::vector<std::vector<std::int64_t>> missing_;  // [layer][channel]: results still to come
  IndividualStream individual_;
  CommonStream common_;
  ParameterStream parameters_;
  OutputStream output_;
  Stalls stalls_;
  std::minstd_rand random_;
  std::vector<RegisterWrite> writes_;
  std::size_t written_ = 0;
  // An offered beat, valid until it is taken, and what it adds to the counts.
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

// Far more clocks than a run takes with so many stalls: an array that hangs is found out, not
// waited for.
std::int64_t most_clocks(const Program& program, int stalls_of_256 = 0);

// The first wrong value of a result as text: layer, channel, row, column, expected and got. Empty
// when the two are equal.
std::optional<std::string> first_difference(const LayerJob& job, const Tensor& expected,
                                            const Tensor& got);
// The results of every layer by definition. `inputs` is as in Player.
std::vector<Tensor> reference(const Program& program,
                              const std::vector<std::optional<Tensor>>& inputs);

}  // namespace kumiki::gen::array
