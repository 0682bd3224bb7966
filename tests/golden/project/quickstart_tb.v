// SPDX-License-Identifier: Apache-2.0
// Replays 8 recorded cycles of quickstart and compares every output bit that means something.
// Plain Verilog-2001 for any simulator:
//   iverilog -g2001 -o replay -f quickstart_sim.f vectors/quickstart_tb.v && vvp -n replay
// Called elsewhere than in the folder above vectors/, say where the files are:
//   -DKUMIKI_VECTORS='"some/where/vectors"'
// Inputs change while the clock is low, outputs are looked at just before it rises. A failure stops the
// simulator: Icarus and Verilator end with an exit code that is not 0.
`timescale 1ps / 1ps
`ifndef KUMIKI_VECTORS
`define KUMIKI_VECTORS "vectors"
`endif
module quickstart_tb;
  reg clk;
  reg [269:0] stimulus[0:7];
  reg [73:0] expected[0:7];
  reg [73:0] valid[0:7];
  reg [269:0] in;
  wire [73:0] out;
  reg [73:0] differs;
  integer cycle, wrong, compared;

  quickstart dut (
      .clk(clk),
      .pixels_rst(in[0:0]),
      .pixels_en(in[1:1]),
      .pixels_in_valid(in[2:2]),
      .pixels_x(in[114:3]),
      .pixels_y(in[170:115]),
      .maps_rst(in[171:171]),
      .maps_en(in[172:172]),
      .maps_in_valid(in[173:173]),
      .maps_x(in[237:174]),
      .maps_y(in[269:238]),
      .pixels_out_valid(out[0:0]),
      .pixels_sum(out[36:1]),
      .maps_out_valid(out[37:37]),
      .maps_sum(out[73:38])
  );

  initial begin
    clk = 0;
    wrong = 0;
    compared = 0;
    $readmemh({`KUMIKI_VECTORS, "/stimulus.hex"}, stimulus);
    $readmemh({`KUMIKI_VECTORS, "/expected.hex"}, expected);
    $readmemh({`KUMIKI_VECTORS, "/valid.hex"}, valid);
    // Not at time 0: a model that waits for its inputs to change, as the vendor's tables do, would miss it.
    #10000 in = 0;
    // The vendor's models hold every register for the first 100 ns.
    #100000;
    for (cycle = 0; cycle < 8; cycle = cycle + 1) begin
      in = stimulus[cycle];
      #5000;
      // A file that is short or missing leaves x, which is no match either.
      if ((^stimulus[cycle]) === 1'bx || (^valid[cycle]) === 1'bx) begin
        $display("cycle %0d: no vector", cycle);
        wrong = wrong + 1;
      end
      // x in a bit that counts stays x here; one that does not count is 0 whatever it is.
      differs = (out ^ expected[cycle]) & valid[cycle];
      if (valid[cycle] != 0) compared = compared + 1;
      if (differs !== 0) begin
        wrong = wrong + 1;
        if (wrong <= 10) begin
          $display("cycle %0d: outputs differ", cycle);
          if (differs[0:0] !== 0)
            $display("  pixels_out_valid: %h instead of %h", out[0:0], expected[cycle][0:0]);
          if (differs[36:1] !== 0)
            $display("  pixels_sum: %h instead of %h", out[36:1], expected[cycle][36:1]);
          if (differs[37:37] !== 0)
            $display("  maps_out_valid: %h instead of %h", out[37:37], expected[cycle][37:37]);
          if (differs[73:38] !== 0)
            $display("  maps_sum: %h instead of %h", out[73:38], expected[cycle][73:38]);
        end
      end
      clk = 1;
      #5000;
      clk = 0;
    end
    // A simulator without x sees no word that is missing, so count.
    if (compared != 8) $display("%0d cycles compared where 8 were recorded", compared);
    if (wrong == 0 && compared == 8)
      $display("PASS: %0d cycles, %0d of them compared, 0 mismatches", cycle, compared);
    else begin
      $display("FAIL: %0d cycles, %0d of them compared, %0d mismatches", cycle, compared, wrong);
`ifdef __ICARUS__
      $finish_and_return(1);
`else
      $stop;
`endif
    end
    $finish;
  end
endmodule
