// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/build.h"

#include <deque>
#include <optional>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/layers/pipeline/ultra_ram.h"

namespace kumiki::gen::pipeline {
namespace {

class Wiring {
 public:
  Wiring(Scope& s, const PipelinePlan& p, const PipelineIn<Hardware>& in) : s_(s), p_(p), in_(in) {
    for (std::size_t b = 0; b < p.boxes.size(); ++b) taken_.emplace_back(s);
    for (std::size_t w = 0; w < p.weights.size(); ++w) weights_taken_.emplace_back(s);
  }

  PipelineOut<Hardware> run() {
    const auto reader = weight_reader_of(p_);
    if (reader) read_weights(*reader);
    for (std::size_t b = 0; b < p_.boxes.size(); ++b) place(b);
    for (std::size_t w = 0; w < p_.weights.size(); ++w)
      weights_taken_[w].drive(all_ready(Box::weights(w)));
    join();
    for (std::size_t b = 0; b + 1 < p_.boxes.size(); ++b) taken_[b].drive(all_ready(b));
    taken_.back().drive(in_.out_ready);
    const MachineOut<Hardware>& last = made_.back();
    const Net leaves = s_.net(last.out_valid & in_.out_ready);
    const auto beats = static_cast<std::uint64_t>(p_.output().beats());
    const Net end = beats == 1
                        ? Net(ir::net_one)
                        : counter(s_, {.modulo = beats, .enable = leaves, .reset = in_.rst}).last;
    PipelineOut<Hardware> out{.in_ready = s_.net(all_ready(Box::from_outside)),
                              .out_valid = last.out_valid,
                              .out_last = end,
                              .out_data = last.out_data};
    if (reader) ask(out, *reader);
    watch(out, leaves);
    return out;
  }

 private:
  void read_weights(const WeightReaderPlan& reader) {
    WeightReaderIn<Hardware> in{.rst = in_.rst,
                                .base = in_.weights_base[0],
                                .taken = {},
                                .arready = in_.m_arready[0],
                                .rvalid = in_.m_rvalid[0],
                                .rlast = in_.m_rlast[0],
                                .rresp = in_.m_rresp[0],
                                .rdata = in_.m_rdata};
    for (auto& taken : weights_taken_) in.taken.push_back(taken);
    weights_ = instantiate(s_, build_weight_reader, reader, in, "weights");
  }
  void ask(PipelineOut<Hardware>& out, const WeightReaderPlan& reader) const {
    const auto constant = [&](std::int64_t value, std::uint32_t width) {
      return std::vector{s_.constant(static_cast<std::uint64_t>(value), width)};
    };
    out.m_araddr = {weights_.araddr};
    out.m_arlen = {weights_.arlen};
    out.m_arsize = constant(reader.size_code(), 3);
    out.m_arburst = constant(WeightReaderPlan::incrementing, 2);
    out.m_arvalid = {weights_.arvalid};
    out.m_rready = {weights_.rready};
    out.weights_error = {weights_.error};
  }

  // Adds the ports for the host beside the streams.
  void watch(PipelineOut<Hardware>& out, Net leaves) {
    const auto counters = counters_of(p_);
    if (!p_.input_last && !counters) return;
    const Net enters = s_.net(in_.in_valid & out.in_ready);
    const Stream input = p_.input();
    const Cycle block(s_, input.blocks(), enters, in_.rst);
    const Cycle column(s_, input.width, block.ends(), in_.rst);
    const Cycle line(s_, input.height, column.ends(), in_.rst);
    const Net ends = s_.net(block.last() & column.last() & line.last());
    std::vector<Net> events{ir::net_one, s_.net(enters & ends), s_.net(leaves & out.out_last),
                            s_.net(in_.in_valid & ~out.in_ready),
                            s_.net(out.out_valid & ~in_.out_ready)};
    if (p_.input_last) {
      const Net wrong = s_.net(enters & (in_.in_last[0] ^ ends));
      Reg<Net> error(s_, {.reset = in_.rst});
      error.next(error | wrong);
      out.in_error.push_back(error);
      events.push_back(wrong);
    }
    if (!counters) return;
    if (p_.counted == Counted::machines)
      for (std::size_t b = 0; b < made_.size(); ++b) {
        events.push_back(s_.net(made_[b].out_valid & taken_[b]));
        events.push_back(s_.net(made_[b].out_valid & ~taken_[b]));
      }
    const auto seen = instantiate(s_, build_counters, *counters,
                                  CountersIn<Hardware>{.rst = in_.rst,
                                                       .events = events,
                                                       .araddr = in_.araddr[0],
                                                       .arvalid = in_.arvalid[0],
                                                       .rready = in_.rready[0]},
                                  "counters");
    out.arready.push_back(seen.arready);
    out.rvalid.push_back(seen.rvalid);
    out.rresp.push_back(seen.rresp);
    out.rdata.push_back(seen.rdata);
  }

  Net valid_at(std::size_t source) const {
    if (source == Box::from_outside) return in_.in_valid;
    if (Box::is_outside(source)) return weights_.valid[Box::outside(source) - 1];
    return made_[source].out_valid;
  }

  std::vector<UInt> data_of(std::size_t source) const {
    if (source == Box::from_outside) return in_.in_data;
    if (!Box::is_outside(source)) return made_[source].out_data;
    auto first = weights_.data.begin();
    const std::size_t stream = Box::outside(source) - 1;
    for (std::size_t w = 0; w < stream; ++w) first += p_.weights[w].stream.lanes;
    return {first, first + p_.weights[stream].stream.lanes};
  }

  // A beat goes to all of its readers or to none. `but`: the reader whose own ready does not count.
  Bit all_ready(std::size_t source, std::optional<Reader> but = {}) const {
    Bit all = ir::net_one;
    for (const Reader& r : readers_of(p_, source))
      if (but != r) all = all & made_[r.box].in_ready[r.input];
    return all;
  }

  void place(std::size_t b) {
    const Box& box = p_.boxes[b];
    MachineIn<Hardware> in{.rst = in_.rst, .in_valid = {}, .in_data = {}, .out_ready = taken_[b]};
    std::vector<Net> here;
    for (std::size_t i = 0; i < box.sources.size(); ++i) {
      const std::size_t source = box.sources[i];
      valids_.emplace_back(s_);
      in.in_valid.push_back(valids_.back());
      const auto data = data_of(source);
      in.in_data.insert(in.in_data.end(), data.begin(), data.end());
    }
    made_.push_back(box.machine->place(s_, in, box.name));
  }

  // Called after all machines exist.
  void join() {
    auto valid = valids_.begin();
    for (std::size_t b = 0; b < p_.boxes.size(); ++b)
      for (std::size_t i = 0; i < p_.boxes[b].sources.size(); ++i) {
        const std::size_t source = p_.boxes[b].sources[i];
        (valid++)->drive(valid_at(source) & all_ready(source, Reader{b, i}));
      }
  }

  Scope& s_;
  const PipelinePlan& p_;
  const PipelineIn<Hardware>& in_;
  std::deque<Wire<Net>> taken_, valids_, weights_taken_;
  WeightReaderOut<Hardware> weights_{};
  std::vector<MachineOut<Hardware>> made_;
};

}  // namespace

PipelineOut<Hardware> build_pipeline(Scope& s, const PipelinePlan& p,
                                     const PipelineIn<Hardware>& in) {
  require_contracts(p);
  s.module().set_about(
      fmt::format("{} machines, a frame in {} clocks", p.boxes.size(), p.interval()));
  const std::uint32_t first_own = s.module().id().value;
  PipelineOut<Hardware> out = Wiring(s, p, in).run();
  if (p.urams > 0) move_to_ultra_ram(s, p.urams, first_own);
  return out;
}

}  // namespace kumiki::gen::pipeline
