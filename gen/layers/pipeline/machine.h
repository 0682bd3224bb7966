// SPDX-License-Identifier: Apache-2.0
// A machine of a pipeline: it takes frames of numbers from one or more streams and gives frames of
// another. Ready and valid come from registers. So a pipeline of machines forms no long chain of
// LUTs, and what a machine shows in a clock does not depend on its inputs in that clock.
//
// A machine is a plan, a function that builds it and a model:
//
//   struct DoublePlan {
//     Stream stream;
//     std::vector<Stream> inputs() const;
//     Stream output() const;
//     std::int64_t interval() const;   // clocks from frame to frame, if nothing waits for others
//     std::int64_t slices() const;     // DSP48E2
//     std::string kind() const;        // "double"
//     std::string text() const;        // what it is, in one line
//     int levels() const;              // of logic between registers, at most
//     std::int64_t room() const;       // only for a queue: the beats that it holds
//     std::string module_name() const;
//     bool operator==(const DoublePlan&) const;
//   };
//   MachineOut<Hardware> build(Scope&, const DoublePlan&, const MachineIn<Hardware>&);
//   class DoubleModel : public MachineModel { explicit DoubleModel(const DoublePlan&); ... };
//   std::unique_ptr<Counts> counts_of(const DoublePlan&);  // the model's valid and ready
//
//   std::shared_ptr<const Machine> m = machine<DoubleModel>(DoublePlan{...});
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gen/hdl/hierarchy.h"
#include "gen/hdl/ports.h"
#include "gen/layers/pipeline/counts/counts.h"
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

// The model of a machine, clock by clock: first what it shows before the edge, then the edge.
class MachineModel {
 public:
  virtual ~MachineModel() = default;
  virtual void reset() = 0;  // also the state at power-up
  virtual MachineOut<Values> shown() const = 0;
  // `in.rst` resets, whatever the other inputs are.
  virtual void clock(const MachineIn<Values>& in) = 0;
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
  virtual std::string kind() const = 0;
  virtual std::string text() const = 0;
  virtual MachineOut<Hardware> place(Scope& s, const MachineIn<Hardware>& in,
                                     const std::string& instance_name) const = 0;
  virtual std::unique_ptr<MachineModel> model() const = 0;
  virtual std::unique_ptr<Counts> counts() const = 0;
  virtual ir::Module& build_alone(Builder& builder, ir::OriginId origin) const = 0;

  MachineIn<Hardware> input_shape() const;
  MachineOut<Hardware> output_shape() const;
};

template <class Plan, class Model>
class MachineOf : public Machine {
 public:
  explicit MachineOf(Plan plan) : plan_(std::move(plan)) {}
  const Plan& plan() const { return plan_; }
  std::vector<Stream> inputs() const override { return plan_.inputs(); }
  Stream output() const override { return plan_.output(); }
  std::int64_t interval() const override { return plan_.interval(); }
  std::int64_t slices() const override { return plan_.slices(); }
  int levels() const override { return plan_.levels(); }
  std::int64_t room() const override {
    if constexpr (requires { plan_.room(); })
      return plan_.room();
    else
      return 0;
  }
  std::string kind() const override { return plan_.kind(); }
  std::string text() const override { return plan_.text(); }
  MachineOut<Hardware> place(Scope& s, const MachineIn<Hardware>& in,
                             const std::string& instance_name) const override {
    return instantiate(s, builder_of(), plan_, in, instance_name);
  }
  std::unique_ptr<MachineModel> model() const override { return std::make_unique<Model>(plan_); }
  std::unique_ptr<Counts> counts() const override { return counts_of(plan_); }
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

template <class Model, class Plan>
std::shared_ptr<const Machine> machine(Plan plan) {
  return std::make_shared<MachineOf<Plan, Model>>(std::move(plan));
}

}  // namespace kumiki::gen::pipeline
