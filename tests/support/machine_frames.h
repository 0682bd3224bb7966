// SPDX-License-Identifier: Apache-2.0
// Whole frames through a machine of a pipeline, its model or its netlist: tensors in, tensors out,
// and the clocks between them.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/sim/native/machine.h"
#include "backends/support/random.h"
#include "gen/graph/interpret.h"
#include "gen/hdl/model.h"
#include "gen/layers/pipeline/host.h"
#include "gen/layers/pipeline/machine.h"

namespace kumiki::test {

using Numbers = std::vector<std::int32_t>;  // of a tensor, [channel][row][column]
using Beats = std::vector<std::vector<std::uint64_t>>;

inline gen::graph::Shape shape_of(const gen::pipeline::Stream& s) {
  return {static_cast<int>(s.channels), static_cast<int>(s.height), static_cast<int>(s.width)};
}

// Numbers of the format; the ends of the range come often.
inline Numbers random_tensor(const gen::pipeline::Stream& s, std::uint64_t seed) {
  backends::lockstep::Random random(seed);
  const auto lo = static_cast<std::int64_t>(s.format.range().lo);
  const auto hi = static_cast<std::int64_t>(s.format.range().hi);
  Numbers all(static_cast<std::size_t>(s.channels * s.pixels()));
  for (auto& n : all)
    n = static_cast<std::int32_t>(random.one_in(6) ? lo
                                  : random.one_in(6)
                                      ? hi
                                      : lo + random.below(std::uint32_t(hi - lo + 1)));
  return all;
}

// In how many of eight clocks beats are offered and taken.
struct Rates {
  unsigned offered = 8, taken = 8;
};

struct FrameRun {
  std::vector<Numbers> frames;       // that came out
  std::vector<std::int64_t> clocks;  // in which the last beat of each came
  // From the last frame but one to the last; -1: there are no two.
  std::int64_t interval() const {
    return clocks.size() < 2 ? -1 : clocks.back() - clocks[clocks.size() - 2];
  }
};

// frames[input][frame] through a machine, `step` a clock of it, until all results have come or it
// does nothing for a long time.
template <class Step>
FrameRun run_frames(const gen::pipeline::Machine& machine,
                    const std::vector<std::vector<Numbers>>& frames, Rates rates, Step step) {
  struct Input {
    gen::pipeline::Stream stream;
    Beats beats = {};
    std::size_t next = 0;
    bool offers = false;
  };
  backends::lockstep::Random random(7);
  const auto anything = [&](const gen::pipeline::Stream& s) {
    return gen::arith::raw_of(static_cast<std::int64_t>(random.word()), s.format);
  };
  std::vector<Input> inputs;
  for (const gen::pipeline::Stream& stream : machine.inputs()) {
    Input& input = inputs.emplace_back(Input{.stream = stream});
    for (const Numbers& frame : frames[inputs.size() - 1])
      for (auto& beat : gen::pipeline::beats_of(stream, frame)) {
        // Nobody may read what is past the last channel.
        if (static_cast<std::int64_t>(input.beats.size() + 1) % stream.blocks() == 0)
          for (std::int64_t past = stream.channels; past < stream.blocks() * stream.lanes; ++past)
            beat[static_cast<std::size_t>(past % stream.lanes)] = anything(stream);
        input.beats.push_back(std::move(beat));
      }
  }
  const gen::pipeline::Stream out = machine.output();
  const auto of_frame = static_cast<std::size_t>(out.beats());
  const std::size_t wanted = frames[0].size() * of_frame;
  const std::int64_t patience = 2000 + 4 * machine.interval();
  Beats results;
  FrameRun run;
  gen::pipeline::MachineIn<gen::Values> now{};
  for (std::int64_t clock = 0, idle = 0; results.size() < wanted && idle < patience;
       ++clock, ++idle) {
    now.in_valid.clear();
    now.in_data.clear();
    for (Input& input : inputs) {
      // What was offered stays until it is taken.
      input.offers =
          input.next < input.beats.size() && (input.offers || random.below(8) < rates.offered);
      now.in_valid.push_back(input.offers);
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(input.stream.lanes); ++lane)
        now.in_data.push_back(input.offers ? input.beats[input.next][lane]
                                           : anything(input.stream));
    }
    now.out_ready = random.below(8) < rates.taken;
    const gen::pipeline::MachineOut<gen::Values> shown = step(now);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].offers && shown.in_ready[i]) {
        ++inputs[i].next;
        inputs[i].offers = false;
        idle = 0;
      }
    if (!shown.out_valid || !now.out_ready) continue;
    idle = 0;
    results.push_back(shown.out_data);
    if (results.size() % of_frame == 0) run.clocks.push_back(clock);
  }
  for (std::size_t first = 0; first + of_frame <= results.size(); first += of_frame)
    run.frames.push_back(
        gen::pipeline::numbers_of(out, std::span(results).subspan(first, of_frame)));
  return run;
}

// The counts of a machine, clock by clock. Its model skips clocks in which only counters move.
class SteppedCounts {
 public:
  explicit SteppedCounts(const gen::pipeline::Machine& machine) : counts_(machine.counts()) {}
  void expect(const gen::pipeline::MachineIn<gen::Values>& in,
              const gen::pipeline::MachineOut<gen::Values>& shown) {
    gen::pipeline::Given given{.valid = 0, .ready = in.out_ready};
    gen::pipeline::Shown skipped{.ready = 0, .valid = shown.out_valid};
    for (std::size_t i = 0; i < in.in_valid.size(); ++i) {
      given.valid |= in.in_valid[i] ? 1u << i : 0u;
      skipped.ready |= shown.in_ready[i] ? 1u << i : 0u;
    }
    ASSERT_EQ(counts_->shown(), skipped) << "in clock " << clock_;
    ++clock_;
    counts_->clock(given, 1);
  }

 private:
  std::unique_ptr<gen::pipeline::Counts> counts_;
  std::int64_t clock_ = 0;
};

// A machine alone, as a model and as a netlist.
class FrameRig {
 public:
  explicit FrameRig(std::shared_ptr<const gen::pipeline::Machine> machine,
                    ir::Family family = ir::Family::ultrascale_plus)
      : machine_(std::move(machine)), builder_(family) {}
  FrameRig(const FrameRig&) = delete;

  const ir::Design& design() {
    if (!is_built_) builder_.design().set_top(machine_->build_alone(builder_, {}).id());
    is_built_ = true;
    return builder_.design();
  }

  // frames[input][frame]
  FrameRun model(const std::vector<std::vector<Numbers>>& frames, Rates rates = {}) const {
    gen::pipeline::MachineModel model(machine_);
    SteppedCounts counts(*machine_);
    return run_frames(*machine_, frames, rates, [&](const auto& in) {
      auto shown = model.shown();
      if (!::testing::Test::HasFatalFailure()) counts.expect(in, shown);
      model.clock(in);
      return shown;
    });
  }

  FrameRun netlist(const std::vector<std::vector<Numbers>>& frames, Rates rates = {}) {
    if (!native_) native_.emplace(design());
    native_->power_up();
    const auto in_shape = machine_->input_shape();
    const auto out_shape = machine_->output_shape();
    ir::Frame in_frame, out_frame;
    gen::pipeline::MachineOut<gen::Values> shown;
    // The clock is no port of a frame.
    return run_frames(*machine_, frames, rates, [&](const auto& in) {
      gen::pack(in_shape, in, in_frame);
      native_->step(in_frame, out_frame);
      gen::unpack(out_shape, out_frame, shown);
      return shown;
    });
  }

  // Model and netlist give these results in the same clocks, whoever waits for whom; if nobody
  // does, in as many clocks a frame as the machine says.
  void expect_frames(const std::vector<std::vector<Numbers>>& frames,
                     const std::vector<Numbers>& wanted) {
    for (const Rates rates : {Rates{8, 8}, Rates{3, 8}, Rates{8, 3}, Rates{5, 5}}) {
      SCOPED_TRACE(
          fmt::format("{}, {} and {} of 8 clocks", machine_->text(), rates.offered, rates.taken));
      const FrameRun of_model = model(frames, rates), of_netlist = netlist(frames, rates);
      EXPECT_EQ(of_model.frames, wanted);
      EXPECT_EQ(of_netlist.frames, wanted);
      EXPECT_EQ(of_model.clocks, of_netlist.clocks);
      if (rates.offered == 8 && rates.taken == 8) {
        EXPECT_EQ(of_netlist.interval(), machine_->interval());
      }
    }
  }

  // Random frames become what the last node of the graph makes of them.
  void expect_frames(const gen::graph::Graph& graph, std::size_t count, std::uint64_t seed) {
    const gen::graph::Node& node = graph.nodes.back();
    std::vector<std::vector<Numbers>> frames(node.inputs.size());
    std::vector<Numbers> wanted;
    const gen::graph::Interpreter judge(graph);
    for (std::size_t f = 0; f < count; ++f) {
      gen::graph::Interpreter::Memory memory(graph.tensors.size());
      for (std::size_t i = 0; i < frames.size(); ++i) {
        frames[i].push_back(random_tensor(machine_->inputs()[i], seed * 1000 + f * 10 + i));
        memory[node.inputs[i]] = frames[i].back();
      }
      judge.run_node(graph.nodes.size() - 1, memory);
      wanted.push_back(memory[node.output]);
    }
    expect_frames(frames, wanted);
  }

 private:
  std::shared_ptr<const gen::pipeline::Machine> machine_;
  gen::Builder builder_;
  bool is_built_ = false;
  std::optional<backends::NativeMachine> native_;
};

}  // namespace kumiki::test
