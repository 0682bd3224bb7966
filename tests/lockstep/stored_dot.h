// SPDX-License-Identifier: Apache-2.0
// Chains of products whose one operand is loaded at run time into the slices (T8), as an engine
// would build them: sums of x[i] * w[i], or (x[i] + d[i]) * w[i] with the pre-adder. All chains
// share the enables of their stores.
#pragma once
#include <fmt/format.h>

#include <deque>

#include "gen/dsl/dsl.h"
#include "gen/packing/operand_store.h"

namespace kumiki::gen::stored_dot {

template <class R>
struct In {
  typename R::Bit rst, en;
  typename R::Bit weight_valid, swap;
  std::vector<typename R::SInt> weights;  // of each chain one a column, or the bus
  std::vector<typename R::SInt> x, d;     // chain after chain; term i comes with its slice's skew
  static constexpr auto ports() {
    return std::tuple(port("rst", &In::rst), port("en", &In::en),
                      port("weight_valid", &In::weight_valid), port("swap", &In::swap),
                      port("weights", &In::weights), port("x", &In::x), port("d", &In::d));
  }
};

template <class R>
struct Out {
  typename R::Bit weight_ready, full;
  std::vector<typename R::SInt> p;
  static constexpr auto ports() {
    return std::tuple(port("weight_ready", &Out::weight_ready), port("full", &Out::full),
                      port("p", &Out::p));
  }
};

struct Plan {
  packing::StorePlan store;
  int chains = 1;

  int columns() const {
    return store.request.kind == packing::StoreKind::ShiftChain
               ? static_cast<int>(store.column_feed.size())
               : 1;
  }
  bool on_b() const { return store.request.side == packing::Side::Shared; }
  int multiply_latency() const { return store.request.preadder ? 4 : 3; }
  int latency() const { return multiply_latency() + store.skew(store.request.slices - 1); }
  std::string module_name() const {
    const auto& r = store.request;
    return fmt::format("stored_dot{}x{}_{}{}{}{}_h{}", chains, r.slices,
                       r.kind == packing::StoreKind::ShiftChain ? "chain" : "two",
                       r.enable == packing::StoreEnable::Skewed ? "_skewed" : "",
                       on_b() ? "" : "_on_a", r.preadder ? "_pre" : "", r.limits.column_height);
  }
  bool operator==(const Plan& other) const { return module_name() == other.module_name(); }
  In<Hardware> input_shape() const {
    const auto n = static_cast<std::size_t>(store.request.slices * chains);
    const auto words = [](std::size_t count, std::uint32_t width) {
      return std::vector(count, SInt::shape(width));
    };
    return {.rst = {},
            .en = {},
            .weight_valid = {},
            .swap = {},
            .weights = words(static_cast<std::size_t>(columns() * chains), on_b() ? 18 : 27),
            .x = words(n, 16),
            .d = words(store.request.preadder ? n : 0, 16)};
  }
  Out<Hardware> output_shape() const {
    return {.weight_ready = {},
            .full = {},
            .p = std::vector(static_cast<std::size_t>(chains), SInt::shape(48))};
  }
};

inline Dsp48e2 multiplier(Scope& s, const Plan& p, const In<Hardware>& in, std::size_t i) {
  Dsp48e2 dsp{.attributes = {.alumodereg = 0, .carryinselreg = 0, .inmodereg = 0, .opmodereg = 0},
              .enable = in.en};
  if (p.on_b())
    dsp.a = sext(s, in.x[i], 30);
  else
    dsp.b = sext(s, in.x[i], 18);
  if (p.store.request.preadder) {
    dsp.attributes.amultsel = ir::dsp48e2::AMultSel::ad;
    dsp.d = sext(s, in.d[i], 27);
    dsp.inmode = 0b00100;
  }
  return dsp;
}

inline SInt chain(Scope& s, const Plan& p, const In<Hardware>& in,
                  const packing::StoreEnables& enables, int number) {
  const auto columns = static_cast<std::size_t>(p.columns());
  const std::span words(in.weights.begin() + number * p.columns(), columns);
  packing::StoredColumn store(s, p.store, enables);
  Dsp48e2::Out below;
  for (int i = 0; i < p.store.request.slices; ++i) {
    Dsp48e2 dsp =
        multiplier(s, p, in, static_cast<std::size_t>(number * p.store.request.slices + i));
    store.wire(dsp, i, words);
    if (i == 0) {
      dsp.opmode = 0b00'000'01'01;
    } else if (p.store.place_in_column(i) == 0) {
      dsp.opmode = 0b00'011'01'01;
      dsp.c = below.p;
    } else {
      dsp.opmode = 0b00'001'01'01;
      dsp.pcin = below.pcout;
    }
    below = dsp.add_to(s);
    store.placed(i, below);
  }
  return below.p;
}

inline Out<Hardware> build(Scope& s, const Plan& p, const In<Hardware>& in) {
  const auto load = packing::store_loader(
      s, p.store, {.rst = in.rst, .en = in.en, .offered = in.weight_valid, .swap = in.swap});
  const auto enables = packing::store_enables(s, p.store, load.control(in.en));
  Out<Hardware> out{.weight_ready = load.ready, .full = load.full, .p = {}};
  for (int number = 0; number < p.chains; ++number)
    out.p.push_back(chain(s, p, in, enables, number));
  return out;
}

// From the definition: sets of operands, each multiplied by the weights that were in use when its
// first term arrived. A load is a list of words; a swap makes a complete one the weights in use.
class Model {
 public:
  explicit Model(const Plan& plan) : plan_(plan) { power_up(); }

  void power_up() {
    const auto n = static_cast<std::size_t>(plan_.store.request.slices * plan_.chains);
    weights_.assign(n, 0);
    load_.clear();
    pause_ = std::max(0, plan_.store.wait() - 1);
    Past nothing{weights_, std::vector<std::int64_t>(n, 0)};
    past_.assign(static_cast<std::size_t>(plan_.latency()), nothing);
  }

  Out<Values> step(const In<Values>& in) {
    const bool full = load_.size() == static_cast<std::size_t>(plan_.store.load_cycles);
    const bool swap = full && in.swap;
    const bool ready = plan_.store.wait() == 0 ? !full || swap : !full && pause_ == 0;
    Out<Values> out{.weight_ready = ready, .full = full, .p = {}};
    const int n = plan_.store.request.slices;
    out.p.assign(at(plan_.chains), 0);
    for (int i = 0; i < n * plan_.chains; ++i)
      out.p[at(i / n)] +=
          past_[static_cast<std::size_t>(plan_.latency() - 1 - plan_.store.skew(i % n))].x[at(i)] *
          past_.back().weights[at(i)];
    if (in.en) advance(in, swap, ready);
    if (in.rst) {
      load_.clear();
      pause_ = std::max(0, plan_.store.wait() - 1);
    }
    return out;
  }

 private:
  struct Past {
    std::vector<std::int64_t> weights;  // of the set whose first term came in this cycle
    std::vector<std::int64_t> x;        // what the slices' ports saw in this cycle
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void advance(const In<Values>& in, bool swap, bool ready) {
    if (pause_ > 0) --pause_;
    if (swap) {
      take_load();
      load_.clear();
      pause_ = std::max(0, plan_.store.wait() - 1);
    }
    if (ready && in.weight_valid) load_.push_back(in.weights);
    Past now{weights_, in.x};
    for (std::size_t i = 0; i < in.d.size(); ++i) now.x[i] += in.d[i];
    past_.push_front(now);
    past_.pop_back();
  }

  void take_load() {
    const auto& r = plan_.store.request;
    const bool shifts = r.kind == packing::StoreKind::ShiftChain;
    for (int w = 0; w < r.slices * plan_.chains; ++w) {
      const int slice = w % r.slices;
      const int place = shifts ? plan_.store.place_in_column(slice) : slice;
      const int column =
          w / r.slices * plan_.columns() + (shifts ? slice / r.limits.column_height : 0);
      for (std::size_t k = 0; k < load_.size(); ++k)
        if (plan_.store.order[k] == place) weights_[at(w)] = load_[k][at(column)];
    }
  }

  Plan plan_;
  std::vector<std::int64_t> weights_;
  std::vector<std::vector<std::int64_t>> load_;
  int pause_ = 0;
  std::deque<Past> past_;  // youngest first
};

}  // namespace kumiki::gen::stored_dot
