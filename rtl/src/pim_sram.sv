// One-port SRAM with a write mask per byte: the wrapper that synthesis leaves as a black box.
// A read's data stays on the output until the next read; writes do not disturb it.
module pim_sram #(
  parameter int Width = 64,   // bits, a multiple of 8
  parameter int Depth = 128,  // words
  localparam int AddressBits = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                   clk_i,
  input  logic                   enable_i,
  input  logic                   write_i,
  input  logic [AddressBits-1:0] address_i,
  input  logic [Width/8-1:0]     mask_i,
  input  logic [Width-1:0]       wdata_i,
  output logic [Width-1:0]       rdata_o
);

  logic [Width-1:0] word_q [Depth];
  logic [Width-1:0] rdata_q;

  assign rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      if (write_i) begin
        for (int i = 0; i < Width / 8; i++) begin
          if (mask_i[i]) word_q[address_i][8*i +: 8] <= wdata_i[8*i +: 8];
        end
      end else begin
        rdata_q <= word_q[address_i];
      end
    end
  end

endmodule
