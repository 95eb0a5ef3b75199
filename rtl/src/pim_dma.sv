// Moves whole columns between scratchpad and bank, past the line buffers, while the core waits in the store to START: one
// request for each row that the transfer touches. Before, the lines are written back and dropped, as by a fence.

`include "pim_assert.svh"

module pim_dma #(
  parameter int Xlen            = 64,
  parameter int MemoryBits      = 26,    // log2 of the bytes of the core's memory
  parameter int RowBytes        = 1024,
  parameter int PortBytes       = 8,     // that one column moves
  parameter int ScratchpadBytes = 1024,  // a power of two
  localparam int PlaceBits = $clog2(ScratchpadBytes)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  core_en_i,

  // Core: a store to a register, held until the core edge with ready
  input  logic                  access_i,
  input  logic [4:3]            register_i,
  input  logic [Xlen-1:0]       value_i,
  output logic                  may_start_o,  // so many bytes can move
  output logic                  ready_o,

  // Line buffers
  output logic                  flush_o,
  input  logic                  clean_i,      // no dirty sector
  input  logic                  flushed_i,    // and the core cycle after it has begun

  // Bank: held until done
  output logic                  request_o,
  output logic                  request_write_o,
  output logic [MemoryBits-1:0] request_address_o,
  output logic [7:0]            request_columns_o,
  input  logic                  done_i,

  // Scratchpad: first byte of what the request moves
  output logic [PlaceBits-1:0]  place_o
);

  ///////////////
  // Constants //
  ///////////////

  localparam int PORT_SHIFT  = $clog2(PortBytes);
  localparam int ROW_SHIFT   = $clog2(RowBytes);
  localparam int LENGTH_BITS = PlaceBits + 1;
  localparam int PIECE_BITS  = ((LENGTH_BITS > ROW_SHIFT) ? LENGTH_BITS : ROW_SHIFT) + 1;

  /////////////
  // Signals //
  /////////////

  // Of an address: whether it is in memory, or in the scratchpad, and where there.
  logic                  source_memory_q, source_memory_d, source_pad_q, source_pad_d;
  logic                  destination_memory_q, destination_memory_d, destination_pad_q, destination_pad_d;
  logic [MemoryBits-1:0] source_q, source_d, destination_q, destination_d;

  logic [LENGTH_BITS-1:0] moved_q, moved_d;        // bytes of the transfer that have moved
  logic                   finished_q, finished_d;  // all have
  logic                   wait_q, wait_d;          // the next core edge is not yet there

  logic                   in_memory, in_pad, to_memory, starts, is_empty, is_last;
  logic [MemoryBits-1:0]  offset, row_end;
  logic [MemoryBits:0]    memory_end;
  logic [PlaceBits-1:0]   place;
  logic [LENGTH_BITS-1:0] length, place_end, left;
  logic [PIECE_BITS-1:0]  to_row_end, piece;

  ///////////////
  // Registers //
  ///////////////

  assign in_memory = value_i[Xlen-1:MemoryBits] == (Xlen-MemoryBits)'(pim_pkg::MEMORY_BASE >> MemoryBits);
  assign in_pad    = value_i[Xlen-1:PlaceBits] == (Xlen-PlaceBits)'(pim_pkg::SCRATCHPAD_BASE >> PlaceBits);

  always_comb begin
    source_memory_d      = source_memory_q;
    source_pad_d         = source_pad_q;
    source_d             = source_q;
    destination_memory_d = destination_memory_q;
    destination_pad_d    = destination_pad_q;
    destination_d        = destination_q;
    if (core_en_i && access_i && register_i == pim_pkg::DMA_SOURCE) begin
      source_memory_d = in_memory;
      source_pad_d    = in_pad;
      source_d        = value_i[MemoryBits-1:0];
    end
    if (core_en_i && access_i && register_i == pim_pkg::DMA_DESTINATION) begin
      destination_memory_d = in_memory;
      destination_pad_d    = in_pad;
      destination_d        = value_i[MemoryBits-1:0];
    end
  end

  ///////////////
  // May it    //
  ///////////////

  assign to_memory  = destination_memory_q;
  assign offset     = to_memory ? destination_q : source_q;
  assign place      = to_memory ? source_q[PlaceBits-1:0] : destination_q[PlaceBits-1:0];
  assign length     = value_i[LENGTH_BITS-1:0];
  assign place_end  = {1'b0, place} + length;
  assign memory_end = {1'b0, offset} + (MemoryBits+1)'(length);

  always_comb begin
    may_start_o = (source_memory_q && destination_pad_q) || (source_pad_q && destination_memory_q);
    if (value_i > Xlen'(ScratchpadBytes)) may_start_o = 1'b0;
    if (place_end > LENGTH_BITS'(ScratchpadBytes)) may_start_o = 1'b0;
    if (memory_end > {1'b1, MemoryBits'(0)}) may_start_o = 1'b0;
    if ((offset[PORT_SHIFT-1:0] | value_i[PORT_SHIFT-1:0]) != '0) may_start_o = 1'b0;
    if ((MemoryBits'(place) & MemoryBits'(PortBytes - 1)) != '0) may_start_o = 1'b0;
  end

  //////////////
  // Transfer //
  //////////////

  assign starts     = access_i && register_i == pim_pkg::DMA_START;
  assign flush_o    = starts;
  assign is_empty   = length == '0;
  assign left       = length - moved_q;
  assign row_end    = request_address_o | MemoryBits'(RowBytes - 1);
  assign to_row_end = PIECE_BITS'(row_end - request_address_o) + PIECE_BITS'(1);
  assign is_last    = PIECE_BITS'(left) <= to_row_end;
  assign piece      = is_last ? PIECE_BITS'(left) : to_row_end;

  assign request_o         = starts && clean_i && !is_empty && !finished_q;
  assign request_write_o   = to_memory;
  assign request_address_o = offset + MemoryBits'(moved_q);
  assign request_columns_o = 8'(piece >> PORT_SHIFT);
  assign place_o           = place + PlaceBits'(moved_q);

  assign ready_o = !starts || (is_empty ? flushed_i : finished_q && !wait_q);

  always_comb begin
    moved_d    = moved_q;
    finished_d = finished_q;
    wait_d     = wait_q && !core_en_i;
    if (request_o && done_i) begin
      moved_d    = moved_q + LENGTH_BITS'(piece);
      finished_d = is_last;
      wait_d     = is_last && !core_en_i;
    end
    if (core_en_i && starts && ready_o) begin
      moved_d    = '0;
      finished_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      source_memory_q      <= 1'b0;
      source_pad_q         <= 1'b0;
      source_q             <= '0;
      destination_memory_q <= 1'b0;
      destination_pad_q    <= 1'b0;
      destination_q        <= '0;
      moved_q              <= '0;
      finished_q           <= 1'b0;
      wait_q               <= 1'b0;
    end else begin
      source_memory_q      <= source_memory_d;
      source_pad_q         <= source_pad_d;
      source_q             <= source_d;
      destination_memory_q <= destination_memory_d;
      destination_pad_q    <= destination_pad_d;
      destination_q        <= destination_d;
      moved_q              <= moved_d;
      finished_q           <= finished_d;
      wait_q               <= wait_d;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT_INIT(ScratchpadIsSmallerThanMemory, PlaceBits < MemoryBits && MemoryBits < 32)
  `ASSERT_INIT(ColumnsFitTheCount, RowBytes / PortBytes <= 255)
  `ASSERT(OnlyWhatMayStarts, !starts || may_start_o)
  `ASSERT(TransferIsHeld, moved_q == '0 || starts)

endmodule
