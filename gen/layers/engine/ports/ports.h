// SPDX-License-Identifier: Apache-2.0
// The engine with its ports: the core behind its streams, the mover, the registers.
#pragma once
#include "gen/layers/engine/ports/control.h"
#include "gen/layers/pipeline/weight_reader.h"

namespace kumiki::gen::engine {

template <class R>
struct PortsIn {
  typename R::Bit rst;
  typename R::UInt s_awaddr, s_wdata, s_wstrb, s_araddr;
  typename R::Bit s_awvalid, s_wvalid, s_bready, s_arvalid, s_rready;
  typename R::Bit m_arready, m_rvalid, m_rlast, m_awready, m_wready, m_bvalid;
  typename R::UInt m_rresp, m_bresp;
  std::vector<typename R::UInt> m_rdata;
  static constexpr auto ports() {
    return std::tuple(
        port("rst", &PortsIn::rst), port("s_axi_awaddr", &PortsIn::s_awaddr),
        port("s_axi_awvalid", &PortsIn::s_awvalid), port("s_axi_wdata", &PortsIn::s_wdata),
        port("s_axi_wstrb", &PortsIn::s_wstrb), port("s_axi_wvalid", &PortsIn::s_wvalid),
        port("s_axi_bready", &PortsIn::s_bready), port("s_axi_araddr", &PortsIn::s_araddr),
        port("s_axi_arvalid", &PortsIn::s_arvalid), port("s_axi_rready", &PortsIn::s_rready),
        port("m_axi_arready", &PortsIn::m_arready), port("m_axi_rvalid", &PortsIn::m_rvalid),
        port("m_axi_rlast", &PortsIn::m_rlast), port("m_axi_rresp", &PortsIn::m_rresp),
        port("m_axi_rdata", &PortsIn::m_rdata), port("m_axi_awready", &PortsIn::m_awready),
        port("m_axi_wready", &PortsIn::m_wready), port("m_axi_bvalid", &PortsIn::m_bvalid),
        port("m_axi_bresp", &PortsIn::m_bresp));
  }
};

template <class R>
struct PortsOut {
  typename R::Bit interrupt;
  typename R::Bit s_awready, s_wready, s_bvalid, s_arready, s_rvalid;
  typename R::UInt s_bresp, s_rresp, s_rdata;
  typename R::Bit m_arvalid, m_rready, m_awvalid, m_wvalid, m_wlast, m_bready;
  typename R::UInt m_araddr, m_arlen, m_arsize, m_arburst, m_awaddr, m_awlen, m_awsize, m_awburst,
      m_wstrb;
  std::vector<typename R::UInt> m_wdata;
  static constexpr auto ports() {
    return std::tuple(
        port("interrupt", &PortsOut::interrupt), port("s_axi_awready", &PortsOut::s_awready),
        port("s_axi_wready", &PortsOut::s_wready), port("s_axi_bvalid", &PortsOut::s_bvalid),
        port("s_axi_bresp", &PortsOut::s_bresp, &PortsOut::s_bvalid),
        port("s_axi_arready", &PortsOut::s_arready), port("s_axi_rvalid", &PortsOut::s_rvalid),
        port("s_axi_rresp", &PortsOut::s_rresp, &PortsOut::s_rvalid),
        port("s_axi_rdata", &PortsOut::s_rdata, &PortsOut::s_rvalid),
        port("m_axi_arvalid", &PortsOut::m_arvalid),
        port("m_axi_araddr", &PortsOut::m_araddr, &PortsOut::m_arvalid),
        port("m_axi_arlen", &PortsOut::m_arlen, &PortsOut::m_arvalid),
        port("m_axi_arsize", &PortsOut::m_arsize), port("m_axi_arburst", &PortsOut::m_arburst),
        port("m_axi_rready", &PortsOut::m_rready), port("m_axi_awvalid", &PortsOut::m_awvalid),
        port("m_axi_awaddr", &PortsOut::m_awaddr, &PortsOut::m_awvalid),
        port("m_axi_awlen", &PortsOut::m_awlen, &PortsOut::m_awvalid),
        port("m_axi_awsize", &PortsOut::m_awsize), port("m_axi_awburst", &PortsOut::m_awburst),
        port("m_axi_wvalid", &PortsOut::m_wvalid),
        port("m_axi_wdata", &PortsOut::m_wdata, &PortsOut::m_wvalid),
        port("m_axi_wstrb", &PortsOut::m_wstrb),
        port("m_axi_wlast", &PortsOut::m_wlast, &PortsOut::m_wvalid),
        port("m_axi_bready", &PortsOut::m_bready));
  }
};

inline constexpr std::uint64_t incrementing = pipeline::WeightReaderPlan::incrementing;  // AxBURST

PortsIn<Hardware> input_shape(const PortsPlan& plan);
PortsOut<Hardware> output_shape(const PortsPlan& plan);
PortsOut<Hardware> build_ports(Scope& s, const PortsPlan& plan, const PortsIn<Hardware>& in);

class PortsModel {
 public:
  explicit PortsModel(const PortsPlan& plan);
  void power_up();
  PortsOut<Values> step(const PortsIn<Values>& in);

 private:
  PortsPlan plan_;
  EngineModel engine_;
  MoverModel mover_;
  ControlModel control_;
};

}  // namespace kumiki::gen::engine
