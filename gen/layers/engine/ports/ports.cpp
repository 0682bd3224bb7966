// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/ports.h"

namespace kumiki::gen::engine {
namespace {

constexpr std::uint32_t size_bits = 3, burst_bits = 2, length_bits = 8, response_bits = 2;

}  // namespace

PortsIn<Hardware> input_shape(const PortsPlan& p) {
  PortsIn<Hardware> in{};
  in.s_awaddr = in.s_araddr = UInt::shape(PortsPlan::page_bits);
  in.s_wdata = UInt::shape(PortsPlan::register_bits);
  in.s_wstrb = UInt::shape(PortsPlan::register_bits / 8);
  in.m_rresp = in.m_bresp = UInt::shape(response_bits);
  in.m_rdata.assign(p.word_bytes(), UInt::shape(8));
  return in;
}

PortsOut<Hardware> output_shape(const PortsPlan& p) {
  PortsOut<Hardware> out{};
  out.s_bresp = out.s_rresp = UInt::shape(response_bits);
  out.s_rdata = UInt::shape(PortsPlan::register_bits);
  out.m_araddr = out.m_awaddr = UInt::shape(PortsPlan::address_bits);
  out.m_arlen = out.m_awlen = UInt::shape(length_bits);
  out.m_arsize = out.m_awsize = UInt::shape(size_bits);
  out.m_arburst = out.m_awburst = UInt::shape(burst_bits);
  out.m_wstrb = UInt::shape(p.word_bytes());
  out.m_wdata.assign(p.word_bytes(), UInt::shape(8));
  return out;
}

PortsOut<Hardware> build_ports(Scope& s, const PortsPlan& p, const PortsIn<Hardware>& in) {
  s.module().set_about("an engine with registers and a memory outside");
  Wire<Net> done(s), quiet(s), moved(s), e_ready(s), e_valid(s), e_last(s);
  Wire<UInt> begun(s, PortsPlan::move_count_bits), result(s, 8 * p.word_bytes());
  std::vector<Wire<Net>> faults, events;
  for (std::size_t i = 0; i < wrongs_of_the_mover; ++i) faults.emplace_back(s);
  for (std::size_t i = 0; i < events_of_the_mover; ++i) events.emplace_back(s);

  ControlIn<Hardware> asked{};
  asked.rst = in.rst;
  asked.done = done;
  asked.quiet = quiet;
  asked.moved = moved;
  asked.begun = begun.get();
  asked.faults.assign(faults.begin(), faults.end());
  asked.events.assign(events.begin(), events.end());
  asked.awaddr = in.s_awaddr;
  asked.wdata = in.s_wdata;
  asked.wstrb = in.s_wstrb;
  asked.araddr = in.s_araddr;
  asked.awvalid = in.s_awvalid;
  asked.wvalid = in.s_wvalid;
  asked.bready = in.s_bready;
  asked.arvalid = in.s_arvalid;
  asked.rready = in.s_rready;
  const ControlOut<Hardware> control =
      instantiate(s, build_control, ControlPlan{p}, asked, "control");

  MoverIn<Hardware> moves = input_shape(MoverPlan{p});
  moves.rst = s.net(in.rst | control.clear);
  moves.go = control.go;
  moves.halt = control.halt;
  moves.program_base = control.program_base;
  moves.program_words = control.program_words;
  moves.moves = control.moves;
  moves.data_base = control.data_base;
  moves.data_words = control.data_words;
  moves.in_ready = e_ready;
  moves.out_valid = e_valid;
  moves.out_last = e_last;
  for (std::uint32_t c = 0; c < p.word_bytes(); ++c)
    moves.out_data[c] = result.get().slice(8 * c, 8);
  moves.arready = in.m_arready;
  moves.rvalid = in.m_rvalid;
  moves.rlast = in.m_rlast;
  moves.awready = in.m_awready;
  moves.wready = in.m_wready;
  moves.bvalid = in.m_bvalid;
  moves.rresp = in.m_rresp;
  moves.bresp = in.m_bresp;
  moves.rdata = in.m_rdata;
  const MoverOut<Hardware> mover = instantiate(s, build_mover, MoverPlan{p}, moves, "mover");
  done.drive(mover.done);
  quiet.drive(mover.quiet);
  moved.drive(mover.moved);
  begun.drive(mover.begun);
  for (std::size_t i = 0; i < faults.size(); ++i) faults[i].drive(mover.faults[i]);
  for (std::size_t i = 0; i < events.size(); ++i) events[i].drive(mover.events[i]);

  EngineIn<Hardware> fed = input_shape(p.engine);
  fed.rst = moves.rst;
  fed.in_valid = mover.in_valid;
  fed.out_ready = mover.out_ready;
  fed.in_data = mover.in_data;
  const EngineOut<Hardware> engine = instantiate(s, build_engine, p.engine, fed, "engine");
  e_ready.drive(engine.in_ready);
  e_valid.drive(engine.out_valid);
  e_last.drive(engine.out_last);
  result.drive(cat(s, std::vector<Word>(engine.out_data.rbegin(), engine.out_data.rend())));

  const UInt size = s.constant(p.size_code(), size_bits),
             burst = s.constant(incrementing, burst_bits);
  return {.interrupt = control.interrupt,
          .s_awready = control.awready,
          .s_wready = control.wready,
          .s_bvalid = control.bvalid,
          .s_arready = control.arready,
          .s_rvalid = control.rvalid,
          .s_bresp = control.bresp,
          .s_rresp = control.rresp,
          .s_rdata = control.rdata,
          .m_arvalid = mover.arvalid,
          .m_rready = mover.rready,
          .m_awvalid = mover.awvalid,
          .m_wvalid = mover.wvalid,
          .m_wlast = mover.wlast,
          .m_bready = mover.bready,
          .m_araddr = mover.araddr,
          .m_arlen = mover.arlen,
          .m_arsize = size,
          .m_arburst = burst,
          .m_awaddr = mover.awaddr,
          .m_awlen = mover.awlen,
          .m_awsize = size,
          .m_awburst = burst,
          .m_wstrb = repeat(s, ir::net_one, p.word_bytes()),
          .m_wdata = mover.wdata};
}

PortsModel::PortsModel(const PortsPlan& plan)
    : plan_(plan), engine_(plan.engine), mover_(plan), control_(plan) {}

void PortsModel::power_up() {
  engine_.power_up();
  mover_.reset();
  control_.power_up();
}

PortsOut<Values> PortsModel::step(const PortsIn<Values>& in) {
  const ControlOut<Values> control = control_.shown();
  const EngineOut<Values> engine = engine_.shown();
  MoverIn<Values> moves{.rst = in.rst || control.clear,
                        .go = control.go,
                        .halt = control.halt,
                        .program_base = control.program_base,
                        .program_words = control.program_words,
                        .moves = control.moves,
                        .data_base = control.data_base,
                        .data_words = control.data_words,
                        .in_ready = engine.in_ready,
                        .out_valid = engine.out_valid,
                        .out_last = engine.out_last,
                        .out_data = engine.out_data,
                        .arready = in.m_arready,
                        .rvalid = in.m_rvalid,
                        .rlast = in.m_rlast,
                        .awready = in.m_awready,
                        .wready = in.m_wready,
                        .bvalid = in.m_bvalid,
                        .rresp = in.m_rresp,
                        .bresp = in.m_bresp,
                        .rdata = in.m_rdata};
  const MoverOut<Values> mover = mover_.shown(moves);
  const PortsOut<Values> out{.interrupt = control.interrupt,
                             .s_awready = control.awready,
                             .s_wready = control.wready,
                             .s_bvalid = control.bvalid,
                             .s_arready = control.arready,
                             .s_rvalid = control.rvalid,
                             .s_bresp = control.bresp,
                             .s_rresp = control.rresp,
                             .s_rdata = control.rdata,
                             .m_arvalid = mover.arvalid,
                             .m_rready = mover.rready,
                             .m_awvalid = mover.awvalid,
                             .m_wvalid = mover.wvalid,
                             .m_wlast = mover.wlast,
                             .m_bready = mover.bready,
                             .m_araddr = mover.araddr,
                             .m_arlen = mover.arlen,
                             .m_arsize = plan_.size_code(),
                             .m_arburst = incrementing,
                             .m_awaddr = mover.awaddr,
                             .m_awlen = mover.awlen,
                             .m_awsize = plan_.size_code(),
                             .m_awburst = incrementing,
                             .m_wstrb = ~std::uint64_t{0} >> (64 - plan_.word_bytes()),
                             .m_wdata = mover.wdata};
  (void)engine_.step({.rst = moves.rst,
                      .in_valid = mover.in_valid,
                      .out_ready = mover.out_ready,
                      .in_data = mover.in_data});
  mover_.clock(moves);
  control_.clock({.rst = in.rst,
                  .done = mover.done,
                  .quiet = mover.quiet,
                  .moved = mover.moved,
                  .begun = mover.begun,
                  .faults = mover.faults,
                  .events = mover.events,
                  .awaddr = in.s_awaddr,
                  .wdata = in.s_wdata,
                  .wstrb = in.s_wstrb,
                  .araddr = in.s_araddr,
                  .awvalid = in.s_awvalid,
                  .wvalid = in.s_wvalid,
                  .bready = in.s_bready,
                  .arvalid = in.s_arvalid,
                  .rready = in.s_rready});
  return out;
}

}  // namespace kumiki::gen::engine
