// SPDX-License-Identifier: Apache-2.0
#include "tests/proof/subject.h"

#include <random>

#include "ir/check.h"

namespace kumiki::test {
namespace {

// 8'h2a into its limbs.
void put(const std::string& value, std::uint64_t* limb) {
  unsigned at = 0;
  for (auto digit = value.rbegin(); *digit != 'h'; ++digit, at += 4)
    limb[at / 64] |= std::stoull(std::string(1, *digit), nullptr, 16) << at % 64;
}

}  // namespace

Subject::Subject(const std::string& layer)
    : document_(gen::config::parse_document(
          R"({"kumiki": 1, "name": "proofs", "layers": [)" + layer + "]}", "test.json",
          gen::registry())),
      layers_(gen::layers_of(document_, "test.json")),
      builder_(document_.target.family),
      reference_(*layers_[0].layer->definition().reference) {
  design().set_top(this->layer().build(builder_, {}).id());
}

bool Subject::shows(std::uint64_t seed, std::uint64_t cycles) {
  const auto ports = ir::layout(design().top());
  std::vector<std::mt19937_64> random;
  for (unsigned run = 0; run < 64; ++run) random.emplace_back(run + 1);
  const auto result = backends::try_mutations(
      design(), [&] { return layer().model(); },
      [&](unsigned run, std::size_t, ir::Frame& in) {
        for (const auto& slot : ports.inputs) {
          // Ports that hold a design back or empty it: mostly not.
          const auto draw = random[run]();
          const std::uint64_t often = slot.name == "rst" ? draw % 32 == 0 : draw % 8 != 0;
          const bool control = slot.name == "rst" || slot.name == "en";
          for (std::uint32_t l = 0; l < slot.limbs(); ++l) {
            const auto bits = std::min<std::uint32_t>(64, slot.width - 64 * l);
            const auto all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
            in[slot.limb + l] = control ? often : random[run]() & all;
          }
        }
      },
      {.seed = seed, .count = 1, .cycles = cycles, .survivor_cycles = 1});
  return result.by_lockstep == 1;
}

std::string Subject::change(std::uint64_t cycles) {
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const auto m = backends::random_mutations(design(), 1, seed).at(0);
    const auto text = to_string(design(), m);
    if (!shows(seed, cycles)) continue;
    backends::apply(design(), m);
    return text;
  }
  return {};
}

void Subject::expect_true(const Counterexample& c) {
  const auto ports = ir::layout(design().top());
  backends::NativeMachine native(design());
  expect_value(replay(native, ports, c), ports, c.output, c.got);
  const auto model = layer().model();
  expect_value(replay(*model, ports, c), ports, c.output, c.expected);
  EXPECT_NE(c.got, c.expected);
}

ir::Frame replay(ir::Machine& machine, const ir::PortLayout& ports, const Counterexample& c) {
  machine.power_up();
  ir::Frame out;
  for (const auto& clock : c.inputs) {
    ir::Frame in(ports.input_limbs, 0);
    for (const auto& slot : ports.inputs)
      for (const auto& p : clock)
        if (p.name == slot.name) put(p.value, &in[slot.limb]);
    machine.step(in, out);
  }
  return out;
}

void expect_value(const ir::Frame& frame, const ir::PortLayout& ports, const std::string& port,
                  const std::string& value) {
  for (const auto& slot : ports.outputs) {
    if (slot.name != port) continue;
    ir::Frame wanted(slot.limbs(), 0);
    put(value, wanted.data());
    for (std::uint32_t l = 0; l < slot.limbs(); ++l) EXPECT_EQ(frame[slot.limb + l], wanted[l]);
  }
}

}  // namespace kumiki::test
