// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gen/hdl/model.h"
#include "gen/layers/common/messages.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::gen::array {
namespace {

using ir::Lanes;
using ir::PortSlot;

std::size_t number_of(const std::vector<PortSlot>& ports, const std::string& name) {
  const auto port = std::ranges::find(ports, name, &PortSlot::name);
  if (port == ports.end())
    throw DesignError(code::unknown_port, fmt::format("the machine has no port {}", name));
  return static_cast<std::size_t>(port - ports.begin());
}

// Periodic checks.
class Watch {
 public:
  Watch(const Program& program, const ProgramMachine::Progress& progress)
      : most_(most_clocks(program)), progress_(progress) {}
  void at(std::int64_t clocks) const {
    if (clocks % 1024 != 0) return;
    ir::stop_if_interrupted();
    if (progress_) progress_(clocks);
    if (clocks > most_)
      throw DesignError(code::stream_rule_broken,
                        fmt::format("the array has not finished after {} clocks", clocks));
  }

 private:
  std::int64_t most_;
  const ProgramMachine::Progress& progress_;
};

class OneImage : public ProgramMachine {
 public:
  OneImage(ir::Machine& machine, const ir::PortLayout& ports, const std::string& prefix)
      : machine_(machine),
        in_(ports.input_limbs, 0),
        first_in_(ports.inputs[number_of(ports.inputs, prefix + "rst")].limb),
        first_out_(ports.outputs[number_of(ports.outputs, prefix + "busy")].limb) {
    machine.power_up();
  }

  std::size_t most_images() const override { return 1; }

  Played play(const Program& program, const Inputs& images, const Progress& progress) override {
    const ArrayIn<Hardware> in_shape = input_shape(program.plan);
    const ArrayOut<Hardware> out_shape = output_shape(program.plan);
    Player player(program, images.at(0));
    const Watch watch(program, progress);
    ArrayIn<Values> in{};
    ArrayOut<Values> out{};
    ir::Frame own;
    for (bool more = true; more;) {
      player.drive(in);
      pack(in_shape, in, own);
      std::ranges::copy(own, in_.begin() + first_in_);
      machine_.step(in_, out_);
      own.assign(out_.begin() + first_out_, out_.end());  // other ports may follow
      unpack(out_shape, own, out);
      more = player.watch(out);
      if (more) watch.at(player.clocks());
    }
    return {{player.results()}, player.clocks(), player.measured()};
  }

 private:
  ir::Machine& machine_;
  ir::Frame in_, out_;
  std::uint32_t first_in_, first_out_;
};

// The values of a map in all lanes: `bits` words for each.
class LaneMap {
 public:
  LaneMap(std::int64_t size, int bits)
      : bits_(static_cast<std::size_t>(bits)), words_(static_cast<std::size_t>(size) * bits_) {}

  std::span<Lanes> at(std::int64_t i) {
    return std::span(words_).subspan(static_cast<std::size_t>(i) * bits_, bits_);
  }
  void put(unsigned lane, const Tensor& map) {
    for (std::int64_t i = 0; i < map.shape.size(); ++i) {
      const auto value = static_cast<std::uint32_t>(map.at(i));
      const std::span<Lanes> words = at(i);
      for (std::size_t b = 0; b < bits_; ++b) words[b] |= Lanes{value >> b & 1} << lane;
    }
  }
  Tensor get(unsigned lane, const MapShape& shape) {
    Tensor map(shape);
    for (std::int64_t i = 0; i < shape.size(); ++i) {
      std::uint64_t value = 0;
      const std::span<Lanes> words = at(i);
      for (std::size_t b = 0; b < bits_; ++b) value |= (words[b] >> lane & 1) << b;
      map.at(i) = static_cast<std::int32_t>(
          wrapped(static_cast<std::int64_t>(value), static_cast<int>(bits_)));
    }
    return map;
  }

 private:
  std::size_t bits_;
  std::vector<Lanes> words_;
};

class ImageInEachLane : public ProgramMachine {
 public:
  ImageInEachLane(ir::LaneMachine& machine, const std::string& prefix) : machine_(machine) {
    const ir::PortLayout& ports = machine.ports();
    const auto add = [&](const std::vector<PortSlot>& all, const char* first, const auto& wanted,
                         std::vector<Port>& own) {
      for (const std::string& name : wanted) {
        const std::size_t i = number_of(all, prefix + name);
        own.push_back({static_cast<unsigned>(i), all[i].limb, std::vector<Lanes>(all[i].width)});
      }
      const std::uint32_t base = all[number_of(all, prefix + first)].limb;
      for (Port& p : own) p.limb -= base;
    };
    add(ports.inputs, "rst", names_of<ArrayIn<Hardware>>(), inputs_);
    add(ports.outputs, "busy", names_of<ArrayOut<Hardware>>(), outputs_);
    machine.power_up();
  }

  std::size_t most_images() const override { return ir::LaneMachine::lanes; }

  Played play(const Program& program, const Inputs& images, const Progress& progress) override {
    bits_ = static_cast<std::size_t>(program.plan.operand_bits());
    slice_inputs(program, images);
    const ArrayIn<Hardware> in_shape = input_shape(program.plan);
    const ArrayOut<Hardware> out_shape = output_shape(program.plan);
    Player player(program, images[0]);
    const Watch watch(program, progress);
    ArrayIn<Values> in{};
    ArrayOut<Values> out{};
    ir::Frame frame;
    for (bool more = true; more;) {
      player.drive(in);
      pack(in_shape, in, frame);
      drive(player, in, frame);
      read(frame, images.size());
      machine_.clock();
      unpack(out_shape, frame, out);
      more = player.watch(out);
      if (player.taken()) take(*player.taken(), program.layers[player.taken()->layer].job);
      if (more) watch.at(player.clocks());
    }
    Played played{.clocks = player.clocks(), .measured = player.measured()};
    for (unsigned lane = 0; lane < images.size(); ++lane) {
      auto& results = played.results.emplace_back();
      for (std::size_t l = 0; l < program.layers.size(); ++l)
        results.push_back(results_[l].get(lane, program.layers[l].job.out_shape()));
    }
    return played;
  }

 private:
  struct Port {
    unsigned number;
    std::uint32_t limb;  // in the array's own frame
    std::vector<Lanes> bits;
  };

  template <class Ports>
  static std::vector<std::string> names_of() {
    std::vector<std::string> all;
    for_each_port<Ports>([&](const auto& p) { all.emplace_back(p.name); });
    return all;
  }
  static Port& named(std::vector<Port>& ports, const std::vector<std::string>& names,
                     const std::string& name) {
    return ports[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
  }

  // Lanes without an image get the first one's values.
  void slice_inputs(const Program& program, const Inputs& images) {
    maps_.clear();
    results_.clear();
    from_before_.clear();
    for (std::size_t l = 0; l < program.layers.size(); ++l) {
      const LayerJob& job = program.layers[l].job;
      results_.emplace_back(job.out_shape().size(), static_cast<int>(bits_));
      const bool given = images[0][l].has_value();
      maps_.emplace_back(given ? images[0][l]->shape.size() : 0, static_cast<int>(bits_));
      for (unsigned lane = 0; given && lane < ir::LaneMachine::lanes; ++lane)
        maps_.back().put(lane, *images[lane < images.size() ? lane : 0][l]);
      from_before_.push_back(!given);
    }
  }

  std::span<Lanes> input(std::size_t layer, std::int64_t place) {
    return from_before_[layer] ? results_[layer - 1].at(place) : maps_[layer].at(place);
  }

  // Drives all lanes like the player, except for values of a layer's input.
  void drive(const Player& player, const ArrayIn<Values>& in, const ir::Frame& frame) {
    for (Port& p : inputs_)
      for (std::size_t b = 0; b < p.bits.size(); ++b)
        p.bits[b] = Lanes{0} - (frame[p.limb + b / 64] >> (b % 64) & 1);
    const auto lay = [&](Port& port, const Player::Words& words) {
      for (std::size_t i = 0; i < words.places.size(); ++i)
        if (words.places[i] >= 0)
          std::ranges::copy(input(words.layer, words.places[i]),
                            port.bits.begin() + static_cast<std::ptrdiff_t>(i * bits_));
    };
    static const auto names = names_of<ArrayIn<Hardware>>();
    if (in.ind_valid) lay(named(inputs_, names, "s_axis_ind_tdata"), player.individual());
    if (in.com_valid) lay(named(inputs_, names, "s_axis_com_tdata"), player.common());
    for (const Port& p : inputs_) machine_.set(p.number, p.bits);
  }

  // Reads the frame of lane 0. All lanes must agree on the timing.
  void read(ir::Frame& frame, std::size_t images) {
    static const auto names = names_of<ArrayOut<Hardware>>();
    frame.clear();
    const Lanes counted = images == ir::LaneMachine::lanes ? ~Lanes{0} : (Lanes{1} << images) - 1;
    for (Port& p : outputs_) {
      machine_.get(p.number, p.bits);
      frame.resize(p.limb + (p.bits.size() + 63) / 64, 0);
      for (std::size_t b = 0; b < p.bits.size(); ++b)
        frame[p.limb + b / 64] |= (p.bits[b] & 1) << (b % 64);
    }
    const bool valid = (named(outputs_, names, "m_axis_out_tvalid").bits[0] & 1) != 0;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const bool of_beat = names[i] == "m_axis_out_tlast" || names[i] == "m_axis_out_tkeep";
      if (names[i] == "m_axis_out_tdata" || (of_beat && !valid)) continue;
      for (const Lanes word : outputs_[i].bits) {
        const Lanes others = (word ^ (Lanes{0} - (word & 1))) & counted;
        if (others != 0)
          throw DesignError(code::stream_rule_broken,
                            fmt::format("{} is another bit for image {} than for image 0: the "
                                        "timing of an array does not depend on its numbers",
                                        names[i], std::countr_zero(others)));
      }
    }
  }

  void take(const Player::Taken& taken, const LayerJob& job) {
    static const auto names = names_of<ArrayOut<Hardware>>();
    const Port& data = named(outputs_, names, "m_axis_out_tdata");
    for (int i = 0; i < taken.beat.count; ++i)
      if (const auto at = job.kept_at(taken.beat.index + i))
        std::ranges::copy(std::span(data.bits).subspan(static_cast<std::size_t>(i) * bits_, bits_),
                          results_[taken.layer].at(*at).begin());
  }

  ir::LaneMachine& machine_;
  std::vector<Port> inputs_, outputs_;
  std::size_t bits_ = 8;  // of a word
  std::vector<LaneMap> maps_, results_;
  std::vector<bool> from_before_;
};

}  // namespace

std::unique_ptr<ProgramMachine> on_machine(ir::Machine& machine, const ir::PortLayout& ports,
                                           const std::string& prefix) {
  return std::make_unique<OneImage>(machine, ports, prefix);
}

std::unique_ptr<ProgramMachine> on_lanes(ir::LaneMachine& machine, const std::string& prefix) {
  return std::make_unique<ImageInEachLane>(machine, prefix);
}

}  // namespace kumiki::gen::array
