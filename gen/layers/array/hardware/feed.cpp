// SPDX-License-Identifier: Apache-2.0
// Loader, banks and feeder. A chunk takes ArrayPlan::feed_clocks from the banks to a row, and the
// elements execute a step so much later than the compute engine issues it. So data arrive when
// there is room for them, and nothing on the way has to wait.
#include "gen/layers/array/hardware/feed.h"

#include <fmt/format.h>

#include "gen/hdl/cells.h"
#include "gen/layers/array/hardware/count.h"
#include "gen/layers/array/hardware/queue.h"
#include "gen/layers/array/hardware/steps.h"

namespace kumiki::gen::array {
namespace {

std::uint32_t bits_for(int words) { return address_width(static_cast<std::uint64_t>(words)); }

// Every bank has two halves: which are full, which one is written, which one is read.
struct Halves {
  std::array<Net, 2> full;
  Net loading, feeding;  // the half in use
};

struct Loader {
  Net ready, direct_full;
  std::vector<UInt> direct;
  Net write;              // into the banks
  std::vector<Net> into;  // the banks of a group
  UInt address;
  UInt padding;  // replaces pixels that are not kept; 0 if absent
};

class Feeding {
 public:
  Feeding(Scope& s, const ArrayPlan& p, const Config& c, const ArrayIn<Hardware>& in,
          const Taken& taken)
      : s_(s),
        p_(p),
        c_(c),
        in_(in),
        taken_(taken),
        loaded_wire_(s),
        fed_wire_(s),
        loaded_(loaded_wire_),
        fed_(fed_wire_) {
    halves_.loading = half_at_work(s_, loaded_, c_.rst);
    halves_.feeding = half_at_work(s_, fed_, c_.rst);
    for (unsigned h = 0; h < 2; ++h) {
      Reg<Net> full(s_, {.reset = c_.rst});
      const auto at_work = [h](Net half) { return h == 1 ? Bit(half) : ~half; };
      full.next((loaded_ & at_work(halves_.loading)) | (full & ~(fed_ & at_work(halves_.feeding))));
      halves_.full[h] = full.q();
      s_.named(fmt::format("full{}", h), halves_.full[h]);
    }
  }

  Feed build() {
    load();
    return feed();
  }

 private:
  Net of_halves(Net half) { return s_.net(mux(half, halves_.full[1], halves_.full[0])); }

  // Bits of a word's address in a half of a bank.
  std::uint32_t window_bits() const { return bits_for(p_.window_depth()); }

  void load() {
    Walk walk(s_, p_, c_, Engine::loader);
    const Net init = s_.named("loader_init", reg(s_, walk.fetch(), {.reset = c_.rst}));
    const Net fc = walk.field(fields::loader_fc)[0];
    Sequence sequence(s_, init, c_.rst);
    const Net step = sequence.step();
    Down group(s_, walk.field(fields::loader_groups), init);
    Down window(s_, walk.field(fields::loader_window), init);
    Down count(s_, walk.field(fields::loader_count), init);
    const Net group_step = s_.net(step & ~fc), address_step = s_.net(group_step & group.last());
    const Net window_last = s_.net(group.last() & window.last());
    group.finish(group_step);
    window.finish(address_step);
    count.finish(s_.net(step & (fc | window_last)));
    Up address(s_, static_cast<std::uint32_t>(fields::loader_window.width), init);
    address.finish(address_step, window.last());
    load_.address =
        sequence.pass(address.value().slice(0, std::min(window_bits(), address.value().width())));
    const Net group_last = sequence.pass(group.last()), loaded = sequence.pass(window_last);
    const Net all_over = s_.net((fc | window_last) & count.last());
    const Net over = sequence.pass(all_over);

    // A weight is taken if the queue has room, a pixel if its half has.
    Room room(s_, c_.rst);
    load_.ready = s_.net(sequence.valid() & mux(fc, room.left(), ~of_halves(halves_.loading)));
    const Net take = s_.net(load_.ready & in_.ind_valid);
    const Net take_fc = s_.net(take & fc);
    load_.write = s_.net(take & ~fc);
    loaded_wire_.drive(load_.write & loaded);
    sequence.finish(all_over, take);
    walk.over(s_.net(take & over));
    if (p_.request.float32)
      load_.padding =
          walk.field(fields::loader_pad).slice(0, static_cast<std::uint32_t>(p_.operand_bits()));

    const int late = p_.feed_clocks();
    std::vector<Word> high_to_low;
    for (int e = p_.direct_words(); e-- > 0;)
      high_to_low.push_back(in_.ind_data[static_cast<std::size_t>(e)]);
    Queue queue(s_, take_fc, cat(s_, high_to_low), c_.rst, late);
    queue.finish(taken_.direct);
    room.finish(take_fc, later(s_, taken_.direct, late, c_.rst));
    load_.direct_full = queue.there();
    const auto bits = static_cast<std::uint32_t>(p_.operand_bits());
    for (int e = 0; e < p_.direct_words(); ++e)
      load_.direct.push_back(queue.front().slice(static_cast<std::uint32_t>(e) * bits, bits));

    // The banks of a beat, one-hot.
    Reg<UInt> which(s_, static_cast<std::uint32_t>(p_.bank_groups()),
                    {.init = 1, .enable = load_.write, .reset = c_.rst});
    std::vector<Net> next(static_cast<std::size_t>(p_.bank_groups()));
    for (std::size_t g = 0; g < next.size(); ++g)
      next[g] = s_.net(g == 0 ? Bit(group_last)
                              : which.q()[static_cast<std::uint32_t>(g - 1)] & ~group_last);
    which.next(gen::bits(s_, next));
    for (const Net n : which.q().nets()) load_.into.push_back(s_.net(load_.write & n));
  }

  // One memory for each bank; the top address bit selects the half.
  std::vector<UInt> banks(const UInt& read_at) {
    const std::uint32_t window = window_bits();
    const bool one_address = p_.window_depth() == 1;
    auto address = [&](Net half, const UInt& at) {
      const UInt top = bits(s_, {half});
      return one_address ? top : cat(s_, {top, at.slice(0, window)});
    };
    const UInt write_at = address(halves_.loading, load_.address);
    const UInt from = address(halves_.feeding, read_at);
    std::vector<UInt> masked;
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(p_.pixel_lanes()); ++lane) {
      const UInt& pixel = in_.ind_data[lane];
      const Net keep = in_.ind_keep[lane];
      masked.push_back(p_.request.float32 ? s_.word(mux(keep, pixel, load_.padding))
                                          : s_.word(pixel & keep));
    }
    std::vector<UInt> all;
    for (int bank = 0; bank < p_.banks(); ++bank) {
      std::vector<Word> high_to_low;
      for (int i = p_.chunk(); i-- > 0;)
        high_to_low.push_back(
            masked[static_cast<std::size_t>(bank % p_.banks_a_beat() * p_.chunk() + i)]);
      all.push_back(
          Memory{.depth = static_cast<std::uint32_t>(2 * p_.window_depth()),
                 .width = static_cast<std::uint32_t>(p_.chunk() * p_.operand_bits()),
                 .style = 2 * p_.window_depth() <= 64 ? ir::memory::distributed : ir::memory::block,
                 .read = ir::memory::twice_registered,
                 .write_enable = load_.into[static_cast<std::size_t>(bank / p_.banks_a_beat())],
                 .write_address = write_at,
                 .write_data = cat(s_, high_to_low),
                 .read_address = from}
              .add_to(s_));
    }
    return all;
  }

  Feed feed() {
    Walk walk(s_, p_, c_, Engine::feeder);
    const Net init = s_.named("feeder_init", reg(s_, walk.fetch(), {.reset = c_.rst}));
    const Net fc = walk.field(fields::feeder_fc)[0];
    const Net begins = s_.net(init & ~fc), skips = s_.net(init & fc);
    Sequence sequence(s_, begins, c_.rst);
    const Net step = sequence.step();

    // Chunks of a chain, phases across, taps of a phase down, phases down.
    Net chunk_last = ir::net_one, chunk_first = ir::net_one, last_but_one = ir::net_zero;
    if (p_.chunks() > 1) {
      const auto all = static_cast<std::uint64_t>(p_.chunks());
      const Counter chunk = counter(s_, {.modulo = all, .enable = step, .reset = c_.rst});
      chunk_last = chunk.last;
      chunk_first = equals(s_, chunk.value, 0);
      last_but_one = equals(s_, chunk.value, all - 2);
    }
    const UInt phases = walk.field(fields::feeder_phases);
    Down across(s_, phases, init);
    Taps down(s_, {walk.field(fields::feeder_taps), phases, walk.field(fields::feeder_high)}, init);
    Down windows(s_, walk.field(fields::feeder_windows), init);
    const Net pass_last = s_.net(chunk_last & across.last());
    const Net phase_last = s_.net(pass_last & down.tap_last());
    const Net window_last = s_.net(phase_last & down.phase_last());
    across.finish(s_.net(step & chunk_last));
    down.finish(s_.net(step & pass_last), s_.net(step & phase_last));
    windows.finish(s_.net(step & window_last));
    const Net all_over = s_.net(window_last & windows.last());

    const UInt at = sequence.pass(
        address(step, init, s_.net(pass_last & ~down.tap_last()), phase_last, window_last));
    const UInt tap = sequence.pass(
        down.tap().slice(0, std::min(bits_for(p_.request.reach), down.tap().width())));
    const Net first = sequence.pass(chunk_first), nearly = sequence.pass(last_but_one);
    const Net window_over = sequence.pass(window_last), over = sequence.pass(all_over);

    // Nothing delays a chain after its start. So it counts as present early enough for the elements
    // to take it in the clock after its last chunk arrives.
    Reg<Net> there(s_, {.reset = c_.rst});
    const Net read = s_.net(sequence.valid() & of_halves(halves_.feeding) & ~(first & there));
    const Bit one_chunk = p_.chunks() == 1 ? Bit(read) : Bit(ir::net_zero);
    Feed out;
    out.shadow_full = s_.net(there | one_chunk);
    there.next((out.shadow_full & ~taken_.shadow) | (read & nearly));
    fed_wire_.drive(read & window_over);
    sequence.finish(all_over, read);
    walk.over(s_.net((read & over) | skips));

    out.shift_in = later(s_, read, p_.feed_clocks() - 1);
    const Net cut = p_.cuts_down() ? walk.field(fields::feeder_down)[0] : ir::net_zero;
    rows(banks(at), tap, walk.field(fields::feeder_step)[0], cut, out);
    out.ind_ready = load_.ready;
    out.direct_full = load_.direct_full;
    out.direct = load_.direct;
    return out;
  }

  // The read address of the banks: counts up in a pass, returns to the start of the phase for its
  // next tap, and continues for the next phase.
  UInt address(Net step, Net init, Net back, Net phase_last, Net window_last) {
    const auto width = window_bits();
    const Net rst = s_.net(init | (step & window_last));
    Reg<UInt> at(s_, width, {.enable = step, .reset = rst});
    Reg<UInt> phase(s_, width, {.enable = s_.net(step & phase_last), .reset = rst});
    const UInt next = increment(s_, at.q());
    at.next(mux(back, phase, next));
    phase.next(next);
    return at.q();
  }

  // The offset of each row's bank.
  UInt down(const UInt& tap, Net step) {
    const std::uint32_t width = 5;
    const UInt once = zext(s_, tap, width);
    const UInt twice = cat(s_, {tap, s_.constant(0, 1)});
    const auto digits = bits_for(p_.request.reach);
    return mux(s_, step, twice.slice(0, digits), once.slice(0, digits));
  }

  // If the array is cut, rows of the lower part get the same words as those of the upper part.
  void rows(const std::vector<UInt>& selected, const UInt& tap, Net step, Net cut, Feed& out) {
    const auto reach = static_cast<std::size_t>(p_.request.reach);
    const int clocks = clocks_to_choose(reach);
    std::vector<UInt> index;
    UInt late = reach == 1 ? UInt() : reg(s_, down(tap, step));
    for (int k = 0; k < clocks; ++k) index.push_back(late = reg(s_, late));
    const Net lower_cut = later(s_, cut, ArrayPlan::bank_clocks + clocks);
    std::vector<UInt> words;
    for (int r = 0; r < p_.rows(); ++r) {
      const auto from = selected.begin() + r;
      words.push_back(chosen(s_, {from, from + p_.request.reach}, index, clocks));
    }
    const auto bits = static_cast<std::uint32_t>(p_.operand_bits());
    const auto lower = static_cast<std::size_t>(p_.cut_down().offset);
    for (std::size_t r = 0; r < words.size(); ++r) {
      const UInt word =
          p_.cuts_down() && r >= lower ? mux(s_, lower_cut, words[r - lower], words[r]) : words[r];
      std::vector<UInt> pixels;
      for (int i = 0; i < p_.chunk(); ++i)
        pixels.push_back(word.slice(static_cast<std::uint32_t>(i) * bits, bits));
      out.pixels.push_back(std::move(pixels));
    }
  }

  Scope& s_;
  const ArrayPlan& p_;
  const Config& c_;
  const ArrayIn<Hardware>& in_;
  const Taken taken_;
  Wire<Net> loaded_wire_, fed_wire_;
  Net loaded_, fed_;
  Halves halves_;
  Loader load_;
};

}  // namespace

Feed build_feed(Scope& s, const ArrayPlan& plan, const Config& config, const ArrayIn<Hardware>& in,
                const Taken& taken) {
  return Feeding(s, plan, config, in, taken).build();
}

}  // namespace kumiki::gen::array
