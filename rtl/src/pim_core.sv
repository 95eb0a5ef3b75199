// RV32IMC or RV64IMC core with Zicsr and Zifencei: fetch, execution of one instruction at a time, write-back.
// Execution reads registers, computes (pim_execute), accesses memory (pim_data_access) and decides where to go on (pim_commit);
// write-back takes one more core cycle, in which a load's data comes: the next instruction waits for it, and takes any other
// result past the register file.

`include "pim_assert.svh"

module pim_core #(
  parameter int Xlen                  = 64,
  parameter int MemoryBits            = 26,
  parameter int InstructionBufferBytes = 1024,
  parameter int InstructionLineBytes  = 64,
  parameter int FillBytes             = 8,
  parameter int RowBytes              = 1024,
  parameter int PortBytes             = 8,
  parameter int ScratchpadBytes       = 1024
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   core_en_i,
  input  logic [15:0]            hart_id_i,

  // Run control, at core edges
  input  logic                   start_i,
  input  logic [Xlen-1:0]        boot_address_i,
  input  logic                   stop_i,        // end the run
  output logic                   done_o,
  output logic                   trap_o,
  output logic [31:0]            code_o,        // exit code, or mcause
  output logic                   flushed_o,

  // Line buffers
  output logic                   memory_access_o,
  output logic                   memory_flush_o,
  output logic                   memory_write_o,
  output logic [MemoryBits-1:0]  memory_address_o,
  output logic [7:0]             memory_strobe_o,
  output logic [63:0]            memory_wdata_o,
  input  logic                   memory_ready_i,
  input  logic                   memory_clean_i,
  input  logic [63:0]            memory_rdata_i,

  // Instruction refill
  output logic                   fetch_request_o,
  output logic [MemoryBits-1:0]  fetch_address_o,
  input  logic                   fetch_beat_i,
  input  logic [7:0]             fetch_beat_index_i,
  input  logic [8*FillBytes-1:0] fetch_data_i,
  input  logic                   fetch_done_i,

  // Transfers of the scratchpad
  output logic                   dma_request_o,
  output logic                   dma_write_o,
  output logic [MemoryBits-1:0]  dma_address_o,
  output logic [7:0]             dma_columns_o,
  input  logic                   dma_read_beat_i,
  input  logic                   dma_write_beat_i,
  input  logic [7:0]             dma_beat_index_i,
  input  logic [8*PortBytes-1:0] dma_data_i,
  output logic [8*PortBytes-1:0] dma_data_o,
  input  logic                   dma_done_i,

  // Mailbox
  output logic                   mailbox_valid_o,
  input  logic                   mailbox_ready_i,
  output logic                   mailbox_write_o,
  output logic [7:3]             mailbox_address_o,
  output logic [7:0]             mailbox_strobe_o,
  output logic [63:0]            mailbox_wdata_o,
  input  logic [63:0]            mailbox_rdata_i
);

  ///////////
  // Fetch //
  ///////////

  logic            begins, running, wb_loads;
  logic            fetch_valid, fetch_fault, fetch_fault_second, next, redirect, is_fence_i;
  logic [31:0]     fetched;
  logic [Xlen-1:0] pc, target;

  pim_fetch #(
    .Xlen       (Xlen),
    .MemoryBits (MemoryBits),
    .BufferBytes(InstructionBufferBytes),
    .LineBytes  (InstructionLineBytes),
    .FillBytes  (FillBytes)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .start_i          (begins),
    .running_i        (running),
    .valid_o          (fetch_valid),
    .instruction_o    (fetched),
    .pc_o             (pc),
    .fault_o          (fetch_fault),
    .fault_second_o   (fetch_fault_second),
    .next_i           (next),
    .redirect_i       (redirect),
    .target_i         (begins ? boot_address_i : target),
    .invalidate_i     (is_fence_i),
    .loading_i        (wb_loads),
    .request_o        (fetch_request_o),
    .request_address_o(fetch_address_o),
    .beat_i           (fetch_beat_i),
    .beat_index_i     (fetch_beat_index_i),
    .beat_data_i      (fetch_data_i),
    .done_i           (fetch_done_i)
  );

  ////////////
  // Decode //
  ////////////

  logic            is_long, a_is_pc, b_is_rs2, word, reads_rs1, reads_rs2;
  logic            is_load, is_store, is_branch, is_jal, is_jalr, is_mul, is_div, is_csr, is_fence;
  logic            is_ecall, is_ebreak, is_mret, is_illegal;
  logic [31:0]     expanded, instruction;
  logic [4:0]      rd, rs1, rs2;
  logic [3:0]      alu_operation;
  logic [Xlen-1:0] immediate;

  assign is_long     = fetched[1:0] == 2'b11;
  assign instruction = is_long ? fetched : expanded;

  pim_expander #(.Xlen(Xlen)) u_expander (
    .parcel_i     (fetched[15:0]),
    .instruction_o(expanded)
  );

  pim_decoder #(.Xlen(Xlen)) u_decoder (
    .instruction_i(instruction),
    .rd_o         (rd),
    .rs1_o        (rs1),
    .rs2_o        (rs2),
    .reads_rs1_o  (reads_rs1),
    .reads_rs2_o  (reads_rs2),
    .immediate_o  (immediate),
    .a_is_pc_o    (a_is_pc),
    .b_is_rs2_o   (b_is_rs2),
    .alu_o        (alu_operation),
    .word_o       (word),
    .is_load_o    (is_load),
    .is_store_o   (is_store),
    .is_branch_o  (is_branch),
    .is_jal_o     (is_jal),
    .is_jalr_o    (is_jalr),
    .is_mul_o     (is_mul),
    .is_div_o     (is_div),
    .is_csr_o     (is_csr),
    .is_fence_o   (is_fence),
    .is_fence_i_o (is_fence_i),
    .is_ecall_o   (is_ecall),
    .is_ebreak_o  (is_ebreak),
    .is_mret_o    (is_mret),
    .is_illegal_o (is_illegal)
  );

  //////////////
  // Operands //
  //////////////

  logic            wb_valid_q, wb_valid_d, wb_is_load_q, wb_is_load_d;
  logic [4:0]      wb_rd_q, wb_rd_d;
  logic [Xlen-1:0] wb_value_q, wb_value_d, written, loaded, rs1_file, rs2_file, a, b;
  logic            load_use, execute;

  pim_register_file #(.Xlen(Xlen)) u_register_file (
    .clk_i,
    .write_i(core_en_i && wb_valid_q),
    .rd_i   (wb_rd_q),
    .wdata_i(written),
    .rs1_i  (rs1),
    .rs2_i  (rs2),
    .rs1_o  (rs1_file),
    .rs2_o  (rs2_file)
  );

  assign written = wb_is_load_q ? loaded : wb_value_q;
  assign a       = (wb_valid_q && wb_rd_q == rs1) ? written : rs1_file;
  assign b       = (wb_valid_q && wb_rd_q == rs2) ? written : rs2_file;

  assign wb_loads = wb_valid_q && wb_is_load_q;
  assign load_use = wb_loads && ((reads_rs1 && wb_rd_q == rs1) || (reads_rs2 && wb_rd_q == rs2));
  assign execute  = fetch_valid && !load_use;

  ///////////////
  // Execution //
  ///////////////

  logic [Xlen-1:0] result, csr_value, address;
  logic            unit_ready, csr_illegal, taken;

  pim_execute #(.Xlen(Xlen)) u_execute (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .valid_i    (execute && !is_illegal),
    .funct3_i   (instruction[14:12]),
    .alu_i      (alu_operation),
    .word_i     (word),
    .a_is_pc_i  (a_is_pc),
    .b_is_rs2_i (b_is_rs2),
    .is_memory_i(is_load || is_store),
    .is_mul_i   (is_mul),
    .is_div_i   (is_div),
    .pc_i       (pc),
    .a_i        (a),
    .b_i        (b),
    .immediate_i(immediate),
    .ready_o    (unit_ready),
    .result_o   (result),
    .address_o  (address),
    .taken_o    (taken)
  );

  ////////////
  // Memory //
  ////////////

  logic        is_access, misaligned, no_access, access_ready, exits, drains, writes_back;
  logic        scratchpad_access, dma_access, dma_may_start, dma_ready, dma_flush;
  logic [63:0] scratchpad_rdata;

  assign is_access = (is_load || is_store) && !is_illegal;

  pim_data_access #(
    .Xlen           (Xlen),
    .MemoryBits     (MemoryBits),
    .ScratchpadBytes(ScratchpadBytes)
  ) u_data_access (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .valid_i            (execute && is_access),
    .store_i            (is_store),
    .funct3_i           (instruction[14:12]),
    .address_i          (address),
    .value_i            (b),
    .ready_o            (access_ready),
    .misaligned_o       (misaligned),
    .fault_o            (no_access),
    .loaded_o           (loaded),
    .write_o            (memory_write_o),
    .address_o          (memory_address_o),
    .strobe_o           (memory_strobe_o),
    .wdata_o            (memory_wdata_o),
    .memory_access_o,
    .memory_ready_i,
    .memory_rdata_i,
    .scratchpad_access_o(scratchpad_access),
    .scratchpad_rdata_i (scratchpad_rdata),
    .mailbox_access_o   (mailbox_valid_o),
    .mailbox_ready_i,
    .mailbox_rdata_i,
    .dma_access_o       (dma_access),
    .dma_may_start_i    (dma_may_start),
    .dma_ready_i        (dma_ready)
  );

  assign mailbox_write_o   = memory_write_o;
  assign mailbox_address_o = memory_address_o[7:3];
  assign mailbox_strobe_o  = memory_strobe_o;
  assign mailbox_wdata_o   = memory_wdata_o;

  // Lines are written back by fences, before transfers, before the exit, and at any other end of the run.
  assign drains         = is_fence || is_fence_i || exits;
  assign memory_flush_o = (execute && drains) || dma_flush || writes_back;

  logic [$clog2(ScratchpadBytes)-1:0] dma_place;

  pim_scratchpad #(
    .Bytes    (ScratchpadBytes),
    .PortBytes(PortBytes)
  ) u_scratchpad (
    .clk_i,
    .rst_ni,
    .access_i    (core_en_i && scratchpad_access),
    .write_i     (memory_write_o),
    .address_i   (memory_address_o[$clog2(ScratchpadBytes)-1:3]),
    .strobe_i    (memory_strobe_o),
    .wdata_i     (memory_wdata_o),
    .rdata_o     (scratchpad_rdata),
    .read_beat_i (dma_read_beat_i),
    .write_beat_i(dma_write_beat_i),
    .beat_index_i(dma_beat_index_i),
    .place_i     (dma_place),
    .beat_data_i (dma_data_i),
    .beat_data_o (dma_data_o)
  );

  pim_dma #(
    .Xlen           (Xlen),
    .MemoryBits     (MemoryBits),
    .RowBytes       (RowBytes),
    .PortBytes      (PortBytes),
    .ScratchpadBytes(ScratchpadBytes)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .access_i         (dma_access),
    .register_i       (memory_address_o[4:3]),
    .value_i          (b),
    .may_start_o      (dma_may_start),
    .ready_o          (dma_ready),
    .flush_o          (dma_flush),
    .clean_i          (memory_clean_i),
    .flushed_i        (memory_ready_i),
    .request_o        (dma_request_o),
    .request_write_o  (dma_write_o),
    .request_address_o(dma_address_o),
    .request_columns_o(dma_columns_o),
    .done_i           (dma_done_i),
    .place_o          (dma_place)
  );

  /////////
  // End //
  /////////

  logic [Xlen-1:0] handler, return_pc, tval, link;
  logic [3:0]      cause;
  logic            ready, retires, traps, stops, over;

  assign ready = is_access ? access_ready : drains ? memory_ready_i : unit_ready;

  pim_commit #(.Xlen(Xlen)) u_commit (
    .pc_i          (pc),
    .fetched_i     (fetched),
    .is_long_i     (is_long),
    .fetch_fault_i (fetch_fault),
    .fault_second_i(fetch_fault_second),
    .execute_i     (execute),
    .ready_i       (ready),
    .is_illegal_i  (is_illegal || csr_illegal),
    .is_branch_i   (is_branch),
    .is_jal_i      (is_jal),
    .is_jalr_i     (is_jalr),
    .is_mret_i     (is_mret),
    .is_ecall_i    (is_ecall),
    .is_ebreak_i   (is_ebreak),
    .is_access_i   (is_access),
    .is_store_i    (is_store),
    .is_exit_call_i(a == Xlen'(pim_pkg::EXIT_CALL)),
    .taken_i       (taken),
    .misaligned_i  (misaligned),
    .no_access_i   (no_access),
    .immediate_i   (immediate),
    .address_i     (address),
    .handler_i     (handler),
    .return_pc_i   (return_pc),
    .running_i     (running),
    .stop_i,
    .exits_o       (exits),
    .retires_o     (retires),
    .traps_o       (traps),
    .cause_o       (cause),
    .tval_o        (tval),
    .stops_o       (stops),
    .over_o        (over),
    .next_o        (next),
    .redirect_o    (redirect),
    .target_o      (target),
    .link_o        (link)
  );

  /////////////////////
  // CSRs, run, time //
  /////////////////////

  logic [63:0] time_now;

  pim_csr #(
    .Xlen(Xlen)
  ) u_csr (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .hart_id_i,
    .commit_i     (retires),
    .access_i     (execute && is_csr),
    .address_i    (instruction[31:20]),
    .operation_i  (instruction[13:12]),
    .source_zero_i(rs1 == '0),
    .operand_i    (instruction[14] ? Xlen'(rs1) : a),
    .rdata_o      (csr_value),
    .illegal_o    (csr_illegal),
    .clear_i      (begins),
    .running_i    (running),
    .trap_i       (traps && handler != '0),
    .cause_i      (cause),
    .tval_i       (tval),
    .pc_i         (pc),
    .return_i     (retires && is_mret),
    .time_i       (time_now),
    .handler_o    (handler),
    .return_pc_o  (return_pc)
  );

  pim_run_control u_run_control (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .start_i,
    .over_i        (over),
    .memory_ready_i,
    .memory_clean_i,
    .begins_o      (begins),
    .running_o     (running),
    .writes_back_o (writes_back),
    .flushed_o,
    .time_o        (time_now)
  );

  // Without a handler a trap ends the run; so does stop_i, at the end of an instruction.
  assign done_o = core_en_i && over && !stops && !traps;
  assign trap_o = core_en_i && over && (stops || traps);
  assign code_o = done_o ? b[31:0] : 32'(cause);

  ////////////////
  // Write-back //
  ////////////////

  assign wb_valid_d   = retires && rd != '0;
  assign wb_is_load_d = is_load;
  assign wb_rd_d      = rd;
  assign wb_value_d   = is_csr ? csr_value : (is_jal || is_jalr) ? link : result;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wb_valid_q   <= 1'b0;
      wb_is_load_q <= 1'b0;
      wb_rd_q      <= '0;
      wb_value_q   <= '0;
    end else if (core_en_i) begin
      wb_valid_q   <= wb_valid_d;
      wb_is_load_q <= wb_is_load_d;
      wb_rd_q      <= wb_rd_d;
      wb_value_q   <= wb_value_d;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT_INIT(XlenIs32Or64, Xlen == 32 || Xlen == 64)
  `ASSERT(EndsOrGoesOn, !(next && redirect))

endmodule
