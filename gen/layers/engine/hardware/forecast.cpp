// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/hardware/forecast.h"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include "gen/layers/engine/hardware/encode.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::engine {
namespace {

// The clocks in which operations have a port of the banks: the same ones of every set of a tile.
class Port {
 public:
  void take(std::int64_t first, std::int64_t clocks, std::int64_t sets = 1,
            std::int64_t period = 1) {
    taken_.push_back({first, clocks, sets, period});
  }
  // The first clock from this one on in which movers have it. Clocks of later calls are not before.
  std::int64_t free_from(std::int64_t clock) {
    for (; !taken_.empty(); taken_.pop_front()) {
      const Taken& t = taken_.front();
      if (clock < t.first) return clock;
      const std::int64_t set = (clock - t.first) / t.period;
      if (set >= t.sets) continue;
      const std::int64_t behind = t.first + set * t.period + t.clocks;
      if (set + 1 < t.sets && t.clocks < t.period) return std::max(clock, behind);
      clock = std::max(clock, t.first + (t.sets - 1) * t.period + t.clocks);
    }
    return clock;
  }

 private:
  struct Taken {
    std::int64_t first = 0, clocks = 0, sets = 0, period = 0;
  };
  std::deque<Taken> taken_;
};

// Times are clocks. The states of the stream are those of EngineState.
class Forecast {
 public:
  Forecast(const EnginePlan& plan, std::vector<Span>* spans)
      : p_(plan.core), beats_(plan.core), spans_(spans) {}

  std::int64_t run(const Program& program) {
    for (const Step& step : program.steps) {
      ++time_;  // the kind
      if (const auto* op = std::get_if<Op>(&step))
        take(*op);
      else if (const auto* normalise = std::get_if<Normalise>(&step))
        take(*normalise, program.beside(step_));
      else
        move(step, program.beside(step_));
      ++step_;
    }
    return time_;
  }

 private:
  // Clocks from the start of an operation to its first set, and from that of a store to its word.
  static constexpr std::int64_t starts = 3;
  std::int64_t first_word() const { return p_.read_clocks() + 2; }

  // Until no operation runs or waits.
  void wait_until_idle() { time_ = std::max({time_, ended_ + 1, normalised_ + 1}) + 1; }
  // Its kind has come.
  void move(const Step& step, std::size_t beside) {
    const auto* load = std::get_if<Load>(&step);
    const Busy part = load ? Busy::loads : Busy::stores;
    const Cause cause = load ? Cause::loads : Cause::stores;
    see(part, cause, time_ - 1, time_);
    if (beside == 0)
      wait_until_idle();
    else
      time_ = std::max({time_, normalised_ + 1, beside == 1 ? begun_ + 1 : 0}) + 1;
    const std::int64_t begin = time_;
    time_ += beats_.move();
    if (load)
      come(load->to.places() * p_.beats_of_place());
    else
      leave(std::get<Store>(step).from.places(), [] {});
    see(part, cause, begin, time_);
  }
  void come(std::int64_t beats) {
    for (; beats > 0; --beats) time_ = writes_.free_from(time_) + 1;
  }
  // `waits`: until a word may leave that is there.
  template <class Waits>
  void leave(std::int64_t places, const Waits& waits) {
    std::deque<std::int64_t> left;  // of the words that a queue has room for
    for (std::int64_t asks = time_; places > 0; --places) {
      if (left.size() == EnginePlan::read_depth) {
        asks = std::max(asks, left.front() + 1);
        left.pop_front();
      }
      asks = reads_.free_from(asks);
      time_ = std::max(time_, asks + first_word());
      waits();
      time_ += p_.beats_of_place();
      left.push_back(time_ - 1);
      ++asks;
    }
  }
  void see(Busy part, Cause cause, std::int64_t begin, std::int64_t end, std::int64_t results = 0) {
    if (spans_ && begin < end) spans_->push_back({step_, part, cause, begin, end, results});
  }

  void take(const Op& op) {
    see(Busy::operations, Cause::beginnings, time_ - 1, time_);
    const Walk& w = op.walk;
    if (!op.fills.empty())
      wait_until_idle();
    else
      time_ = std::max(time_, begun_ + 1) + 1;
    const std::int64_t come = time_;
    time_ += beats_.registers() + std::ssize(w.taps) * beats_.tap() +
             entries_of(op) * beats_.entry() + 2;
    see(Busy::operations, Cause::beginnings, come, time_);
    begun_ = std::max({time_, ended_ + 1, normalised_ + 1});
    see(Busy::unit, Cause::beginnings, begun_, begun_ + starts);
    writes_.take(begun_ + starts, 1);  // what pads

    const std::int64_t words = w.words(), sets = ceil_div(w.pixels(), EngineShape::pixels),
                       taken = words + (op.second ? 1 : 0),
                       period = std::max(taken, p_.slots(op.unit));
    std::int64_t next = begun_ + starts;  // when a set may begin
    for (std::int64_t tile = 0; tile < op.tiles; ++tile) {
      const std::int64_t free = next;
      if (op.unit != Unit::maximum) next = std::max(next, weights(op, tile) + 1);
      see(Busy::unit, Cause::weights, free, next);
      const std::int64_t last = next + (sets - 1) * period + words - 1;
      if (op.unit != Unit::maximum) {
        switched_.push_back(next + words - 1 + p_.held(op.unit));
        freed_.push_back({last + p_.freed(), w.weight_words()});
      }
      ended_ = last + p_.ends(op.unit);
      reads_.take(next + CorePlan::read_waits, taken, sets, period);
      writes_.take(next + words - 1 + p_.written(op.unit), p_.slots(op.unit), sets, period);
      const bool is_last = tile + 1 == op.tiles;
      see(Busy::unit, Cause::products, next, is_last ? last + 1 : next + sets * period,
          (is_last ? sets - 1 : sets) * (period - taken));
      next += sets * period;
      if (is_last) see(Busy::unit, Cause::results, last + 1, ended_ + 1);
    }
  }

  // The normaliser's registers and entries; then words that it asks for, beats that it takes, one
  // in a clock, and those that it writes.
  void take(const Normalise& n, std::size_t beside) {
    const NormaliserPlan p = p_.normaliser();
    const std::int64_t come = time_ - 1;
    time_ = std::max(time_, normalised_ + 1) + 1;
    time_ += beats_.normaliser() + 2 + entries_of(n) * beats_.normaliser_entry();
    const std::int64_t start = std::max(time_, (beside == 0 ? ended_ : begun_) + 1);
    time_ = start + 1;
    see(Busy::operations, Cause::beginnings, come, time_);
    const std::int64_t beats = ceil_div(n.channels, p.lanes);
    const bool is_softmax = std::holds_alternative<graph::SoftmaxIntegers>(n.integers);
    std::deque<std::int64_t> popped, written;  // words and beats for which there is room
    std::int64_t asks = start, takes = start, ends = start - p.pace, writes = start;
    for (std::int64_t pixel = 0; pixel < n.pixels; ++pixel) {
      for (std::int64_t beat = 0; beat < beats; ++beat) {
        ++takes;
        if (beat % p.parts == 0) {
          ++asks;
          if (popped.size() == EnginePlan::read_depth) {
            asks = std::max(asks, popped.front() + 1);
            popped.pop_front();
          }
          asks = reads_.free_from(asks);
          takes = std::max(takes, asks + first_word());
        }
        if (std::ssize(written) == p.room) {
          takes = std::max(takes, written.front() + 1);
          written.pop_front();
        }
        if (beat + 1 == beats && is_softmax) takes = std::max(takes, ends + p.pace);
        if (beat % p.parts + 1 == p.parts || beat + 1 == beats) popped.push_back(takes);
      }
      ends = takes;
      for (std::int64_t beat = 0; beat < beats; ++beat) {
        // Two clocks in a queue.
        writes = writes_.free_from(
            std::max(writes + 1, takes + p.reads() + beats - 1 + p.sums() + p.results + beat + 2));
        written.push_back(writes);
      }
    }
    normalised_ = writes;
    see(Busy::normaliser, Cause::products, start, normalised_ + 1);
  }

  // The words and the parameters of a tile; returns the clock behind the last one.
  std::int64_t weights(const Op& op, std::int64_t tile) {
    const std::int64_t of_word = p_.beats_of_word(op.unit);
    std::int64_t words = p_.words_of(op) / op.tiles, come = time_;
    // Until the ring has room for a word.
    const auto wait = [&] {
      for (; taken_ >= p_.most_words() && !freed_.empty(); freed_.pop_front()) {
        const std::int64_t free = std::max(time_, freed_.front().clock + 2);
        if (free > time_) see(Busy::weights, Cause::weights, std::exchange(come, free), time_);
        time_ = free;
        taken_ -= freed_.front().words;
      }
      ++taken_;
    };
    std::span<const Fill> filled;
    if (!op.fills.empty()) filled = op.fills[static_cast<std::size_t>(tile)];
    for (bool is_first = true; words > 0; --words, is_first = false) {
      if (!filled.empty()) time_ += beats_.move();
      // A beat is taken in the clock in which the ring becomes full.
      const std::int64_t early = taken_ == p_.most_words() && !is_first && filled.empty() ? 1 : 0;
      time_ += early;
      wait();
      time_ += of_word - early;
    }
    std::int64_t column = 0;
    for (const Fill& fill : filled) {
      time_ += beats_.move();
      leave(fill.places, [&] {
        if (column == 0) wait();
        column = (column + 1) % p_.places_of_word(op.unit);
      });
    }
    see(Busy::weights, Cause::weights, come, time_);
    // There is room for the parameters of so many tiles.
    come = time_;
    if (std::ssize(switched_) == p_.tiles_ahead()) {
      come = std::max(come, switched_.front() + 2);
      switched_.pop_front();
    }
    time_ = come + p_.lanes_of_tile(op.unit) * beats_.parameter();
    see(Busy::weights, Cause::weights, come, time_);
    return time_;
  }

  struct Freed {
    std::int64_t clock = 0, words = 0;
  };
  const CorePlan& p_;
  Beats beats_;
  std::vector<Span>* spans_;
  std::size_t step_ = 0;
  std::int64_t time_ = 1;                 // of the next beat; the first clock is a reset
  std::int64_t begun_ = -1, ended_ = -1;  // when the last operation did
  std::int64_t normalised_ = -1;          // when the normaliser ended
  std::deque<std::int64_t> switched_;     // when the lanes have taken the parameters of tiles
  std::int64_t taken_ = 0;                // words of the ring
  std::deque<Freed> freed_;
  Port reads_, writes_;
};

}  // namespace

std::int64_t forecast(const EnginePlan& plan, const Program& program, std::vector<Span>* spans) {
  return Forecast(plan, spans).run(program);
}

}  // namespace kumiki::gen::engine
