// SPDX-License-Identifier: Apache-2.0
// For proofs: what the parts of a video pipeline do, clock by clock. Frames are whole behind the
// guard: a beat says whether it ends the line or the frame, which pixel is the line's last and which
// line the frame's.

// Whole frames of the announced size go through; a broken one is filled with zeros. The first beat
// waits three clocks while the size is looked at, and goes in a fourth one when it is refused.
module gold_guard #(
    parameter BEAT = 8, PIXELS = 1, SIZE = 2, MOST_WIDTH = 1, MOST_HEIGHT = 1
) (
    input clk, input rst, input clear_status, input [SIZE-1:0] width, input [SIZE-1:0] height,
    input offered, input user, input last, input [BEAT-1:0] data, output taken,
    output reg [4:0] status,
    output valid, output eol, output eof, output [1:0] tail, output [SIZE-1:0] bottom,
    output [BEAT-1:0] beat, input ready
);
  localparam HUNTING = 0, MEASURING = 1, DECIDING = 2, PASSING = 3, FILLING = 4, REFUSING = 5;
  reg [2:0] state = HUNTING;
  // The last column and line (past every legal one for a size of 0), and how many beats and lines
  // are left behind this one.
  reg [SIZE-1:0] last_column = 0, last_line = 0, beats = 0, lines = 0;
  reg begun = 0;
  initial status = 0;
  wire legal = last_column < MOST_WIDTH && last_line < MOST_HEIGHT;
  wire early = state == PASSING && offered && user && begun;
  assign valid = state == FILLING || (state == PASSING && offered && !early);
  assign eol = beats == 0;
  assign eof = eol && lines == 0;
  assign tail = last_column % PIXELS;
  assign bottom = last_line;
  assign beat = state == FILLING ? 0 : data;
  assign taken = state == HUNTING ? !user :
                 state == REFUSING || (state == PASSING && ready && !(user && begun));
  wire goes = valid && ready;
  wire mistimed = goes && state == PASSING && last != eol;
  wire [4:0] seen = {
      state == REFUSING, state == HUNTING && offered && !user, early, mistimed && !last,
      mistimed && last};
  always @(posedge clk)
    if (rst) begin
      state <= HUNTING;
      begun <= 0;
      beats <= 0;
      lines <= 0;
      status <= 0;
    end else begin
      status <= (clear_status ? 5'd0 : status) | seen;
      case (state)
        HUNTING: if (offered && user) state <= MEASURING;
        MEASURING: state <= DECIDING;
        DECIDING: begin
          state <= legal ? PASSING : REFUSING;
          begun <= 0;
          beats <= last_column / PIXELS;
          lines <= last_line;
        end
        REFUSING: begin
          state <= HUNTING;
          beats <= 0;
          lines <= 0;
        end
        default: begin
          if (early || mistimed) state <= FILLING;
          if (goes) begin
            begun <= 1;
            beats <= !eol ? beats - 1 : eof ? 0 : last_column / PIXELS;
            if (eol) lines <= eof ? 0 : lines - 1;
            if (eof) state <= HUNTING;
          end
        end
      endcase
    end
  always @(posedge clk)
    if (state == HUNTING) begin
      last_column <= width - 1;
      last_line <= height - 1;
    end
endmodule

// Two words of room.
module gold_skid #(
    parameter BITS = 8
) (
    input clk, input rst, input valid_in, input [BITS-1:0] in, output ready_out, output valid,
    output [BITS-1:0] out, input ready
);
  reg first = 0, second = 0;
  reg [BITS-1:0] front = 0, behind = 0;
  assign ready_out = !second;
  assign valid = first;
  assign out = front;
  always @(posedge clk) begin
    if (rst) begin
      first <= 0;
      second <= 0;
    end else begin
      first <= second || valid_in || (first && !ready);
      second <= second ? !ready : valid_in && first && !ready;
    end
    if (!first || ready) front <= second ? behind : in;
    if (!second) behind <= in;
  end
endmodule

// LATENCY steps; a step happens unless somebody waits at the output.
module gold_delay #(
    parameter BITS = 8, LATENCY = 1
) (
    input clk, input rst, input valid_in, input [BITS-1:0] in, output ready_out, output valid,
    output [BITS-1:0] out, input ready
);
  reg [LATENCY-1:0] there = 0;
  reg [BITS*LATENCY-1:0] past = 0;
  assign valid = there[LATENCY-1];
  assign out = past[BITS*(LATENCY-1) +: BITS];
  assign ready_out = !valid || ready;
  always @(posedge clk) begin
    if (rst) there <= 0;
    else if (ready_out) there <= {there, valid_in};
    if (ready_out) past <= {past, in};
  end
endmodule

// A window over the frame, which is kept whole. The window's middle is RADIUS lines behind the
// beats that come; behind a frame come so many lines of nothing, then LATENCY - 1 steps in which
// all that is under way leaves.
module gold_window #(
    parameter BEAT = 8, PIXELS = 1, SIZE = 2, BEATS = 2, LINES = 2, RADIUS = 1, LATENCY = 4,
    parameter BORDER = 0, parameter [BEAT/PIXELS-1:0] OUTSIDE = 0
) (
    input clk, input rst, input valid_in, input eol_in, input eof_in, input [1:0] tail_in,
    input [SIZE-1:0] bottom_in, input [BEAT-1:0] in, output ready_out, output begins, output valid,
    output eol, output eof, output [1:0] tail, output reg [SIZE-1:0] bottom,
    output [PIXELS*(2*RADIUS+1)*(2*RADIUS+1)*(BEAT/PIXELS)-1:0] windows,
    output [PIXELS-1:0] inside, input ready
);
  localparam RUNNING = 0, FLUSHING = 1, DRAINING = 2;
  localparam PIXEL = BEAT / PIXELS, SIDE = 2 * RADIUS + 1, WAY = LATENCY - 1;
  localparam REPLICATE = 0, REFLECT = 1;
  reg [1:0] phase = DRAINING;
  reg pause = 0, muted = 1;
  // Counts, and places in a frame with a sign.
  localparam PLACES = BEATS * PIXELS * LINES, N = $clog2(PLACES + WAY + 2 * RADIUS + 3) + 1;
  reg [N-1:0] left = WAY, column = 0, line = 0, flushed = 0;
  reg [N-1:0] width = 0, height = 0;
  // Empty lines end where the frame's last line did: the flags say so a step ahead.
  reg at_first = 1, at_last = 0;
  reg [N-1:0] past = 0, before_last = 0;
  reg [1:0] last_pixel = 0;
  reg [BEAT*BEATS*LINES-1:0] frame = 0;
  initial bottom = 0;

  // A token: whether something is there, eof, eol, and where the middle is.
  wire room = !valid || ready;
  assign ready_out = room && phase == RUNNING && !pause;
  wire step = room && !(phase == RUNNING && !pause && !valid_in);
  wire moves = phase != DRAINING && !pause;
  wire real_beat = moves && phase == RUNNING;
  wire frame_begins = real_beat && line == 0 && column == 0;
  assign begins = step && !rst && frame_begins;
  wire [N-1:0] place_in = line * BEATS + column;
  wire ends = moves && (phase == RUNNING ? eol_in : at_last);
  wire frame_ends = real_beat && eol_in && eof_in;
  wire flush_line_ends = ends && phase == FLUSHING;
  wire all_ends = flush_line_ends && flushed == RADIUS - 1;
  wire drained = phase == DRAINING && left == 1;
  localparam TOKEN = 3 + 2 * N;
  wire [N-1:0] middle = line - RADIUS;
  wire [TOKEN-1:0] token = {moves && line >= RADIUS, all_ends, ends, column, middle};
  reg [TOKEN*WAY-1:0] under_way = 0;
  reg [TOKEN-1:0] leaving = 0;
  wire [TOKEN-1:0] next = under_way[TOKEN*(WAY-1) +: TOKEN];
  reg there = 0;

  always @(posedge clk)
    if (rst) begin
      phase <= DRAINING;
      pause <= 0;
      muted <= 1;
      left <= WAY;
      column <= 0;
      at_first <= 1;
      line <= 0;
      flushed <= 0;
      under_way <= 0;
      there <= 0;
    end else if (!step) begin
      if (ready) there <= 0;
    end else begin
      pause <= moves && ends && column == 0;
      if (phase == DRAINING) left <= drained ? WAY : left - 1;
      if (moves) column <= ends ? 0 : column + 1;
      if (moves) at_first <= ends;
      if (ends) line <= line + 1;
      if (drained) begin
        phase <= RUNNING;
        line <= 0;
        column <= 0;
      end
      if (frame_ends) begin
        phase <= FLUSHING;
        flushed <= 0;
      end
      if (flush_line_ends) flushed <= flushed + 1;
      if (all_ends) phase <= DRAINING;
      muted <= muted && phase == DRAINING && !drained;
      under_way <= {under_way, token};
      there <= next[TOKEN-1] && !muted;
    end
  always @(posedge clk)
    if (step) begin
      past <= column;
      if (real_beat && eol_in) before_last <= past;
      at_last <= ends ? at_first : pause || column == before_last;
    end
  integer k;
  always @(posedge clk)
    if (step && !rst) begin
      leaving <= next;
      for (k = 0; k < BEATS * LINES; k = k + 1)
        if (real_beat && place_in == k) frame[k*BEAT +: BEAT] <= in;
      if (frame_begins) begin
        height <= LINES + RADIUS;
        bottom <= bottom_in;
      end
      if (frame_ends) height <= line + 1;
      if (real_beat && eol_in) begin
        last_pixel <= tail_in;
        width <= column * PIXELS + tail_in + 1;
      end
    end
  assign valid = there;
  assign eof = leaving[TOKEN-2];
  assign eol = leaving[TOKEN-3];
  assign tail = last_pixel;

  // Which pixel stands for the one at `offset` with so many on either side.
  function signed [N-1:0] source(input signed [N-1:0] offset, input signed [N-1:0] before,
                                 input signed [N-1:0] after);
    integer n;
    begin
      source = offset;
      if (BORDER == REPLICATE)
        source = offset < -before ? -before : offset > after ? after : offset;
      if (BORDER == REFLECT)
        for (n = 0; n < 2 * RADIUS; n = n + 1)
          if (before + after == 0) source = 0;
          else if (source < -before) source = -before - before - source;
          else if (source > after) source = after + after - source;
    end
  endfunction
  function [PIXEL-1:0] chosen(input [BEAT*BEATS*LINES-1:0] all, input [N-1:0] place);
    integer n;
    begin
      chosen = 0;
      for (n = 0; n < PLACES; n = n + 1)
        if (place == n) chosen = chosen | all[n*PIXEL +: PIXEL];
    end
  endfunction

  wire signed [N-1:0] row = leaving[N-1:0];
  wire signed [N-1:0] below = height - 1 - row;
  genvar p, i, j;
  generate
    for (p = 0; p < PIXELS; p = p + 1) begin : pixel
      wire signed [N-1:0] at = leaving[2*N-1:N] * PIXELS + p;
      wire signed [N-1:0] right = width - 1 - at;
      assign inside[p] = at < $signed(width);
      for (i = 0; i < SIDE; i = i + 1) begin : down
        wire signed [N-1:0] dy = source(i - RADIUS, row, below);
        for (j = 0; j < SIDE; j = j + 1) begin : along
          wire signed [N-1:0] dx = source(j - RADIUS, at, right);
          wire out = dy < -row || dy > below || dx < -at || dx > right;
          wire [N-1:0] place = (row + dy) * (BEATS * PIXELS) + at + dx;
          assign windows[((p * SIDE + i) * SIDE + j) * PIXEL +: PIXEL] =
              out ? OUTSIDE : chosen(frame, place);
        end
      end
    end
  endgenerate
endmodule

// Every second pixel of every second line, the first ones. Those of two beats are collected; what
// is there when a line ends goes alone.
module gold_halving #(
    parameter BEAT = 8, PIXELS = 1, SIZE = 2
) (
    input clk, input rst, input valid_in, input eol_in, input eof_in, input [1:0] tail_in,
    input [SIZE-1:0] bottom_in, input [BEAT-1:0] in, output ready_out, output reg valid,
    output reg eol, output reg eof, output reg [1:0] tail, output reg [SIZE-1:0] bottom,
    output reg [BEAT-1:0] out, input ready
);
  localparam PIXEL = BEAT / PIXELS;
  reg [SIZE-1:0] column = 0, line = 0;  // of beats
  reg [BEAT-1:0] kept = 0, all;
  reg [2:0] count = 0, there;
  initial {valid, eol, eof, tail, bottom, out} = 0;
  assign ready_out = !valid || ready;
  integer p;
  always @* begin
    all = kept;
    there = count;
    for (p = 0; p < PIXELS; p = p + 1)
      if ((column * PIXELS + p) % 2 == 0 && (!eol_in || p <= tail_in)) begin
        all[there*PIXEL +: PIXEL] = in[p*PIXEL +: PIXEL];
        there = there + 1;
      end
  end
  wire goes = column % 2 == 1 || eol_in;
  always @(posedge clk)
    if (rst) begin
      valid <= 0;
      column <= 0;
      line <= 0;
      count <= 0;
    end else if (ready_out) begin
      valid <= valid_in && goes && line % 2 == 0;
      if (valid_in) begin
        column <= eol_in ? 0 : column + 1;
        if (eol_in) line <= eof_in ? 0 : line + 1;
        count <= goes ? 0 : there;
      end
    end
  always @(posedge clk)
    if (ready_out && valid_in) begin
      kept <= all;
      if (goes && line % 2 == 0) begin
        out <= all;
        eol <= eol_in;
        eof <= eol_in && line / 2 == bottom_in / 2;
        tail <= there - 1;
        bottom <= bottom_in / 2;
      end
    end
endmodule

// A list of coefficients, the first one lowest. One that comes goes to its end, and what was first
// is gone; the list is whole before the first one of a set and behind the last.
module gold_list #(
    parameter BITS = 8, COUNT = 1, parameter [BITS*COUNT-1:0] FIRST = 0
) (
    input clk, input rst, input valid, input [BITS-1:0] in, output reg [BITS*COUNT-1:0] list,
    output reg whole
);
  reg [$clog2(COUNT+1)-1:0] come = 0;
  initial list = FIRST;
  initial whole = 1;
  always @(posedge clk)
    if (rst) come <= 0;
    else if (valid) begin
      list <= {in, list} >> BITS;
      whole <= come == COUNT - 1;
      come <= come == COUNT - 1 ? 0 : come + 1;
    end
endmodule
