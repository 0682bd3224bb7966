// SPDX-License-Identifier: Apache-2.0
// The pins of an engine behind its ports, with the transaction IDs that cocotbext-axi asks for. The engine has none: it
// keeps its transactions in order.
module engine_pins (
    input clk,
    input rst,
    output interrupt,
    input [11:0] s_axi_awaddr, input s_axi_awvalid, output s_axi_awready,
    input [31:0] s_axi_wdata, input [3:0] s_axi_wstrb, input s_axi_wvalid, output s_axi_wready,
    output [1:0] s_axi_bresp, output s_axi_bvalid, input s_axi_bready,
    input [11:0] s_axi_araddr, input s_axi_arvalid, output s_axi_arready,
    output [31:0] s_axi_rdata, output [1:0] s_axi_rresp, output s_axi_rvalid, input s_axi_rready,
    output [0:0] m_axi_awid, output [39:0] m_axi_awaddr, output [7:0] m_axi_awlen, output [2:0] m_axi_awsize,
    output [1:0] m_axi_awburst, output m_axi_awvalid, input m_axi_awready,
    output [31:0] m_axi_wdata, output [3:0] m_axi_wstrb, output m_axi_wlast, output m_axi_wvalid, input m_axi_wready,
    input [0:0] m_axi_bid, input [1:0] m_axi_bresp, input m_axi_bvalid, output m_axi_bready,
    output [0:0] m_axi_arid, output [39:0] m_axi_araddr, output [7:0] m_axi_arlen, output [2:0] m_axi_arsize,
    output [1:0] m_axi_arburst, output m_axi_arvalid, input m_axi_arready,
    input [0:0] m_axi_rid, input [31:0] m_axi_rdata, input [1:0] m_axi_rresp, input m_axi_rlast, input m_axi_rvalid,
    output m_axi_rready
);
    assign m_axi_awid = 0;
    assign m_axi_arid = 0;

    build dut (
        .clk(clk), .e_rst(rst), .e_interrupt(interrupt),
        .e_s_axi_awaddr(s_axi_awaddr), .e_s_axi_awvalid(s_axi_awvalid), .e_s_axi_awready(s_axi_awready),
        .e_s_axi_wdata(s_axi_wdata), .e_s_axi_wstrb(s_axi_wstrb), .e_s_axi_wvalid(s_axi_wvalid),
        .e_s_axi_wready(s_axi_wready), .e_s_axi_bresp(s_axi_bresp), .e_s_axi_bvalid(s_axi_bvalid),
        .e_s_axi_bready(s_axi_bready), .e_s_axi_araddr(s_axi_araddr), .e_s_axi_arvalid(s_axi_arvalid),
        .e_s_axi_arready(s_axi_arready), .e_s_axi_rdata(s_axi_rdata), .e_s_axi_rresp(s_axi_rresp),
        .e_s_axi_rvalid(s_axi_rvalid), .e_s_axi_rready(s_axi_rready),
        .e_m_axi_awaddr(m_axi_awaddr), .e_m_axi_awlen(m_axi_awlen), .e_m_axi_awsize(m_axi_awsize),
        .e_m_axi_awburst(m_axi_awburst), .e_m_axi_awvalid(m_axi_awvalid), .e_m_axi_awready(m_axi_awready),
        .e_m_axi_wdata(m_axi_wdata), .e_m_axi_wstrb(m_axi_wstrb), .e_m_axi_wlast(m_axi_wlast),
        .e_m_axi_wvalid(m_axi_wvalid), .e_m_axi_wready(m_axi_wready), .e_m_axi_bresp(m_axi_bresp),
        .e_m_axi_bvalid(m_axi_bvalid), .e_m_axi_bready(m_axi_bready), .e_m_axi_araddr(m_axi_araddr),
        .e_m_axi_arlen(m_axi_arlen), .e_m_axi_arsize(m_axi_arsize), .e_m_axi_arburst(m_axi_arburst),
        .e_m_axi_arvalid(m_axi_arvalid), .e_m_axi_arready(m_axi_arready), .e_m_axi_rdata(m_axi_rdata),
        .e_m_axi_rresp(m_axi_rresp), .e_m_axi_rlast(m_axi_rlast), .e_m_axi_rvalid(m_axi_rvalid),
        .e_m_axi_rready(m_axi_rready)
    );
endmodule
