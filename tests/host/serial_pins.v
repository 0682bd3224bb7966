// SPDX-License-Identifier: Apache-2.0
// The pins of the module `TOP under a simulator, for serial_line.py. Commands come from standard input:
//   1 BYTE   sends a byte, whose bits are PERIOD of 1000 parts of a bit long; from 256 on without its stop bit
//   2 0      waits for a byte, 60 bits at most, and prints it, or "none"
//   3 BITS   holds the line low for so many bits
//   4 0      prints `lost`
//   5 BITS   presses the button for so many bits
`timescale 1ns / 1ps
module serial_pins;
  parameter integer CLOCKS = 16;  // of a bit
  parameter integer PERIOD = 1000;
  localparam real BIT = 10.0 * CLOCKS;

  reg clk = 0, rx = 1, button = 0;
  wire tx, lost;
  always #5 clk = !clk;
  `TOP #(
      .CLOCK(CLOCKS),
      .BAUD(1)
  ) dut (
      .clk(clk),
      .button(button),
      .rx(rx),
      .tx(tx),
      .lost(lost)
  );

  // What comes out waits here; a bit is read in its middle.
  reg [7:0] heard[0:65535];
  reg [8:0] shift;
  integer written = 0, read = 0, k;
  always begin
    @(negedge tx);
    #(BIT / 2);
    if (!tx) begin
      for (k = 0; k < 9; k = k + 1) begin
        #(BIT);
        shift = {tx, shift[8:1]};
      end
      if (shift[8]) begin
        heard[written] = shift[7:0];
        written = written + 1;
      end
    end
  end

  integer command, value, got, waited, bits;
  initial begin
    got = 2;
    while (got == 2) begin
      got = $fscanf(32'h8000_0000, "%d %d", command, value);
      if (got == 2) begin
        case (command)
          1: begin
            rx = 0;
            #(BIT * PERIOD / 1000);
            for (bits = 0; bits < 8; bits = bits + 1) begin
              rx = value[bits];
              #(BIT * PERIOD / 1000);
            end
            rx = value < 256;
            #(BIT * PERIOD / 1000);
            if (!rx) begin
              rx = 1;
              #(BIT);
            end
          end
          2: begin
            for (waited = 0; waited < 60 && read == written; waited = waited + 1) #(BIT);
            if (read == written) $display("none");
            else $display("%0d", heard[read]);
            if (read != written) read = read + 1;
            $fflush;
          end
          3: begin
            rx = 0;
            #(BIT * value);
            rx = 1;
            #(BIT * 4);
          end
          4: begin
            $display("%0d", lost);
            $fflush;
          end
          5: begin
            button = 1;
            #(BIT * value);
            button = 0;
            #(BIT * 4);
          end
        endcase
      end
    end
    $finish;
  end
endmodule
