// SPDX-License-Identifier: Apache-2.0
// Random votes, counted here bit by bit. Ends with PASS, or with FAIL and an exit code that is not 0.
`timescale 1ps / 1ps
module vote_tb;
  localparam latency = 2, cycles = 500;
  reg clk;
  reg [31:0] drawn;
  reg [30:0] votes;
  wire yes;
  reg [latency-1:0] expected;
  integer cycle, i, count, wrong;

  vote dut (
      .clk(clk),
      .votes(votes),
      .yes(yes)
  );

  initial begin
    clk = 0;
    votes = 31'd0;
    expected = 0;
    wrong = 0;
    #1000;
    for (cycle = 0; cycle < cycles; cycle = cycle + 1) begin
      // All and none are among them.
      drawn = $random;
      votes = cycle == 100 ? 31'd0 : cycle == 200 ? ~31'd0 : drawn[30:0];
      count = 0;
      for (i = 0; i < 31; i = i + 1) if (votes[i]) count = count + 1;
      #5000;
      if (cycle >= latency && yes !== expected[latency-1]) begin
        $display("cycle %0d: %b instead of %b", cycle, yes, expected[latency-1]);
        wrong = wrong + 1;
      end
      expected = {expected[latency-2:0], count > 15};
      clk = 1;
      #5000 clk = 0;
    end
    if (wrong == 0) $display("PASS: %0d votes", cycle);
    else begin
      $display("FAIL: %0d of %0d votes", wrong, cycle);
`ifdef __ICARUS__
      $finish_and_return(1);
`else
      $stop;
`endif
    end
    $finish;
  end
endmodule
