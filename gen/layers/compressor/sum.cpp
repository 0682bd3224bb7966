// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/compressor/sum.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/arith/format.h"
#include "gen/blocks/compressor/booth.h"
#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/picture.h"
#include "gen/layers/common/write.h"
#include "gen/layers/compressor/messages.h"
#include "ir/error.h"
#include "ir/limits.h"

namespace kumiki::gen::compressor {
namespace {

struct Range {
  std::int64_t low, high;
};

[[noreturn]] void too_wide(const SumSpec& spec) {
  throw DesignError(code::sum_too_wide,
                    fmt::format("{}: the sum needs more than 63 bits; use fewer or narrower "
                                "operands, smaller factors or columns",
                                spec.module));
}

std::int64_t times(const SumSpec& spec, std::int64_t a, std::int64_t b) {
  std::int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) too_wide(spec);
  return product;
}

// The smallest range that contains all products of two ranges.
Range product(const SumSpec& spec, Range a, Range b) {
  std::int64_t all[] = {times(spec, a.low, b.low), times(spec, a.low, b.high),
                        times(spec, a.high, b.low), times(spec, a.high, b.high)};
  return {*std::min_element(all, all + 4), *std::max_element(all, all + 4)};
}

const PortShape& port_of(const SumSpec& spec, unsigned word) {
  for (const PortShape& p : spec.ports) {
    if (word < p.count) return p;
    word -= p.count;
  }
  throw DesignError(code::term_without_port,
                    fmt::format("{}: a term of a word that no port has", spec.module));
}

Range range_of(const SumSpec& spec, unsigned word) {
  const PortShape& p = port_of(spec, word);
  if (p.width > 62) too_wide(spec);
  std::int64_t half = std::int64_t{1} << (p.width - 1);
  return p.is_signed ? Range{-half, half - 1} : Range{0, 2 * half - 1};
}

Range range_of(const SumSpec& spec) {
  Range sum{spec.constant, spec.constant};
  for (const Term& t : spec.terms) {
    if (t.column > 62) too_wide(spec);
    Range r = range_of(spec, t.a);
    if (t.b) r = product(spec, r, range_of(spec, *t.b));  // for bits: 0 to 1, as for their XNOR
    std::int64_t factor = times(spec, t.factor, std::int64_t{1} << t.column);
    r = product(spec, r, {factor, factor});
    if (__builtin_add_overflow(sum.low, r.low, &sum.low) ||
        __builtin_add_overflow(sum.high, r.high, &sum.high))
      too_wide(spec);
  }
  return sum;
}

// Whether the rows of a product are recoded. Recoding is a level of LUTs before the first register.
// For narrow factors, AND gates inside the first counters leave no more bits.
constexpr std::uint32_t least_recoded = 9;
bool is_recoded(const SumPlan& plan, const Term& t) {
  return is_timed(plan.options.objective) && plan.options.pipeline == 0 &&
         std::min(port_of(plan.spec, t.a).width, port_of(plan.spec, *t.b).width) >= least_recoded;
}

void add_term(Scope& s, Heap& heap, const SumPlan& plan, const Term& t,
              const std::vector<UInt>& words) {
  const SumSpec& spec = plan.spec;
  const bool is_signed = port_of(spec, t.a).is_signed;
  if (t.is_xnor) {
    heap.add(t.column, Bit{Bit::Form::xnor_, words[t.a][0], words[*t.b][0]});
    return;
  }
  if (t.b) {
    if (is_signed != port_of(spec, *t.b).is_signed || t.factor != 1)
      throw DesignError(
          code::unlike_factors,
          fmt::format(
              "{}: both words of a product must be signed or both unsigned, with a factor of 1",
              spec.module));
    if (is_recoded(plan, t) && is_signed)
      add_booth_product(s, heap, as_signed(words[t.a]), as_signed(words[*t.b]), t.column);
    else if (is_recoded(plan, t))
      add_booth_product(s, heap, words[t.a], words[*t.b], t.column);
    else if (is_signed)
      heap.add_product(as_signed(words[t.a]), as_signed(words[*t.b]), t.column);
    else
      heap.add_product(words[t.a], words[*t.b], t.column);
  } else if (is_signed) {
    heap.add_scaled(as_signed(words[t.a]), t.factor, t.column);
  } else {
    heap.add_scaled(words[t.a], t.factor, t.column);
  }
}

}  // namespace

Heap sum_heap(Scope& s, const SumPlan& plan, const std::vector<UInt>& words) {
  Heap heap(plan.width);
  for (const Term& t : plan.spec.terms) add_term(s, heap, plan, t, words);
  heap.add_constant(plan.spec.constant);
  return heap;
}

namespace {

Datapath path_of(const SumPlan& plan) {
  const Audit a = audit(plan.tree);
  return {.module = plan.spec.module,
          .about = fmt::format("{} bits and pairs in {} columns, {} stages, {} LUTs, latency {}",
                               plan.tree.shape.total(), plan.width, plan.tree.stages.size(),
                               a.luts() + plan.recoding_luts, plan.latency),
          .in = plan.spec.ports,
          .out = {"sum", 1, plan.width, plan.is_signed},
          .latency = plan.latency,
          .placement = plan.placement};
}

BuildWords builder_of(const SumPlan& plan) {
  return [&plan](Scope& s, const std::vector<UInt>& in, Net enable) {
    return compress(s, sum_heap(s, plan, in), plan.tree, {plan.options.pipeline, enable});
  };
}

}  // namespace

SumPlan plan_sum(const SumSpec& spec, const TreeOptions& options) {
  SumPlan plan{.spec = spec, .options = options};
  auto [low, high] = range_of(spec);
  plan.low = low;
  plan.high = high;
  plan.is_signed = low < 0;
  auto bits = [](std::int64_t v) {
    return static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(v < 0 ? ~v : v)));
  };
  plan.width = std::max({bits(low) + plan.is_signed, bits(high) + plan.is_signed, 1u});
  if (plan.width > 63) too_wide(spec);
  // Check before building a heap: every term has at least one bit.
  ir::require_at_most(options.context.limits.heap_bits, spec.terms.size(),
                      "the heap of one compressor tree", "bits", "--max-heap-bits");
  // The shape does not depend on the nets, so any nets will do.
  Builder scratch;
  Scope s(scratch, scratch.design().add_module("shape"));
  std::vector<UInt> words;
  for (const PortShape& p : spec.ports)
    for (std::uint32_t i = 0; i < p.count; ++i)
      words.push_back(s.input<UInt>(fmt::format("{}_{}", p.name, i), p.width));
  const Heap heap = sum_heap(s, plan, words);
  plan.recoding_luts = static_cast<std::uint32_t>(s.module().cells().size());
  plan.tree = plan_tree(heap.shape(), options);
  plan.latency = latency(plan.tree, options.pipeline);
  plan.placement = placed(options, path_of(plan), builder_of(plan));
  if (plan.placement) plan.latency = plan.placement->latency;
  return plan;
}

namespace {

class SumLayer : public Layer {
 public:
  SumLayer(SumPlan plan, Define define) : plan_(std::move(plan)), define_(std::move(define)) {}

  std::string plan_text() const override {
    return fmt::format("sum          {} to {} on {} bits, {}\nlatency      {}\n", plan_.low,
                       plan_.high, plan_.width, plan_.is_signed ? "signed" : "unsigned",
                       latency_text()) +
           placement_text(plan_.placement.get()) +
           (plan_.recoding_luts > 0
                ? fmt::format("rows         {} LUTs of Booth's recoding\n", plan_.recoding_luts)
                : "") +
           tree_text(plan_.tree);
  }

  void write_plan(config::Writer& w) const override {
    w.member("range", std::array{plan_.low, plan_.high});
    w.member("result_bits", plan_.width);
    w.member("signed", plan_.is_signed);
    w.member("latency", plan_.latency);
    w.member("results_per_cycle", 1);
    write_placement(w, plan_.placement.get());
    if (plan_.recoding_luts > 0) w.member("recoding_luts", plan_.recoding_luts);
    write_tree(w, plan_.tree);
    arith::Certificate certificate = tree_certificate(plan_.tree);
    const arith::Format format{static_cast<int>(plan_.width), plan_.is_signed};
    certificate.within("sum", {plan_.low, plan_.high}, format.range());
    w.member("proofs", certificate);
  }
  Facts facts() const override {
    return {.latency = plan_.latency,
            .levels = plan_.placement
                          ? plan_.placement->levels
                          : levels_between(plan_.tree, plan_.options.pipeline, plan_.latency)};
  }

  std::vector<Picture> pictures() const override { return {{"tree", picture_svg(plan_.tree)}}; }

  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_datapath(builder, origin, path(), builder_of(plan_));
  }

  Definition definition() const override {
    return define_ ? Definition(define_(plan_)) : Layer::definition();
  }
  std::vector<Beat> beats() const override { return compressor::beats(path()); }

  // By definition: factors, products and a constant.
  std::unique_ptr<ir::Machine> model() const override {
    return datapath_model(path(), [spec = plan_.spec](const WordValues& in) {
      std::int64_t sum = spec.constant;
      for (const Term& t : spec.terms) {
        std::int64_t one = t.is_xnor ? in[t.a] == in[*t.b] : in[t.a] * (t.b ? in[*t.b] : 1);
        sum += t.factor * one * (std::int64_t{1} << t.column);
      }
      return WordValues{sum};
    });
  }

 private:
  std::string latency_text() const {
    return plan_.latency == 0 ? "combinational"
                              : fmt::format("{} clocks, one result a clock", plan_.latency);
  }
  Datapath path() const { return path_of(plan_); }
  SumPlan plan_;
  Define define_;
};

}  // namespace

std::unique_ptr<Layer> make_sum_layer(SumPlan plan, Define define) {
  return std::make_unique<SumLayer>(std::move(plan), std::move(define));
}

}  // namespace kumiki::gen::compressor
