// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/pace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kumiki::gen::engine {
namespace {

constexpr std::int64_t parameter_bytes = 8;

// Clocks in which the results of four pixels of a tile leave, as many in each as there are lanes.
// The maximum has no lanes; words of a pixel leave.
std::int64_t leaving(const Op& op, const EngineShape& s) {
  switch (op.unit) {
    case Unit::products:
      return EngineShape::pixels / s.lanes;
    case Unit::depthwise:
      return EngineShape::pixels * s.rows / s.columns / s.lanes;
    case Unit::maximum:
      break;
  }
  return EngineShape::pixels;
}

class Pacer {
 public:
  explicit Pacer(const Program& p)
      : p_(p), s_(p.shape), word_(static_cast<double>(s_.rows * s_.columns)) {}

  ProgramPace run() {
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      StepPace pace;
      std::visit([&](const auto& s) { take(s, p_.waits[i], pace); }, p_.steps[i]);
      all_.weight_bytes += pace.weight_bytes;
      all_.map_bytes += pace.map_bytes;
      all_.macs += pace.macs;
      all_.clocks = std::max(all_.clocks, pace.end);
      all_.steps.push_back(pace);
    }
    return std::move(all_);
  }

 private:
  void take(const Load& l, std::size_t waits, StepPace& pace) {
    move(l.tensor, l.to, l.lines, waits, pace);
  }
  void take(const Store& s, std::size_t waits, StepPace& pace) {
    move(s.tensor, s.from, s.from.height, waits, pace);
  }
  // A place in a clock, as far as the port gives its bytes. Images and results have no other bytes
  // outside than their numbers; other maps are there as words.
  void move(std::size_t tensor, const Map& map, std::int64_t lines, std::size_t waits,
            StepPace& pace) {
    const graph::Graph& g = *p_.graph;
    const auto is_in = [&](const auto& list) { return std::ranges::count(list, tensor) > 0; };
    const graph::Shape& shape = g.tensors[tensor].shape;
    const std::int64_t places = map.blocks() * lines * map.width;
    pace.map_bytes = is_in(graph::all_inputs(g)) || is_in(g.outputs) ? shape[0] * lines * shape[2]
                                                                     : places * s_.rows;
    pace.bound = Bound::maps;
    const double bytes = static_cast<double>(pace.map_bytes);
    pace.busy = std::max(places, static_cast<std::int64_t>(std::ceil(
                                     bytes / std::min(s_.map_bytes, s_.bytes_a_clock / 2)))) +
                EngineShape::latency;
    pace.begin = std::max(moved_, waits == 0 ? 0 : computed_[waits - 1]);
    pace.map_waits = pace.begin - moved_;
    taken_.push_back({static_cast<double>(pace.begin), static_cast<double>(pace.begin + pace.busy),
                      bytes / static_cast<double>(pace.busy)});
    pace.end = moved_ = pace.begin + pace.busy;
    moves_.push_back(moved_);
  }

  void take(const Op& op, std::size_t waits, StepPace& pace) {
    const std::int64_t groups = ceil_div(op.walk.pixels(), EngineShape::pixels),
                       words = op.walk.words(), leaves = leaving(op, s_),
                       set = std::max(words + (op.second ? 1 : 0), leaves);
    pace.macs = macs_of(op);
    pace.weight_bytes = std::ssize(op.weights) + parameter_bytes * std::ssize(op.parameters) +
                        (op.table ? std::ssize(*op.table) : 0);
    pace.begin = std::max(clock_, waits == 0 ? 0 : moves_[waits - 1]);
    pace.map_waits = pace.begin - clock_;
    clock_ = pace.begin;
    // The weights of a tile in words of the ring.
    const double of_tile =
        static_cast<double>(pace.weight_bytes) / word_ / static_cast<double>(op.tiles);
    for (std::int64_t tile = 0; tile < op.tiles; ++tile) {
      const auto before = clock_;
      walk(groups * set, set, of_tile);
      pace.weight_waits += clock_ - before - groups * set;
    }
    clock_ += EngineShape::latency;
    pace.end = clock_;
    computed_.push_back(clock_);
    pace.busy = op.tiles * groups * set + EngineShape::latency;
    pace.bound = pace.map_waits > pace.busy / 10      ? Bound::maps
                 : pace.weight_waits > pace.busy / 10 ? Bound::weights
                 : leaves > words                     ? Bound::results
                                                      : Bound::products;
  }

  // Weights come with what maps leave of the bytes of a clock.
  void load(double bytes) {
    while (bytes > 0) {
      while (next_ < taken_.size() && taken_[next_].end <= loaded_) ++next_;
      double rate = s_.bytes_a_clock, end = std::numeric_limits<double>::infinity();
      if (next_ < taken_.size()) {
        const Taken& t = taken_[next_];
        if (loaded_ >= t.begin) rate -= t.bytes_a_clock;
        end = loaded_ >= t.begin ? t.end : t.begin;
      }
      const double clocks = std::min(bytes / rate, end - loaded_);
      bytes = bytes / rate <= clocks ? 0 : bytes - clocks * rate;
      loaded_ += clocks;
    }
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
      load(part * word_);
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

  struct Taken {
    double begin, end, bytes_a_clock;
  };
  const Program& p_;
  const EngineShape& s_;
  double word_;
  ProgramPace all_;
  std::int64_t clock_ = 0, moved_ = 0;          // of the operations, of what moves maps
  std::vector<std::int64_t> computed_, moves_;  // when each of them is done
  double loaded_ = 0;                           // when the last weights came
  std::vector<Taken> taken_;                    // what maps take of the bytes of a clock
  std::size_t next_ = 0;
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

ProgramPace pace_of(const Program& program) { return Pacer(program).run(); }

}  // namespace kumiki::gen::engine
