// SPDX-License-Identifier: Apache-2.0
// A small module under test: words in, words out, one function call a clock cycle.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "gen/arith/format.h"
#include "gen/hdl/hdl.h"
#include "tests/support/reference_machine.h"

namespace kumiki::tests {

class Circuit {
 public:
  using Words = std::vector<gen::UInt>;
  using Values = std::vector<std::uint64_t>;

  // `build` gets inputs of these widths and returns the outputs.
  Circuit(std::vector<std::uint32_t> widths,
          const std::function<Words(gen::Scope&, const Words&)>& build,
          ir::Family family = ir::Family::ultrascale_plus)
      : builder_(family), widths_(std::move(widths)) {
    auto& module = builder_.design().add_module("circuit");
    gen::Scope scope(builder_, module);
    Words in;
    for (std::size_t i = 0; i < widths_.size(); ++i)
      in.push_back(scope.input<gen::UInt>("i" + std::to_string(i), widths_[i]));
    Words out = build(scope, in);
    for (std::size_t i = 0; i < out.size(); ++i) scope.output("o" + std::to_string(i), out[i]);
    scope.finish();
    builder_.design().set_top(module.id());
    machine_ = std::make_unique<ReferenceMachine>(builder_.design());
    machine_->power_up();
  }

  // One cycle; every port is up to 64 bits wide.
  Values operator()(const Values& in) {
    ir::Frame frame(in.begin(), in.end()), out;
    machine_->step(frame, out);
    return {out.begin(), out.end()};
  }

  // Calls check(inputs, outputs) for every input value, or for `limit` of them spread over the
  // range.
  void for_all(const std::function<void(const Values&, const Values&)>& check,
               std::uint64_t limit = 1 << 14) {
    std::uint32_t bits = 0;
    for (auto w : widths_) bits += w;
    std::uint64_t count = bits < 40 ? std::uint64_t{1} << bits : ~std::uint64_t{0};
    std::uint64_t state = 0x9e3779b97f4a7c15;
    bool every = count <= limit;
    for (std::uint64_t n = 0; n < std::min(count, limit); ++n) {
      Values in;
      std::uint64_t rest = n;
      for (auto w : widths_) {
        std::uint64_t mask = w == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << w) - 1;
        if (every) {
          in.push_back(rest & mask);
          rest >>= w;
        } else {
          state = state * 6364136223846793005u + 1442695040888963407u;
          // A third of the values are corners.
          std::uint64_t value = state >> 20, corner = state >> 60;
          in.push_back(corner < 2    ? 0
                       : corner < 4  ? mask
                       : corner == 4 ? mask >> 1
                       : corner == 5 ? mask / 2 + 1
                                     : value & mask);
        }
      }
      check(in, (*this)(in));
    }
  }

  const ir::Module& module() const { return builder_.design().top(); }
  ir::Cost cost() const {
    ir::Cost sum;
    for (const ir::Cell& c : module().cells()) sum += ir::prototype(c.kind).cost(module().view(c));
    return sum;
  }

 private:
  gen::Builder builder_;
  std::vector<std::uint32_t> widths_;
  std::unique_ptr<ir::Machine> machine_;
};

inline std::int64_t to_signed(std::uint64_t value, std::uint32_t width) {
  return gen::arith::value_of(value, {static_cast<int>(width), true});
}

}  // namespace kumiki::tests
