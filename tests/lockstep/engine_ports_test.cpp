// SPDX-License-Identifier: Apache-2.0
// The engine with its ports: programs from a memory that answers as chance has it, in every clock
// beside the model; what goes wrong stops it, and a reset brings it back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>

#include "gen/layers/engine/hardware/stream.h"
#include "gen/layers/engine/ports/image_run.h"
#include "tests/support/beside_model.h"
#include "tests/support/engine_networks.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::ports_test {

using test::EngineNetwork;
using test::EngineNetworks;

constexpr EngineShape small{.rows = 16, .columns = 4, .places = 4096, .weight_words = 64};
class PortsRig : public test::BesideModel<PortsPlan, PortsIn, PortsOut, PortsModel> {
 public:
  explicit PortsRig(const PortsPlan& plan) : BesideModel(plan, build_ports) {}

  ImageRun play(const MemoryImage& image, std::span<const std::int32_t> numbers,
                const MemoryOptions& options) {
    ImageRun run(plan(), image, numbers, options);
    while (!run.is_done()) {
      PortsIn<Values> in{};
      run.drive(in);
      run.watch(in, step(in));
      if (::testing::Test::HasFailure() || !run.memory().broken().empty() ||
          run.host().clocks() > 3'000'000) {
        ADD_FAILURE() << "after " << run.host().clocks() << " clocks: " << run.memory().broken();
        break;
      }
    }
    return run;
  }
};

void expect_results(PortsRig& rig, const EngineNetwork& n, const MemoryOptions& options) {
  const MemoryImage image = memory_image(rig.plan(), n.program);
  const ImageRun run = rig.play(image, n.image, options);
  ASSERT_FALSE(::testing::Test::HasFailure());
  EXPECT_EQ(run.host().status(), 1u << done_place);
  EXPECT_FALSE(run.host().was_refused());
  EXPECT_EQ(run.host().moves_begun(), image.moves.size());
  EXPECT_EQ(outputs_of(image, run.data()), n.wanted());
  std::printf("%zu moves, %llu clocks, the engine waits in %llu, %lld words\n", image.moves.size(),
              static_cast<unsigned long long>(run.host().count(Event::running)),
              static_cast<unsigned long long>(run.host().count(Event::waits_for_memory)),
              static_cast<long long>(run.memory().words()));
}

void expect_networks(const EngineShape& shape, bool is_double, std::size_t count,
                     const MemoryOptions& options) {
  PortsRig rig(PortsPlan{.engine = {plan_core(shape, is_double)}});
  EngineNetworks networks(rig.plan().engine, test::rotating_seed());
  for (std::size_t i = 0; i < count && !::testing::Test::HasFailure(); ++i)
    expect_results(rig, networks.next().value(), options);
}

TEST(EnginePorts, NetworksFromMemory) { expect_networks(small, false, 4, {}); }
TEST(EnginePorts, AMemoryThatPauses) {
  expect_networks(small, false, 3, {.latency = 3, .more = 90, .pauses = 3});
}
TEST(EnginePorts, AMemoryOfLittleBandwidth) {
  expect_networks(small, false, 1, {.words = 2, .clocks = 7});
}
// Words of several moves, and of a part of one.
TEST(EnginePorts, WideWords) {
  expect_networks({.rows = 32, .columns = 8, .beat_parts = 4, .places = 4096, .weight_words = 64},
                  false, 1, {});
}
TEST(EnginePorts, WordsOfAMoveOnTwoClocks) {
  expect_networks({.rows = 32, .columns = 16, .places = 4096, .weight_words = 64}, true, 2,
                  {.latency = 0});
}

// Constants are in the program.
TEST(EnginePorts, Attention) {
  for (const bool normalises : {false, true}) {
    EngineShape shape = small;
    shape.normalises = normalises;
    PortsRig rig(PortsPlan{.engine = {plan_core(shape, false)}});
    const std::uint64_t seed = test::rotating_seed();
    const auto program = std::make_shared<const Program>(lower(
        test::RandomGraph(seed).of_attention(static_cast<int>(shape.rows), normalises), shape, 2));
    expect_results(rig, test::engine_network(program, seed), {.latency = 9, .pauses = 4});
  }
}

// A map that waits outside comes back through the port when all of it is written.
TEST(EnginePorts, MapsThatWaitOutside) {
  const EngineShape shape{.rows = 8, .columns = 4, .places = 4096, .weight_words = 128};
  PortsRig rig(PortsPlan{.engine = {plan_core(shape, false)}});
  const std::uint64_t seed = test::rotating_seed();
  const std::size_t wanted = test::long_form() ? 6 : 1;
  std::size_t done = 0, waiting = 0;
  for (std::uint64_t tries = 0; tries < 200 && done < wanted; ++tries) {
    const auto program = test::with_few_places(test::RandomGraph(seed + tries).made(), shape);
    if (!program || !why_not(rig.plan().engine, *program).empty()) continue;
    ++done;
    for (const Move& m : memory_image(rig.plan(), program).moves) waiting += m.waits ? 1 : 0;
    expect_results(rig, test::engine_network(program, seed + tries),
                   {.latency = 60, .more = 20, .pauses = 5});
    ASSERT_FALSE(::testing::Test::HasFailure()) << "network of seed " << seed + tries;
  }
  EXPECT_EQ(done, wanted);
  EXPECT_GT(waiting, 0u);
}

// Drives registers by hand, with a memory behind the engine.
class ByHand {
 public:
  explicit ByHand(PortsRig& rig, std::vector<OutsideMemory::Range> ranges = {},
                  const MemoryOptions& options = {})
      : rig_(rig), memory_(rig.plan(), std::move(ranges), options) {
    step(true);
  }
  std::vector<RegisterPort::Answer> ask(const std::vector<RegisterPort::Access>& accesses) {
    for (const auto& a : accesses) port_.ask(a);
    while (!port_.is_idle()) step();
    return port_.take();
  }
  std::uint64_t read(Register r) {
    const auto answer = ask({{RegisterPort::address_of(r)}})[0];
    EXPECT_FALSE(answer.is_error);
    return answer.data;
  }
  bool write(Register r, std::uint64_t data, std::uint64_t strobes = 0xf) {
    return !ask({{RegisterPort::address_of(r), data, strobes}})[0].is_error;
  }
  // Whether something ends within so many clocks.
  bool waits_for(std::uint32_t place, std::int64_t clocks) {
    for (; clocks > 0; clocks -= 20) {
      if ((read(Register::status) >> place & 1) != 0) return true;
      wait(20);
    }
    return false;
  }
  void wait(std::int64_t clocks) {
    for (; clocks > 0; --clocks) step();
  }
  const OutsideMemory& memory() const { return memory_; }
  const PortsOut<Values>& seen() const { return seen_; }

 private:
  void step(bool rst = false) {
    PortsIn<Values> in{};
    in.rst = rst;
    port_.drive(in);
    memory_.drive(in);
    seen_ = rig_.step(in);
    port_.watch(in, seen_);
    memory_.watch(in, seen_);
    EXPECT_EQ(memory_.broken(), "");
  }
  PortsRig& rig_;
  RegisterPort port_;
  OutsideMemory memory_;
  PortsOut<Values> seen_{};
};

constexpr EngineShape tiny{.rows = 8, .columns = 4, .places = 64, .weight_words = 8};
PortsPlan tiny_plan() { return {.engine = {plan_core(tiny, false)}}; }

TEST(EnginePorts, RegistersRefuseWhatTheyCannotBe) {
  PortsRig rig(tiny_plan());
  ByHand hand(rig);
  EXPECT_EQ(hand.read(Register::identity), 0x454b4d4bu);
  EXPECT_EQ(hand.read(Register::build), tiny_plan().build_hash());
  EXPECT_EQ(hand.read(Register::shape), 8u | 4u << 8);
  EXPECT_EQ(hand.read(Register::places), 64u);
  EXPECT_EQ(hand.read(Register::patience), PortsPlan::first_patience);

  struct Case {
    Register r;
    std::uint64_t fits, too_much;
  };
  const std::vector<Case> cases{{Register::patience, 31, 32},
                                {Register::program_low, 0xfffff000, 0xfffff001},
                                {Register::program_high, 0xff, 0x100},
                                {Register::program_words, 0xfffffff, 0x10000000},
                                {Register::moves, 0xffffff, 0x1000000},
                                {Register::data_low, 0xabcde000, 0xabcde800},
                                {Register::data_high, 0x12, 0x80000000},
                                {Register::data_words, 1, 0xffffffff}};
  for (const Case& c : cases) {
    EXPECT_TRUE(hand.write(c.r, c.fits));
    EXPECT_FALSE(hand.write(c.r, c.too_much));
    EXPECT_FALSE(hand.write(c.r, 0, 0x7));
    EXPECT_EQ(hand.read(c.r), c.fits) << "register " << static_cast<int>(c.r);
  }
  for (const Register r : {Register::identity, Register::build, Register::shape, Register::places,
                           Register::moves_done, Register::count})
    EXPECT_FALSE(hand.write(r, 0)) << "register " << static_cast<int>(r);
  EXPECT_FALSE(hand.write(Register::control, 8));
  EXPECT_FALSE(hand.write(Register::status, 1));

  const auto far = hand.ask({{4 * 15}, {0x40}, {0x7fc}, {0xffc}, {0x820}, {0x81c}});
  for (std::size_t i = 0; i < far.size(); ++i) EXPECT_EQ(far[i].is_error, i != 5) << i;
}

TEST(EnginePorts, AStartNeedsAList) {
  PortsRig rig(tiny_plan());
  ByHand hand(rig);
  EXPECT_FALSE(hand.write(Register::control, 1));  // no moves
  EXPECT_TRUE(hand.write(Register::moves, 3));
  EXPECT_TRUE(hand.write(Register::program_words, 11));
  EXPECT_FALSE(hand.write(Register::control, 1));  // three moves are 12 words
  EXPECT_TRUE(hand.write(Register::program_words, 12));
  EXPECT_FALSE(hand.write(Register::control, 3));  // and a reset
  EXPECT_EQ(hand.read(Register::status), 0u);
}

// What a host does not do it has not counted.
TEST(EnginePorts, AHostThatIsRefusedIsDone) {
  PortsRig rig(tiny_plan());
  PortsHost host({.program_words = 1});  // no moves
  while (!host.is_done() && host.clocks() < 1000) {
    PortsIn<Values> in{};
    in.m_rdata.assign(rig.plan().word_bytes(), 0);
    host.drive(in);
    host.watch(in, rig.step(in));
  }
  EXPECT_TRUE(host.was_refused());
  for (std::size_t e = 0; e < static_cast<std::size_t>(Event::count); ++e)
    EXPECT_EQ(host.count(static_cast<Event>(e)), 0u);
}

// A list of moves and zeros behind it, in a memory of a page each.
std::vector<OutsideMemory::Range> ranges_of(const std::vector<std::array<std::uint32_t, 4>>& moves,
                                            std::size_t words = 1024) {
  auto program = std::make_shared<std::vector<std::uint8_t>>(words * 4);
  for (std::size_t i = 0; i < moves.size(); ++i)
    for (std::size_t w = 0; w < 4; ++w)
      for (std::size_t b = 0; b < 4; ++b)
        (*program)[16 * i + 4 * w + b] = static_cast<std::uint8_t>(moves[i][w] >> 8 * b);
  return {{.base = 0x1000, .bytes = program},
          {.base = 0x8000,
           .bytes = std::make_shared<std::vector<std::uint8_t>>(words * 4),
           .is_written = true}};
}

std::uint64_t flags(std::initializer_list<Wrong> wrong) {
  std::uint64_t all = 0;
  for (const Wrong w : wrong) all |= 1u << (wrong_place + static_cast<std::uint32_t>(w));
  return all;
}

// Names the two ranges and starts.
void start(ByHand& hand, std::uint64_t moves, std::uint64_t words = 1024) {
  EXPECT_TRUE(hand.write(Register::patience, 9));
  EXPECT_TRUE(hand.write(Register::program_low, 0x1000));
  EXPECT_TRUE(hand.write(Register::program_words, words));
  EXPECT_TRUE(hand.write(Register::moves, moves));
  EXPECT_TRUE(hand.write(Register::data_low, 0x8000));
  EXPECT_TRUE(hand.write(Register::data_words, words));
  EXPECT_TRUE(hand.write(Register::control, 1));
}

// Ends as failed, with these flags; a reset brings it back.
void expect_stop(PortsRig& rig, const std::vector<std::array<std::uint32_t, 4>>& moves,
                 std::uint64_t wrong, std::uint64_t begun, const MemoryOptions& options = {}) {
  ByHand hand(rig, ranges_of(moves), options);
  start(hand, moves.size());
  EXPECT_TRUE(hand.waits_for(failed_place, 3000));
  EXPECT_EQ(hand.read(Register::status), wrong | 1u << failed_place);
  EXPECT_EQ(hand.read(Register::moves_done), begun);
  EXPECT_FALSE(hand.write(Register::control, 1)) << "it must be reset first";
  EXPECT_TRUE(hand.memory().is_idle());
  EXPECT_TRUE(hand.write(Register::control, 1u << reset_place | 1u << interrupt_place));
  hand.wait(4);
  EXPECT_EQ(hand.read(Register::status), 0u);
  EXPECT_EQ(hand.read(Register::control), 1u << interrupt_place);
  EXPECT_FALSE(hand.seen().interrupt);
}

// Words of zeros begin operations of zeros, which the engine takes without an end. So the list
// alone ends these runs.
TEST(EnginePorts, WhatIsNoMoveStopsIt) {
  PortsRig rig(tiny_plan());
  const std::uint64_t no_move = flags({Wrong::move}), no_range = flags({Wrong::range});
  expect_stop(rig, {{0, 0, 0, 0}}, no_move, 0);
  expect_stop(rig, {{8, 0, 0, 0}}, no_move, 0);
  expect_stop(rig, {{1, 16, 0, 0}, {0x80000001, 0, 0, 0}}, no_move, 1);
  expect_stop(rig, {{1, 0x10000000, 0, 0}}, no_move, 0);
  expect_stop(rig, {{1, 0, 0x10000000, 0}}, no_move, 0);
  expect_stop(rig, {{1, 0, 0, 1}}, no_move, 0);
  expect_stop(rig, {{1, 1024, 0, 0}}, no_range, 0);
  expect_stop(rig, {{2, 1023, 1, 0}}, no_range, 0);
  expect_stop(rig, {{3, 0, 1024, 0}}, no_range, 0);
  expect_stop(rig, {{3, 0xfffffff, 0xfffffff, 0}}, no_range, 0);
  expect_stop(rig, {{4, 0x10000000, 0xfffffff, 0}}, flags({Wrong::move, Wrong::range}), 0);
}

TEST(EnginePorts, ErrorsOfTheMemoryStopIt) {
  PortsRig rig(tiny_plan());
  expect_stop(rig, {{1, 0, 100, 0}}, flags({Wrong::read}), 0, {.wrong_reads = 1});
}

TEST(EnginePorts, StopsWhenNothingMoves) {
  PortsRig rig(tiny_plan());
  // A store that no operation brings.
  expect_stop(rig, {{3, 0, 3, 0}}, flags({Wrong::time}), 1);
}

// A packet of the engine, and the move for what leaves.
class Stores {
 public:
  explicit Stores(const PortsPlan& plan) : plan_(plan) {}
  // `places` leave, and the move says `words`.
  std::vector<OutsideMemory::Range> of(std::int64_t places, std::uint32_t words) const {
    const auto head = head_of(plan_.engine, Packet::store, 0, places, 0);
    auto ranges =
        ranges_of({{1, 64, static_cast<std::uint32_t>(head.size()) - 1, 0}, {3, 5, words - 1, 0}});
    for (std::size_t i = 0; i < head.size(); ++i)
      for (std::size_t b = 0; b < 4; ++b)
        (*ranges[0].bytes)[4 * (64 + i) + b] = static_cast<std::uint8_t>(head[i][b]);
    return ranges;
  }

 private:
  PortsPlan plan_;
};

TEST(EnginePorts, StoresMustBeAsLongAsTheirMoves) {
  PortsRig rig(tiny_plan());
  const Stores stores(rig.plan());
  const std::int64_t parts = rig.plan().engine.core.parts();
  for (const std::int64_t places : {1, 7, 20}) {
    const auto words = static_cast<std::uint32_t>(places * parts);
    for (const std::uint32_t said : {words - 1, words, words + 1}) {
      ByHand hand(rig, stores.of(places, said));
      start(hand, 2);
      const bool fits = said == words;
      EXPECT_TRUE(hand.waits_for(fits ? done_place : failed_place, 3000)) << places << ", " << said;
      // The last burst of a move that says more waits for words until time is up.
      EXPECT_EQ(hand.read(Register::status), fits ? 1u << done_place
                                             : said < words
                                                 ? 1u << failed_place | flags({Wrong::store})
                                                 : 1u << failed_place | flags({Wrong::time}))
          << places << ", " << said;
      EXPECT_TRUE(hand.memory().is_idle());
    }
  }
}

TEST(EnginePorts, ErrorsOfWritesStopIt) {
  PortsRig rig(tiny_plan());
  const auto parts = static_cast<std::uint32_t>(rig.plan().engine.core.parts());
  // Of several bursts; and the only one, whose answer is the last thing that happens.
  for (const std::uint32_t places : {12u, 1u}) {
    ByHand hand(rig, Stores(rig.plan()).of(places, places * parts), {.wrong_writes = 1});
    start(hand, 2);
    EXPECT_TRUE(hand.waits_for(failed_place, 3000));
    EXPECT_EQ(hand.read(Register::status), 1u << failed_place | flags({Wrong::write}));
  }
}

// What a host must not change while it runs; a reset in the middle waits for bursts under way.
TEST(EnginePorts, ResetsInTheMiddle) {
  const EngineShape shape{.rows = 8, .columns = 4, .places = 256, .weight_words = 16};
  PortsRig rig(PortsPlan{.engine = {plan_core(shape, false)}});
  EngineNetworks networks(rig.plan().engine, test::rotating_seed());
  const EngineNetwork n = networks.next().value();
  const MemoryImage image = memory_image(rig.plan(), n.program);
  for (std::int64_t clocks = 1; clocks < 900; clocks += test::long_form() ? 7 : 131) {
    auto ranges = ranges_of({}, 1);
    ranges[0].bytes = image.program;
    ranges[0].base = 0x100000;
    ranges[1].bytes->resize(static_cast<std::size_t>(image.data_words) * 4);
    ranges[1].base = 0x40000000;
    ByHand hand(rig, ranges, {.latency = 20, .more = 30, .pauses = 4});
    EXPECT_TRUE(hand.write(Register::program_low, 0x100000));
    EXPECT_TRUE(hand.write(Register::program_words, image.program->size() / 4));
    EXPECT_TRUE(hand.write(Register::moves, image.moves.size()));
    EXPECT_TRUE(hand.write(Register::data_low, 0x40000000));
    EXPECT_TRUE(hand.write(Register::data_words, static_cast<std::uint64_t>(image.data_words)));
    EXPECT_TRUE(hand.write(Register::control, 1));
    const bool runs = (hand.read(Register::status) & 1) != 0;
    EXPECT_TRUE(runs);
    EXPECT_FALSE(hand.write(Register::data_words, 1));
    EXPECT_FALSE(hand.write(Register::control, 1));
    hand.wait(clocks);
    EXPECT_TRUE(hand.write(Register::control, 1u << reset_place));
    for (int i = 0; i < 1000 && (hand.read(Register::status) & 1) != 0; ++i) {
    }
    EXPECT_EQ(hand.read(Register::status) & 1, 0u);
    EXPECT_TRUE(hand.memory().is_idle());
    expect_results(rig, n, {.latency = 2});
    ASSERT_FALSE(::testing::Test::HasFailure()) << "a reset after " << clocks << " clocks";
  }
}

// Runs of lists with damage, in lanes of the netlist alone: the model does not know what the core
// makes of a damaged stream. Each one ends, moves nothing outside of its ranges, and leaves an
// engine that a reset brings back.
class Damaged {
 public:
  Damaged(const PortsPlan& plan, const EngineNetwork& network, std::uint64_t seed)
      : plan_(plan),
        network_(network),
        image_(memory_image(plan, network.program)),
        in_(input_shape(plan)),
        out_(output_shape(plan)),
        random_(seed),
        wanted_(network.wanted()) {
    build_top(builder_, build_ports, plan_, in_);
    lanes_.emplace(builder_.design());
    lanes_->power_up();
  }

  void run(std::size_t cases) {
    std::vector<Lane> lanes(ir::LaneMachine::lanes);
    for (Lane& lane : lanes) begin(lane, true);
    std::vector<ir::Frame> in(lanes.size()), out(lanes.size());
    std::size_t done = 0;
    while (done < cases && !::testing::Test::HasFailure()) {
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        PortsIn<Values>& given = lanes[i].given;
        lanes[i].host->drive(given);
        lanes[i].memory->drive(given);
        pack(in_, given, in[i]);
      }
      lanes_->step(in, out);
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        Lane& lane = lanes[i];
        PortsOut<Values> seen{};
        unpack(out_, out[i], seen);
        lane.host->watch(lane.given, seen);
        lane.memory->watch(lane.given, seen);
        EXPECT_EQ(lane.memory->broken(), "");
        EXPECT_LT(lane.host->clocks(), 60'000) << "it does not end";
        if (!lane.host->is_done()) continue;
        done += lane.is_damaged ? 1 : 0;
        end(lane);
      }
    }
  }
  std::uint64_t failed() const { return failed_; }
  std::uint64_t flags_seen() const { return flags_; }

 private:
  struct Lane {
    std::optional<PortsHost> host;
    std::optional<OutsideMemory> memory;
    std::shared_ptr<std::vector<std::uint8_t>> data;
    bool is_damaged = false, has_failed = false;
    PortsIn<Values> given{};
  };
  static constexpr std::uint64_t patience = 11;

  void begin(Lane& lane, bool is_damaged) {
    lane.is_damaged = is_damaged;
    lane.data = std::make_shared<std::vector<std::uint8_t>>(
        static_cast<std::size_t>(image_.data_words) * plan_.word_bytes());
    put_inputs(image_, network_.image, *lane.data);
    auto program = image_.program;
    MemoryOptions options{.latency = 3, .more = 30, .pauses = 6, .seed = random_()};
    if (is_damaged) {
      program = std::make_shared<std::vector<std::uint8_t>>(*program);
      damage(*program, options);
    }
    lane.host.emplace(PortsHost::Ranges{.program_base = 0x3'0000'0000,
                                        .program_words = program->size() / plan_.word_bytes(),
                                        .moves = image_.moves.size(),
                                        .data_base = 0x3'0100'0000,
                                        .data_words = static_cast<std::uint64_t>(image_.data_words),
                                        .patience = patience,
                                        .has_failed = lane.has_failed});
    lane.memory.emplace(plan_,
                        std::vector<OutsideMemory::Range>{
                            {.base = 0x3'0000'0000, .bytes = program},
                            {.base = 0x3'0100'0000, .bytes = lane.data, .is_written = true}},
                        options);
  }
  void damage(std::vector<std::uint8_t>& program, MemoryOptions& options) {
    const std::size_t list = image_.moves.size() * move_bits / 8;
    const std::uint64_t kind = random_() % 8;
    if (kind == 0) options.wrong_reads = 1 + static_cast<unsigned>(random_() % 12);
    if (kind == 1) options.wrong_writes = 1 + static_cast<unsigned>(random_() % 3);
    if (kind < 2) return;
    // Bits of the list; a field of it; or bits of the stream.
    for (std::uint64_t i = 1 + random_() % 3; i > 0; --i) {
      if (kind < 5) {
        const std::uint64_t bit = random_() % (8 * list);
        program[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      } else if (kind == 5) {  // the store that ends the list is longer or shorter
        program[list - 8] ^= static_cast<std::uint8_t>(1 + random_() % 3);
      } else if (kind == 6) {
        const std::uint64_t byte = random_() % (list / 4) * 4;
        program[byte] = static_cast<std::uint8_t>(random_());
        program[byte + 1] = static_cast<std::uint8_t>(random_() % 4);
      } else {
        const std::uint64_t bit = 8 * list + random_() % (8 * (program.size() - list));
        program[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      }
    }
  }
  void end(Lane& lane) {
    EXPECT_FALSE(lane.host->was_refused());
    EXPECT_TRUE(lane.memory->is_idle());
    lane.has_failed = lane.host->has_failed();
    flags_ |= lane.host->status();
    if (lane.is_damaged) {
      failed_ += lane.has_failed ? 1 : 0;
      return begin(lane, false);
    }
    EXPECT_EQ(lane.host->status(), 1u << done_place);
    EXPECT_EQ(outputs_of(image_, *lane.data), wanted_);
    begin(lane, true);
  }

  PortsPlan plan_;
  EngineNetwork network_;
  MemoryImage image_;
  PortsIn<Hardware> in_;
  PortsOut<Hardware> out_;
  std::mt19937_64 random_;
  std::vector<graph::Numbers> wanted_;
  Builder builder_;
  std::optional<backends::NativeMachines> lanes_;
  std::uint64_t failed_ = 0, flags_ = 0;
};

TEST(EnginePorts, DamagedProgramsStopCleanly) {
  const EngineShape shape{.rows = 8, .columns = 4, .places = 256, .weight_words = 16};
  const PortsPlan plan{.engine = {plan_core(shape, false)}};
  const std::uint64_t seed = test::rotating_seed();
  Damaged damaged(plan, EngineNetworks(plan.engine, seed).next().value(), seed);
  const std::size_t cases = test::long_form() ? 100'000 : 1'000;
  damaged.run(cases);
  // Most of them fail, and in every way.
  EXPECT_GT(damaged.failed(), cases / 2);
  EXPECT_EQ(damaged.flags_seen() >> wrong_place, (1u << static_cast<unsigned>(Wrong::count)) - 1);
  std::printf("%zu lists, %llu stop the engine\n", cases,
              static_cast<unsigned long long>(damaged.failed()));
}

// The registers of a normaliser, too.
TEST(EnginePorts, DamagedTransformersStopCleanly) {
  const EngineShape shape{
      .rows = 8, .columns = 4, .places = 2048, .weight_words = 64, .normalises = true};
  const PortsPlan plan{.engine = {plan_core(shape, false)}};
  const std::uint64_t seed = test::rotating_seed();
  const auto program = std::make_shared<const Program>(
      lower(test::RandomGraph(1).of_attention(static_cast<int>(shape.rows), true), shape));
  Damaged damaged(plan, test::engine_network(program, seed), seed);
  const std::size_t cases = test::long_form() ? 10'000 : 200;
  damaged.run(cases);
  EXPECT_GT(damaged.failed(), cases / 2);
}

}  // namespace kumiki::gen::engine::ports_test
