// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pipeline.h"

#include <deque>

#include "backends/sim/lockstep/report.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "tests/support/random.h"

namespace kumiki::tests {
namespace {

// The last input is the enable. Outputs mean something once the pipeline is full.
class Model : public ir::Machine {
 public:
  Model(std::uint32_t latency, std::size_t outputs, std::function<Pipeline::Definition()> make)
      : latency_(latency), outputs_(outputs), make_(std::move(make)) {}
  void power_up() override {
    definition_ = make_();
    waiting_.clear();
  }
  void step(const ir::Frame& in, ir::Frame& out) override {
    const bool full = waiting_.size() == latency_;
    out.assign(outputs_, 0);
    valid_.assign(outputs_, full ? ~std::uint64_t{0} : 0);
    const Pipeline::Values values(in.begin(), in.end() - 1);
    if (latency_ == 0) {
      out = definition_(values);
      return;
    }
    if (full) out = waiting_.front();
    if (in.back() == 0) return;
    if (full) waiting_.pop_front();
    waiting_.push_back(definition_(values));
  }
  const ir::Frame* valid_mask() const override { return &valid_; }

 private:
  std::uint32_t latency_;
  std::size_t outputs_;
  std::function<Pipeline::Definition()> make_;
  Pipeline::Definition definition_;
  std::deque<Pipeline::Values> waiting_;
  ir::Frame valid_;
};

std::uint64_t mask(std::uint32_t width) {
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

Pipeline::Values random_values(Random& random, const std::vector<std::uint32_t>& widths) {
  Pipeline::Values out;
  for (const std::uint32_t w : widths) {
    const std::uint64_t corners[] = {0, mask(w), mask(w) >> 1, mask(w) / 2 + 1};
    out.push_back(random.below(3) == 0 ? corners[random.below(4)] : random.word() & mask(w));
  }
  return out;
}

}  // namespace

Pipeline::Pipeline(std::vector<std::uint32_t> widths, std::uint32_t latency, const Build& build,
                   std::function<Definition()> definition, ir::Family family)
    : builder_(family),
      widths_(std::move(widths)),
      latency_(latency),
      definition_(std::move(definition)) {
  auto& module = builder_.design().add_module("pipeline");
  gen::Scope scope(builder_, module);
  Words in;
  for (std::size_t i = 0; i < widths_.size(); ++i)
    in.push_back(scope.input<gen::UInt>("i" + std::to_string(i), widths_[i]));
  const gen::Net enable = scope.input<gen::UInt>("en", 1)[0];
  const Words out = build(scope, in, enable);
  for (std::size_t i = 0; i < out.size(); ++i) scope.output("o" + std::to_string(i), out[i]);
  scope.finish();
  builder_.design().set_top(module.id());
  ir::require_legal(builder_.design());
  // Nothing may be built for nothing. Inputs that are not read are the test's: an enable, or some
  // bits.
  for (const ir::Finding& f : ir::check(builder_.design()))
    if (f.code != code::unused_input) ADD_FAILURE() << to_string(f);
}

ir::Cost Pipeline::cost() const {
  ir::Cost sum;
  const ir::Module& m = builder_.design().top();
  for (const ir::Cell& c : m.cells()) sum += ir::prototype(c.kind).cost(m.view(c));
  return sum;
}

std::unique_ptr<ir::Machine> Pipeline::model() const {
  return std::make_unique<Model>(latency_, ir::layout(design().top()).outputs.size(), definition_);
}

void Pipeline::check(std::uint64_t count,
                     const std::function<Values(std::uint64_t)>& stimulus) const {
  const unsigned lanes = backends::lane_count;
  backends::NativeMachines machines(design());
  machines.power_up();
  const auto layout = ir::layout(design().top());
  std::vector<ir::Frame> in(lanes), out(lanes);
  std::vector<std::unique_ptr<ir::Machine>> models;
  for (unsigned l = 0; l < lanes; ++l) {
    models.push_back(model());
    models.back()->power_up();
  }
  Random random(count + 1);
  // Lane l has the values from l * each on, and after the last some more until it is out.
  const std::uint64_t each = (count + lanes - 1) / lanes;
  std::vector<std::uint64_t> given(lanes);
  ir::Frame want;
  std::uint64_t compared = 0;
  for (bool busy = true; busy;) {
    busy = false;
    for (unsigned l = 0; l < lanes; ++l) {
      in[l] = stimulus(std::min(l * each + given[l], count - 1));
      const bool enable = random.below(8) != 0;
      in[l].push_back(enable);
      if (enable) ++given[l];
      busy |= given[l] < each + latency_ + 1;
    }
    machines.step(in, out);
    for (unsigned l = 0; l < lanes; ++l) {
      models[l]->step(in[l], want);
      if (models[l]->valid_mask()->front() == 0) continue;
      ++compared;
      if (out[l] == want) continue;
      ADD_FAILURE() << "lane " << l << ", after value " << given[l] << ": "
                    << ::testing::PrintToString(out[l]) << " instead of "
                    << ::testing::PrintToString(want);
      return;
    }
  }
  EXPECT_GE(compared, count);
}

void Pipeline::check_all() const {
  std::uint32_t bits = 0;
  for (const std::uint32_t w : widths_) bits += w;
  ASSERT_LE(bits, 24u);
  check(std::uint64_t{1} << bits, [&](std::uint64_t n) {
    Values in;
    for (const std::uint32_t w : widths_) {
      in.push_back(n & mask(w));
      n >>= w;
    }
    return in;
  });
}

void Pipeline::check_random(std::uint64_t count) const {
  check(count, [&](std::uint64_t n) {
    Random random(n * 77 + 5);
    return random_values(random, widths_);
  });
}

void Pipeline::check_verilated(std::uint64_t cycles, const std::string& cache) const {
  backends::VerilatedMachine machine(design(), {.cache = backends::Cache(cache)});
  const auto reference = model();
  backends::Stimulus stimulus(ir::layout(design().top()), {.seed = 5, .cycles = cycles});
  const auto result = backends::run_lockstep(*reference, machine, stimulus, {.cycles = cycles});
  EXPECT_TRUE(result.passed()) << backends::report(design(), result, "Verilator");
  EXPECT_GT(result.stimulus.stalled_cycles, cycles / 50);
}

void Pipeline::check_mutants(std::size_t count, double caught) {
  const auto stimulus = [&](unsigned run, std::size_t cycle, ir::Frame& in) {
    Random random(run * 100'003 + cycle);
    in = random_values(random, widths_);
    in.push_back(random.below(8) != 0);
  };
  const auto result =
      backends::try_mutations(builder_.design(), [&] { return model(); }, stimulus,
                              {.seed = 3, .count = count, .cycles = 150, .survivor_cycles = 400});
  EXPECT_EQ(result.tried, count);
  EXPECT_GT(result.by_lockstep, count / 4);
  std::string missed;
  for (const auto& m : result.missed) missed += to_string(design(), m) + "\n";
  EXPECT_GE(result.caught(), caught) << missed;
}

}  // namespace kumiki::tests
