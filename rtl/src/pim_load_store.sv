// Where a load or store goes, whether it may, and how its bytes lie in the 64-bit word there.
module pim_load_store #(
  parameter int Xlen            = 64,
  parameter int MemoryBits      = 26,   // log2 of the bytes of the core's memory
  parameter int ScratchpadBytes = 1024  // a power of two
) (
  // In execution
  input  logic [Xlen-1:0] address_i,
  input  logic            store_i,
  input  logic [2:0]      funct3_i,
  input  logic [Xlen-1:0] value_i,      // rs2
  input  logic            dma_may_start_i,
  output logic            misaligned_o,
  output logic            fault_o,      // nothing there that allows it
  output logic            memory_o,     // where it goes, if it may
  output logic            scratchpad_o,
  output logic            mailbox_o,
  output logic            dma_o,
  output logic [7:0]      strobe_o,
  output logic [63:0]     wdata_o,

  // Write-back: the word that a load has read
  input  logic [63:0]     word_i,
  input  logic [2:0]      offset_i,
  input  logic [2:0]      load_funct3_i,
  output logic [Xlen-1:0] loaded_o
);

  localparam int SCRATCHPAD_BITS = $clog2(ScratchpadBytes);
  localparam logic [1:0] WHOLE = (Xlen == 64) ? 2'd3 : 2'd2;

  logic in_memory, in_scratchpad, in_mailbox, in_dma, is_whole, mailbox_ok, dma_ok, allowed;

  assign in_memory     = address_i[Xlen-1:MemoryBits] == (Xlen-MemoryBits)'(pim_pkg::MEMORY_BASE >> MemoryBits);
  assign in_scratchpad = address_i[Xlen-1:SCRATCHPAD_BITS]
                      == (Xlen-SCRATCHPAD_BITS)'(pim_pkg::SCRATCHPAD_BASE >> SCRATCHPAD_BITS);
  assign in_mailbox    = address_i[Xlen-1:8] == (Xlen-8)'(pim_pkg::MAILBOX_BASE >> 8);
  // Whole registers only; the core writes none but RETURN.
  assign in_dma        = address_i[Xlen-1:8] == (Xlen-8)'(pim_pkg::DMA_BASE >> 8);
  assign is_whole      = funct3_i[1:0] == WHOLE && !funct3_i[2];
  assign mailbox_ok    = is_whole && (!store_i || address_i[7:3] == pim_pkg::RETURN_OFFSET);
  assign dma_ok        = is_whole && store_i && address_i[7:5] == '0 && !address_i[2]
                      && (address_i[4:3] <= pim_pkg::DMA_DESTINATION
                          || (address_i[4:3] == pim_pkg::DMA_START && dma_may_start_i));
  assign allowed       = !misaligned_o && !fault_o;

  always_comb begin
    unique case (funct3_i[1:0])
      2'd0:    misaligned_o = 1'b0;
      2'd1:    misaligned_o = address_i[0];
      2'd2:    misaligned_o = address_i[1:0] != 2'd0;
      default: misaligned_o = address_i[2:0] != 3'd0;
    endcase
  end

  assign fault_o      = !(in_memory || in_scratchpad || (in_mailbox && mailbox_ok) || (in_dma && dma_ok));
  assign memory_o     = allowed && in_memory;
  assign scratchpad_o = allowed && in_scratchpad;
  assign mailbox_o    = allowed && in_mailbox;
  assign dma_o        = allowed && in_dma;

  logic [63:0] value;
  assign value = 64'(value_i);

  always_comb begin
    unique case (funct3_i[1:0])
      2'd0: begin
        wdata_o  = {8{value[7:0]}};
        strobe_o = 8'h01 << address_i[2:0];
      end
      2'd1: begin
        wdata_o  = {4{value[15:0]}};
        strobe_o = 8'h03 << address_i[2:0];
      end
      2'd2: begin
        wdata_o  = {2{value[31:0]}};
        strobe_o = 8'h0F << address_i[2:0];
      end
      default: begin
        wdata_o  = value;
        strobe_o = 8'hFF;
      end
    endcase
  end

  logic [Xlen-1:0] low;
  logic            sign;
  assign low = Xlen'(word_i >> {offset_i, 3'b000});

  always_comb begin
    unique case (load_funct3_i[1:0])
      2'd0:    sign = low[7];
      2'd1:    sign = low[15];
      default: sign = low[31];
    endcase
    loaded_o = {Xlen{sign && !load_funct3_i[2]}};
    unique case (load_funct3_i[1:0])
      2'd0:    loaded_o[7:0]  = low[7:0];
      2'd1:    loaded_o[15:0] = low[15:0];
      2'd2:    loaded_o[31:0] = low[31:0];
      default: loaded_o       = low;
    endcase
  end

endmodule
