// RV32IMC or RV64IMC core with Zicsr and Zifencei: fetch (pim_fetch), execution of one instruction at a time, write-back.
// Execution reads registers, computes, accesses memory and decides where to go on; write-back takes one more core cycle, in
// which a load's data comes: the next instruction waits for it, and takes any other result past the register file.

`include "pim_assert.svh"

module pim_core #(
  parameter int Xlen                  = 64,
  parameter int HartId                = 0,
  parameter int MemoryBits            = 26,
  parameter int InstructionBufferBytes = 1024,
  parameter int InstructionLineBytes  = 64,
  parameter int FillBytes             = 8,
  parameter int ScratchpadBytes       = 1024
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   core_en_i,

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

  logic            running_q, running_d, wb_loads;
  logic            fetch_valid, fetch_fault, fetch_fault_second, next, redirect, empty_buffer;
  logic [31:0]     fetched;
  logic [Xlen-1:0] pc, target, fetch_target;

  assign fetch_target = start_i && !running_q ? boot_address_i : target;

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
    .start_i          (start_i && !running_q),
    .running_i        (running_q),
    .valid_o          (fetch_valid),
    .instruction_o    (fetched),
    .pc_o             (pc),
    .fault_o          (fetch_fault),
    .fault_second_o   (fetch_fault_second),
    .next_i           (next),
    .redirect_i       (redirect),
    .target_i         (fetch_target),
    .invalidate_i     (empty_buffer),
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
  logic            is_load, is_store, is_branch, is_jal, is_jalr, is_mul, is_div, is_csr, is_fence, is_fence_i;
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

  logic [Xlen-1:0] alu_result, mul_result, div_result, csr_value, address, branch_target;
  logic            mul_ready, div_ready, csr_illegal, taken, equal, less;

  pim_alu #(.Xlen(Xlen)) u_alu (
    .operation_i((a_is_pc || is_load || is_store) ? 4'd0 : alu_operation),
    .word_i     (word),
    .a_i        (a_is_pc ? pc : a),
    .b_i        (b_is_rs2 ? b : immediate),
    .result_o   (alu_result)
  );

  pim_multiplier #(.Xlen(Xlen)) u_multiplier (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .valid_i    (execute && is_mul && !is_illegal),
    .operation_i(instruction[13:12]),
    .word_i     (word),
    .a_i        (a),
    .b_i        (b),
    .ready_o    (mul_ready),
    .result_o   (mul_result)
  );

  pim_divider #(.Xlen(Xlen)) u_divider (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .valid_i    (execute && is_div && !is_illegal),
    .operation_i(instruction[13:12]),
    .word_i     (word),
    .a_i        (a),
    .b_i        (b),
    .ready_o    (div_ready),
    .result_o   (div_result)
  );

  assign address = a + immediate;

  assign equal = a == b;
  assign less  = (a[Xlen-1] == b[Xlen-1] || instruction[13]) ? a < b : a[Xlen-1];
  assign taken = (instruction[14] ? less : equal) != instruction[12];

  ////////////
  // Memory //
  ////////////

  logic        misaligned, no_access, to_memory, to_scratchpad, to_mailbox, is_access, access_ready, drains;
  logic [7:0]  strobe;
  logic [63:0] store_data, scratchpad_rdata, word_read;
  logic [1:0]  wb_source_q, wb_source_d;  // 0 memory, 1 scratchpad, 2 mailbox
  logic [2:0]  wb_offset_q, wb_offset_d, wb_funct3_q, wb_funct3_d;
  logic [63:0] wb_mailbox_q, wb_mailbox_d;
  logic        finishing_q, finishing_d;  // run over: lines are written back

  assign is_access = (is_load || is_store) && !is_illegal;

  pim_load_store #(
    .Xlen           (Xlen),
    .MemoryBits     (MemoryBits),
    .ScratchpadBytes(ScratchpadBytes)
  ) u_load_store (
    .address_i    (address),
    .store_i      (is_store),
    .funct3_i     (instruction[14:12]),
    .value_i      (b),
    .misaligned_o (misaligned),
    .fault_o      (no_access),
    .memory_o     (to_memory),
    .scratchpad_o (to_scratchpad),
    .mailbox_o    (to_mailbox),
    .strobe_o     (strobe),
    .wdata_o      (store_data),
    .word_i       (word_read),
    .offset_i     (wb_offset_q),
    .load_funct3_i(wb_funct3_q),
    .loaded_o     (loaded)
  );

  assign memory_access_o  = execute && is_access && to_memory;
  assign memory_flush_o   = (execute && drains) || finishing_q;
  assign memory_write_o   = is_store;
  assign memory_address_o = address[MemoryBits-1:0];
  assign memory_strobe_o  = strobe;
  assign memory_wdata_o   = store_data;

  assign mailbox_valid_o   = execute && is_access && to_mailbox;
  assign mailbox_write_o   = is_store;
  assign mailbox_address_o = address[7:3];
  assign mailbox_strobe_o  = strobe;
  assign mailbox_wdata_o   = store_data;

  pim_sram #(
    .Width(64),
    .Depth(ScratchpadBytes / 8)
  ) u_scratchpad (
    .clk_i,
    .enable_i (core_en_i && execute && is_access && to_scratchpad),
    .write_i  (is_store),
    .address_i(address[$clog2(ScratchpadBytes)-1:3]),
    .mask_i   (strobe),
    .wdata_i  (store_data),
    .rdata_o  (scratchpad_rdata)
  );

  assign wb_source_d  = to_memory ? 2'd0 : to_scratchpad ? 2'd1 : 2'd2;
  assign wb_offset_d  = address[2:0];
  assign wb_funct3_d  = instruction[14:12];
  assign wb_mailbox_d = to_mailbox && is_access ? mailbox_rdata_i : wb_mailbox_q;
  assign word_read    = (wb_source_q == 2'd0) ? memory_rdata_i
                      : (wb_source_q == 2'd1) ? scratchpad_rdata : wb_mailbox_q;

  //////////////////
  // End of it    //
  //////////////////

  logic [Xlen-1:0] handler, return_pc, tval, link;
  logic [3:0]      cause;
  logic            traps, is_broken, is_refused, exits, ends, ready, retires, jumps, stops;

  // The call that ends a program; with a handler it is an environment call like any other.
  assign exits  = is_ecall && handler == '0 && a == Xlen'(pim_pkg::EXIT_CALL);
  assign drains = is_fence || is_fence_i || exits;

  // By priority: fetch, decode, environment, address.
  assign is_broken  = is_illegal || csr_illegal;
  assign is_refused = is_access && (misaligned || no_access);
  assign traps      = fetch_fault || (execute && (is_broken || is_ebreak || (is_ecall && !exits) || is_refused));

  assign cause = fetch_fault ? pim_pkg::CAUSE_FETCH_ACCESS
               : is_broken   ? pim_pkg::CAUSE_ILLEGAL
               : is_ebreak   ? pim_pkg::CAUSE_BREAKPOINT
               : is_ecall    ? pim_pkg::CAUSE_ECALL_M
               : misaligned  ? (is_store ? pim_pkg::CAUSE_STORE_MISALIGNED : pim_pkg::CAUSE_LOAD_MISALIGNED)
               :               (is_store ? pim_pkg::CAUSE_STORE_ACCESS : pim_pkg::CAUSE_LOAD_ACCESS);

  assign tval = fetch_fault ? (fetch_fault_second ? pc + Xlen'(2) : pc)
              : is_broken   ? (is_long ? Xlen'(fetched) : Xlen'(fetched[15:0]))
              : is_ebreak   ? pc
              : is_ecall    ? '0 : address;

  assign access_ready = to_memory ? memory_ready_i : to_mailbox ? mailbox_ready_i : 1'b1;

  always_comb begin
    ready = 1'b1;
    if (is_access) ready = access_ready;
    else if (is_mul) ready = mul_ready;
    else if (is_div) ready = div_ready;
    else if (drains) ready = memory_ready_i;
  end

  assign retires       = execute && !traps && ready;
  assign jumps         = is_jal || is_jalr || is_mret || (is_branch && taken);
  assign stops         = stop_i && running_q && (retires || traps);
  assign ends          = retires && exits;
  assign next          = retires && !jumps && !ends && !stops;
  assign redirect      = ((retires && jumps) || (traps && handler != '0)) && !stops;
  assign empty_buffer  = is_fence_i;
  assign branch_target = pc + immediate;
  assign link          = pc + (is_long ? Xlen'(4) : Xlen'(2));

  always_comb begin
    target = branch_target;
    if (traps) target = handler;
    else if (is_jalr) target = {address[Xlen-1:1], 1'b0};
    else if (is_mret) target = return_pc;
  end

  pim_csr #(
    .Xlen  (Xlen),
    .HartId(HartId)
  ) u_csr (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .commit_i     (retires),
    .access_i     (execute && is_csr),
    .address_i    (instruction[31:20]),
    .operation_i  (instruction[13:12]),
    .source_zero_i(rs1 == '0),
    .operand_i    (instruction[14] ? Xlen'(rs1) : a),
    .rdata_o      (csr_value),
    .illegal_o    (csr_illegal),
    .clear_i      (start_i && !running_q),
    .running_i    (running_q),
    .trap_i       (traps && handler != '0),
    .cause_i      (cause),
    .tval_i       (tval),
    .pc_i         (pc),
    .return_i     (retires && is_mret),
    .time_i       (time_q),
    .handler_o    (handler),
    .return_pc_o  (return_pc)
  );

  // time counts tCK since the start; an instruction sees it as of its first core edge.
  logic [63:0] clock_q, clock_d, time_q, time_d;
  assign clock_d = (core_en_i && start_i && !running_q) ? 64'd1 : clock_q + 64'd1;
  assign time_d  = !core_en_i ? time_q : (start_i && !running_q) ? '0 : clock_q;

  ////////////////
  // Write-back //
  ////////////////

  always_comb begin
    wb_value_d = alu_result;
    if (is_mul) wb_value_d = mul_result;
    if (is_div) wb_value_d = div_result;
    if (is_csr) wb_value_d = csr_value;
    if (is_jal || is_jalr) wb_value_d = link;
  end

  assign wb_valid_d   = retires && rd != '0;
  assign wb_is_load_d = is_load;
  assign wb_rd_d      = rd;

  // Without a handler a trap ends the run; so does stop_i, at the end of an instruction.
  assign done_o = core_en_i && ends && !stops;
  assign trap_o = core_en_i && (stops || (traps && handler == '0));
  assign code_o = done_o ? b[31:0] : 32'(cause);

  always_comb begin
    running_d   = running_q;
    finishing_d = finishing_q;
    if (start_i) running_d = 1'b1;
    if (ends || stops || (traps && handler == '0)) begin
      running_d   = 1'b0;
      finishing_d = 1'b1;
    end else if (finishing_q && memory_ready_i) begin
      finishing_d = 1'b0;
    end
  end

  assign flushed_o = !running_q && !finishing_q && memory_clean_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clock_q      <= '0;
      time_q       <= '0;
      running_q    <= 1'b0;
      finishing_q  <= 1'b0;
      wb_valid_q   <= 1'b0;
      wb_is_load_q <= 1'b0;
      wb_rd_q      <= '0;
      wb_value_q   <= '0;
      wb_source_q  <= '0;
      wb_offset_q  <= '0;
      wb_funct3_q  <= '0;
      wb_mailbox_q <= '0;
    end else begin
      clock_q <= clock_d;
      time_q  <= time_d;
      if (core_en_i) begin
        running_q    <= running_d;
        finishing_q  <= finishing_d;
        wb_valid_q   <= wb_valid_d;
        wb_is_load_q <= wb_is_load_d;
        wb_rd_q      <= wb_rd_d;
        wb_value_q   <= wb_value_d;
        wb_source_q  <= wb_source_d;
        wb_offset_q  <= wb_offset_d;
        wb_funct3_q  <= wb_funct3_d;
        wb_mailbox_q <= wb_mailbox_d;
      end
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT_INIT(XlenIs32Or64, Xlen == 32 || Xlen == 64)
  `ASSERT(EndsOrGoesOn, !(next && redirect))

endmodule
