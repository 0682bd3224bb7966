// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/build.h"

#include <deque>
#include <optional>

#include <fmt/format.h>

#include "gen/layers/pipeline/machines/walk.h"

namespace kumiki::gen::pipeline {
namespace {

class Wiring {
 public:
  Wiring(Scope& s, const PipelinePlan& p, const PipelineIn<Hardware>& in) : s_(s), p_(p), in_(in) {
    for (std::size_t b = 0; b < p.boxes.size(); ++b) taken_.emplace_back(s);
  }

  PipelineOut<Hardware> run() {
    for (std::size_t b = 0; b < p_.boxes.size(); ++b) place(b);
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
    watch(out, leaves);
    return out;
  }

 private:
  // Adds the ports for the host beside the streams.
  void watch(PipelineOut<Hardware>& out, Net leaves) {
    const auto counters = counters_of(p_);
    if (!p_.input_last && !counters) return;
    const Net enters = s_.net(in_.in_valid & out.in_ready);
    const Cycle block(s_, p_.input.blocks(), enters, in_.rst);
    const Cycle column(s_, p_.input.width, block.ends(), in_.rst);
    const Cycle line(s_, p_.input.height, column.ends(), in_.rst);
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
    return source == Box::from_outside ? in_.in_valid : made_[source].out_valid;
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
      const auto& data = source == Box::from_outside ? in_.in_data : made_[source].out_data;
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
  std::deque<Wire<Net>> taken_, valids_;
  std::vector<MachineOut<Hardware>> made_;
};

}  // namespace

PipelineOut<Hardware> build_pipeline(Scope& s, const PipelinePlan& p,
                                     const PipelineIn<Hardware>& in) {
  require_contracts(p);
  s.module().set_about(
      fmt::format("{} machines, a frame in {} clocks", p.boxes.size(), p.interval()));
  return Wiring(s, p, in).run();
}

}  // namespace kumiki::gen::pipeline
