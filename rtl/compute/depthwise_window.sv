/// The taps that depthwise convolutions multiply: the last Rows x Cols feature atoms around the newest
/// one, turned so that each channel has its taps side by side. Earlier rows come from line memories.
/// Where atoms and kernel groups have other numbers of channels, lane k has the atom's byte
/// (k + rotate_i) mod AtomicC. What the array multiplies comes from these registers at any time: other convolutions' atoms
/// go into every lane's.
module depthwise_window #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    /// Rows of the window.
    parameter int unsigned Rows = 2,
    parameter int unsigned Cols = 4,
    /// Columns that a line holds, a power of two.
    parameter int unsigned LineAtoms = 128
) (
    input  logic                              clk_i,
    /// Announces the column whose atom comes with the next cycle's `push_i`.
    input  logic                              fetch_i,
    input  logic [                      11:0] fetch_line_i,
    /// A feature atom, at the column fetched in the cycle before.
    input  logic                              push_i,
    input  logic [             AtomicC*8-1:0] atom_i,
    input  logic [                       5:0] rotate_i,
    /// A feature atom of another convolution.
    input  logic                              plain_i,
    /// [lane][byte]: tap (r, c) is byte r * Cols + c, the newest one last; the rest is zero. Or the other
    /// convolution's atom.
    output logic [AtomicK-1:0][AtomicC*8-1:0] window_o
);

  localparam int unsigned LineBits = $clog2(LineAtoms);

  localparam int unsigned Unit = compute_pkg::common_divisor(AtomicC, AtomicK);

  logic [AtomicK*8-1:0] lanes;
  always_comb begin
    lanes = '0;
    for (int unsigned k = 0; k < AtomicK; k++) begin
      for (int unsigned r = 0; r < AtomicC; r += Unit) begin
        if (rotate_i == 6'(r)) lanes[k*8+:8] = atom_i[((k+r)%AtomicC)*8+:8];
      end
    end
  end

  // One column of the window, the oldest row first.
  logic [Rows-1:0][AtomicK*8-1:0] column;
  assign column[Rows-1] = lanes;

  if (Rows > 1) begin : gen_lines
    localparam int unsigned Width = (Rows - 1) * AtomicK * 8;
    logic [Width-1:0] rdata, bypass_data_q, earlier;
    logic [LineBits-1:0] line_q;
    logic bypass_q, hit;

    // A line of one column is read in the cycle in which it is written.
    assign hit = push_i && fetch_i && line_q == fetch_line_i[LineBits-1:0];

    always_ff @(posedge clk_i) begin
      if (fetch_i) begin
        line_q   <= fetch_line_i[LineBits-1:0];
        bypass_q <= hit;
      end
      if (hit) bypass_data_q <= column[Rows-1:1];
    end

    ram_1r1w #(
        .Width(Width),
        .Depth(LineAtoms)
    ) u_line (
        .clk_i,
        .we_i(push_i),
        .waddr_i(line_q),
        .wdata_i(column[Rows-1:1]),
        .re_i(fetch_i),
        .raddr_i(fetch_line_i[LineBits-1:0]),
        .rdata_o(rdata)
    );

    assign earlier = bypass_q ? bypass_data_q : rdata;
    assign column[Rows-2:0] = earlier;

    logic unused;
    assign unused = ^fetch_line_i[11:LineBits];
  end else begin : gen_one_row
    logic unused;
    assign unused = ^{fetch_i, fetch_line_i};
  end

  localparam int unsigned TapBits = Rows * Cols * 8;

  for (genvar k = 0; k < AtomicK; k++) begin : gen_channels
    for (genvar r = 0; r < Rows; r++) begin : gen_rows
      logic [Cols*8-1:0] taps_q, pushed;
      if (Cols > 1) begin : gen_shift
        assign pushed = {column[r][k*8+:8], taps_q[Cols*8-1:8]};
      end else begin : gen_single
        assign pushed = column[r][k*8+:8];
      end
      always_ff @(posedge clk_i) begin
        if (push_i || plain_i) taps_q <= plain_i ? atom_i[r*Cols*8+:Cols*8] : pushed;
      end
      assign window_o[k][r*Cols*8+:Cols*8] = taps_q;
    end
  end

  if (TapBits < AtomicC * 8) begin : gen_others
    logic [AtomicC*8-1:TapBits] others_q;
    always_ff @(posedge clk_i) begin
      if (push_i || plain_i) others_q <= plain_i ? atom_i[AtomicC*8-1:TapBits] : '0;
    end
    for (genvar k = 0; k < AtomicK; k++) begin : gen_channels
      assign window_o[k][AtomicC*8-1:TapBits] = others_q;
    end
  end

endmodule
