// SPDX-License-Identifier: Apache-2.0
// A host at the ports of an array: writes the descriptors, starts, gives every stream what it asks
// for and puts the results in maps. One clock after the other:
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

// How often, of 256 clocks, a stream that could go on does not.
struct Stalls {
  std::uint64_t seed = 1;
  int individual = 0, common = 0, parameters = 0, output = 0;
  static Stalls all(std::uint64_t seed, int of_256) {
    return {seed, of_256, of_256, of_256, of_256};
  }
};

// Counted at the ports, of one layer.
struct Measured {
  std::int64_t clocks = 0;  // that the elements work on it, from its descriptor on
  std::int64_t individual_beats = 0, individual_words = 0, common_words = 0;
  std::int64_t parameter_beats = 0, parameter_words = 0;
  std::int64_t output_beats = 0, output_words = 0;
  std::int64_t individual_waits = 0;  // clocks in which the array asked and had nothing
};

class Player {
 public:
  // One input a layer; none: the layer's input is the output of the one before. The program stays
  // the caller's. DesignError where maps do not fit one another.
  Player(const Program& program, std::vector<std::optional<Tensor>> inputs, Stalls stalls = {});
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // The inputs of the next clock; then its outputs. False when the last beat of the last layer has
  // come. DesignError when the array breaks the rules of its streams.
  void drive(ArrayIn<Values>& in);
  bool watch(const ArrayOut<Values>& out);

  const Tensor& input(std::size_t layer) const;
  const std::vector<Tensor>& results() const { return results_; }
  const std::vector<Measured>& measured() const { return measured_; }
  std::int64_t clocks() const { return clocks_; }
  // A layer whose last beat has come.
  std::size_t layers_done() const { return output_.layer(); }

 private:
  bool stalled(int of_256);
  std::vector<Source> sources() const;
  void take_output(const ArrayOut<Values>& out);

  const Program& program_;
  std::vector<std::optional<Tensor>> inputs_;
  std::vector<Tensor> results_;
  std::vector<std::vector<std::int64_t>> missing_;  // of each layer's result, by channel
  IndividualStream individual_;
  CommonStream common_;
  ParameterStream parameters_;
  OutputStream output_;
  Stalls stalls_;
  std::minstd_rand random_;
  std::vector<RegisterWrite> writes_;
  std::size_t written_ = 0;
  // A beat on its way, valid until it is taken; what it counts for.
  struct Offer {
    bool valid = false;
    std::size_t layer = 0;
    std::int64_t words = 0;
  };
  Offer individual_offer_, common_offer_, parameter_offer_;
  bool out_ready_ = false;
  std::size_t computing_layer_ = 0;
  bool was_computing_ = false;
  std::int64_t clocks_ = 0;
  std::vector<Measured> measured_;
};

// Where a result is not what it should be: layer, channel, row, column, expected and got. None if
// they are equal.
std::optional<std::string> first_difference(const LayerJob& job, const Tensor& expected,
                                            const Tensor& got);
// Every layer of a network by definition. One input a layer, or none, as the player takes them.
std::vector<Tensor> reference(const Program& program,
                              const std::vector<std::optional<Tensor>>& inputs);

}  // namespace kumiki::gen::array
