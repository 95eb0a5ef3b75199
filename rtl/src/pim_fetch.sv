// Instruction fetch: program counter, direct-mapped instruction buffer with its refill, and the window of two 64-bit words
// in which the instruction at pc lies.
// A redirect takes two core cycles: the first reads the target's word, the second moves it into the window and reads the
// word after it, which from then on stays at the SRAM's output. So does each step into the next word.

`include "pim_assert.svh"

module pim_fetch #(
  parameter int Xlen       = 64,
  parameter int MemoryBits = 26,    // log2 of the bytes of the core's memory
  parameter int BufferBytes = 1024,
  parameter int LineBytes   = 64,
  parameter int FillBytes   = 8     // that one column brings of a line
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  core_en_i,

  // Run
  input  logic                  start_i,       // at a core edge: go on at target_i, with an empty buffer
  input  logic                  running_i,

  // Core
  output logic                  valid_o,       // instruction_o is all there, at this core cycle
  output logic [31:0]           instruction_o,
  output logic [Xlen-1:0]       pc_o,
  output logic                  fault_o,       // there is no memory at pc_o, or at the second half
  output logic                  fault_second_o,
  input  logic                  next_i,        // at a core edge: the instruction is over
  input  logic                  redirect_i,    // at a core edge: go on at target_i
  input  logic [Xlen-1:0]       target_i,
  input  logic                  invalidate_i,  // with next_i: empty the buffer
  input  logic                  loading_i,     // the instruction before is a load: wait if this one needs another line

  // Bank: refill of one line; held until done
  output logic                  request_o,
  output logic [MemoryBits-1:0] request_address_o,
  input  logic                  beat_i,        // beat_data_i is column beat_index_i of the line
  input  logic [7:0]            beat_index_i,
  input  logic [8*FillBytes-1:0] beat_data_i,
  input  logic                  done_i         // with the last one
);

  ///////////////
  // Constants //
  ///////////////

  localparam int LINES      = BufferBytes / LineBytes;
  localparam int LINE_SHIFT = $clog2(LineBytes);
  localparam int INDEX_BITS = $clog2(LINES);
  localparam int TAG_BITS   = MemoryBits - LINE_SHIFT - INDEX_BITS;
  localparam int LINE_BITS  = MemoryBits - LINE_SHIFT;
  localparam int FILL_SHIFT = $clog2(FillBytes);
  localparam int ROWS       = BufferBytes / FillBytes;
  localparam int ROW_BITS   = $clog2(ROWS);
  localparam int PLACE_BITS = $clog2(BufferBytes);
  localparam int WORDS      = FillBytes / 8;  // 64-bit words in a row of the SRAM
  localparam int WORD_BITS  = (WORDS > 1) ? $clog2(WORDS) : 1;

  /////////////
  // Signals //
  /////////////

  logic [Xlen-1:0]      pc_q, pc_d, pc_next;
  logic [1:0]           refill_q, refill_d;  // core cycles until the window holds the instruction
  logic                 wait_q, wait_d;      // a refill is over, the next core edge not yet there
  logic [63:0]          window_q, window_d;  // the word that pc is in
  logic [63:0]          ahead_q, ahead_d;    // the word after it, if the last refill brought it
  logic                 ahead_valid_q, ahead_valid_d;

  logic [LINES-1:0]     valid_q, valid_d;
  logic [TAG_BITS-1:0]  tag_q [LINES];
  logic                 tag_write;

  logic [8*FillBytes-1:0] sram_rdata;
  logic [63:0]            sram_word, next_word;
  logic                   sram_read;
  logic [ROW_BITS-1:0]    sram_row;

  logic [MemoryBits-1:3]  word_at, next_at, beat_at;
  logic [PLACE_BITS-1:3]  read_at;
  logic [LINE_BITS-1:0]   line, next_line, wanted;
  logic [INDEX_BITS-1:0]  wanted_index;
  logic                   slot, new_line, in_memory, first_hit, next_hit, straddles, next_in_memory, is_long, crosses;
  logic [79:0]            bytes;
  logic [31:0]            bits;

  ///////////////////////
  // Instruction at pc //
  ///////////////////////

  assign word_at   = pc_q[MemoryBits-1:3];
  assign next_at   = word_at + (MemoryBits-3)'(1);
  assign line      = pc_q[MemoryBits-1:LINE_SHIFT];
  assign next_line = line + LINE_BITS'(1);
  assign new_line  = pc_q[LINE_SHIFT-1:1] == '0 || straddles;
  assign slot      = running_i && refill_q == 2'd0 && !wait_q && !(loading_i && new_line);

  assign in_memory = pc_q[Xlen-1:MemoryBits] == (Xlen-MemoryBits)'(pim_pkg::MEMORY_BASE >> MemoryBits);
  assign next_word = ahead_valid_q ? ahead_q : sram_word;
  assign bytes     = {next_word[15:0], window_q};

  always_comb begin
    unique case (pc_q[2:1])
      2'd0:    bits = bytes[31:0];
      2'd1:    bits = bytes[47:16];
      2'd2:    bits = bytes[63:32];
      default: bits = bytes[79:48];
    endcase
  end

  assign is_long        = bits[1:0] == 2'b11;
  assign straddles      = is_long && (&pc_q[LINE_SHIFT-1:1]);
  assign next_in_memory = !(&line);
  assign first_hit      = valid_q[line[INDEX_BITS-1:0]]
                       && tag_q[line[INDEX_BITS-1:0]] == line[LINE_BITS-1:INDEX_BITS];
  assign next_hit       = valid_q[next_line[INDEX_BITS-1:0]]
                       && tag_q[next_line[INDEX_BITS-1:0]] == next_line[LINE_BITS-1:INDEX_BITS];

  assign valid_o        = slot && in_memory && first_hit && (!straddles || (next_hit && next_in_memory));
  assign fault_second_o = in_memory && first_hit && straddles && !next_in_memory;
  assign fault_o        = slot && (!in_memory || fault_second_o);
  assign instruction_o  = bits;
  assign pc_o           = pc_q;

  ////////////
  // Refill //
  ////////////

  assign request_o         = slot && in_memory && (!first_hit || (straddles && next_in_memory && !next_hit));
  assign wanted            = first_hit ? next_line : line;
  assign wanted_index      = wanted[INDEX_BITS-1:0];
  assign request_address_o = {wanted, LINE_SHIFT'(0)};
  assign tag_write         = request_o && done_i;
  assign wait_d            = !core_en_i && (tag_write || wait_q);

  always_comb begin
    valid_d = valid_q;
    if (tag_write) valid_d[wanted_index] = 1'b1;
    if (core_en_i && (start_i || (next_i && invalidate_i))) valid_d = '0;
  end

  ////////////////
  // Next state //
  ////////////////

  assign pc_next = pc_q + (is_long ? Xlen'(4) : Xlen'(2));
  assign crosses = next_i && pc_next[3] != pc_q[3];

  always_comb begin
    pc_d     = pc_q;
    refill_d = refill_q;
    if (core_en_i) begin
      if (refill_q != 2'd0) refill_d = refill_q - 2'd1;
      if (start_i) begin
        pc_d     = target_i;
        refill_d = 2'd0;
      end else if (redirect_i) begin
        pc_d     = target_i;
        refill_d = 2'd2;
      end else if (next_i) begin
        pc_d = pc_next;
      end
    end
  end

  // What a refill brings goes past the SRAM too, for the cycle right after it.
  assign beat_at = {wanted, (LINE_SHIFT-3)'(32'(beat_index_i) * WORDS)};

  always_comb begin
    window_d      = window_q;
    ahead_d       = ahead_q;
    ahead_valid_d = ahead_valid_q;
    if (core_en_i && (refill_q == 2'd1 || crosses)) begin
      window_d      = next_word;
      ahead_valid_d = 1'b0;
    end
    if (core_en_i && redirect_i) ahead_valid_d = 1'b0;
    if (request_o && beat_i) begin
      for (int i = 0; i < WORDS; i++) begin
        if (beat_at + (MemoryBits-3)'(i) == word_at) window_d = beat_data_i[64*i +: 64];
        if (beat_at + (MemoryBits-3)'(i) == next_at) begin
          ahead_d       = beat_data_i[64*i +: 64];
          ahead_valid_d = 1'b1;
        end
      end
    end
  end

  ////////////
  // Memory //
  ////////////

  assign sram_read = core_en_i && (refill_q != 2'd0 || crosses);
  assign read_at   = (refill_q == 2'd2) ? word_at[PLACE_BITS-1:3]
                   : (refill_q == 2'd1) ? next_at[PLACE_BITS-1:3] : next_at[PLACE_BITS-1:3] + (PLACE_BITS-3)'(1);

  generate
    if (WORDS > 1) begin : gen_select
      logic [WORD_BITS-1:0] select_q;
      assign sram_word = sram_rdata[64*select_q +: 64];

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) select_q <= '0;
        else if (sram_read) select_q <= read_at[3 +: WORD_BITS];
      end
    end else begin : gen_no_select
      assign sram_word = sram_rdata;
    end
  endgenerate

  assign sram_row = (request_o && beat_i) ? ROW_BITS'({wanted_index, LINE_SHIFT'(0)} >> FILL_SHIFT) + ROW_BITS'(beat_index_i)
                                          : read_at[FILL_SHIFT +: ROW_BITS];

  pim_sram #(
    .Width(8 * FillBytes),
    .Depth(ROWS)
  ) u_sram (
    .clk_i,
    .enable_i (sram_read || (request_o && beat_i)),
    .write_i  (request_o && beat_i),
    .address_i(sram_row),
    .mask_i   ({FillBytes{1'b1}}),
    .wdata_i  (beat_data_i),
    .rdata_o  (sram_rdata)
  );

  ///////////////
  // Registers //
  ///////////////

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pc_q          <= '0;
      refill_q      <= '0;
      wait_q        <= 1'b0;
      window_q      <= '0;
      ahead_q       <= '0;
      ahead_valid_q <= 1'b0;
      valid_q       <= '0;
    end else begin
      pc_q          <= pc_d;
      refill_q      <= refill_d;
      wait_q        <= wait_d;
      window_q      <= window_d;
      ahead_q       <= ahead_d;
      ahead_valid_q <= ahead_valid_d;
      valid_q       <= valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tag_write) tag_q[wanted_index] <= wanted[LINE_BITS-1:INDEX_BITS];
  end

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT_INIT(TwoLinesAtLeast, LINES >= 2)
  `ASSERT_INIT(ColumnIsPartOfALine, FillBytes >= 8 && FillBytes <= LineBytes)
  `ASSERT(OnlyWhatIsThereEnds, !(core_en_i && next_i) || valid_o)

endmodule
