// Loads and stores on their way to line buffers, scratchpad, mailbox or DMA, and a load's data on its way back: it comes one core
// cycle after the access, in write-back.
module pim_data_access #(
  parameter int Xlen            = 64,
  parameter int MemoryBits      = 26,
  parameter int ScratchpadBytes = 1024
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  core_en_i,

  // In execution
  input  logic                  valid_i,     // there is a load or store; held until the core edge with ready
  input  logic                  store_i,
  input  logic [2:0]            funct3_i,
  input  logic [Xlen-1:0]       address_i,
  input  logic [Xlen-1:0]       value_i,
  output logic                  ready_o,
  output logic                  misaligned_o,
  output logic                  fault_o,

  // Write-back
  output logic [Xlen-1:0]       loaded_o,

  // Access, the same to all three
  output logic                  write_o,
  output logic [MemoryBits-1:0] address_o,
  output logic [7:0]            strobe_o,
  output logic [63:0]           wdata_o,

  // Line buffers
  output logic                  memory_access_o,
  input  logic                  memory_ready_i,
  input  logic [63:0]           memory_rdata_i,

  // Scratchpad
  output logic                  scratchpad_access_o,
  input  logic [63:0]           scratchpad_rdata_i,

  // Mailbox
  output logic                  mailbox_access_o,
  input  logic                  mailbox_ready_i,
  input  logic [63:0]           mailbox_rdata_i,

  // DMA
  output logic                  dma_access_o,
  input  logic                  dma_may_start_i,
  input  logic                  dma_ready_i
);

  typedef enum logic [1:0] {
    FROM_MEMORY     = 2'd0,
    FROM_SCRATCHPAD = 2'd1,
    FROM_MAILBOX    = 2'd2
  } source_e;

  logic        to_memory, to_scratchpad, to_mailbox, to_dma;
  logic [1:0]  source_q, source_d;
  logic [2:0]  offset_q, offset_d, funct3_q, funct3_d;
  logic [63:0] mailbox_q, mailbox_d, word_read;

  pim_load_store #(
    .Xlen           (Xlen),
    .MemoryBits     (MemoryBits),
    .ScratchpadBytes(ScratchpadBytes)
  ) u_load_store (
    .address_i,
    .store_i,
    .funct3_i,
    .value_i,
    .dma_may_start_i,
    .misaligned_o,
    .fault_o,
    .memory_o     (to_memory),
    .scratchpad_o (to_scratchpad),
    .mailbox_o    (to_mailbox),
    .dma_o        (to_dma),
    .strobe_o,
    .wdata_o,
    .word_i       (word_read),
    .offset_i     (offset_q),
    .load_funct3_i(funct3_q),
    .loaded_o
  );

  assign write_o             = store_i;
  assign address_o           = address_i[MemoryBits-1:0];
  assign memory_access_o     = valid_i && to_memory;
  assign scratchpad_access_o = valid_i && to_scratchpad;
  assign mailbox_access_o    = valid_i && to_mailbox;
  assign dma_access_o        = valid_i && to_dma;

  always_comb begin
    ready_o = 1'b1;
    if (to_memory) ready_o = memory_ready_i;
    if (to_mailbox) ready_o = mailbox_ready_i;
    if (to_dma) ready_o = dma_ready_i;
  end

  assign source_d  = to_memory ? FROM_MEMORY : to_scratchpad ? FROM_SCRATCHPAD : FROM_MAILBOX;
  assign offset_d  = address_i[2:0];
  assign funct3_d  = funct3_i;
  assign mailbox_d = mailbox_access_o ? mailbox_rdata_i : mailbox_q;

  always_comb begin
    unique case (source_q)
      FROM_MEMORY:     word_read = memory_rdata_i;
      FROM_SCRATCHPAD: word_read = scratchpad_rdata_i;
      default:         word_read = mailbox_q;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      source_q  <= FROM_MEMORY;
      offset_q  <= '0;
      funct3_q  <= '0;
      mailbox_q <= '0;
    end else if (core_en_i) begin
      source_q  <= source_d;
      offset_q  <= offset_d;
      funct3_q  <= funct3_d;
      mailbox_q <= mailbox_d;
    end
  end

endmodule
