// SPDX-License-Identifier: Apache-2.0
// From the slices' memories to the output. Three registers make whole accumulators: the memory
// output, the chosen row, its corrected lanes. Then rows are summed or pooled, and a row leaves
// word by word.
#include <fmt/format.h>

#include "gen/blocks/requant/float_lane.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/array/hardware/drain.h"
#include "gen/layers/array/hardware/lane.h"

namespace kumiki::gen::array {
namespace {

class Results {
 public:
  Results(Scope& s, const ArrayPlan& p, const Config& c, const ArrayIn<Hardware>& in, Wire<Net>& go)
      : s_(s),
        p_(p),
        c_(c),
        in_(in),
        go_wire_(go),
        go_(go),
        sum_bits_(static_cast<std::uint32_t>(p.sum_bits())) {}

  Drained build(const RowFlags& read, const Sums& sums) {
    const RowFlags chosen = next(next(read)), right = next(chosen);
    const UInt row =
        p_.rows() == 1
            ? UInt()
            : held(read.row.slice(0, address_width(static_cast<std::uint64_t>(p_.rows()))));
    const Net second = p_.cuts_across() ? held(held(read.right)) : ir::net_zero;
    const auto lanes = put_right(chosen, second, chosen_row(row, sums));
    const auto words = combined(right, lanes);
    return leave(right, words);
  }

 private:
  Net held(Net n) { return reg(s_, n, {.enable = go_}); }
  UInt held(const UInt& w) { return reg(s_, w, {.enable = go_}); }

  bool pools() const { return p_.request.max_pool || p_.request.average_pool; }
  bool odd_columns() const { return p_.packed() && p_.columns() % 2 != 0; }
  RowFlags next(const RowFlags& f) {
    RowFlags n;
    n.valid = reg(s_, f.valid, {.enable = go_, .reset = c_.rst});
    std::vector<Net RowFlags::*> members{&RowFlags::fc,   &RowFlags::first_slot, &RowFlags::emit,
                                         &RowFlags::relu, &RowFlags::row_last,   &RowFlags::last,
                                         &RowFlags::final};
    if (pools() || (odd_columns() && p_.rows() > 1)) members.push_back(&RowFlags::odd);
    if (pools()) members.push_back(&RowFlags::pooled);
    if (pools() && p_.columns() > 2) members.push_back(&RowFlags::three);
    if (p_.request.max_pool && p_.request.average_pool) members.push_back(&RowFlags::average);
    for (auto member : members) n.*member = held(f.*member);
    n.words = held(f.words);
    if (p_.request.float32) n.layer = held(f.layer);
    return n;
  }

  // The slices of a row, and the slice of its last column where the number of columns is odd.
  std::vector<UInt> chosen_row(const UInt& row, const Sums& sums) {
    std::vector<UInt> all;
    auto choose = [&](const std::vector<UInt>& items, std::uint32_t from) {
      all.push_back(held(items.size() == 1
                             ? items[0]
                             : select(s_, row.slice(from, address_width(items.size())),
                                      std::span<const UInt>(items))));
    };
    for (std::size_t i = 0; i < sums.rows[0].size(); ++i) {
      std::vector<UInt> column;
      for (const auto& of_row : sums.rows) column.push_back(of_row[i]);
      choose(column, 0);
    }
    if (!sums.edge.empty()) choose(sums.edge, 1);
    return all;
  }

  // Splits {overflows (12), high (30), low (18)} into two numbers. A slice of one element has one.
  std::vector<UInt> put_right(const RowFlags& f, Net second, const std::vector<UInt>& slices) {
    std::vector<UInt> lanes;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const UInt& w = slices[i];
      if (!p_.packed()) {
        lanes.push_back(w);
        continue;
      }
      const UInt over = w.slice(48, 12);
      const SInt low = as_signed(cat(s_, {over, w.slice(0, 18)}));
      const SInt high = sub(s_, as_signed(w.slice(18, 30)), sext(s_, as_signed(over), 30));
      const UInt low_sum = as_unsigned(sext(s_, low, sum_bits_));
      const UInt high_sum = as_unsigned(sext(s_, high, sum_bits_));
      if (odd_columns() && i + 1 == slices.size()) {
        lanes.push_back(p_.rows() == 1 ? low_sum : mux(s_, f.odd, high_sum, low_sum));
      } else {
        lanes.push_back(low_sum);
        lanes.push_back(high_sum);
      }
    }
    return of_part(second, lanes);
  }

  // Moves the first column of the part to the first lane.
  std::vector<UInt> of_part(Net second, const std::vector<UInt>& lanes) {
    const auto right = static_cast<std::size_t>(p_.cut_across().offset);
    std::vector<UInt> placed;
    for (std::size_t i = 0; i < lanes.size(); ++i)
      placed.push_back(held(p_.cuts_across() && i + right < lanes.size()
                                ? mux(s_, second, lanes[i + right], lanes[i])
                                : lanes[i]));
    return placed;
  }

  UInt larger_or_sum(const RowFlags& f, const UInt& a, const UInt& b) {
    const bool max = p_.request.max_pool, average = p_.request.average_pool;
    UInt most, sum;
    if (max) most = mux(s_, less(s_, as_signed(a), as_signed(b)), b, a);
    if (average) sum = add(s_, a, b);
    if (max && average) return mux(s_, f.average, sum, most);
    return max ? most : sum;
  }

  // Sums over slots and pooling: the words that leave after a row whose flags say so.
  std::vector<UInt> combined(const RowFlags& f, const std::vector<UInt>& lanes) {
    const Net step = s_.net(go_ & f.valid);
    std::vector<UInt> words;
    for (std::size_t j = 0; j < lanes.size(); ++j) {
      Reg<UInt> running(s_, sum_bits_, {.enable = step});
      const UInt before = s_.word(running & ~f.first_slot);
      const UInt sum = add(s_, lanes[j], before);
      UInt next = sum, word;
      if (!pools() || j >= lanes.size() / 2) {
        word = mux(s_, f.fc, sum, lanes[j]);
      } else {
        UInt across = larger_or_sum(f, lanes[2 * j], lanes[2 * j + 1]);
        if (2 * j + 2 < lanes.size())
          across = mux(s_, f.three, larger_or_sum(f, across, lanes[2 * j + 2]), across);
        const UInt window = larger_or_sum(f, running.q(), across);
        next = mux(s_, f.fc, sum, mux(s_, f.odd, window, across));
        word = s_.word(mux(f.fc, sum, mux(f.pooled, window, lanes[j])));
      }
      running.next(next);
      words.push_back(word);
    }
    return words;
  }

  UInt fixed_lane(std::size_t number, Net flow, const UInt& word, const UInt& parameter, Net relu) {
    const LanePlan lane{
        .packed = p_.packed(), .sum_bits = p_.sum_bits(), .data_bits = p_.request.data_bits};
    return instantiate(
               s_, build_lane, lane,
               LaneIn<Hardware>{.en = flow, .relu = relu, .sum = word, .parameter = parameter},
               fmt::format("lane{}", number))
        .q;
  }

  // Zero point and bounds, for the last register of the lanes. What goes with a row and its words
  // is the layer's number: that is fewer bits.
  UInt results_of(const RowFlags& f, Net load, Net flow) {
    const UInt of_row = reg(s_, f.layer, {.enable = load});
    const auto clocks = static_cast<std::uint32_t>(requant::FloatLanePlan::latency() - 2);
    return descriptor_word(s_, p_, c_, Engine::results, 0, delay(s_, of_row, clocks, flow), flow);
  }
  UInt float_lane(std::size_t number, Net flow, const UInt& word, const UInt& parameter,
                  const UInt& of_layer) {
    const auto part = [&](const Field& f) {
      return of_layer.slice(static_cast<std::uint32_t>(f.low),
                            static_cast<std::uint32_t>(p_.request.data_bits));
    };
    return instantiate(s_, requant::build_float_lane, requant::FloatLanePlan{p_.request.data_bits},
                       requant::FloatLaneIn<Hardware>{.en = flow,
                                                      .sum = word,
                                                      .parameter = parameter,
                                                      .zero = part(fields::results_zero),
                                                      .low = part(fields::results_low),
                                                      .high = part(fields::results_high)},
                       fmt::format("lane{}", number))
        .q;
  }

  Drained leave(const RowFlags& f, const std::vector<UInt>& row) {
    const auto lanes = static_cast<std::size_t>(p_.request.output_words);
    Wire<Net> flow_wire(s_);
    const Net flow = flow_wire;
    // The flags of a row are registered with it.
    Wire<Net> load_wire(s_);
    const Net load = load_wire;
    Wire<Net> done_wire(s_);
    const Net row_done = done_wire;
    const Net leaving = latch(s_, load, row_done, c_.rst);
    auto with_row = [&](Net n) { return reg(s_, n, {.enable = load}); };
    const Net fc = with_row(f.fc), relu = with_row(f.relu), row_last = with_row(f.row_last);
    const Net last = with_row(f.last), final = with_row(f.final);

    Reg<UInt> left(s_, f.words.width());  // words left, less one
    const Net last_words = less(s_, left.q(), s_.constant(lanes, left.q().width()));
    const Net offered = s_.net(leaving & flow);
    const Net leave = s_.net(offered & in_.par_valid);
    done_wire.drive(leave & last_words);
    Drained out;
    out.par_ready = s_.net(offered & (fc | (row_last & last_words)));
    go_wire_.drive(~(f.valid & f.emit & leaving & ~row_done));
    load_wire.drive(go_ & f.valid & f.emit);
    const UInt fewer = sub(s_, left.q(), s_.constant(lanes, left.q().width()));
    left.next(mux(load, f.words, mux(leave, fewer, left)));

    std::vector<UInt> words(row.size());
    for (std::size_t j = row.size(); j-- > 0;) {
      const UInt next = j + lanes < row.size() ? mux(s_, load, row[j], words[j + lanes]) : row[j];
      const Net enable = j + lanes < row.size() ? s_.net(load | leave) : load;
      words[j] = reg(s_, next, {.enable = enable});
    }

    auto along = [&](Net n) {
      return delay(s_, n, static_cast<std::uint32_t>(p_.lane_latency()), flow);
    };
    const UInt of_layer = p_.request.float32 ? results_of(f, load, flow) : UInt();
    for (std::size_t i = 0; i < lanes; ++i) {
      const UInt parameter =
          i == 0 ? in_.par_data[0] : mux(s_, fc, in_.par_data[i], in_.par_data[0]);
      const UInt q = p_.request.float32 ? float_lane(i, flow, words[i], parameter, of_layer)
                                        : fixed_lane(i, flow, words[i], parameter, relu);
      out.data.push_back(
          as_unsigned(sext(s_, as_signed(q), static_cast<std::uint32_t>(p_.operand_bits()))));
      out.keep.push_back(
          i == 0 ? along(leave)
                 : along(s_.net(leave & at_least(s_, left.q(), s_.constant(i, left.q().width())))));
    }
    Net valid = leave;
    for (int i = 0; i < p_.lane_latency(); ++i)
      valid = reg(s_, valid, {.enable = flow, .reset = c_.rst});
    out.valid = valid;
    out.last = along(s_.net(last & last_words));
    out.final = along(s_.net(final & last_words));
    flow_wire.drive(~valid | in_.out_ready);
    return out;
  }

  Scope& s_;
  const ArrayPlan& p_;
  const Config& c_;
  const ArrayIn<Hardware>& in_;
  Wire<Net>& go_wire_;
  Net go_;
  std::uint32_t sum_bits_;
};

}  // namespace

Drained build_results(Scope& s, const ArrayPlan& plan, const Config& config,
                      const ArrayIn<Hardware>& in, const RowFlags& read, const Sums& sums,
                      Wire<Net>& go) {
  return Results(s, plan, config, in, go).build(read, sums);
}

}  // namespace kumiki::gen::array
