// SPDX-License-Identifier: Apache-2.0
// Makes the inputs of the machines, cycle by cycle. The same seed, options and ports give the same
// frames everywhere.
//
// A run is a series of stretches of random length. In each stretch the data ports have one source:
// random bits, corner values, or the user's frames. A corner stretch may hold one corner on all
// ports. Or every port chooses its own corner, in every cycle or for the whole stretch, so that
// accumulators reach their limits. Control ports are independent of the stretches: enables stall,
// resets occur at any time, and stalls and resets overlap.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/random.h"
#include "ir/machine.h"

namespace kumiki::backends {

enum class Role : std::uint8_t {
  data,
  enable,     // mostly 1, with stalls of a few cycles and long ones
  reset,      // mostly 0, synchronous, overrides the enables
  reset_low,  // the same, active low
  valid,      // on and off in bursts
};
std::string_view role_name(Role role);

// Derives the role from the port's name. rst, reset and *_rst: reset. aresetn and *_aresetn: reset,
// active low. en, ce, enable, *_en and *_ce: enable. valid, *_valid, ready and *_ready: valid. All
// other ports, and every port wider than one bit: data.
Role default_role(const ir::PortSlot& port);

// Special values for a data port, besides random bits.
enum class Corner : std::uint8_t {
  zeros,
  ones,
  lowest,   // of the port's own range: 10…0 if signed
  highest,  // 01…1 if signed
  plus_one,
  alternating,
  walking_one,
  walking_zero,
  near_lowest,   // one above it
  near_highest,  // one below it
};
inline constexpr unsigned corner_count = static_cast<unsigned>(Corner::near_highest) + 1;

struct StimulusOptions {
  std::uint64_t seed = 1;
  std::uint64_t cycles = 10'000;  // planned length of the run: resets are spread over it
  double stall = 0.1;             // fraction of the cycles in which an enable is 0
  std::uint64_t resets = 8;       // of every reset port, one in each part of the run
  unsigned longest_stall = 80, longest_reset = 40;

  // Frames of the user, passed on unchanged, including control ports. They come before all others,
  // or, if they have a weight, in stretches between the others.
  std::vector<ir::Frame> given = {};
  // How often a stretch takes each source.
  struct Weights {
    unsigned random = 5, corner = 4, given = 0;
  } weights = {};

  std::map<std::string, Role, std::less<>> roles = {};  // overrides the default
  // Ports with several numbers side by side: corners are those of each number. In a corner, bits
  // between fields are 0. A port that is not listed is split into equal parts of changing width.
  struct Field {
    std::uint32_t width;  // of a number
    bool is_signed;
    std::uint32_t low = 0, bits = 0;  // of the field; 0 bits: to the end of the port
  };
  std::map<std::string, std::vector<Field>, std::less<>> fields = {};

  // Changes a frame into one that the generator allows; called last.
  std::function<void(std::uint64_t cycle, ir::Frame& frame)> constrain = {};
};

// Counts of the applied stimulus.
struct StimulusCounts {
  std::uint64_t cycles = 0;
  std::uint64_t random_cycles = 0, corner_cycles = 0, given_cycles = 0;
  std::array<std::uint64_t, corner_count> corners = {};  // values put on data ports
  std::uint64_t stalls = 0, stalled_cycles = 0, longest_stall = 0;
  std::uint64_t resets = 0, reset_cycles = 0, longest_reset = 0;
  std::uint64_t stalled_resets = 0;  // cycles with both: the reset must win
  std::uint64_t invalid_cycles = 0;
};

class Stimulus {
 public:
  Stimulus(const ir::PortLayout& ports, StimulusOptions options);

  void restart();  // from the first frame again
  void next(ir::Frame& frame);
  const StimulusCounts& counts() const { return counts_; }
  const ir::PortLayout& ports() const { return ports_; }
  const StimulusOptions& options() const { return options_; }
  Role role(std::size_t input) const { return roles_[input]; }

 private:
  enum class Source : std::uint8_t { random, corner, given };
  enum class Holding : std::uint8_t { fresh, same_for_all, held };

  // A control port's value and its remaining cycles.
  struct Control {
    bool value = false;
    std::uint32_t left = 0;
  };

  void choose_resets(std::size_t input);
  void start_stretch();
  void apply_data(ir::Frame& frame);
  void put_random(std::size_t input, ir::Frame& frame);
  void put_corner(std::size_t input, Corner corner, bool all_alike, ir::Frame& frame);
  void apply_controls(ir::Frame& frame);
  bool next_control(std::size_t input);
  bool is_reset(std::size_t input) const {
    return roles_[input] == Role::reset || roles_[input] == Role::reset_low;
  }
  bool reset_starts(std::size_t input);
  std::uint32_t short_or_long(std::size_t input, std::uint32_t longest);
  void count(const ir::Frame& frame);

  ir::PortLayout ports_;
  StimulusOptions options_;
  std::vector<Role> roles_;
  using Cut = std::vector<StimulusOptions::Field>;
  std::vector<std::vector<Cut>> cuts_;                // ways to split every port
  std::vector<std::vector<std::uint64_t>> reset_at_;  // of every port
  std::vector<lockstep::Random> streams_;             // of every port
  lockstep::Random stretches_{0};
  Source source_ = Source::random;
  Holding holding_ = Holding::fresh;
  Corner corner_ = Corner::zeros;
  std::uint32_t left_ = 0;
  bool is_first_ = true;
  std::size_t given_ = 0;
  std::vector<Control> controls_;
  std::uint64_t stall_ = 0, reset_ = 0;  // length of the current one
  ir::Frame held_;
  StimulusCounts counts_;
};

// All frames at once, for simulators that run alone.
std::vector<ir::Frame> frames(const ir::PortLayout& ports, const StimulusOptions& options,
                              std::uint64_t cycles);

}  // namespace kumiki::backends
