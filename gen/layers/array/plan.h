// SPDX-License-Identifier: Apache-2.0
// The plan of an array: everything that is fixed when the hardware is generated. The parameters of
// a layer come at run time, in descriptors (registers.h). The README of this folder explains the
// terms.
#pragma once
#include <cstdint>
#include <string>

#include "gen/blocks/requant/float_lane.h"
#include "gen/layer/layer.h"
#include "gen/layers/array/shape.h"
#include "ir/arch.h"

namespace kumiki::gen::array {

struct ArrayRequest {
  int rows = 8, columns = 8;
  int accumulators = 8;      // T, in each element
  int data_bits = 8;         // inputs and outputs of layers, signed
  int coefficient_bits = 8;  // weights, signed
  int reach = 3;             // the most pixels that a kernel spans in a phase, down or across
  int stream_words = 0;      // in a beat of the individual stream; 0: the fewest
  int window_words = 32;     // the most addresses of a bank that a channel's window takes
  int common_words = 1024;   // of the common memory, waiting or kept
  int output_words = 1;      // in a beat of the output
  int layers = 16;           // the most descriptors
  bool max_pool = true, average_pool = true;  // include the hardware for this pooling
  int split = 1;            // 2: a side may be cut into two parts, each for its own output channels
  bool batched_fc = false;  // layers may process a batch at once: a row is an output, a column an
                            // image
  bool float32 = false;     // requantise as onnxruntime does, with zero points
  // Slices multiply 25 by 18 bits, as those of the 7 series: two elements do not share one.
  bool narrow_slices = false;
  const ir::arch::DspSlice& slice() const {
    return narrow_slices ? ir::arch::dsp48e1 : ir::arch::dsp48e2;
  }
  bool operator==(const ArrayRequest&) const = default;
};

// The phases of a kernel, the same down and across: tap k is number k / phases of phase k % phases.
// Taps of a phase are `step` elements apart on the array.
struct Phases {
  int phases = 1;
  int taps = 1;  // of the first `high` phases; the others have one less
  int high = 1;
  int step = 1;
  int reach() const { return (taps - 1) * step + 1; }
  int taps_of(int phase) const { return phase < high ? taps : taps - 1; }
};
Phases phases_of(int kernel, int stride, int dilation);

// Two elements in a slice: P holds high * 2^low_lane_bits + low, a counter the low lane's
// overflows. The low lane holds a product and two bits that show an overflow.
inline constexpr int low_lane_bits = 16 + 2, overflow_bits = 12;
// Where the shift is in a parameter word: above a bias of P's width.
inline constexpr int shift_place = ir::arch::dsp48e2.p;

struct ArrayPlan {
  ArrayRequest request;

  int rows() const { return request.rows; }
  int columns() const { return request.columns; }
  int elements() const { return request.rows * request.columns; }
  int depth() const { return request.accumulators; }  // T
  int operand_bits() const;                           // of the individual stream and of the common
                                                      // stream
  bool packed() const;   // operands of up to 8 bits: sums of 32, a multiplier of 16 behind them
  bool pairs() const;    // two elements share a slice
  bool swapped() const;  // data are wider than port B, so fully connected layers exchange A and B
  int sum_bits() const { return packed() ? 32 : ir::arch::dsp48e2.p; }
  // Of an accumulator.
  int lane_bits() const { return pairs() ? ir::arch::dsp48e2.p - low_lane_bits : sum_bits(); }
  int slices() const;  // of the elements
  std::string_view slice_name() const { return request.slice().name; }
  int output_slices() const;  // of the requantisation

  int banks() const { return rows() + request.reach - 1; }
  int chain() const { return columns() + request.reach - 1; }  // pixels that a row holds
  int chunk() const;  // pixels in a bank's word: they fill the chain in T clocks
  int chunks() const {
    return (chain() + chunk() - 1) / chunk();
  }                          // of a chain; whatever the kernel, all of them
  int stream_words() const;  // W
  int fc_elements() const;   // elements in use for a fully connected layer: min(W, elements)
  int direct_words() const;  // words of a beat that go straight to the elements, also for a batch
  int banks_a_beat() const;
  int pixel_lanes() const { return banks_a_beat() * chunk(); }  // words of a beat that go to banks
  int bank_groups() const;   // beats that fill one address of all banks
  int window_depth() const;  // a power of two; a bank has two of them
  int common_depth() const;  // a power of two
  int layer_depth() const;   // a power of two

  // Clocks from a layer's descriptor to its first step, plus those from its last step to the
  // capture of its results. The same for every layer.
  static constexpr int layer_overhead = 8;
  // Clocks from the read of a chunk until it moves into a row. The elements execute their steps so
  // much later than they are issued.
  static constexpr int bank_clocks = 2;  // until a word leaves a bank
  int feed_clocks() const;
  // Clocks from the read of a row of results until it is ready to leave, and the clocks of a lane.
  // A lane makes a word of the output. Neither ever waits: after each of them up to waiting_words
  // are under way or waiting.
  static constexpr int waiting_words = 31;
  static constexpr int queue_clocks = 2;   // from arrival in the queue until it may be taken
  static constexpr int memory_clocks = 2;  // until a row leaves the slices' memories
  int drain_clocks() const;
  requant::FloatLanePlan float_lane() const;
  int lane_latency() const;
  int parameter_bits() const { return request.float32 ? 62 : 54; }  // of a word (ports.h)

  // Parts for small maps. A beat of the common stream has one word for each: part (down, across) is
  // at lane down * (1 or 2) + across.
  Cut cut_down() const;  // size 0: cannot be cut
  Cut cut_across() const;
  bool cuts_down() const { return cut_down().size > 0; }
  bool cuts_across() const { return cut_across().size > 0; }
  int commons() const { return (cuts_down() ? 2 : 1) * (cuts_across() ? 2 : 1); }
  int common_lane(bool down, bool across) const {
    return (down && cuts_down() ? cuts_across() ? 2 : 1 : 0) + (across && cuts_across() ? 1 : 0);
  }

  std::string module_name() const;
  bool operator==(const ArrayPlan&) const = default;
};

std::vector<Beat> beats(const ArrayPlan& plan);
std::string to_text(const ArrayPlan& plan);
void write(config::Writer& w, const ArrayPlan& plan);

// Throws DesignError if no hardware is possible.
ArrayPlan plan(const ArrayRequest& request);

}  // namespace kumiki::gen::array
