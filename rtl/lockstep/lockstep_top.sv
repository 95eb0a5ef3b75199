// Runs programs on the bank cores of a die, each in its own bank, and writes what each retired, for comparison with the
// model. The host's side is played here: arguments, grant, start, poll. The clocks of cores and refresh start with the run,
// as the model's do.
// +programs=FILE has a line per run: cycle limit, core clock over tCK as two numbers, tREFI in tCK, count of cores that run;
// for each of these first pc, address whose store ends the run or 0, count of arguments, arguments. Cycles, addresses and
// arguments are hexadecimal. Run r has the images r.CORE.hex, the host's commands r.host and writes r.CORE.trace.
`timescale 1ps/1ps

module lockstep_top #(
  parameter int Cores       = 1,
  parameter int BankGroups  = 4,
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
  parameter int NRrdS = 4,
  parameter int NRrdL = 6,
  parameter int NFaw = 26,
  parameter int NClaim = 1000
);

  localparam int ROW_BITS    = MemoryBits - $clog2(RowBytes);
  localparam int COLUMN_BITS = (RowBytes > PortBytes) ? $clog2(RowBytes / PortBytes) : 1;
  localparam int WORDS       = 1 << (MemoryBits - 3);
  localparam int PAD_ROWS    = (ScratchpadBytes > PortBytes) ? ScratchpadBytes / PortBytes : 1;
  localparam logic [63:0] PATTERN = 64'hC1A1_5ED0_0DDC_0DE5;  // what the host writes, into the last row

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #5 clk = !clk;

  ////////////
  // Clocks //
  ////////////

  logic        counting_q, core_en, refresh_due;
  logic [31:0] phase_q, refresh_q;
  logic [63:0] now_q, cycle_q;
  logic        starts;
  logic [31:0] clock_p = 1, clock_q = 1, refresh_interval = 1;  // of the run

  assign core_en     = !counting_q || phase_q + clock_p >= clock_q;
  assign refresh_due = counting_q && refresh_q == refresh_interval;
  assign starts      = u_chip.gen_bank[0].u_bank.start && core_en && !counting_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      counting_q <= 1'b0;
      phase_q    <= '0;
      refresh_q  <= '0;
      now_q      <= '0;
      cycle_q    <= '0;
    end else if (starts) begin
      counting_q <= 1'b1;
      phase_q    <= '0;
      refresh_q  <= '0;
      now_q      <= '0;
      cycle_q    <= '0;
    end else begin
      phase_q   <= core_en ? phase_q + clock_p - clock_q : phase_q + clock_p;
      refresh_q <= refresh_due ? 32'd1 : refresh_q + 1;
      now_q     <= now_q + 1;
      cycle_q   <= (counting_q && core_en) ? cycle_q + 1 : cycle_q;
    end
  end

  /////////
  // DUT //
  /////////

  logic [Cores-1:0]                  host_valid = '0, host_ready, host_rvalid, alert, lockout, grant, told, ended;
  logic                              host_write = 1'b0;
  logic [7:3]                        host_address = '0;
  logic [63:0]                       host_wdata = '0;
  logic [Cores-1:0][63:0]            host_rdata;
  logic [Cores-1:0][Xlen-1:0]        boot_address = '0;
  logic [Cores-1:0][63:0]            tohost = '0;
  logic [Cores-1:0][2:0]             command, host_command;
  logic [Cores-1:0][ROW_BITS-1:0]    command_row;
  logic [Cores-1:0][COLUMN_BITS-1:0] command_column;
  logic [Cores-1:0][8*PortBytes-1:0] bank_rdata, bank_wdata;
  logic [Cores-1:0]                  claimed, host_act;
  logic [Cores-1:0][COLUMN_BITS-1:0] host_column;
  integer                            run = 0, n_cores = 0;
  logic [Cores-1:0]                  runs;
  logic                              open = 1'b0, close = 1'b0;

  assign ended = alert | told;
  assign runs  = {Cores{1'b1}} >> (Cores - n_cores);

  pim_chip #(
    .Banks(Cores), .BankGroups(BankGroups),
    .Xlen(Xlen), .MemoryBits(MemoryBits), .RowBytes(RowBytes), .PortBytes(PortBytes),
    .InstructionBufferBytes(InstructionBufferBytes), .InstructionLineBytes(InstructionLineBytes),
    .LineBuffers(LineBuffers), .LineBytes(LineBytes), .SectorBytes(SectorBytes), .ScratchpadBytes(ScratchpadBytes),
    .NRcd(NRcd), .NRp(NRp), .NRas(NRas), .NCl(NCl), .NCwl(NCwl), .NCcd(NCcd), .NWr(NWr), .NRtp(NRtp), .NWtr(NWtr),
    .NRfc(NRfc), .NRrdS(NRrdS), .NRrdL(NRrdL), .NFaw(NFaw), .NClaim(NClaim)
  ) u_chip (
    .clk_i(clk), .rst_ni(rst_n), .core_en_i(core_en), .boot_address_i(boot_address),
    .host_valid_i(host_valid), .host_ready_o(host_ready), .host_write_i(host_write), .host_address_i(host_address),
    .host_wdata_i(host_wdata), .host_rvalid_o(host_rvalid), .host_rdata_o(host_rdata), .alert_o(alert),
    .host_bank_idle_i({Cores{1'b1}}), .host_bank_access_i('0), .host_act_i(host_act), .host_lockout_o(lockout),
    .claimed_i(claimed), .refresh_due_i(refresh_due),
    .bank_grant_o(grant), .command_o(command), .command_row_o(command_row), .command_column_o(command_column),
    .bank_rdata_i(bank_rdata), .bank_wdata_o(bank_wdata)
  );

  lockstep_host #(.Banks(Cores), .ColumnBits(COLUMN_BITS)) u_host (
    .clk_i(clk), .counting_i(counting_q), .clock_i(now_q), .run_i(run), .open_i(open),
    .claimed_o(claimed), .command_o(host_command), .column_o(host_column)
  );

  lockstep_activates #(.Banks(Cores), .BankGroups(BankGroups), .NRrdS(NRrdS), .NRrdL(NRrdL), .NFaw(NFaw)) u_activates (
    .clk_i(clk), .rst_ni(rst_n), .command_i(command), .host_command_i(host_command)
  );

  generate
    for (genvar i = 0; i < Cores; i++) begin : gen_core
      logic                   is_host;
      logic [NCwl-2:0]        host_writes_q;
      logic [63:0]            sum;
      logic [2:0]             bank_command;
      logic [31:0]            word;

      assign is_host      = host_command[i] != pim_pkg::COMMAND_NOP;
      assign host_act[i]  = host_command[i] == pim_pkg::COMMAND_ACT;
      assign bank_command = is_host ? host_command[i] : command[i];

      always_ff @(posedge clk or negedge rst_n) begin
        if (!rst_n) host_writes_q <= '0;
        else host_writes_q <= {host_writes_q[NCwl-3:0], host_command[i] == pim_pkg::COMMAND_WR};
      end

      pim_bank_model #(
        .RowBits(ROW_BITS), .RowBytes(RowBytes), .PortBytes(PortBytes),
        .NRcd(NRcd), .NRp(NRp), .NRas(NRas), .NCl(NCl), .NCwl(NCwl), .NCcd(NCcd), .NWr(NWr), .NRtp(NRtp), .NWtr(NWtr),
        .NRfc(NRfc)
      ) u_model (
        .clk_i(clk), .rst_ni(rst_n), .command_i(bank_command), .row_i(is_host ? {ROW_BITS{1'b1}} : command_row[i]),
        .column_i(is_host ? host_column[i] : command_column[i]), .rdata_o(bank_rdata[i]),
        .wdata_i(host_writes_q[NCwl-2] ? {PortBytes/8{PATTERN}} : bank_wdata[i])
      );

      // where there is no memory there are no bits
      assign word = u_chip.gen_bank[i].u_bank.u_core.fetch_fault
                      ? (u_chip.gen_bank[i].u_bank.u_core.fetch_fault_second
                           ? {16'd0, u_chip.gen_bank[i].u_bank.u_core.fetched[15:0]} : '0)
                  : u_chip.gen_bank[i].u_bank.u_core.is_long ? u_chip.gen_bank[i].u_bank.u_core.fetched
                  : {16'd0, u_chip.gen_bank[i].u_bank.u_core.fetched[15:0]};

      lockstep_trace #(.Core(i)) u_trace (
        .clk_i(clk), .rst_ni(rst_n), .core_en_i(core_en), .counting_i(counting_q), .run_i(run),
        .open_i(open && runs[i]), .close_i(close && runs[i]), .cycle_i(cycle_q), .clock_i(now_q), .tohost_i(tohost[i]), .told_o(told[i]),
        .retires_i(u_chip.gen_bank[i].u_bank.u_core.retires),
        .traps_i(u_chip.gen_bank[i].u_bank.u_core.traps),
        .cause_i(8'(u_chip.gen_bank[i].u_bank.u_core.cause)),
        .pc_i(64'(u_chip.gen_bank[i].u_bank.u_core.pc)),
        .word_i(word),
        .is_load_i(u_chip.gen_bank[i].u_bank.u_core.is_load),
        .is_store_i(u_chip.gen_bank[i].u_bank.u_core.is_store),
        .is_access_i(u_chip.gen_bank[i].u_bank.u_core.is_access),
        .rd_i(8'(u_chip.gen_bank[i].u_bank.u_core.rd)),
        .address_i(64'(u_chip.gen_bank[i].u_bank.u_core.address)),
        .width_i(u_chip.gen_bank[i].u_bank.u_core.instruction[13:12]),
        .store_data_i(64'(u_chip.gen_bank[i].u_bank.u_core.b)),
        .written_i(64'(u_chip.gen_bank[i].u_bank.u_core.written)),
        .act_waits_i(u_chip.act_ready[i] && !u_chip.act_grant[i]),
        .run_state_i(u_chip.gen_bank[i].u_bank.u_mailbox.run_q),
        .code_i(u_chip.gen_bank[i].u_bank.u_mailbox.code_q),
        .return_i(u_chip.gen_bank[i].u_bank.u_mailbox.return_q),
        .sum_i(sum)
      );

      always @(posedge open) begin
        for (int j = 0; j < WORDS; j++) u_model.word_q[j] = '0;
        for (int j = 1; j < 32; j++) u_chip.gen_bank[i].u_bank.u_core.u_register_file.register_q[j] = '0;
        for (int j = 0; j < PAD_ROWS; j++) u_chip.gen_bank[i].u_bank.u_core.u_scratchpad.u_sram.word_q[j] = '0;
        if (i < n_cores) $readmemh($sformatf("%0d.%0d.hex", run, i), u_model.word_q);
      end

      always @(posedge add) begin  // a fingerprint of memory
        sum = '0;
        for (int j = 0; j < WORDS; j++) sum = sum + u_model.word_q[j] * (2 * 64'(j) + 1);
      end
    end
  endgenerate

  //////////
  // Runs //
  //////////

  task automatic host_access(input logic [Cores-1:0] cores, input logic [7:3] register, input logic [63:0] value);
    @(negedge clk);
    host_valid = cores;
    host_write = 1'b1;
    host_address = register;
    host_wdata = value;
    do @(posedge clk); while ((cores & ~host_ready) != '0);
    @(negedge clk);
    host_valid = '0;
  endtask

  string list_name, wave_name;
  integer list, scanned, n_arguments;
  logic [63:0] limit, first_pc, address, argument;
  logic add = 1'b0;

  initial begin
    if (!$value$plusargs("programs=%s", list_name)) $fatal(1, "+programs=FILE is missing");
    if ($value$plusargs("wave=%s", wave_name)) begin
      $dumpfile(wave_name);
      $dumpvars(0, lockstep_top);
    end
    list = $fopen(list_name, "r");
    if (list == 0) $fatal(1, "can't open %s", list_name);
    scanned = $fscanf(list, "%h %d %d %d %d", limit, clock_p, clock_q, refresh_interval, n_cores);
    while (scanned == 5) begin
      rst_n = 1'b0;
      #1 open = 1'b1;
      #1 open = 1'b0;
      repeat (4) @(negedge clk);
      rst_n = 1'b1;
      for (int i = 0; i < n_cores; i++) begin
        scanned = $fscanf(list, "%h %h %d", first_pc, address, n_arguments);
        boot_address[i] = Xlen'(first_pc);
        tohost[i] = address;
        for (int j = 0; j < n_arguments; j++) begin
          scanned = $fscanf(list, "%h", argument);
          host_access(Cores'(1) << i, 5'(16 + j), argument);
        end
      end
      // The same grant, start and first edge for all.
      host_access(runs, pim_pkg::OWNER_OFFSET, 64'd1);
      host_access(runs, pim_pkg::CONTROL_OFFSET, 64'd1);
      while (ended != runs && cycle_q < limit) @(negedge clk);
      while ((alert & lockout) != '0) @(negedge clk);
      repeat (2 * clock_q) @(negedge clk);
      #1 add = 1'b1;
      #1 add = 1'b0;
      close = 1'b1;
      #1 close = 1'b0;
      run = run + 1;
      scanned = $fscanf(list, "%h %d %d %d %d", limit, clock_p, clock_q, refresh_interval, n_cores);
    end
    $finish;
  end

endmodule
