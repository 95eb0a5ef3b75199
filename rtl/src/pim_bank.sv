// One bank core: core, line buffers, bank controller and mailbox around the bank's command and data port.

`include "pim_assert.svh"

module pim_bank #(
  parameter int Xlen                  = 64,
  parameter int MemoryBits            = 26,    // log2 of the bank's bytes
  parameter int RowBytes              = 1024,
  parameter int PortBytes             = 8,     // one column; RowBytes: a whole row
  parameter int InstructionBufferBytes = 1024,
  parameter int InstructionLineBytes  = 64,
  parameter int LineBuffers           = 5,
  parameter int LineBytes             = 1024,
  parameter int SectorBytes           = 64,
  parameter int ScratchpadBytes       = 1024,
  parameter int TmodNck               = 24,
  // DRAM timings in tCK
  parameter int NRcd = 17,
  parameter int NRp  = 17,
  parameter int NRas = 39,
  parameter int NCl  = 17,
  parameter int NCwl = 12,
  parameter int NCcd = 6,
  parameter int NWr  = 18,
  parameter int NRtp = 9,
  parameter int NWtr = 9,
  parameter int NRfc = 421,
  parameter int NClaim = 1000,
  parameter int NQuiet = 26,
  localparam int RowBits    = MemoryBits - $clog2(RowBytes),
  localparam int ColumnBits = (RowBytes > PortBytes) ? $clog2(RowBytes / PortBytes) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   core_en_i,
  input  logic [15:0]            hart_id_i,
  input  logic [Xlen-1:0]        boot_address_i,

  // Host: registers
  input  logic                   host_valid_i,
  output logic                   host_ready_o,
  input  logic                   host_write_i,
  input  logic [7:3]             host_address_i,
  input  logic [63:0]            host_wdata_i,
  output logic                   host_rvalid_o,
  output logic [63:0]            host_rdata_o,
  output logic                   alert_o,

  // Host: the bank as memory
  input  logic                   host_bank_idle_i,    // precharged, tRP over
  input  logic                   host_bank_access_i,  // a command other than refresh
  output logic                   host_lockout_o,
  output logic                   claimed_o,           // as written to OWNER (`concurrent`)
  input  logic                   claimed_i,           // it is the host's for a while

  // Die: a pulse every tREFI; whose ACT may go out (alone: always)
  input  logic                   refresh_due_i,
  output logic                   act_pending_o,
  output logic                   act_ready_o,
  input  logic                   act_grant_i,
  output logic                   act_quiet_o,

  // Bank, while the core has it
  output logic                   bank_grant_o,
  output logic [2:0]             command_o,
  output logic [RowBits-1:0]     command_row_o,
  output logic [ColumnBits-1:0]  command_column_o,
  input  logic [8*PortBytes-1:0] bank_rdata_i,
  output logic [8*PortBytes-1:0] bank_wdata_o
);

  ///////////////
  // Constants //
  ///////////////

  localparam int FILL_BYTES   = (PortBytes < InstructionLineBytes) ? PortBytes : InstructionLineBytes;
  localparam int FILL_COLUMNS = InstructionLineBytes / FILL_BYTES;
  localparam int FILLS        = PortBytes / FILL_BYTES;  // instruction lines in one column
  localparam int PORT_SHIFT   = $clog2(PortBytes);

  /////////////
  // Signals //
  /////////////

  logic        start, stop, done, trap, core_flushed, flushed, controller_idle, claim_ready;
  logic [31:0] code;

  logic        mailbox_valid, mailbox_ready, mailbox_write;
  logic [7:3]  mailbox_address;
  logic [7:0]  mailbox_strobe;
  logic [63:0] mailbox_wdata, mailbox_rdata;

  logic                  memory_access, memory_flush, memory_write, memory_ready, memory_clean;
  logic [MemoryBits-1:0] memory_address, line_address, fetch_address, request_address;
  logic [7:0]            memory_strobe, line_columns, request_columns, beat_index;
  logic [63:0]           memory_wdata, memory_rdata;

  logic                  fetch_request, line_request, line_write, request, request_write;
  logic                  read_beat, write_beat, request_done;
  logic [8*FILL_BYTES-1:0] fetch_data;
  logic                    dma_request, dma_write;
  logic [MemoryBits-1:0]   dma_address;
  logic [7:0]              dma_columns;
  logic [8*PortBytes-1:0]  line_wdata, dma_wdata;

  //////////
  // Core //
  //////////

  pim_core #(
    .Xlen                  (Xlen),
    .MemoryBits            (MemoryBits),
    .InstructionBufferBytes(InstructionBufferBytes),
    .InstructionLineBytes  (InstructionLineBytes),
    .FillBytes             (FILL_BYTES),
    .RowBytes              (RowBytes),
    .PortBytes             (PortBytes),
    .ScratchpadBytes       (ScratchpadBytes)
  ) u_core (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .hart_id_i,
    .start_i           (start),
    .boot_address_i,
    .stop_i            (stop),
    .done_o            (done),
    .trap_o            (trap),
    .code_o            (code),
    .flushed_o         (core_flushed),
    .memory_access_o   (memory_access),
    .memory_flush_o    (memory_flush),
    .memory_write_o    (memory_write),
    .memory_address_o  (memory_address),
    .memory_strobe_o   (memory_strobe),
    .memory_wdata_o    (memory_wdata),
    .memory_ready_i    (memory_ready),
    .memory_clean_i    (memory_clean),
    .memory_rdata_i    (memory_rdata),
    .fetch_request_o   (fetch_request),
    .fetch_address_o   (fetch_address),
    .fetch_beat_i      (fetch_request && read_beat),
    .fetch_beat_index_i(beat_index),
    .fetch_data_i      (fetch_data),
    .fetch_done_i      (fetch_request && request_done),
    .dma_request_o     (dma_request),
    .dma_write_o       (dma_write),
    .dma_address_o     (dma_address),
    .dma_columns_o     (dma_columns),
    .dma_read_beat_i   (dma_request && read_beat),
    .dma_write_beat_i  (dma_request && write_beat),
    .dma_beat_index_i  (beat_index),
    .dma_data_i        (bank_rdata_i),
    .dma_data_o        (dma_wdata),
    .dma_done_i        (dma_request && request_done),
    .mailbox_valid_o   (mailbox_valid),
    .mailbox_ready_i   (mailbox_ready),
    .mailbox_write_o   (mailbox_write),
    .mailbox_address_o (mailbox_address),
    .mailbox_strobe_o  (mailbox_strobe),
    .mailbox_wdata_o   (mailbox_wdata),
    .mailbox_rdata_i   (mailbox_rdata)
  );

  pim_line_buffers #(
    .MemoryBits (MemoryBits),
    .LineBuffers(LineBuffers),
    .LineBytes  (LineBytes),
    .SectorBytes(SectorBytes),
    .PortBytes  (PortBytes)
  ) u_line_buffers (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .access_i         (memory_access),
    .flush_i          (memory_flush),
    .write_i          (memory_write),
    .address_i        (memory_address),
    .strobe_i         (memory_strobe),
    .wdata_i          (memory_wdata),
    .ready_o          (memory_ready),
    .rdata_o          (memory_rdata),
    .clean_o          (memory_clean),
    .request_o        (line_request),
    .request_write_o  (line_write),
    .request_address_o(line_address),
    .request_columns_o(line_columns),
    .read_beat_i      (line_request && read_beat),
    .write_beat_i     (line_request && write_beat),
    .beat_index_i     (beat_index),
    .beat_data_i      (bank_rdata_i),
    .wdata_o          (line_wdata),
    .done_i           (line_request && request_done)
  );

  //////////
  // Bank //
  //////////

  // Only an instruction that is there can access memory, and lines are written back before a transfer: one request at a time.
  assign request      = fetch_request || line_request || dma_request;
  assign bank_wdata_o = dma_request ? dma_wdata : line_wdata;

  always_comb begin
    request_write   = line_write;
    request_address = line_address;
    request_columns = line_columns;
    if (fetch_request) begin
      request_write   = 1'b0;
      request_address = fetch_address;
      request_columns = 8'(FILL_COLUMNS);
    end
    if (dma_request) begin
      request_write   = dma_write;
      request_address = dma_address;
      request_columns = dma_columns;
    end
  end

  generate
    if (FILLS > 1) begin : gen_line_in_column
      assign fetch_data = bank_rdata_i[8*FILL_BYTES*fetch_address[PORT_SHIFT-1:$clog2(FILL_BYTES)] +: 8*FILL_BYTES];
    end else begin : gen_column_in_line
      assign fetch_data = bank_rdata_i;
    end
  endgenerate

  pim_bank_controller #(
    .RowBits   (RowBits),
    .ColumnBits(ColumnBits),
    .NRcd      (NRcd),
    .NRp       (NRp),
    .NRas      (NRas),
    .NCl       (NCl),
    .NCwl      (NCwl),
    .NCcd      (NCcd),
    .NWr       (NWr),
    .NRtp      (NRtp),
    .NWtr      (NWtr),
    .NRfc      (NRfc),
    .NClaim    (NClaim),
    .NQuiet    (NQuiet)
  ) u_controller (
    .clk_i,
    .rst_ni,
    .request_i       (request),
    .write_i         (request_write),
    .row_i           (request_address[MemoryBits-1:MemoryBits-RowBits]),
    .column_i        (ColumnBits'(request_address[MemoryBits-RowBits-1:0] >> PORT_SHIFT)),
    .columns_i       (request_columns),
    .read_beat_o     (read_beat),
    .write_beat_o    (write_beat),
    .beat_index_o    (beat_index),
    .done_o          (request_done),
    .close_i         (core_flushed),
    .refresh_due_i   (refresh_due_i && bank_grant_o),
    .claimed_i,
    .claim_ready_o   (claim_ready),
    .act_pending_o,
    .act_ready_o,
    .act_grant_i,
    .act_quiet_o,
    .command_o,
    .command_row_o,
    .command_column_o,
    .idle_o          (controller_idle)
  );

  assign flushed = core_flushed && controller_idle;

  /////////////
  // Mailbox //
  /////////////

  pim_mailbox #(
    .TmodNck(TmodNck)
  ) u_mailbox (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .host_valid_i,
    .host_ready_o,
    .host_write_i,
    .host_address_i,
    .host_wdata_i,
    .host_rvalid_o,
    .host_rdata_o,
    .core_valid_i      (mailbox_valid),
    .core_ready_o      (mailbox_ready),
    .core_write_i      (mailbox_write),
    .core_address_i    (mailbox_address),
    .core_strobe_i     (mailbox_strobe),
    .core_wdata_i      (mailbox_wdata),
    .core_rdata_o      (mailbox_rdata),
    .start_o           (start),
    .stop_o            (stop),
    .done_i            (done),
    .trap_i            (trap),
    .code_i            (code),
    .core_flushed_i    (flushed),
    .bank_idle_i       (host_bank_idle_i),
    .host_bank_access_i,
    .host_lockout_o,
    .bank_grant_o,
    .claimed_o,
    .claim_ready_i     (claim_ready),
    .alert_o
  );

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT(BankGoesBackIdle, bank_grant_o || controller_idle)
  `ASSERT(BankIsTheCoresOwn, command_o == pim_pkg::COMMAND_NOP || bank_grant_o)
  `ASSERT(OneRequestAtATime, 32'(fetch_request) + 32'(line_request) + 32'(dma_request) <= 1)

endmodule
