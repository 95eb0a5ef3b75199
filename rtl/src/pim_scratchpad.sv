// Scratchpad of a core: a word for its loads and stores, or a column for the DMA while the core waits.
module pim_scratchpad #(
  parameter int Bytes     = 1024,  // a power of two
  parameter int PortBytes = 8,     // a column
  localparam int PlaceBits = $clog2(Bytes)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Core
  input  logic                   access_i,
  input  logic                   write_i,
  input  logic [PlaceBits-1:3]   address_i,
  input  logic [7:0]             strobe_i,
  input  logic [63:0]            wdata_i,
  output logic [63:0]            rdata_o,      // of the last load

  // DMA
  input  logic                   read_beat_i,  // beat_data_i, from the bank, is column beat_index_i of the request
  input  logic                   write_beat_i, // column beat_index_i must be on beat_data_o at the next tCK
  input  logic [7:0]             beat_index_i,
  input  logic [PlaceBits-1:0]   place_i,      // first byte of the request
  input  logic [8*PortBytes-1:0] beat_data_i,
  output logic [8*PortBytes-1:0] beat_data_o
);

  ///////////////
  // Constants //
  ///////////////

  localparam int WIDTH_BYTES = (PortBytes < Bytes) ? PortBytes : Bytes;
  localparam int WIDTH_SHIFT = $clog2(WIDTH_BYTES);
  localparam int WORDS       = WIDTH_BYTES / 8;
  localparam int WORD_BITS   = (WORDS > 1) ? $clog2(WORDS) : 1;
  localparam int ROWS        = Bytes / WIDTH_BYTES;
  localparam int ROW_BITS    = (ROWS > 1) ? $clog2(ROWS) : 1;

  /////////////
  // Signals //
  /////////////

  logic [8*WIDTH_BYTES-1:0] sram_rdata, sram_wdata;
  logic [WIDTH_BYTES-1:0]   sram_mask;
  logic [ROW_BITS-1:0]      sram_row;
  logic                     sram_write, beat;
  logic [63:0]              word, held_q, held_d;
  logic                     held_valid_q, held_valid_d;
  logic [WORD_BITS-1:0]     select, select_q, select_d;

  generate
    if (WORDS > 1) begin : gen_wide
      assign select = address_i[3 +: WORD_BITS];
      assign word   = sram_rdata[64*select_q +: 64];
    end else begin : gen_word
      assign select = '0;
      assign word   = sram_rdata;
    end
  endgenerate

  assign beat = read_beat_i || write_beat_i;

  always_comb begin
    sram_mask                = '0;
    sram_mask[8*select +: 8] = strobe_i;
    sram_wdata               = {WORDS{wdata_i}};
    sram_row                 = ROW_BITS'({address_i, 3'd0} >> WIDTH_SHIFT);
    sram_write               = write_i;
    if (beat) begin
      sram_mask  = '1;
      sram_wdata = beat_data_i[8*WIDTH_BYTES-1:0];
      sram_row   = ROW_BITS'(32'(place_i >> WIDTH_SHIFT) + 32'(beat_index_i));
      sram_write = read_beat_i;
    end
  end

  pim_sram #(
    .Width(8 * WIDTH_BYTES),
    .Depth(ROWS)
  ) u_sram (
    .clk_i,
    .enable_i (access_i || beat),
    .write_i  (sram_write),
    .address_i(sram_row),
    .mask_i   (sram_mask),
    .wdata_i  (sram_wdata),
    .rdata_o  (sram_rdata)
  );

  assign beat_data_o = (8*PortBytes)'(sram_rdata);

  // A load may still be in write-back when a transfer reads: keep its word.
  assign select_d = (access_i && !write_i) ? select : select_q;
  assign rdata_o  = held_valid_q ? held_q : word;

  always_comb begin
    held_d       = held_q;
    held_valid_d = held_valid_q;
    if (write_beat_i && !held_valid_q) begin
      held_d       = word;
      held_valid_d = 1'b1;
    end
    if (access_i) held_valid_d = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q       <= '0;
      held_valid_q <= 1'b0;
      select_q     <= '0;
    end else begin
      held_q       <= held_d;
      held_valid_q <= held_valid_d;
      select_q     <= select_d;
    end
  end

endmodule
