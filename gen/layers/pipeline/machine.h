// SPDX-License-Identifier: Apache-2.0
// A machine of a pipeline: it takes frames of numbers from one or more streams and gives frames of
// another. Ready and valid come from registers. So a pipeline of machines forms no long chain of
// LUTs, and what a machine shows in a clock does not depend on its inputs in that clock.
//
// A machine is a plan with a schedule, a function that builds it and a function that defines what
// it computes. The model of every machine follows from the schedule, which says when, and from the
// function `beat`, which says what.
//
//   struct DoublePlan {
//     Stream stream;
//     std::vector<Stream> inputs() const;
//     Stream output() const;
//     Moving schedule() const;         // when it takes and gives beats (schedule.h)
//     std::int64_t slices() const;     // DSP48E2
//     std::string kind() const;        // "double"
//     std::string text() const;        // what it is, in one line
//     int levels() const;              // of logic between registers, at most
//     std::int64_t room() const;       // only for a queue: the beats that it holds
//     std::string module_name() const;
//     bool operator==(const DoublePlan&) const;
//   };
//   MachineOut<Hardware> build(Scope&, const DoublePlan&, const MachineIn<Hardware>&);
//   // Beat k of a piece of the results (schedule.h), by definition.
//   Lanes beat(const DoublePlan&, std::int64_t k, const Taken&);
//
//   std::shared_ptr<const Machine> m = machine(DoublePlan{...});
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gen/hdl/hierarchy.h"
#include "gen/hdl/ports.h"
#include "gen/layers/pipeline/counts/lazy.h"
#include "gen/layers/pipeline/schedule.h"
#include "gen/layers/pipeline/stream.h"

namespace kumiki::gen::pipeline {

template <class R>
struct MachineIn {
  typename R::Bit rst;
  std::vector<typename R::Bit> in_valid;  // of each input
  std::vector<typename R::UInt> in_data;  // lanes of the first input, then those of the next
  typename R::Bit out_ready;
  static constexpr auto ports() {
    return std::tuple(port("rst", &MachineIn::rst), port("in_valid", &MachineIn::in_valid),
                      port("in_data", &MachineIn::in_data),
                      port("out_ready", &MachineIn::out_ready));
  }
};

template <class R>
struct MachineOut {
  std::vector<typename R::Bit> in_ready;  // of each input
  typename R::Bit out_valid;
  std::vector<typename R::UInt> out_data;  // one element for each lane
  static constexpr auto ports() {
    return std::tuple(port("in_ready", &MachineOut::in_ready),
                      port("out_valid", &MachineOut::out_valid),
                      port("out_data", &MachineOut::out_data, &MachineOut::out_valid));
  }
};

using Lanes = std::vector<std::uint64_t>;  // the raw bits of a number for each lane

class Machine;

// What a machine has taken so far of the piece whose results it shows.
class Taken {
 public:
  explicit Taken(const Machine& machine);
  const Stream& output() const { return output_; }  // of the machine
  // Beat k of the piece. std::logic_error: it has not come yet, so the machine shows its result too
  // early.
  std::span<const std::uint64_t> at(std::size_t input, std::int64_t k) const;
  std::int64_t lanes(std::size_t input) const { return inputs_[input].lanes; }
  void take(std::size_t input, std::span<const std::uint64_t> beat);
  void next_piece();

 private:
  struct Input {
    std::int64_t lanes, of_piece;  // beats of a piece
    std::vector<std::uint64_t> numbers = {};
    std::int64_t from = 0;     // beats of `numbers` that belong to earlier pieces
    std::int64_t missing = 0;  // beats of earlier pieces that no result needed and that still come
  };
  Stream output_;
  std::vector<Input> inputs_;
};

class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::vector<Stream> inputs() const = 0;
  virtual Stream output() const = 0;
  virtual std::int64_t interval() const = 0;
  virtual std::int64_t slices() const = 0;
  virtual int levels() const = 0;
  virtual std::int64_t room() const = 0;  // beats of a queue; 0: not a queue
  virtual std::int64_t pieces() const = 0;
  virtual std::string kind() const = 0;
  virtual std::string text() const = 0;
  virtual MachineOut<Hardware> place(Scope& s, const MachineIn<Hardware>& in,
                                     const std::string& instance_name) const = 0;
  virtual std::unique_ptr<Counts> counts() const = 0;
  virtual Lanes result(std::int64_t k, const Taken& in) const = 0;
  virtual ir::Module& build_alone(Builder& builder, ir::OriginId origin) const = 0;

  MachineIn<Hardware> input_shape() const;
  MachineOut<Hardware> output_shape() const;
};

template <class Plan>
class MachineOf : public Machine {
 public:
  explicit MachineOf(Plan plan) : plan_(std::move(plan)) {}
  const Plan& plan() const { return plan_; }
  std::vector<Stream> inputs() const override { return plan_.inputs(); }
  Stream output() const override { return plan_.output(); }
  std::int64_t interval() const override { return plan_.schedule().interval(); }
  std::int64_t slices() const override { return plan_.slices(); }
  int levels() const override { return plan_.levels(); }
  std::int64_t room() const override {
    if constexpr (requires { plan_.room(); })
      return plan_.room();
    else
      return 0;
  }
  std::int64_t pieces() const override { return plan_.schedule().pieces; }
  std::string kind() const override { return plan_.kind(); }
  std::string text() const override { return plan_.text(); }
  MachineOut<Hardware> place(Scope& s, const MachineIn<Hardware>& in,
                             const std::string& instance_name) const override {
    return instantiate(s, builder_of(), plan_, in, instance_name);
  }
  std::unique_ptr<Counts> counts() const override { return plan_.schedule().counts(); }
  Lanes result(std::int64_t k, const Taken& in) const override { return beat(plan_, k, in); }
  ir::Module& build_alone(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, builder_of(), plan_, input_shape(), origin);
  }

 private:
  using Build = MachineOut<Hardware> (*)(Scope&, const Plan&, const MachineIn<Hardware>&);
  static Build builder_of() {
    return [](Scope& s, const Plan& p, const MachineIn<Hardware>& in) { return build(s, p, in); };
  }
  Plan plan_;
};

template <class Plan>
std::shared_ptr<const Machine> machine(Plan plan) {
  return std::make_shared<MachineOf<Plan>>(std::move(plan));
}

// A machine clock by clock: first what it shows before the edge, then the edge.
class MachineModel {
 public:
  explicit MachineModel(std::shared_ptr<const Machine> machine);
  void reset();  // also the state at power-up
  const MachineOut<Values>& shown() const { return shown_; }
  // `in.rst` resets, whatever the other inputs are.
  void clock(const MachineIn<Values>& in);

 private:
  void show();
  std::shared_ptr<const Machine> machine_;
  std::int64_t of_piece_;  // beats of results
  Lazy counts_;
  Taken taken_;
  MachineOut<Values> shown_;
  std::int64_t clock_ = 0, beat_ = 0;
  bool is_computed_ = false;  // beat_ is in shown_
};

}  // namespace kumiki::gen::pipeline
