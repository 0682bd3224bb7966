// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "backends/formal/counterexample.h"
#include "backends/formal/joint.h"
#include "backends/formal/reach.h"
#include "backends/formal/solve.h"
#include "backends/formal/sums.h"
#include "backends/formal/unroll.h"
#include "backends/support/tool.h"
#include "ir/error.h"
#include "templates/templates.h"

namespace kumiki::backends::proof {
namespace {

constexpr std::uint32_t most_gates = 12'000'000;  // of a question; larger ones are skipped

using Held = std::vector<std::pair<std::string, bool>>;
const Held running{{"en", true}};

// A port, or bits of it: "y[15:8]".
class Slice {
 public:
  explicit Slice(const std::string& written) : port_(written.substr(0, written.find('['))) {
    if (port_.size() == written.size()) return;
    const auto colon = written.find(':');
    high_ = std::stoul(written.substr(port_.size() + 1));
    low_ = std::stoul(written.substr(colon + 1));
  }
  bool has(const Circuit::Bit& bit) const {
    return bit.port == port_ && low_ <= bit.index && bit.index <= high_;
  }

 private:
  std::string port_;
  std::uint64_t low_ = 0, high_ = ~std::uint64_t{0};
};

class Proof {
 public:
  Proof(const Circuit& gold, const Circuit& gate, const Question& question, const Effort& effort,
        Clock::time_point deadline)
      : gold_(gold),
        gate_(gate),
        question_(question),
        clocks_(effort.clocks ? effort.clocks : 3 * question.depth + 8),
        invariants_(effort.invariants),
        deadline_(deadline),
        when_(gold.outputs.size()) {
    for (const auto& [data, valid] : question.while_one) {
      const std::size_t condition = bit_of(valid);
      for (std::size_t o = bit_of(data); o < gold.outputs.size(); ++o)
        if (gold.outputs[o].port == data && !when_[o]) when_[o] = condition;
    }
  }

  Verdict run() {
    Verdict v = answer();
    v.by_sums = by_sums_ && v.status == Status::proved;
    return v;
  }

 private:
  Verdict answer() {
    if (gold_.latches() + gate_.latches() == 0) return one_clock();
    if (question_.flushes) {
      if (auto all = any_state()) return *all;
    }
    if (auto found = sampled(clocks_)) return *found;
    const Joint one = merged(gold_, gate_, seconds_until(deadline_) / 2);
    return Proof(one.gold, one.gate, *this).with_state();
  }

  // The same question about circuits with common registers.
  Proof(const Circuit& gold, const Circuit& gate, const Proof& other)
      : gold_(gold),
        gate_(gate),
        question_(other.question_),
        clocks_(other.clocks_),
        invariants_(other.invariants_),
        deadline_(other.deadline_),
        when_(other.when_) {}

  // The first bit of an output of the reference.
  std::size_t bit_of(const std::string& port) const {
    const auto at = std::ranges::find(gold_.outputs, port, &Circuit::Bit::port);
    if (at == gold_.outputs.end())
      throw std::logic_error(fmt::format("the proof names {}, which is not an output", port));
    return static_cast<std::size_t>(at - gold_.outputs.begin());
  }

  // Literals that are 1 if the two differ in a frame.
  std::vector<Literal> differences(Unrolled& u, std::size_t frame) const {
    const auto& f = u.frame(frame);
    std::vector<Literal> all;
    for (std::size_t o = 0; o < f.gold.size(); ++o) {
      Literal d = u.aig().differ(f.gold[o], f.gate[o]);
      if (when_[o]) d = u.aig().both(d, f.gold[*when_[o]]);
      all.push_back(d);
    }
    return all;
  }

  Solution ask(Unrolled& u, const std::vector<std::size_t>& frames, Clock::time_point until) const {
    std::vector<Literal> all, left;
    for (std::size_t f : frames)
      for (Literal l : differences(u, f)) all.push_back(l);
    if (!question_.sums.any() || u.aig().size() > most_gates) return ask(u, all, until);
    if (auto found = sample(u.aig(), all, chances(u), until); found.answer != Answer::unknown)
      return found;
    Sums sums(u, gold_, gate_);
    for (std::size_t f : frames) {
      const auto same = same_sums(u, f, sums, until);
      if (same.hint && is_one(u.aig(), all, *same.hint)) return {Answer::sometimes, *same.hint};
      const auto open = differences(u, f);
      for (std::size_t o = 0; o < open.size(); ++o)
        if (!same.outputs[o]) left.push_back(open[o]);
    }
    by_sums_ |= left.size() < all.size();
    return Clock::now() > until ? Solution{} : decide(u.aig(), left, until);
  }

  // Outputs proved equal in a frame as sums, and inputs that may refute the others.
  struct Same {
    std::vector<bool> outputs;
    std::optional<std::vector<bool>> hint;
  };
  Same same_sums(const Unrolled& u, std::size_t frame, Sums& sums, Clock::time_point until) const {
    const auto& f = u.frame(frame);
    Same same{std::vector<bool>(f.gold.size(), false), std::nullopt};
    const auto note = [&](const Solution& s, const std::vector<std::size_t>& which) {
      for (std::size_t o : which) same.outputs[o] = s.answer == Answer::never;
      if (s.answer == Answer::sometimes) same.hint = s.inputs;
    };
    for (const auto& written : question_.sums.ports) {
      const Slice slice(written);
      std::vector<std::size_t> which;
      Sums::Word gold, gate;
      for (std::size_t o = 0; o < f.gold.size(); ++o) {
        if (!slice.has(gold_.outputs[o])) continue;
        which.push_back(o);
        gold.push_back(f.gold[o]);
        gate.push_back(f.gate[o]);
      }
      note(sums.differ(gold, gate, until), which);
    }
    if (!question_.sums.words.empty())
      for (std::size_t o = 0; o < f.gold.size(); ++o)
        if (f.gold[o] != f.gate[o]) note(sums.differ(f.gold[o], f.gate[o], until), {o});
    return same;
  }

  static bool is_one(const Aig& aig, const std::vector<Literal>& any,
                     const std::vector<bool>& inputs) {
    std::vector<std::uint64_t> words(inputs.begin(), inputs.end()), nodes;
    aig.simulate(words, nodes);
    return std::any_of(any.begin(), any.end(), [&](Literal l) { return value(nodes, l) & 1; });
  }
  std::vector<unsigned> chances(const Unrolled& u) const {
    std::vector<unsigned> chance(u.aig().inputs().size(), 8);
    std::unordered_map<std::uint32_t, std::size_t> which;
    for (std::size_t i = 0; i < chance.size(); ++i) which[u.aig().inputs()[i]] = i;
    for (std::size_t f = 0; f < u.frames(); ++f)
      for (std::size_t i = 0; i < gold_.inputs.size(); ++i) {
        const Literal l = u.frame(f).inputs[i];
        if (l <= one) continue;
        if (gold_.inputs[i].port == "rst") chance[which[l >> 1]] = 1;
        if (gold_.inputs[i].port == "en") chance[which[l >> 1]] = 14;
      }
    return chance;
  }
  Solution ask(Unrolled& u, const std::vector<Literal>& all, Clock::time_point until) const {
    if (u.aig().size() > most_gates || Clock::now() > until) return {};
    return solve(u.aig(), all, chances(u), until);
  }

  Verdict refuted(Unrolled& u, const Solution& s, const char* method) const {
    Verdict v{Status::refuted, 0, method, {}};
    v.counterexample = counterexample(u, s.inputs, when_);
    return v;
  }

  Verdict one_clock() {
    Unrolled u(gold_, gate_);
    u.clock({});
    const auto s = ask(u, std::vector<std::size_t>{0}, deadline_);
    if (s.answer == Answer::sometimes) return refuted(u, s, "one clock");
    return {s.answer == Answer::never ? Status::proved : Status::unfinished, 0, "one clock", {}};
  }

  // The proof without a bound. Empty if the netlist does not fit it. Returns a refutation if the
  // clocks from power-up show one.
  std::optional<Verdict> any_state() const {
    const auto until = Clock::now() + (deadline_ - Clock::now()) / 2;
    if (auto found = sampled(question_.depth + 4)) return found;
    for (const Circuit* c : {&gold_, &gate_})
      if (sees(*c) || !holds(*c, until)) return std::nullopt;
    // From any state first: this gives most of what the first clocks need.
    const bool flushes = flushed(Clock::now() + (until - Clock::now()) * 2 / 3);
    if (auto found = started(flushes, until)) return found;
    return flushes && started_ && forgets(until)
               ? std::optional(Verdict{Status::proved, 0, "any state", {}})
               : std::nullopt;
  }

  // Random runs from power-up with free inputs: the cheapest refutation.
  std::optional<Verdict> sampled(unsigned clocks) const {
    Unrolled u(gold_, gate_);
    for (unsigned i = 0; i < clocks && u.aig().size() < most_gates && Clock::now() < deadline_; ++i)
      u.clock({});
    std::vector<Literal> all;
    for (std::size_t f = 0; f < u.frames(); ++f)
      for (Literal l : differences(u, f)) all.push_back(l);
    const auto s = sample(u.aig(), all, chances(u), deadline_);
    if (s.answer != Answer::sometimes) return std::nullopt;
    return refuted(u, s, "from power-up");
  }

  // Whether every register keeps its value with en = 0 and rst = 0.
  bool holds(const Circuit& c, Clock::time_point until) const {
    if (!has_input(c, "en")) return true;
    Unrolled u(c, c);
    u.any_state();
    const auto before = u.gold().state;
    u.clock({{"en", false}, {"rst", false}});
    std::vector<Literal> all;
    for (std::size_t i = 0; i < before.size(); ++i)
      all.push_back(u.aig().differ(before[i], u.gold().state[i]));
    return ask(u, all, until).answer == Answer::never;
  }

  // Checks the first clocks from power-up with en = 1, in which registers hold INIT. If the netlist
  // `flushes`, power-up is one of the states before the last of these clocks.
  std::optional<Verdict> started(bool flushes, Clock::time_point until) const {
    Unrolled u(gold_, gate_);
    for (unsigned i = 0; i < question_.depth; ++i) u.clock(running);
    if (!flushes) u.clock({});
    const auto s = ask(u, every_frame(u, 0), until);
    if (s.answer == Answer::sometimes) return refuted(u, s, "from power-up");
    started_ = s.answer == Answer::never;
    return std::nullopt;
  }

  // From any state. Outputs that keep a value are assumed equal so far, by induction over the
  // clocks.
  bool flushed(Clock::time_point until) const {
    Unrolled u(gold_, gate_);
    u.any_state();
    run_on(u, question_.depth);
    return ask(u, std::vector<std::size_t>{question_.depth}, until).answer == Answer::never;
  }

  // Checks the clocks after a reset that occurs with en = 0. A reset with en = 1 is an ordinary
  // clock.
  bool forgets(Clock::time_point until) const {
    if (!has_input(gold_, "rst")) return true;
    Unrolled u(gold_, gate_);
    u.any_state();
    u.agree(when_);
    u.clock({{"rst", true}});
    run_on(u, question_.depth - 1);
    return ask(u, every_frame(u, 1), until).answer == Answer::never;
  }

  // Runs clocks with en = 1, and one more that is compared.
  void run_on(Unrolled& u, unsigned clocks) const {
    for (unsigned i = 0; i < clocks; ++i) {
      u.agree(when_);
      u.clock(running);
    }
    u.clock({});
  }

  // Joins both sides into one circuit whose output tells that they differ. Checks whether it is 0
  // in every reachable state. Half of the time is the limit: later results are unlikely.
  std::optional<Verdict> for_ever() const {
    const unsigned seconds = seconds_until(deadline_) / 2;
    if (seconds == 0) return std::nullopt;
    Circuit both = gold_;
    Literal any = zero;
    for (std::size_t o = 0; o < gold_.outputs.size(); ++o) {
      Literal d = both.aig.differ(gold_.output_values[o], gate_.output_values[o]);
      if (when_[o]) d = both.aig.both(d, gold_.output_values[*when_[o]]);
      any = both.aig.either(any, d);
    }
    both.outputs.resize(1);
    both.output_values = {any};
    const auto s = reach(both, seconds);
    if (s.answer == Answer::never) return Verdict{Status::proved, 0, "invariant", {}};
    if (s.answer == Answer::unknown) return std::nullopt;
    Unrolled u(gold_, gate_);
    for (std::size_t i = 0; i < s.inputs.size(); i += gold_.inputs.size()) u.clock({});
    return refuted(u, s, "from power-up");
  }

  // For feedback: compares from power-up, clock by clock. In between it tries induction from any
  // state that both sides can share.
  Verdict with_state() const {
    if (invariants_)
      if (auto found = for_ever()) return *found;
    const bool stands_still = !sees(gold_, "en") && !sees(gate_, "en") && holds(gold_, deadline_);
    Unrolled u(gold_, gate_);
    unsigned done = 0;
    for (; done < clocks_; ++done) {
      stands_still ? u.moving_clock() : u.clock({});
      const auto s = ask(u, std::vector<std::size_t>{done}, deadline_);
      if (s.answer == Answer::sometimes) return refuted(u, s, "from power-up");
      if (s.answer == Answer::unknown) return {Status::unfinished, done, "from power-up", {}};
      if (done > 0 && done % (question_.depth + 1) == 0 && follows(done, stands_still))
        return {Status::proved, 0, "induction", {}};
    }
    return {Status::bounded, done, "from power-up", {}};
  }

  // Whether agreement for this many clocks, from any such state, implies agreement in the next one.
  bool follows(unsigned clocks, bool stands_still) const {
    Unrolled u(gold_, gate_);
    u.any_common_state();
    Literal agreed = one;
    for (unsigned i = 0; i <= clocks; ++i) {
      stands_still ? u.moving_clock() : u.clock({});
      if (i == clocks) break;
      for (Literal d : differences(u, i)) agreed = u.aig().both(agreed, inverted(d));
    }
    std::vector<Literal> wrong;
    for (Literal d : differences(u, clocks)) wrong.push_back(u.aig().both(d, agreed));
    const auto until = Clock::now() + (deadline_ - Clock::now()) / 3;
    return ask(u, wrong, until).answer == Answer::never;
  }

  static std::vector<std::size_t> every_frame(const Unrolled& u, std::size_t first) {
    std::vector<std::size_t> all;
    for (std::size_t f = first; f < u.frames(); ++f) all.push_back(f);
    return all;
  }
  static bool has_input(const Circuit& c, std::string_view port) {
    return std::any_of(c.inputs.begin(), c.inputs.end(),
                       [&](const auto& bit) { return bit.port == port; });
  }
  // Whether an output depends on the input of this name in the same clock; without a name: on any
  // input.
  static bool sees(const Circuit& c, std::string_view port = {}) {
    std::vector<bool> seen(c.aig.size(), false);
    for (Literal l : c.output_values) seen[l >> 1] = true;
    for (std::uint32_t n = c.aig.size(); n-- > 1;)
      if (seen[n] && !c.aig.is_input(n))
        seen[c.aig.node(n).a >> 1] = seen[c.aig.node(n).b >> 1] = true;
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      if (seen[c.aig.inputs()[i]] && (port.empty() || c.inputs[i].port == port)) return true;
    return false;
  }

  const Circuit &gold_, &gate_;
  const Question& question_;
  unsigned clocks_;
  bool invariants_;
  Clock::time_point deadline_;
  mutable bool started_ = false, by_sums_ = false;
  std::vector<std::optional<std::size_t>> when_;  // of every output
};

// The reference, extended by the inputs that only the netlist has; it ignores them.
Circuit with_inputs_of(const Circuit& gate, const Circuit& gold) {
  Circuit wide{.aig = {},
               .inputs = gold.inputs,
               .outputs = gold.outputs,
               .output_values = {},
               .next = {},
               .nets = gold.nets,
               .net_values = {}};
  const auto has = [&](const Circuit::Bit& bit) {
    return std::ranges::any_of(
        gold.inputs, [&](const auto& b) { return b.port == bit.port && b.index == bit.index; });
  };
  for (const auto& bit : gate.inputs)
    if (!has(bit)) wide.inputs.push_back(bit);
  if (wide.inputs.size() == gold.inputs.size()) return gold;
  std::vector<Literal> in;
  for (std::size_t i = 0; i < wide.inputs.size(); ++i) in.push_back(wide.aig.add_input());
  in.resize(gold.inputs.size());
  for (std::size_t i = 0; i < gold.latches(); ++i) in.push_back(wide.aig.add_input());
  const auto is = copied(wide.aig, gold.aig, in);
  wide.output_values = these(is, gold.output_values);
  wide.next = these(is, gold.next);
  wide.net_values = these(is, gold.net_values);
  return wide;
}

}  // namespace

Verdict prove(const ir::Design& design, const Question& question, const Effort& effort) {
  return prove(
      [&](unsigned seconds, const Inside& inside) { return circuit_of(design, seconds, inside); },
      question, effort);
}

Verdict prove(const Gates& netlist, const Question& question, const Effort& effort) {
  const auto deadline = Clock::now() + std::chrono::seconds(effort.seconds);
  const auto left = [&] { return std::max(1u, seconds_until(deadline)); };
  std::vector<VerilogSource> sources{{"gold.v", question.reference}};
  if (!question.parts.empty())
    sources.push_back({"parts.v", std::string(templates::text(question.parts))});
  const bool inside = question.sums.any();
  try {
    const Circuit gold =
        circuit_of(sources, "gold", left(),
                   {.narrow = true, .additions = inside, .words = question.sums.words});
    const Circuit gate = netlist(left(), {.pins = inside});
    return Proof(with_inputs_of(gate, gold), gate, question, effort, deadline).run();
  } catch (const TimeIsUp&) {
    return {Status::unfinished, 0, "no gates yet", {}};
  }
}

std::string_view name(Status status) {
  switch (status) {
    case Status::proved:
      return "proved";
    case Status::bounded:
      return "proved to a bound";
    case Status::unfinished:
      return "not finished";
    case Status::refuted:
      return "refuted";
  }
  return {};
}

}  // namespace kumiki::backends::proof
