// Runs programs on a bank core and writes what each retired, for comparison with the model. The host's side is played here:
// arguments, grant, start, poll. The clocks of core and refresh start with the run, as the model's do.
// +programs=FILE has a line per program, numbers in hexadecimal but for the count: memory image, trace to write, first pc,
// cycle limit, address whose store ends the run or 0, count of arguments, arguments.
`timescale 1ps/1ps

module lockstep_top #(
  parameter int Xlen        = 64,
  parameter int MemoryBits  = 20,
  parameter int RowBytes    = 1024,
  parameter int PortBytes   = 8,
  parameter int InstructionBufferBytes = 1024,
  parameter int InstructionLineBytes = 64,
  parameter int LineBuffers = 5,
  parameter int LineBytes   = 1024,
  parameter int SectorBytes = 64,
  parameter int ScratchpadBytes = 1024,
  parameter int ClockP      = 1,
  parameter int ClockQ      = 6,
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
  parameter int NRefi = 9363
);

  localparam int ROW_BITS    = MemoryBits - $clog2(RowBytes);
  localparam int COLUMN_BITS = (RowBytes > PortBytes) ? $clog2(RowBytes / PortBytes) : 1;
  localparam int WORDS       = 1 << (MemoryBits - 3);

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #5 clk = !clk;

  ////////////
  // Clocks //
  ////////////

  logic        counting_q, core_en, refresh_due;
  logic [31:0] phase_q, refresh_q;
  logic        starts;

  assign core_en     = !counting_q || phase_q + ClockP >= ClockQ;
  assign refresh_due = counting_q && refresh_q == NRefi;
  assign starts      = u_bank.start && core_en && !counting_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      counting_q <= 1'b0;
      phase_q    <= '0;
      refresh_q  <= '0;
    end else if (starts) begin
      counting_q <= 1'b1;
      phase_q    <= '0;
      refresh_q  <= '0;
    end else begin
      phase_q   <= core_en ? phase_q + ClockP - ClockQ : phase_q + ClockP;
      refresh_q <= refresh_due ? 32'd1 : refresh_q + 1;
    end
  end

  /////////
  // DUT //
  /////////

  logic                   host_valid = 1'b0, host_write = 1'b0, host_ready, host_rvalid, alert, lockout, act_wanted, grant;
  logic [7:3]             host_address = '0;
  logic [63:0]            host_wdata = '0, host_rdata;
  logic [Xlen-1:0]        boot_address = '0;
  logic [2:0]             command;
  logic [ROW_BITS-1:0]    command_row;
  logic [COLUMN_BITS-1:0] command_column;
  logic [8*PortBytes-1:0] bank_rdata, bank_wdata;

  pim_bank #(
    .Xlen(Xlen), .MemoryBits(MemoryBits), .RowBytes(RowBytes), .PortBytes(PortBytes),
    .InstructionBufferBytes(InstructionBufferBytes), .InstructionLineBytes(InstructionLineBytes),
    .LineBuffers(LineBuffers), .LineBytes(LineBytes), .SectorBytes(SectorBytes), .ScratchpadBytes(ScratchpadBytes),
    .NRcd(NRcd), .NRp(NRp), .NRas(NRas), .NCl(NCl), .NCwl(NCwl), .NCcd(NCcd), .NWr(NWr), .NRtp(NRtp), .NWtr(NWtr),
    .NRfc(NRfc)
  ) u_bank (
    .clk_i(clk), .rst_ni(rst_n), .core_en_i(core_en), .boot_address_i(boot_address),
    .host_valid_i(host_valid), .host_ready_o(host_ready), .host_write_i(host_write), .host_address_i(host_address),
    .host_wdata_i(host_wdata), .host_rvalid_o(host_rvalid), .host_rdata_o(host_rdata), .alert_o(alert),
    .host_bank_idle_i(1'b1), .host_bank_access_i(1'b0), .host_lockout_o(lockout),
    .refresh_due_i(refresh_due), .act_wanted_o(act_wanted), .act_grant_i(1'b1),
    .bank_grant_o(grant), .command_o(command), .command_row_o(command_row), .command_column_o(command_column),
    .bank_rdata_i(bank_rdata), .bank_wdata_o(bank_wdata)
  );

  pim_bank_model #(
    .RowBits(ROW_BITS), .RowBytes(RowBytes), .PortBytes(PortBytes),
    .NRcd(NRcd), .NRp(NRp), .NRas(NRas), .NCl(NCl), .NCwl(NCwl), .NCcd(NCcd), .NWr(NWr), .NRtp(NRtp), .NWtr(NWtr),
    .NRfc(NRfc)
  ) u_model (
    .clk_i(clk), .rst_ni(rst_n), .command_i(command), .row_i(command_row), .column_i(command_column),
    .rdata_o(bank_rdata), .wdata_i(bank_wdata)
  );

  ///////////
  // Trace //
  ///////////

  // A record is complete one core cycle after its instruction: by then a load's data is there.
  integer      trace_file = 0;
  logic        pending_q = 1'b0, pending_trap_q, pending_writes_q;
  logic [63:0] cycle_q, pending_cycle_q, pending_pc_q, pending_address_q, pending_data_q;
  logic [31:0] pending_word_q;
  logic [7:0]  pending_kind_q, pending_rd_q;
  logic [63:0] store_data;
  logic        told_q = 1'b0;  // the program has written tohost

  always_comb begin
    store_data = 64'(u_bank.u_core.b);
    unique case (u_bank.u_core.instruction[13:12])
      2'd0: store_data = store_data & 64'hFF;
      2'd1: store_data = store_data & 64'hFFFF;
      2'd2: store_data = store_data & 64'hFFFF_FFFF;
      default: ;
    endcase
  end

  always @(posedge clk) begin
    if (!rst_n || starts) begin
      told_q  <= 1'b0;
      cycle_q <= '0;
      pending_q <= 1'b0;
    end else if (counting_q && core_en) begin
      cycle_q <= cycle_q + 1;
      if (pending_q) begin
        // fixed width, all hexadecimal: cycle pc word kind rd value address data
        $fwrite(trace_file, "%16h%16h%8h%2h%2h%16h%16h%16h\n", pending_cycle_q, pending_pc_q, pending_word_q,
                pending_kind_q, pending_rd_q, pending_writes_q ? 64'(u_bank.u_core.written) : 64'd0, pending_address_q,
                pending_data_q);
      end
      if (u_bank.u_core.retires && u_bank.u_core.is_store && tohost != 0 && store_data != 0) begin
        if (64'(u_bank.u_core.address) == tohost) told_q <= 1'b1;
      end
      pending_q <= !told_q && (u_bank.u_core.retires || u_bank.u_core.traps);
      pending_cycle_q <= u_bank.u_core.traps ? cycle_q : cycle_q + 1;
      pending_pc_q <= 64'(u_bank.u_core.pc);
      // where there is no memory there are no bits
      pending_word_q <= u_bank.u_core.fetch_fault ? (u_bank.u_core.fetch_fault_second ? {16'd0, u_bank.u_core.fetched[15:0]} : '0)
                      : u_bank.u_core.is_long ? u_bank.u_core.fetched : {16'd0, u_bank.u_core.fetched[15:0]};
      pending_kind_q <= u_bank.u_core.traps ? 8'h80 | 8'(u_bank.u_core.cause)
                      : u_bank.u_core.is_load ? 8'd1 : u_bank.u_core.is_store ? 8'd2 : 8'd0;
      pending_writes_q <= u_bank.u_core.retires && u_bank.u_core.rd != 0;
      pending_rd_q <= u_bank.u_core.retires ? 8'(u_bank.u_core.rd) : 8'd0;
      pending_address_q <= (u_bank.u_core.retires && u_bank.u_core.is_access) ? 64'(u_bank.u_core.address) : 64'd0;
      pending_data_q <= (u_bank.u_core.retires && u_bank.u_core.is_store) ? store_data : 64'd0;
    end
  end

  //////////
  // Runs //
  //////////

  task automatic host_access(input logic is_write, input logic [7:3] register, input logic [63:0] value);
    @(negedge clk);
    host_valid = 1'b1;
    host_write = is_write;
    host_address = register;
    host_wdata = value;
    do @(posedge clk); while (!host_ready);
    @(negedge clk);
    host_valid = 1'b0;
  endtask

  string list_name, image_name, trace_name, wave_name;
  integer list, scanned, n_arguments;
  logic [63:0] boot, limit, argument, sum, tohost;

  initial begin
    if (!$value$plusargs("programs=%s", list_name)) $fatal(1, "+programs=FILE is missing");
    if ($value$plusargs("wave=%s", wave_name)) begin
      $dumpfile(wave_name);
      $dumpvars(0, lockstep_top);
    end
    list = $fopen(list_name, "r");
    if (list == 0) $fatal(1, "can't open %s", list_name);
    scanned = $fscanf(list, "%s %s %h %h %h %d", image_name, trace_name, boot, limit, tohost, n_arguments);
    while (scanned == 6) begin
      rst_n = 1'b0;
      for (int i = 0; i < WORDS; i++) u_model.word_q[i] = '0;
      for (int i = 1; i < 32; i++) u_bank.u_core.u_register_file.register_q[i] = '0;
      for (int i = 0; i < ScratchpadBytes / 8; i++) u_bank.u_core.u_scratchpad.word_q[i] = '0;
      $readmemh(image_name, u_model.word_q);
      trace_file = $fopen(trace_name, "w");
      boot_address = Xlen'(boot);
      repeat (4) @(negedge clk);
      rst_n = 1'b1;
      for (int i = 0; i < n_arguments; i++) begin
        scanned = $fscanf(list, "%h", argument);
        host_access(1'b1, 5'(16 + i), argument);
      end
      host_access(1'b1, pim_pkg::OWNER_OFFSET, 64'd1);
      host_access(1'b1, pim_pkg::CONTROL_OFFSET, 64'd1);
      while (!alert && !told_q && cycle_q < limit) @(negedge clk);
      if (alert) while (lockout) @(negedge clk);
      repeat (2 * ClockQ) @(negedge clk);
      sum = '0;  // a fingerprint of memory
      for (int i = 0; i < WORDS; i++) sum = sum + u_model.word_q[i] * (2 * 64'(i) + 1);
      $fwrite(trace_file, "end %h %h %h %h\n", told_q ? 2'd0 : u_bank.u_mailbox.run_q, u_bank.u_mailbox.code_q, u_bank.u_mailbox.return_q,
              sum);
      $fclose(trace_file);
      scanned = $fscanf(list, "%s %s %h %h %h %d", image_name, trace_name, boot, limit, tohost, n_arguments);
    end
    $finish;
  end

endmodule
