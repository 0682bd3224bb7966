// SPDX-License-Identifier: Apache-2.0
// An engine with ports of its own: registers behind AXI4-Lite, and an AXI4 master that reads
// programs and moves maps.
//
// Two ranges of the memory outside are named in registers. The program begins with a list of moves,
// and what the engine's stream takes is behind it. The data range has images, maps that wait, and
// results. Nothing outside of the two is read, and nothing outside of the data range is written.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "gen/layers/engine/hardware/engine.h"
#include "gen/layers/pipeline/counters.h"

namespace kumiki::gen::engine {

// A run of words of the memory outside, from one end to the other. A word has the bytes of a beat
// of the engine's streams.
struct Move {
  enum class Kind : std::uint8_t {
    from_program = 1,  // to the engine's stream
    from_data,         // the same
    to_data            // what a store brings
  };
  Kind kind = Kind::from_program;
  bool waits = false;                   // until the results of all moves before it are written
  std::uint64_t first = 0, length = 1;  // words, from the beginning of its range
  friend bool operator==(const Move&, const Move&) = default;
};

// Fields of a move in a list, as bits: its kind, whether it waits, the first word, words less 1.
// All others are 0.
inline constexpr std::uint32_t move_kind_place = 0, move_waits_place = 2, move_first_place = 32,
                               move_length_place = 64, move_bits = 128;

// Registers, by the number of their word.
enum class Register : std::uint8_t {
  identity,
  build,    // a hash of all that a program depends on
  shape,    // rows, columns
  places,   // of the memory of maps
  control,  // writing: start, reset; and whether an interrupt is wanted
  status,
  moves_done,  // moves that have begun
  patience,    // a bit of the count of clocks in which nothing moves: it stops the engine
  program_low,
  program_high,
  program_words,
  moves,
  data_low,
  data_high,
  data_words,
  count
};
inline constexpr std::uint32_t start_place = 0, reset_place = 1, interrupt_place = 2;
inline constexpr std::uint32_t running_place = 0, done_place = 1, failed_place = 2, wrong_place = 8;
inline constexpr std::uint64_t identity = 0x454b4d4b;  // "KMKE"

// What stopped an engine: flags.
enum class Wrong : std::uint8_t {
  move,   // a move that is none
  range,  // a move leaves its range
  read,   // the memory answers a read with an error
  write,  // the memory answers a write with an error
  store,  // the words of a store are not as many as its move says
  time,   // nothing has moved for too long
  count
};

// What is counted while it runs.
enum class Event : std::uint8_t {
  running,
  waits_for_memory,    // the engine could take a word, and none is there
  memory_waits,        // a word is there, and the engine does not take it
  results_wait,        // a result is there, and its queue is full
  reads,               // words
  writes,              // words
  requests_wait,       // the memory does not take an address
  written_words_wait,  // the memory does not take a word
  count
};

struct PortsPlan {
  EnginePlan engine;

  static constexpr std::uint32_t address_bits = 40, page_bits = 12;
  static constexpr std::uint32_t base_bits = address_bits - page_bits;  // a base is a page
  static constexpr std::uint32_t word_bits = 28;                        // that count words
  static constexpr std::uint32_t move_count_bits = 24, patience_bits = 5;
  static constexpr std::uint32_t register_bits = 32, counters_from = 0x800;  // its address
  static constexpr std::uint64_t first_patience = 24;                        // of a reset
  // Words of the queues: in front of the engine, behind it, of the list; and of their bursts.
  static constexpr std::uint32_t read_depth = 512, read_burst = 32;
  static constexpr std::uint32_t write_depth = 32, write_burst = 16;
  static constexpr std::uint32_t list_depth = 16, list_burst = 8;
  static constexpr std::uint32_t most_reads = 16, most_writes = 16;  // bursts that are under way

  std::uint32_t word_bytes() const {
    return static_cast<std::uint32_t>(engine.core.shape.beat_bytes());
  }
  std::uint32_t size_code() const;        // of a word: AxSIZE
  std::uint32_t words_of_a_move() const;  // a power of two
  std::uint32_t build_hash() const;
  pipeline::CountersPlan counters() const;
  std::string module_name() const;
  friend bool operator==(const PortsPlan&, const PortsPlan&) = default;
};

std::uint32_t fnv1a(std::string_view bytes);

// Whether a word of the memory outside, the bytes of a beat, is one of AXI4.
bool can_have_ports(const EnginePlan& plan);

}  // namespace kumiki::gen::engine
