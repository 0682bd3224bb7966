// SPDX-License-Identifier: Apache-2.0
// A type of layers of somebody else's, against the installed library: registered beside the ones
// that are there, planned, simulated, proved, mutated, explained. Nothing of Kumiki is changed.
#include <bit>
#include <cstdio>
#include <fstream>

#include "gen/config/help.h"
#include "gen/flow/prove.h"
#include "gen/flow/run.h"
#include "gen/hdl/hdl.h"
#include "gen/layer/type.h"

using namespace kumiki;
using namespace kumiki::gen;

namespace vote {

// y = at least so many ones in x, a clock later.
struct Request {
  std::int64_t bits = 3, at_least = 2;
};

const config::Table& table() {
  using config::field;
  static const config::TableOf<Request> all{
      "vote",
      "Whether enough bits of x are one.",
      {field("bits", &Request::bits).required().range(1, 64).help("of x"),
       field("at_least", &Request::at_least).range(1, 64).help("ones that make y one")}};
  return all;
}

struct Plan {
  std::uint32_t bits = 0, at_least = 0;
  std::string module_name() const {
    return "vote" + std::to_string(at_least) + "of" + std::to_string(bits);
  }
  bool operator==(const Plan&) const = default;
};

template <class R>
struct In {
  typename R::Bit rst, en, in_valid;
  typename R::UInt x;
  static constexpr auto ports() {
    return std::tuple(port("rst", &In::rst), port("en", &In::en), port("in_valid", &In::in_valid),
                      port("x", &In::x));
  }
};
template <class R>
struct Out {
  typename R::Bit out_valid, y;
  static constexpr auto ports() {
    return std::tuple(port("out_valid", &Out::out_valid), port("y", &Out::y));
  }
};

Out<Hardware> make(Scope& s, const Plan& p, const In<Hardware>& in) {
  const UInt ones = popcount(s, in.x);
  const Net enough = at_least(s, ones, s.constant(p.at_least, ones.width()));
  return {.out_valid = reg(s, in.in_valid, {.enable = in.en, .reset = in.rst}),
          .y = reg(s, enough, {.enable = in.en})};
}

struct Behaviour {
  Plan plan;
  bool valid = false, y = false;
  void power_up() { valid = y = false; }
  Out<Values> step(const In<Values>& in) {
    const Out<Values> out{.out_valid = valid, .y = y};
    if (in.en) {
      valid = in.in_valid;
      y = std::popcount(in.x) >= static_cast<int>(plan.at_least);
    }
    if (in.rst) valid = false;
    return out;
  }
};

class Vote : public Layer {
 public:
  explicit Vote(Plan plan) : plan_(plan), in_{{}, {}, {}, UInt::shape(plan.bits)} {}
  std::string plan_text() const override { return plan_.module_name() + "\n"; }
  void write_plan(config::Writer& w) const override { w.member("latency", 1); }
  Facts facts() const override { return {.latency = 1}; }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, make, plan_, in_, origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<In, Out, Behaviour>>(in_, Out<Hardware>{}, Behaviour{plan_});
  }
  Definition definition() const override {
    std::string ones = "0";
    for (std::uint32_t i = 0; i < plan_.bits; ++i) ones += " + x_due[" + std::to_string(i) + "]";
    return proof::reference({.in = {{"x", plan_.bits}},
                             .out = {"y", 1},
                             .latency = 1,
                             .body = "  wire [7:0] ones = " + ones + ";\n  assign y = ones >= " +
                                     std::to_string(plan_.at_least) + ";\n"});
  }

 private:
  Plan plan_;
  In<Hardware> in_;
};

std::unique_ptr<Layer> planned(const Request& r) {
  if (r.at_least > r.bits)
    throw config::Refusal({code::out_of_range, "at_least", "can never be reached",
                           "must be 1 to " + std::to_string(r.bits)});
  return std::make_unique<Vote>(
      Plan{static_cast<std::uint32_t>(r.bits), static_cast<std::uint32_t>(r.at_least)});
}

config::LayerType layer_type() {
  return {"vote", "whether enough bits are one", &table(), plan_with<Request, planned>};
}

}  // namespace vote

int failed = 0;
void expect(bool holds, const char* what) {
  std::printf("%-8s %s\n", holds ? "right" : "WRONG", what);
  failed += holds ? 0 : 1;
}

int main() {
  auto all = registry().types();
  all.push_back(vote::layer_type());
  const config::Registry types(all);
  const auto read = [&](const char* keys) {
    std::ofstream("cfg.json") << R"({"kumiki": 1, "name": "votes", "layers": [{"type": "vote", )"
                              << keys << R"(}, {"type": "popcount", "bits": 9}]})";
    return flow::Project("cfg.json", {.types = types});
  };

  auto project = read(R"("bits": 7, "at_least": 4)");
  project.require_legal();
  const auto run = flow::simulate(project, {.seed = 5, .cycles = 2000});
  expect(run.passed() && run.cycles == 2000,
         "2000 cycles in lockstep, beside a layer of the house");
  const auto changed = flow::mutate(project, 40, {.seed = 5});
  expect(changed.tried == 40 && changed.caught() >= 0.95, "changed netlists are seen");
  const auto verdict = flow::prove(project.layers[0], ir::Family::ultrascale_plus);
  expect(verdict.status == backends::proof::Status::proved, "proved for every run");
  expect(config::help(*types.find("vote")).find("ones that make y one") != std::string::npos,
         "its keys are explained");
  try {
    read(R"("bits": 3, "at_least": 4)");
    expect(false, "what it refuses is refused");
  } catch (const config::ConfigError& e) {
    expect(e.findings().at(0).pointer == "/layers/0/at_least",
           "what it refuses is said at its key");
  }
  return failed == 0 ? 0 : 1;
}
