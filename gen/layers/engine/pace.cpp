// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/pace.h"

#include <algorithm>
#include <cmath>

namespace kumiki::gen::engine {
namespace {

constexpr std::int64_t parameter_bytes = 8;

// Clocks in which the results of four pixels of a tile leave: a word of a pixel in each, as wide as
// the lanes; the maximum has no lanes.
std::int64_t leaving(const Op& op, const EngineShape& s) {
  return EngineShape::pixels * (op.unit == Unit::depthwise ? s.rows / s.columns : 1);
}

class Pacer {
 public:
  explicit Pacer(const Program& p)
      : p_(p), s_(p.shape), word_(static_cast<double>(s_.rows * s_.columns)) {}

  ProgramPace run() {
    for (const Step& step : p_.steps) {
      StepPace pace{.begin = clock_};
      std::visit([&](const auto& s) { take(s, pace); }, step);
      pace.end = clock_;
      all_.weight_bytes += pace.weight_bytes;
      all_.map_bytes += pace.map_bytes;
      all_.macs += pace.macs;
      all_.steps.push_back(pace);
    }
    all_.clocks = clock_;
    return std::move(all_);
  }

 private:
  void take(const Load& l, StepPace& pace) {
    const graph::Tensor& t = p_.graph->tensors[l.tensor];
    pace.map_bytes = t.shape[0] * l.lines * t.shape[2];
    move(l.to.blocks() * l.lines * l.to.width, pace);
  }
  void take(const Store& s, StepPace& pace) {
    pace.map_bytes = s.from.channels * s.from.height * s.from.width;
    move(s.from.blocks() * s.from.height * s.from.width, pace);
  }
  // A place in a clock, as far as the port gives its bytes.
  void move(std::int64_t places, StepPace& pace) {
    pace.bound = Bound::maps;
    pace.busy = std::max(places, static_cast<std::int64_t>(std::ceil(
                                     static_cast<double>(pace.map_bytes) / s_.map_bytes))) +
                EngineShape::latency;
    clock_ += pace.busy;
  }

  void take(const Op& op, StepPace& pace) {
    const std::int64_t groups = ceil_div(op.walk.pixels(), EngineShape::pixels),
                       words = op.walk.words(), leaves = leaving(op, s_),
                       set = std::max(words, leaves);
    pace.macs = macs_of(op);
    pace.weight_bytes = std::ssize(op.weights) + parameter_bytes * std::ssize(op.parameters) +
                        (op.table ? std::ssize(*op.table) : 0);
    // The weights of a tile in words of the ring.
    const double of_tile =
        static_cast<double>(pace.weight_bytes) / word_ / static_cast<double>(op.tiles);
    for (std::int64_t tile = 0; tile < op.tiles; ++tile) {
      const auto before = clock_;
      walk(groups * set, set, of_tile);
      pace.waits += clock_ - before - groups * set;
    }
    clock_ += EngineShape::latency;
    pace.busy = op.tiles * groups * set + EngineShape::latency;
    pace.bound = pace.waits > pace.busy / 10 ? Bound::weights
                 : leaves > words            ? Bound::results
                                             : Bound::products;
  }

  // One tile: its weights come and its first pixels wait for them; all others do not. The ring
  // gives back a word when the last pixels have read it.
  void walk(std::int64_t clocks, std::int64_t set, double words) {
    const auto count = static_cast<std::int64_t>(std::ceil(words));
    double first_end = static_cast<double>(clock_);
    std::vector<double> come;
    for (std::int64_t i = 0; i < count; ++i) {
      const double part = std::min(1.0, words - static_cast<double>(i));
      if (std::ssize(freed_) >= s_.weight_words)
        loaded_ = std::max(loaded_, freed_[static_cast<std::size_t>(
                                        std::ssize(freed_) + std::ssize(come) - s_.weight_words)]);
      loaded_ += part * word_ / s_.weight_bytes;
      come.push_back(loaded_);
      first_end =
          std::max(first_end + static_cast<double>(set) / static_cast<double>(count), loaded_);
    }
    if (count == 0) first_end += static_cast<double>(set);
    const double end = first_end + static_cast<double>(clocks - set);
    for (std::int64_t i = 0; i < count; ++i)
      freed_.push_back(end - static_cast<double>(set) * static_cast<double>(count - 1 - i) /
                                 static_cast<double>(count));
    clock_ = static_cast<std::int64_t>(std::ceil(end));
  }

  std::int64_t macs_of(const Op& op) const {
    const graph::Node& n = p_.graph->nodes[op.nodes[0]];
    const auto* conv = std::get_if<graph::Conv>(&n.op);
    if (!conv) return 0;
    const std::int64_t terms = std::ssize(conv->weights) / std::ssize(conv->bias);
    return terms * op.channels * op.walk.height * op.walk.width;
  }

  const Program& p_;
  const EngineShape& s_;
  double word_;
  ProgramPace all_;
  std::int64_t clock_ = 0;
  double loaded_ = 0;
  std::vector<double> freed_;  // by word of the stream
};

}  // namespace

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::products:
      return "products";
    case Bound::results:
      return "results";
    case Bound::weights:
      return "weights";
    case Bound::maps:
      return "maps";
  }
  return "";
}

double ProgramPace::share_of_peak(const EngineShape& s) const {
  return static_cast<double>(macs) / static_cast<double>(s.macs()) / static_cast<double>(clocks);
}

ProgramPace pace_of(const Program& program) { return Pacer(program).run(); }

}  // namespace kumiki::gen::engine
