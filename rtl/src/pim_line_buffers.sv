// Line buffers between core and bank: fully associative, least recently used is replaced, lines are filled by sectors and
// written back by runs of neighbouring dirty sectors. Everything is decided from registers in the tCK in which it is asked:
// a miss asks the bank at the first tCK of the core cycle, and a request follows a write-back at the tCK after its end.

`include "pim_assert.svh"

module pim_line_buffers #(
  parameter int MemoryBits  = 26,    // log2 of the bytes of the core's memory
  parameter int LineBuffers = 5,
  parameter int LineBytes   = 1024,
  parameter int SectorBytes = 64,
  parameter int PortBytes   = 8      // that one column moves
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   core_en_i,

  // Core: one access or flush at a time, held until the core edge with ready
  input  logic                   access_i,
  input  logic                   flush_i,      // write all dirty sectors back, then drop all lines
  input  logic                   write_i,
  input  logic [MemoryBits-1:0]  address_i,
  input  logic [7:0]             strobe_i,
  input  logic [63:0]            wdata_i,
  output logic                   ready_o,
  output logic [63:0]            rdata_o,      // of the last read, from the core edge that ended it on
  output logic                   clean_o,      // no dirty sector

  // Bank: held until done
  output logic                   request_o,
  output logic                   request_write_o,
  output logic [MemoryBits-1:0]  request_address_o,
  output logic [7:0]             request_columns_o,
  input  logic                   read_beat_i,  // beat_data_i is column beat_index_i of the request
  input  logic                   write_beat_i, // column beat_index_i must be on wdata_o at the next tCK
  input  logic [7:0]             beat_index_i,
  input  logic [8*PortBytes-1:0] beat_data_i,
  output logic [8*PortBytes-1:0] wdata_o,
  input  logic                   done_i        // with the last one
);

  ///////////////
  // Constants //
  ///////////////

  localparam int LINE_SHIFT   = $clog2(LineBytes);
  localparam int SECTOR_SHIFT = $clog2(SectorBytes);
  localparam int PORT_SHIFT   = $clog2(PortBytes);
  localparam int LINE_BITS    = MemoryBits - LINE_SHIFT;
  localparam int SECTORS      = LineBytes / SectorBytes;
  localparam int SECTOR_BITS  = (SECTORS > 1) ? $clog2(SECTORS) : 1;
  localparam int RANK_BITS    = (LineBuffers > 1) ? $clog2(LineBuffers) : 1;
  localparam int ROWS_LINE    = LineBytes / PortBytes;
  localparam int ROWS         = LineBuffers * ROWS_LINE;
  localparam int ROW_BITS     = (ROWS > 1) ? $clog2(ROWS) : 1;
  localparam int COLUMNS      = SectorBytes / PortBytes;  // of a sector
  localparam int WORDS        = PortBytes / 8;
  localparam int WORD_BITS    = (WORDS > 1) ? $clog2(WORDS) : 1;

  /////////////
  // Signals //
  /////////////

  logic [LineBuffers-1:0]                present_q, present_d;
  logic [LineBuffers-1:0][LINE_BITS-1:0] line_q, line_d;
  logic [LineBuffers-1:0][SECTORS-1:0]   valid_q, valid_d, dirty_q, dirty_d;
  logic [LineBuffers-1:0][RANK_BITS-1:0] rank_q, rank_d;  // 0: least recently used
  logic                                  wait_q, wait_d;  // a request is over, the next core edge not yet there

  logic [LineBuffers-1:0] match, chosen, is_dirty;
  logic [SECTORS-1:0]     chosen_dirty, chosen_valid, lowest, run, sector_mask;
  logic [LINE_BITS-1:0]   line, chosen_line;
  logic [SECTOR_BITS-1:0] sector, first, start;
  logic [RANK_BITS-1:0]   chosen_rank;
  logic [RANK_BITS-1:0]   slot;
  logic [7:0]             run_length;
  logic                   found, hit, evicts, completes;

  ////////////
  // Lookup //
  ////////////

  assign line = address_i[MemoryBits-1:LINE_SHIFT];

  generate
    if (SECTORS > 1) begin : gen_sector
      assign sector = address_i[SECTOR_SHIFT +: SECTOR_BITS];
    end else begin : gen_one_sector
      assign sector = '0;
    end
  endgenerate

  always_comb begin
    sector_mask         = '0;
    sector_mask[sector] = 1'b1;
    for (int i = 0; i < LineBuffers; i++) begin
      match[i]    = present_q[i] && line_q[i] == line;
      is_dirty[i] = dirty_q[i] != '0;
    end
    found = match != '0;
  end

  // The line buffer concerned: for a flush the first dirty one, else the line's or the one to replace.
  always_comb begin
    chosen = '0;
    if (flush_i) begin
      for (int i = LineBuffers - 1; i >= 0; i--) begin
        if (is_dirty[i]) begin
          chosen    = '0;
          chosen[i] = 1'b1;
        end
      end
    end else if (found) begin
      chosen = match;
    end else begin
      for (int i = 0; i < LineBuffers; i++) chosen[i] = rank_q[i] == '0;
    end
  end

  always_comb begin
    chosen_dirty = '0;
    chosen_valid = '0;
    chosen_line  = '0;
    chosen_rank  = '0;
    slot         = '0;
    for (int i = 0; i < LineBuffers; i++) begin
      if (chosen[i]) begin
        chosen_dirty = chosen_dirty | dirty_q[i];
        chosen_valid = chosen_valid | valid_q[i];
        chosen_line  = chosen_line | line_q[i];
        chosen_rank  = chosen_rank | rank_q[i];
        slot         = slot | RANK_BITS'(i);
      end
    end
  end

  assign hit       = found && (chosen_valid & sector_mask) != '0;
  assign ready_o   = !wait_q && (flush_i ? clean_o : hit);
  assign clean_o   = is_dirty == '0;
  assign completes = core_en_i && ready_o && access_i;

  /////////////
  // Request //
  /////////////

  // The lowest run of dirty sectors: adding its first bit carries out of it.
  assign evicts = flush_i ? !clean_o : (access_i && !found && chosen_dirty != '0);
  assign lowest = chosen_dirty & (~chosen_dirty + SECTORS'(1));
  assign run    = chosen_dirty & ~(chosen_dirty + lowest);

  always_comb begin
    first      = '0;
    run_length = '0;
    for (int i = 0; i < SECTORS; i++) begin
      if (lowest[i]) first = first | SECTOR_BITS'(i);
      run_length = run_length + 8'(run[i]);
    end
  end

  assign start             = evicts ? first : sector;
  assign request_o         = evicts || (access_i && !hit);
  assign request_write_o   = evicts;
  assign request_columns_o = evicts ? 8'(32'(run_length) * COLUMNS) : 8'(COLUMNS);
  assign request_address_o = {evicts ? chosen_line : line, LINE_SHIFT'(32'(start) << SECTOR_SHIFT)};
  assign wait_d            = !core_en_i && ((request_o && done_i) || wait_q);

  ///////////
  // State //
  ///////////

  always_comb begin
    present_d = present_q;
    line_d    = line_q;
    valid_d   = valid_q;
    dirty_d   = dirty_q;
    rank_d    = rank_q;
    for (int i = 0; i < LineBuffers; i++) begin
      if (chosen[i]) begin
        if (request_o && done_i && evicts) dirty_d[i] = dirty_q[i] & ~run;
        if (request_o && done_i && !evicts) begin
          present_d[i] = 1'b1;
          line_d[i]    = line;
          valid_d[i]   = found ? valid_q[i] | sector_mask : sector_mask;
        end
        if (completes && write_i) dirty_d[i] = dirty_q[i] | sector_mask;
        if (completes) rank_d[i] = RANK_BITS'(LineBuffers - 1);
      end else if (completes && rank_q[i] > chosen_rank) begin
        rank_d[i] = rank_q[i] - RANK_BITS'(1);
      end
    end
    if (core_en_i && flush_i && ready_o) begin
      present_d = '0;
      valid_d   = '0;
    end
  end

  ////////////
  // Memory //
  ////////////

  logic [8*PortBytes-1:0] sram_rdata, sram_wdata;
  logic [PortBytes-1:0]   sram_mask;
  logic [ROW_BITS-1:0]    line_row, sram_row;
  logic                   sram_enable, sram_write, beat;
  logic [63:0]            held_q, held_d, sram_word;
  logic                   held_valid_q, held_valid_d;
  logic [WORD_BITS-1:0]   word, select_q, select_d;

  assign beat     = request_o && (read_beat_i || write_beat_i);
  assign line_row = ROW_BITS'(32'(slot) * ROWS_LINE);

  generate
    if (WORDS > 1) begin : gen_wide
      assign word      = address_i[3 +: WORD_BITS];
      assign sram_word = sram_rdata[64*select_q +: 64];
    end else begin : gen_word
      assign word      = '0;
      assign sram_word = sram_rdata;
    end
  endgenerate

  always_comb begin
    sram_mask              = '0;
    sram_mask[8*word +: 8] = strobe_i;
    sram_wdata             = {WORDS{wdata_i}};
    sram_row               = line_row + ROW_BITS'(address_i[LINE_SHIFT-1:0] >> PORT_SHIFT);
    sram_write             = write_i;
    sram_enable            = completes;
    if (beat) begin
      sram_mask   = '1;
      sram_wdata  = beat_data_i;
      sram_row    = ROW_BITS'(32'(line_row) + 32'(start) * COLUMNS + 32'(beat_index_i));
      sram_write  = read_beat_i;
      sram_enable = 1'b1;
    end
  end

  pim_sram #(
    .Width(8 * PortBytes),
    .Depth(ROWS)
  ) u_sram (
    .clk_i,
    .enable_i (sram_enable),
    .write_i  (sram_write),
    .address_i(sram_row),
    .mask_i   (sram_mask),
    .wdata_i  (sram_wdata),
    .rdata_o  (sram_rdata)
  );

  assign wdata_o = sram_rdata;

  // A load may still be in write-back when the next access's write-back reads the memory: keep its word.
  assign select_d = (completes && !write_i) ? word : select_q;
  assign rdata_o  = held_valid_q ? held_q : sram_word;

  always_comb begin
    held_d       = held_q;
    held_valid_d = held_valid_q;
    if (beat && write_beat_i && !held_valid_q) begin
      held_d       = sram_word;
      held_valid_d = 1'b1;
    end
    if (completes) held_valid_d = 1'b0;
  end

  ///////////////
  // Registers //
  ///////////////

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      present_q    <= '0;
      line_q       <= '0;
      valid_q      <= '0;
      dirty_q      <= '0;
      wait_q       <= 1'b0;
      held_q       <= '0;
      held_valid_q <= 1'b0;
      select_q     <= '0;
      for (int i = 0; i < LineBuffers; i++) rank_q[i] <= RANK_BITS'(i);
    end else begin
      present_q    <= present_d;
      line_q       <= line_d;
      valid_q      <= valid_d;
      dirty_q      <= dirty_d;
      wait_q       <= wait_d;
      held_q       <= held_d;
      held_valid_q <= held_valid_d;
      select_q     <= select_d;
      rank_q       <= rank_d;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT_INIT(SectorHoldsColumns, SectorBytes >= PortBytes && SectorBytes <= LineBytes)
  `ASSERT_INIT(ColumnsFitTheCount, LineBytes / PortBytes <= 255)
  `ASSERT(OneLineMatches, (match & (match - LineBuffers'(1))) == '0)
  `ASSERT(AccessOrFlush, !(access_i && flush_i))

endmodule
