// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/native/engine.h"

#include <algorithm>

#include "backends/sim/native/lanes.h"

namespace kumiki::backends::native {
namespace {

using ir::Lanes;

template <class Function>
void each1(const Lanes* s, const std::uint32_t* in, std::uint32_t count, Lanes* out, Function f) {
  for (std::uint32_t i = 0; i < count; ++i) out[i] = f(s[in[i]]);
}

template <class Function>
void each2(const Lanes* s, const std::uint32_t* in, std::uint32_t count, Lanes* out, Function f) {
  for (std::uint32_t i = 0; i < count; ++i, in += 2) out[i] = f(s[in[0]], s[in[1]]);
}

template <class Function>
void each3(const Lanes* s, const std::uint32_t* in, std::uint32_t count, Lanes* out, Function f) {
  for (std::uint32_t i = 0; i < count; ++i, in += 3) out[i] = f(s[in[0]], s[in[1]], s[in[2]]);
}

// c ? b : a.
Lanes choose(Lanes a, Lanes b, Lanes c) { return a ^ (c & (a ^ b)); }

template <unsigned n>
void carries(const Lanes* s, const std::uint32_t* in, std::uint32_t count, Lanes* out) {
  for (std::uint32_t i = 0; i < count; ++i, in += 1 + 2 * n, out += 2 * n) {
    Lanes carry = s[in[0]];
    for (unsigned b = 0; b < n; ++b) {
      Lanes propagate = s[in[1 + n + b]];
      out[n + b] = propagate ^ carry;
      out[b] = carry = choose(s[in[1 + b]], carry, propagate);
    }
  }
}

}  // namespace

Engine::Engine(Program program, LookUps look_ups)
    : p_(std::move(program)),
      look_ups_(look_ups),
      slots_(p_.slots),
      state_(p_.state_words),
      gathered_(p_.widest_kernel),
      ring_start_(p_.shifts.size()) {
  power_up();
}

std::size_t Engine::bytes() const {
  auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return of(slots_) + of(state_) + of(p_.pool) + of(p_.tables) + of(p_.runs) + of(p_.batches) +
         of(p_.kernels) + of(p_.shifts) + of(p_.flops) + of(p_.shift_init) + of(p_.net_slot) +
         p_.flop_init.capacity() / 8;
}

void Engine::power_up() {
  std::fill(slots_.begin(), slots_.end(), 0);
  slots_[1] = ~Lanes{0};
  for (std::size_t i = 0; i < p_.flop_init.size(); ++i)
    slots_[p_.first_q + i] = all_lanes(p_.flop_init[i]);
  for (const KernelCell& k : p_.kernels)
    if (k.prototype->kernel.power_up) k.prototype->kernel.power_up(k.view, state_.data() + k.state);
  std::fill(ring_start_.begin(), ring_start_.end(), 0);
  for (const ShiftGroup& g : p_.shifts) {
    for (std::uint32_t e = 0; e < g.count; ++e)
      for (std::uint32_t i = 0; i < g.length; ++i) {
        auto at = g.is_ring() ? i * g.count + e : e * g.length + i;
        state_[g.state + at] = all_lanes(p_.shift_init[g.init + e] >> i & 1);
      }
    show_shift(g, 0);
  }
  evaluate_registers();
}

void Engine::settle() {
  for (const Batch& batch : p_.batches) run(batch);
}

void Engine::set_half(bool second) { slots_[p_.half_slot] = all_lanes(second); }

void Engine::run(const Batch& b) {
  const Lanes* s = slots_.data();
  Lanes* out = slots_.data() + b.out;
  const std::uint32_t* in = p_.pool.data() + b.operands;
  auto n = b.count;
  switch (b.op) {
    case Op::invert:
      return each1(s, in, n, out, [](Lanes a) { return ~a; });
    case Op::and2:
      return each2(s, in, n, out, [](Lanes a, Lanes x) { return a & x; });
    case Op::andn2:
      return each2(s, in, n, out, [](Lanes a, Lanes x) { return a & ~x; });
    case Op::nor2:
      return each2(s, in, n, out, [](Lanes a, Lanes x) { return ~(a | x); });
    case Op::nand2:
      return each2(s, in, n, out, [](Lanes a, Lanes x) { return ~(a & x); });
    case Op::or2:
      return each2(s, in, n, out, [](Lanes a, Lanes x) { return a | x; });
    case Op::orn2:
      return each2(s, in, n, out, [](Lanes a, Lanes x) { return a | ~x; });
    case Op::xor2:
      return each2(s, in, n, out, [](Lanes a, Lanes x) { return a ^ x; });
    case Op::xnor2:
      return each2(s, in, n, out, [](Lanes a, Lanes x) { return ~(a ^ x); });
    case Op::and3:
      return each3(s, in, n, out, [](Lanes a, Lanes x, Lanes y) { return a & x & y; });
    case Op::or3:
      return each3(s, in, n, out, [](Lanes a, Lanes x, Lanes y) { return a | x | y; });
    case Op::xor3:
      return each3(s, in, n, out, [](Lanes a, Lanes x, Lanes y) { return a ^ x ^ y; });
    case Op::xnor3:
      return each3(s, in, n, out, [](Lanes a, Lanes x, Lanes y) { return ~(a ^ x ^ y); });
    case Op::majority:
      return each3(s, in, n, out, [](Lanes a, Lanes x, Lanes y) { return choose(a, y, a ^ x); });
    case Op::mux:
      return each3(s, in, n, out, choose);
    case Op::lut3:
    case Op::lut4:
    case Op::lut5:
    case Op::lut6:
      return look_ups_[arity(b.op) - 3](s, in, p_.tables.data() + b.tables, n, out);
    case Op::carry4:
      return carries<4>(s, in, n, out);
    case Op::carry8:
      return carries<8>(s, in, n, out);
    case Op::kernel:
      for (std::uint32_t i = 0; i < n; ++i) {
        const KernelCell& k = p_.kernels[in[i]];
        gather(k);
        k.prototype->kernel.evaluate(k.view, gathered_.data(), state_.data() + k.state,
                                     slots_.data() + k.out);
      }
  }
}

void Engine::gather(const KernelCell& k) {
  Lanes* to = gathered_.data();
  for (std::uint32_t i = 0; i < k.run_count; ++i) {
    const Run& run = p_.runs[k.first_run + i];
    to = run.repeats ? std::fill_n(to, run.count, slots_[run.from])
                     : std::copy_n(slots_.data() + run.from, run.count, to);
  }
}

// First do everything that only reads slots, then everything that writes them. Registers have an
// order among themselves.
void Engine::clock() {
  const bool first_half = p_.half_slot != 0 && slots_[p_.half_slot] == 0;
  for (const Copy& c : p_.copies) slots_[c.to] = slots_[c.from];
  for (const KernelCell& k : p_.kernels) {
    if (!k.is_clocked || (first_half && !k.is_fast)) continue;
    gather(k);
    k.prototype->kernel.clock(k.view, gathered_.data(), state_.data() + k.state);
  }
  for (std::size_t i = 0; i < p_.shifts.size(); ++i) clock_shift(p_.shifts[i], ring_start_[i]);

  for (const FlopRun& run : p_.flops) clock_flops(run);
  for (std::size_t i = 0; i < p_.shifts.size(); ++i) show_shift(p_.shifts[i], ring_start_[i]);
  evaluate_registers();
}

// Evaluates outputs that depend on no input. The inputs that their kernels gather do not matter for
// them. Other outputs are evaluated again when their inputs have settled.
void Engine::evaluate_registers() {
  std::fill(gathered_.begin(), gathered_.end(), 0);
  for (const KernelCell& k : p_.kernels)
    if (k.has_register_output)
      k.prototype->kernel.evaluate(k.view, gathered_.data(), state_.data() + k.state,
                                   slots_.data() + k.out);
}

void Engine::clock_shift(const ShiftGroup& g, std::uint32_t& start) {
  const std::uint32_t* d = p_.pool.data() + g.d;
  Lanes* state = state_.data() + g.state;
  if (g.is_ring()) {
    start = start == 0 ? g.length - 1 : start - 1;
    for (std::uint32_t e = 0; e < g.count; ++e) state[start * g.count + e] = slots_[d[e]];
    return;
  }
  Lanes enable = slots_[g.enable];
  for (std::uint32_t e = 0; e < g.count; ++e, state += g.length) {
    for (auto i = g.length - 1; i > 0; --i) state[i] = choose(state[i], state[i - 1], enable);
    state[0] = choose(state[0], slots_[d[e]], enable);
  }
}

void Engine::show_shift(const ShiftGroup& g, std::uint32_t start) {
  auto show = [&](std::uint32_t tap, std::uint32_t to) {
    const Lanes* state = state_.data() + g.state;
    if (g.is_ring())
      std::copy_n(state + (start + tap) % g.length * g.count, g.count, slots_.data() + to);
    else
      for (std::uint32_t e = 0; e < g.count; ++e) slots_[to + e] = state[e * g.length + tap];
  };
  show(g.tap, g.q);
  if (g.last != 0) show(g.length - 1, g.last);
}

void Engine::clock_flops(const FlopRun& r) {
  Lanes* q = slots_.data() + r.q;
  auto with_inputs = [&](auto d) {
    Lanes enable = slots_[r.enable], reset = slots_[r.reset], set = r.is_set ? reset : 0;
    if (r.reset == 0 && r.enable == 1)
      for (std::uint32_t i = 0; i < r.count; ++i) q[i] = d(i);
    else if (r.reset == 0)
      for (std::uint32_t i = 0; i < r.count; ++i) q[i] = choose(q[i], d(i), enable);
    else
      for (std::uint32_t i = 0; i < r.count; ++i)
        q[i] = (choose(q[i], d(i), enable) & ~reset) | set;
  };
  const Lanes* slots = slots_.data();
  if (r.is_gather)
    with_inputs([in = p_.pool.data() + r.d, slots](std::uint32_t i) { return slots[in[i]]; });
  else
    with_inputs([in = slots + r.d](std::uint32_t i) { return in[i]; });
}

}  // namespace kumiki::backends::native
