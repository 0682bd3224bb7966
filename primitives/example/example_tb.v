// SPDX-License-Identifier: Apache-2.0
// A clock for example_check.v, under any simulator.
`timescale 1ps / 1ps
module example_tb;
  reg clk;
  wire done, wrong;
  integer n;
  example_check check (
      .clk(clk), .done(done), .wrong(wrong)
  );
  initial begin
    clk = 1'b0;
    for (n = 0; n < 24; n = n + 1) #5 clk = ~clk;
    #5;
    if (done && !wrong) $display("PASS");
    else $display("FAIL: done %b, wrong %b", done, wrong);
    $finish;
  end
endmodule
