// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/host.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "gen/hdl/model.h"
#include "gen/layers/common/messages.h"
#include "gen/layers/pipeline/messages.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::gen::pipeline {
namespace {

std::size_t index_of(const Stream& s, std::int64_t channel, std::int64_t pixel) {
  return static_cast<std::size_t>(channel * s.pixels() + pixel);
}

// Calls action(beat, lane, index of the number) for every number of a frame.
template <class Action>
void for_each_number(const Stream& s, Action action) {
  for (std::int64_t beat = 0; beat < s.beats(); ++beat)
    for (std::int64_t lane = 0; lane < s.lanes; ++lane) {
      const std::int64_t channel = beat % s.blocks() * s.lanes + lane;
      if (channel < s.channels)
        action(static_cast<std::size_t>(beat), static_cast<std::size_t>(lane),
               index_of(s, channel, beat / s.blocks()));
    }
}

// The ports of the pipeline among the ports of a machine.
class Ports {
 public:
  Ports(const ir::PortLayout& all, const std::string& prefix, const PipelineIn<Hardware>& in,
        const PipelineOut<Hardware>& out) {
    add(all.inputs, prefix, in, inputs);
    add(all.outputs, prefix, out, outputs);
  }
  struct Port {
    unsigned number;
    std::uint32_t limb, width;
  };
  std::vector<Port> inputs, outputs;

 private:
  // Adds the ports of the struct, in its order.
  template <class S>
  static void add(const std::vector<ir::PortSlot>& slots, const std::string& prefix, const S& ports,
                  std::vector<Port>& own) {
    for_each_port<S>([&](const auto& p) {
      if (is_no_port(ports.*p.member)) return;
      const auto slot = std::ranges::find(slots, prefix + p.name, &ir::PortSlot::name);
      if (slot == slots.end())
        throw DesignError(code::unknown_port,
                          fmt::format("the machine has no port {}{}", prefix, p.name));
      own.push_back({static_cast<unsigned>(slot - slots.begin()), slot->limb, slot->width});
    });
  }
};

// As pack() and unpack(), for what happens in every clock of every host: ports that the plan does
// not request are passed by.
void write(const PipelineIn<Hardware>& shape, const PipelineIn<Values>& values, ir::Frame& frame) {
  std::ranges::fill(frame, 0);
  std::uint64_t* limb = frame.data();
  detail::for_each_pair<PipelineIn<Hardware>, PipelineIn<Values>>(
      [&](const auto& h, const auto& v) {
        const auto& port = shape.*h.member;
        if (is_no_port(port)) return;
        detail::BitCursor cursor{limb};
        detail::put(h.name, cursor, port, values.*v.member);
        limb += (bit_count(port) + 63) / 64;
      });
}
void read(const PipelineOut<Hardware>& shape, ir::Frame& frame, PipelineOut<Values>& values) {
  std::uint64_t* limb = frame.data();
  detail::for_each_pair<PipelineOut<Hardware>, PipelineOut<Values>>(
      [&](const auto& h, const auto& v) {
        const auto& port = shape.*h.member;
        if (is_no_port(port)) return;
        detail::BitCursor cursor{limb};
        detail::get(cursor, port, values.*v.member);
        limb += (bit_count(port) + 63) / 64;
      });
}

// Calls action(i) for every bit of a word that is 1.
template <class Action>
void for_each_one(std::uint64_t word, Action action) {
  for (; word != 0; word &= word - 1) action(static_cast<unsigned>(std::countr_zero(word)));
}

// The frames of up to 64 hosts at the ports of lanes. From clock to clock few bits change, and only
// those are carried over.
class Wires {
 public:
  Wires(const std::vector<Ports::Port>& ports, std::size_t hosts) : ports_(ports) {
    for (const auto& port : ports) {
      words_.emplace_back(port.width, 0);
      limbs_ += (port.width + 63) / 64;
    }
    frames_.assign(hosts, ir::Frame(limbs_, 0));
  }
  std::uint32_t limbs() const { return limbs_; }
  ir::Frame& frame(std::size_t host) { return frames_[host]; }
  // A new frame of a host, which takes the place of its last one.
  void put(std::size_t host, const ir::Frame& now) {
    ir::Frame& past = frames_[host];
    std::uint32_t limb = 0;
    for (std::size_t i = 0; i < ports_.size(); ++i)
      for (std::uint32_t bit = 0; bit < ports_[i].width; bit += 64, ++limb)
        for_each_one(now[limb] ^ past[limb],
                     [&](unsigned b) { words_[i][bit + b] ^= ir::Lanes{1} << host; });
    past = now;
  }
  void set(ir::LaneMachine& machine) const {
    for (std::size_t i = 0; i < ports_.size(); ++i) machine.set(ports_[i].number, words_[i]);
  }
  void get(ir::LaneMachine& machine) {
    const ir::Lanes hosts = ~ir::Lanes{0} >> (ir::LaneMachine::lanes - frames_.size());
    std::uint32_t limb = 0;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      auto& past = words_[i];
      now_.resize(past.size());
      machine.get(ports_[i].number, now_);
      for (std::uint32_t b = 0; b < ports_[i].width; ++b)
        for_each_one((now_[b] ^ past[b]) & hosts, [&](unsigned host) {
          frames_[host][limb + b / 64] ^= std::uint64_t{1} << (b % 64);
        });
      std::swap(past, now_);
      limb += (ports_[i].width + 63) / 64;
    }
  }

 private:
  const std::vector<Ports::Port>& ports_;
  std::uint32_t limbs_ = 0;
  std::vector<std::vector<ir::Lanes>> words_;  // by port, a word for each bit
  std::vector<ir::Frame> frames_;              // by host
  std::vector<ir::Lanes> now_;
};

class Watch {
 public:
  explicit Watch(const Play& how) : how_(how) {}
  void at(std::int64_t clock, std::size_t left) {
    if (left != seen_) {
      seen_ = left;
      since_ = clock;
    }
    if (how_.patience > 0 && clock - since_ > how_.patience)
      throw DesignError(code::stream_rule_broken,
                        fmt::format("the pipeline gives no frame for {} clocks", clock - since_));
    if (clock % 1024 != 0) return;
    ir::stop_if_interrupted();
    if (how_.progress) how_.progress(clock);
  }

 private:
  const Play& how_;
  std::size_t seen_ = 0;
  std::int64_t since_ = 0;
};

}  // namespace

std::vector<std::vector<std::uint64_t>> beats_of(const Stream& s,
                                                 std::span<const std::int32_t> numbers) {
  std::vector<std::vector<std::uint64_t>> beats(
      static_cast<std::size_t>(s.beats()),
      std::vector<std::uint64_t>(static_cast<std::size_t>(s.lanes), 0));
  for_each_number(s, [&](std::size_t beat, std::size_t lane, std::size_t i) {
    beats[beat][lane] = arith::raw_of(numbers[i], s.format.bits);
  });
  return beats;
}

std::vector<std::int32_t> numbers_of(const Stream& s,
                                     std::span<const std::vector<std::uint64_t>> beats) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(s.pixels() * s.channels));
  for_each_number(s, [&](std::size_t beat, std::size_t lane, std::size_t i) {
    numbers[i] = static_cast<std::int32_t>(arith::value_of(beats[beat][lane], s.format));
  });
  return numbers;
}

Host::Host(const PipelinePlan& plan, std::span<const std::int32_t> images, Stalls stalls,
           WeightImage weights)
    : in_(plan.inputs), out_(plan.results()), none_(no_input(plan)), stalls_(std::move(stalls)) {
  for (const Stream& s : out_) beats_out_ += s.beats();
  if (!weights) weights = shared_weights(plan);
  if (weights) memory_.emplace(plan, std::move(weights), stalls_.answers);
  const auto count = [](const Stream& s) {
    return static_cast<std::size_t>(s.pixels() * s.channels);
  };
  std::size_t size = 0;
  for (const Stream& s : in_) {
    beats_in_ += s.beats();
    size += count(s);
  }
  for (; images.size() >= size; ++frames_)
    for (const Stream& s : in_) {
      std::ranges::move(beats_of(s, images.first(count(s))), std::back_inserter(beats_));
      images = images.subspan(count(s));
    }
}

void Host::drive(PipelineIn<Values>& in) {
  // An offered beat stays until it is taken.
  if (!offers_) offers_ = next_ < beats_.size() && (!stalls_.offers || stalls_.offers(clock_));
  takes_ = !stalls_.takes || stalls_.takes(clock_);
  in = none_;
  in.in_valid = offers_;
  in.out_ready = takes_;
  if (memory_) memory_->drive(in);
  if (!offers_) return;
  in.in_data = beats_[next_];
  if (!in.in_last.empty()) in.in_last = {(static_cast<std::int64_t>(next_) + 1) % beats_in_ == 0};
}

void Host::watch(const PipelineOut<Values>& out) {
  if (memory_) memory_->watch(out);
  if (!out.in_error.empty() && out.in_error[0])
    throw DesignError(
        code::stream_rule_broken,
        fmt::format("in_error is 1 in clock {}, and every in_last was right", clock_));
  if (offers_ && out.in_ready) {
    ++next_;
    offers_ = false;
  }
  if (takes_ && out.out_valid && !is_through()) {
    arrived_.push_back(out.out_data);
    const bool ends = std::ssize(arrived_) == beats_out_;
    if (out.out_last != ends)
      throw DesignError(
          code::stream_rule_broken,
          fmt::format("out_last is {} in beat {} of {} of frame {}", out.out_last ? 1 : 0,
                      arrived_.size(), beats_out_, results_.size()));
    if (ends) {
      auto& numbers = results_.emplace_back();
      std::span<const std::vector<std::uint64_t>> rest = arrived_;
      for (const Stream& s : out_) {
        const auto beats = static_cast<std::size_t>(s.beats());
        std::ranges::copy(numbers_of(s, rest.first(beats)), std::back_inserter(numbers));
        rest = rest.subspan(beats);
      }
      left_.push_back(clock_);
      arrived_.clear();
    }
  }
  ++clock_;
}

void require_defined(const graph::Tensor& output, std::span<const std::int32_t> made,
                     std::span<const std::int32_t> wanted, std::size_t image,
                     const std::string& machine) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (made[i] != wanted[i])
      throw DesignError(code::pipeline_differs,
                        fmt::format("image {}: number {} of {} is {} on {}, and {} by definition",
                                    image, i, output.name, made[i], machine, wanted[i]));
}

void play(Host& host, const PipelinePlan& plan, ir::Machine& machine, const ir::PortLayout& layout,
          const Play& how) {
  const auto in_shape = input_shape(plan);
  const auto out_shape = output_shape(plan);
  const Ports ports(layout, how.prefix, in_shape, out_shape);
  Watch watch(how);
  PipelineIn<Values> in{};
  PipelineOut<Values> out{};
  ir::Frame whole_in(layout.input_limbs, 0), whole_out, own;
  machine.power_up();
  while (!host.is_through()) {
    host.drive(in);
    pack(in_shape, in, own);
    std::ranges::copy(own, whole_in.begin() + ports.inputs[0].limb);
    machine.step(whole_in, whole_out);
    own.assign(whole_out.begin() + ports.outputs[0].limb, whole_out.end());
    unpack(out_shape, own, out);
    host.watch(out);
    watch.at(host.clocks(), host.results().size());
  }
}

void play(std::span<Host> hosts, const PipelinePlan& plan, ir::LaneMachine& machine,
          const Play& how) {
  const auto in_shape = input_shape(plan);
  const auto out_shape = output_shape(plan);
  const Ports ports(machine.ports(), how.prefix, in_shape, out_shape);
  Watch watch(how);
  PipelineIn<Values> in{};
  PipelineOut<Values> out{};
  Wires inputs(ports.inputs, hosts.size()), outputs(ports.outputs, hosts.size());
  ir::Frame driven(inputs.limbs(), 0);
  // The lane of a host that is through keeps its last inputs, which offer nothing.
  std::vector<std::size_t> busy(hosts.size());
  std::iota(busy.begin(), busy.end(), std::size_t{0});
  machine.power_up();
  for (std::int64_t clock = 1; !busy.empty(); ++clock) {
    for (const std::size_t h : busy) {
      hosts[h].drive(in);
      write(in_shape, in, driven);
      inputs.put(h, driven);
    }
    inputs.set(machine);
    outputs.get(machine);
    machine.clock();
    for (const std::size_t h : busy) {
      read(out_shape, outputs.frame(h), out);
      hosts[h].watch(out);
    }
    std::erase_if(busy, [&](std::size_t h) { return hosts[h].is_through(); });
    std::size_t done = 0;
    for (const Host& host : hosts) done += host.results().size();
    watch.at(clock, done);
  }
}

}  // namespace kumiki::gen::pipeline
