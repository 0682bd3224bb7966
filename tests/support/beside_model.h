// SPDX-License-Identifier: Apache-2.0
// A netlist and its model, which must show the same in every clock. For stimuli that look at what
// is shown.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "backends/sim/native/machine.h"
#include "gen/hdl/hdl.h"
#include "gen/hdl/model.h"

namespace kumiki::test {

template <class Plan, template <class> class In, template <class> class Out, class Model>
class BesideModel {
 public:
  template <class Build>
  BesideModel(const Plan& plan, const Build& build, ir::Family family = ir::Family::ultrascale_plus)
      : plan_(plan),
        in_(input_shape(plan)),
        out_(output_shape(plan)),
        model_(plan),
        builder_(family) {
    build_top(builder_, build, plan, in_);
    netlist_.emplace(builder_.design());
    netlist_->power_up();
  }
  const Plan& plan() const { return plan_; }
  std::int64_t clocks() const { return clocks_; }

  // One clock. Returns what the model shows.
  Out<gen::Values> step(const In<gen::Values>& in) {
    ir::Frame frame, wanted, valid, given;
    gen::pack(in_, in, frame);
    const Out<gen::Values> out = model_.step(in);
    gen::pack(out_, out, wanted);
    gen::pack_valid(out_, out, valid);
    netlist_->step(frame, given);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(given[i] & valid[i], wanted[i] & valid[i]) << "clock " << clocks_ << ", limb " << i;
    ++clocks_;
    return out;
  }

 private:
  Plan plan_;
  In<gen::Hardware> in_;
  Out<gen::Hardware> out_;
  Model model_;
  gen::Builder builder_;
  std::optional<backends::NativeMachine> netlist_;
  std::int64_t clocks_ = 0;
};

}  // namespace kumiki::test
