// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/hdl/memory_queue.h"
#include "gen/layers/engine/ports/mover.h"
#include "gen/layers/pipeline/machines/lanes.h"

namespace kumiki::gen::engine {
namespace {

struct ListState {
  enum : unsigned { rests, gathers, sums, checks, decides, waits, ends, failed, count };
};

using pipeline::joined;
using pipeline::lanes_of;

// Words that a queue has room for, and whether they are a burst, from a register.
class Room {
 public:
  Room(Scope& s, std::uint32_t depth, std::uint32_t burst, Net reset)
      : s_(s),
        free_(s, address_width(depth) + 1, {.init = depth, .reset = reset}),
        has_(reg(s,
                 any_of(s, free_.q().slice(address_width(burst),
                                           free_.q().width() - address_width(burst))),
                 {.init = 1, .reset = reset})) {}
  Net for_a_burst() const { return has_; }
  Net is_whole() const { return free_.q().msb(); }
  // One more if a word leaves; fewer by a burst that begins.
  void update(Net leaves, Net begins, const UInt& length) {
    const UInt less(s_.word(begins & ~zext(s_, length, free_.q().width())));
    free_.next(add(s_, free_.q(), less, leaves));
  }

 private:
  Scope& s_;
  Reg<UInt> free_;
  Net has_;
};

class MoverBuilder {
 public:
  MoverBuilder(Scope& s, const PortsPlan& p, const MoverIn<Hardware>& in)
      : s_(s),
        p_(p),
        in_(in),
        state_(s, ListState::count, ListState::rests, {.reset = in.rst}),
        halted_(s),
        written_(s) {
    for (std::size_t i = 0; i < wrongs_of_the_mover; ++i)
      wrong_.emplace_back(s, RegOptions{.reset = in.rst});
  }

  MoverOut<Hardware> run() {
    MoverOut<Hardware> out{};
    Wire<Net> takes_list(s_), takes_read(s_), takes_write(s_), starts_read(s_), starts_write(s_);
    const UInt move = gathered();
    const UInt first = move.slice(move_first_place, PortsPlan::word_bits),
               less_1 = move.slice(move_length_place, PortsPlan::word_bits);
    const Net of_program = s_.net(move[move_kind_place] & ~move[move_kind_place + 1]),
              is_store = s_.net(move[move_kind_place] & move[move_kind_place + 1]);
    const UInt list_words = words_of_list(s_, p_, in_.moves);
    const auto bursts = [&](std::uint32_t longest, Net start, const UInt& base, const UInt& from,
                            const UInt& length, Net taken, const char* name) {
      return instantiate(s_, build_bursts, BurstsPlan{p_.word_bytes(), longest},
                         {in_.rst, start, base, from, length, taken}, name);
    };
    const BurstsOut<Hardware> list = bursts(
        PortsPlan::list_burst, in_.go, in_.program_base, s_.constant(0, PortsPlan::word_bits),
        reg(s_, sub(s_, list_words, s_.constant(1, PortsPlan::word_bits))), takes_list, "list");
    const BurstsOut<Hardware> read = bursts(
        PortsPlan::read_burst, starts_read,
        mux(s_, reg(s_, of_program, {.enable = starts_read}), in_.program_base, in_.data_base),
        first, less_1, takes_read, "reading");
    const BurstsOut<Hardware> write = bursts(PortsPlan::write_burst, starts_write, in_.data_base,
                                             first, less_1, takes_write, "writing");

    const Net reads_home = reading(out, list, read, takes_list, takes_read);
    writing(out, write, takes_write);

    // A run of reads begins behind the bursts of the one before it.
    const Net can =
        s_.net(~Bit(halted_) & mux(Bit(is_store), Bit(written_),
                                   ~read.busy & (~move[move_waits_place] | Bit(written_))));
    const Net begins = s_.net(state_.in(ListState::waits)&can);
    starts_read.drive(begins & ~is_store);
    starts_write.drive(begins & is_store);
    Reg<UInt> begun(s_, PortsPlan::move_count_bits,
                    {.enable = begins, .reset = s_.net(in_.rst | in_.go)});
    begun.next(increment(s_, begun.q()));
    const Net is_last =
        reg(s_, equals(s_, begun.q(),
                       reg(s_, sub(s_, in_.moves, s_.constant(1, PortsPlan::move_count_bits)))));

    const Net is_bad = reg(s_, is_no_move(move));
    const UInt end = reg(s_, add_wide(s_, first, less_1));
    const UInt limit = mux(s_, of_program, in_.program_words, in_.data_words);
    const Net is_beyond = reg(s_, at_least(s_, end, zext(s_, limit, end.width())));

    // The last answer may have been an error.
    out.done = s_.net(state_.in(ListState::ends) & ~read.busy & reads_home & Bit(written_) &
                      ~Bit(halted_));
    state_.go(ListState::rests, ListState::gathers, in_.go);
    state_.go(ListState::gathers, ListState::sums, has_move_);
    state_.go(ListState::sums, ListState::checks);
    state_.go(ListState::checks, ListState::decides);
    state_.go(ListState::decides, ListState::failed, is_bad | is_beyond);
    state_.go(ListState::decides, ListState::waits);
    state_.go(ListState::waits, ListState::ends, begins & is_last);
    state_.go(ListState::waits, ListState::gathers, begins);
    state_.go(ListState::ends, ListState::rests, out.done);
    state_.finish();

    happens(Wrong::move, state_.in(ListState::decides)&is_bad);
    happens(Wrong::range, state_.in(ListState::decides)&is_beyond);
    std::vector<Net> faults;
    for (const Reg<Net>& w : wrong_) faults.push_back(w);
    halted_.drive(in_.halt | Bit(any_of(s_, faults)));
    out.begun = begun;
    out.faults = faults;
    return out;
  }

 private:
  void happens(Wrong what, const Bit& now) {
    Reg<Net>& flag = wrong_[static_cast<std::size_t>(what)];
    flag.next(flag | now);
  }

  // The move whose words have come last; the queue of the list is made with what fills it.
  UInt gathered() {
    const std::uint32_t width = 8 * p_.word_bytes();
    list_comes_.emplace(s_);
    list_word_.emplace(s_, width);
    moves_.emplace(s_, PortsPlan::list_depth, ir::memory::distributed, *list_comes_,
                   state_.in(ListState::gathers), in_.rst);
    const UInt word = moves_->pass(*list_word_);
    gets_ = s_.net(state_.in(ListState::gathers)&moves_->valid());
    has_move_ = Cycle(s_, p_.words_of_a_move(), gets_, in_.rst).ends();
    if (p_.words_of_a_move() == 1) return reg(s_, word.slice(0, move_bits), {.enable = gets_});
    Reg<UInt> move(s_, move_bits, {.enable = gets_});
    move.next(cat(s_, {Word(word), move.q().slice(width, move_bits - width)}));
    return move.q();
  }

  Net is_no_move(const UInt& move) {
    std::vector<Net> zeros;
    for (std::uint32_t i = 0; i < move_bits; ++i) {
      const auto is_of = [&](std::uint32_t place, std::uint32_t bits) {
        return i >= place && i < place + bits;
      };
      if (!is_of(move_kind_place, 2) && !is_of(move_waits_place, 1) &&
          !is_of(move_first_place, PortsPlan::word_bits) &&
          !is_of(move_length_place, PortsPlan::word_bits))
        zeros.push_back(move[i]);
    }
    return s_.net(any_of(s_, zeros) | ~(move[move_kind_place] | move[move_kind_place + 1]));
  }

  // Returns whether no word is on its way to the engine.
  Net reading(MoverOut<Hardware>& out, const BurstsOut<Hardware>& list,
              const BurstsOut<Hardware>& read, Wire<Net>& takes_list, Wire<Net>& takes_read) {
    Room list_room(s_, PortsPlan::list_depth, PortsPlan::list_burst, in_.rst),
        read_room(s_, PortsPlan::read_depth, PortsPlan::read_burst, in_.rst);
    Reg<Net> asks(s_, {.reset = in_.rst});
    Wire<Net> order_room(s_), ends_burst(s_);
    const Net may_ask = s_.net(~asks & Bit(order_room) & ~Bit(halted_)),
              list_asks = s_.net(list.valid & list_room.for_a_burst()),
              read_asks = s_.net(read.valid & read_room.for_a_burst() & ~list_asks);
    takes_list.drive(may_ask & list_asks);
    takes_read.drive(may_ask & read_asks);
    const Net takes = s_.net(may_ask & (list_asks | read_asks));
    asks.next(takes | (asks & ~in_.arready));
    out.arvalid = asks;
    out.araddr = reg(s_, mux(s_, list_asks, list.address, read.address), {.enable = takes});
    out.arlen = reg(s_, mux(s_, list_asks, list.length, read.length), {.enable = takes});

    const RoomQueue order(s_, PortsPlan::most_reads, ir::memory::distributed, takes, ends_burst,
                          in_.rst);
    order_room.drive(order.has_room());
    const Net is_data = order.pass(read_asks), comes = s_.net(in_.rvalid & order.valid());
    ends_burst.drive(comes & in_.rlast);
    out.rready = order.valid();
    const UInt word = reg(s_, joined(s_, in_.rdata));
    list_word_->drive(word);
    list_comes_->drive(reg(s_, comes & ~is_data, {.reset = in_.rst}));
    happens(Wrong::read, Bit(reg(s_, comes & in_.rresp[1], {.reset = in_.rst})));
    const MemoryQueue words(s_, PortsPlan::read_depth, ir::memory::block,
                            reg(s_, comes & is_data, {.reset = in_.rst}), in_.in_ready, in_.rst);
    out.in_valid = words.valid();
    out.in_data = lanes_of(words.pass(word), p_.word_bytes());
    const Net enters = s_.net(out.in_valid & in_.in_ready);
    list_room.update(gets_, takes_list, list.length.slice(0, address_width(PortsPlan::list_burst)));
    read_room.update(enters, takes_read,
                     read.length.slice(0, address_width(PortsPlan::read_burst)));

    quiet_ = ~asks & Bit(order.is_empty());
    moved_ = moved_ | comes | enters;
    out.events = {s_.net(in_.in_ready & ~out.in_valid), s_.net(out.in_valid & ~in_.in_ready),
                  ir::net_zero, comes};
    waits_to_ask_ = asks & ~in_.arready;
    return read_room.is_whole();
  }

  void writing(MoverOut<Hardware>& out, const BurstsOut<Hardware>& write, Wire<Net>& takes_write) {
    Reg<Net> asks(s_, {.reset = in_.rst}), writes(s_, {.reset = in_.rst});
    Wire<Net> takes(s_);
    const RoomQueue results(s_, PortsPlan::write_depth, ir::memory::distributed, in_.out_valid,
                            takes, in_.rst);
    const UInt result = results.pass(cat(s_, {bits(s_, {in_.out_last}), joined(s_, in_.out_data)}));
    const Net comes = s_.net(in_.out_valid & results.has_room());
    out.out_ready = results.has_room();
    out.wvalid = s_.net(writes & results.valid());
    takes.drive(writes & in_.wready);
    const Net leaves = s_.net(out.wvalid & in_.wready);

    // Results in the queue; a burst begins when it has them all.
    const std::uint32_t held_bits = address_width(PortsPlan::write_depth + 2);
    Reg<UInt> held(s_, held_bits, {.reset = in_.rst});
    held.next(step_by_one(s_, held.q(), comes, leaves));
    const Net has_enough = reg(
        s_,
        write.valid & ~writes &
            less(s_,
                 zext(s_, write.length.slice(0, address_width(PortsPlan::write_burst)), held_bits),
                 held.q()),
        {.reset = in_.rst});
    Reg<UInt> pending(s_, address_width(PortsPlan::most_writes) + 1, {.reset = in_.rst});
    const Net begins = s_.net(has_enough & ~writes & ~asks & ~Bit(halted_) & ~pending.q().msb());
    takes_write.drive(begins);
    asks.next(begins | (asks & ~in_.awready));
    out.awvalid = asks;
    out.awaddr = reg(s_, write.address, {.enable = begins});
    out.awlen = reg(s_, write.length, {.enable = begins});
    const Net is_last_burst = reg(s_, write.last, {.enable = begins});

    Reg<UInt> left(s_, address_width(PortsPlan::write_burst), {.enable = s_.net(begins | leaves)});
    const std::uint32_t width = left.q().width();
    left.next(mux(s_, begins, write.length.slice(0, width),
                  add(s_, left.q(), s_.constant((std::uint64_t{1} << width) - 1, width))));
    const Net last = s_.net(~Bit(any_of(s_, left.q())));
    writes.next(begins | (writes & ~(leaves & last)));
    out.wlast = last;
    const std::uint32_t bits_of_word = 8 * p_.word_bytes();
    out.wdata = lanes_of(result.slice(0, bits_of_word), p_.word_bytes());
    happens(Wrong::store, leaves & (result[bits_of_word] ^ (last & is_last_burst)));

    const Net is_pending = any_of(s_, pending.q()), answers = s_.net(in_.bvalid & is_pending);
    out.bready = is_pending;
    pending.next(step_by_one(s_, pending.q(), begins, answers));
    happens(Wrong::write, answers & in_.bresp[1]);

    const Net at_rest = s_.net(~writes & ~asks & ~is_pending);
    written_.drive(at_rest & ~write.busy);
    out.quiet = s_.net(quiet_ & at_rest);
    out.moved = reg(s_, moved_ | comes | leaves | answers, {.reset = in_.rst});
    out.events[2] = s_.net(in_.out_valid & ~results.has_room());
    for (const Bit& event :
         {Bit(leaves), waits_to_ask_ | (asks & ~in_.awready), out.wvalid & ~in_.wready})
      out.events.push_back(s_.net(event));
  }

  Scope& s_;
  const PortsPlan& p_;
  const MoverIn<Hardware>& in_;
  Fsm state_;
  Wire<Net> halted_, written_;  // all results are written
  std::vector<Reg<Net>> wrong_;
  std::optional<Wire<Net>> list_comes_;
  std::optional<Wire<UInt>> list_word_;
  std::optional<MemoryQueue> moves_;
  Net gets_, has_move_;
  Bit quiet_, moved_, waits_to_ask_;
};

}  // namespace

UInt words_of_list(Scope& s, const PortsPlan& p, const UInt& moves) {
  const auto places = static_cast<std::uint32_t>(std::countr_zero(p.words_of_a_move()));
  return zext(s, cat(s, {Word(moves), s.constant(0, places)}), PortsPlan::word_bits);
}

std::string MoverPlan::module_name() const {
  return fmt::format("engine_mover{}", 8 * ports.word_bytes());
}

MoverIn<Hardware> input_shape(const MoverPlan& p) {
  MoverIn<Hardware> in{};
  in.program_base = in.data_base = UInt::shape(PortsPlan::base_bits);
  in.program_words = in.data_words = UInt::shape(PortsPlan::word_bits);
  in.moves = UInt::shape(PortsPlan::move_count_bits);
  in.out_data.assign(p.ports.word_bytes(), UInt::shape(8));
  in.rdata = in.out_data;
  in.rresp = in.bresp = UInt::shape(2);
  return in;
}

MoverOut<Hardware> build_mover(Scope& s, const MoverPlan& p, const MoverIn<Hardware>& in) {
  s.module().set_about("moves between a memory outside and the streams of the engine");
  return MoverBuilder(s, p.ports, in).run();
}

}  // namespace kumiki::gen::engine
