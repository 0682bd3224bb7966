// SPDX-License-Identifier: Apache-2.0
// The register map. Five engines walk over the layers, each with descriptors of its own. The
// address of a word is engine * 512 + layer * 8 + word. Every count is stored minus one. Arrays
// that requantise as float32 have one more word for the results of a layer, which travels with its
// rows.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "gen/layers/array/plan.h"

namespace kumiki::gen::array {

inline constexpr int address_bits = 12;
enum class Engine : std::uint8_t { loader, feeder, common, compute, drain, results, control = 7 };
constexpr std::uint32_t address(Engine engine, int layer, int word) {
  return static_cast<std::uint32_t>(engine) * 512 + static_cast<std::uint32_t>(layer) * 8 +
         static_cast<std::uint32_t>(word);
}
// Writing n - 1 here starts the first n layers. Only allowed while the array is not busy.
inline constexpr std::uint32_t start_address = address(Engine::control, 0, 0);

// A field of a descriptor: bits [low, low + width) of a word. The word holds the value minus
// `less`.
struct Field {
  Engine engine;
  int word, low, width;
  std::uint32_t less = 1;
};

namespace fields {
// Individual stream into the banks, or straight to the elements.
inline constexpr Field loader_fc{Engine::loader, 0, 0, 1, 0};
inline constexpr Field loader_window{Engine::loader, 1, 0, 12};  // addresses of a window
inline constexpr Field loader_groups{Engine::loader, 2, 0, 10};  // beats in an address
inline constexpr Field loader_count{Engine::loader, 3, 0, 32};   // windows; fc: beats
inline constexpr Field loader_pad{Engine::loader, 4, 0, 8, 0};   // for float32: padding, signed
// Banks into the rows.
inline constexpr Field feeder_fc{Engine::feeder, 0, 0, 1, 0};
inline constexpr Field feeder_phases{Engine::feeder, 0, 1, 2};
inline constexpr Field feeder_taps{Engine::feeder, 0, 3, 4};
inline constexpr Field feeder_high{Engine::feeder, 0, 7, 2};
inline constexpr Field feeder_step{Engine::feeder, 0, 9, 1};
inline constexpr Field feeder_windows{Engine::feeder, 1, 0, 32};
inline constexpr Field feeder_down{Engine::feeder, 2, 0, 1, 0};  // both parts get the same rows
// Common operands: `outers` lots of `length` words; each lot is used `repeats` times if kept.
inline constexpr Field common_keep{Engine::common, 0, 0, 1, 0};
inline constexpr Field common_length{Engine::common, 1, 0, 28};
inline constexpr Field common_repeats{Engine::common, 2, 0, 28};
inline constexpr Field common_outers{Engine::common, 3, 0, 28};
inline constexpr Field common_none{Engine::common, 4, 0, 1, 0};  // a batch has no common operands
// Elements.
inline constexpr Field compute_fc{Engine::compute, 0, 0, 1, 0};
inline constexpr Field compute_phases{Engine::compute, 0, 1, 2};
inline constexpr Field compute_taps{Engine::compute, 0, 3, 4};
inline constexpr Field compute_high{Engine::compute, 0, 7, 2};
inline constexpr Field compute_step{Engine::compute, 0, 9, 1};
inline constexpr Field compute_channels{Engine::compute, 1, 0, 24};  // of a group; fc: the inputs
inline constexpr Field compute_blocks{Engine::compute, 2, 0, 28};
// Which sides of the array are cut into two parts. Absent if the array cannot be cut.
inline constexpr Field compute_down{Engine::compute, 3, 0, 1, 0};
inline constexpr Field compute_across{Engine::compute, 3, 1, 1, 0};
// Fully connected, a batch at once. Absent if the array does not support it.
inline constexpr Field compute_batch{Engine::compute, 4, 0, 1, 0};
// Results. A pair of fields: for all blocks but the last in that direction, and for the last one.
inline constexpr Field drain_fc{Engine::drain, 0, 0, 1, 0};
inline constexpr Field drain_pool{Engine::drain, 0, 1, 2, 0};  // 0, or rows minus one: 2x2, 3x3
inline constexpr Field drain_average{Engine::drain, 0, 3, 1, 0};
inline constexpr Field drain_relu{Engine::drain, 0, 4, 1, 0};
inline constexpr Field drain_slots{Engine::drain, 1, 0, 7};  // accumulators read, of all parts
inline constexpr Field drain_slots_last{Engine::drain, 1, 16, 7};
inline constexpr Field drain_rows{Engine::drain, 2, 0, 11};  // of the array, before pooling
inline constexpr Field drain_rows_last{Engine::drain, 2, 16, 11};
inline constexpr Field drain_words{Engine::drain, 3, 0, 11};  // of a row, after pooling
inline constexpr Field drain_words_last{Engine::drain, 3, 16, 11};
inline constexpr Field drain_tail{Engine::drain, 4, 0, 11};  // fc: words of a block's last row
inline constexpr Field drain_tail_last{Engine::drain, 4, 16, 11};
inline constexpr Field drain_blocks{Engine::drain, 5, 0, 16};   // in a strip
inline constexpr Field drain_strips{Engine::drain, 5, 16, 16};  // fc: blocks of outputs
inline constexpr Field drain_turns{Engine::drain, 6, 0, 16};    // of T channels in a group
inline constexpr Field drain_groups{Engine::drain, 6, 16, 16};
inline constexpr Field drain_down{Engine::drain, 7, 0, 1, 0};  // as for compute
inline constexpr Field drain_across{Engine::drain, 7, 1, 1, 0};
inline constexpr Field drain_batch{Engine::drain, 7, 2, 1, 0};
// Results of arrays that requantise as float32, signed.
inline constexpr Field results_zero{Engine::results, 0, 0, 8, 0};  // the zero point
inline constexpr Field results_low{Engine::results, 0, 8, 8, 0};   // the bounds
inline constexpr Field results_high{Engine::results, 0, 16, 8, 0};
inline constexpr Field all[] = {
    loader_fc,        loader_window,    loader_groups,   loader_count,    feeder_fc,
    feeder_phases,    feeder_taps,      feeder_high,     feeder_step,     feeder_windows,
    feeder_down,      common_keep,      common_length,   common_repeats,  common_outers,
    common_none,      compute_fc,       compute_phases,  compute_taps,    compute_high,
    compute_step,     compute_channels, compute_blocks,  compute_down,    compute_across,
    compute_batch,    drain_fc,         drain_pool,      drain_average,   drain_relu,
    drain_slots,      drain_slots_last, drain_rows,      drain_rows_last, drain_words,
    drain_words_last, drain_tail,       drain_tail_last, drain_blocks,    drain_strips,
    drain_turns,      drain_groups,     drain_down,      drain_across,    drain_batch,
    loader_pad,       results_zero,     results_low,     results_high};
}  // namespace fields

// The bits of a word that fields use.
std::uint32_t word_bits(Engine engine, int word);

struct RegisterWrite {
  std::uint32_t address, data;
};

// The descriptors of one layer: words by engine, filled field by field.
class Descriptor {
 public:
  // Throws DesignError if the value does not fit.
  void set(const Field& field, std::int64_t value);
  void set_signed(const Field& field, std::int64_t value);
  void set_phases(const Phases& phases);  // of the feeder and of the elements
  std::vector<RegisterWrite> writes(int layer) const;

 private:
  std::array<std::array<std::uint32_t, 8>, 6> words_{};
  std::array<std::array<bool, 8>, 6> used_{};
};

}  // namespace kumiki::gen::array
