// Control registers of one bank core, the hand-over of its bank between host and core (`exclusive`), and the host's claims to
// a bank that the core keeps (`concurrent`).
// One clock, tCK; the core's clock is the enable core_en_i, and everything from the core is sampled at enabled edges.
// Registers, hand-over and the cost of each step: docs/rtl.md, docs/timing.md.

`include "pim_assert.svh"

module pim_mailbox #(
  parameter int TmodNck = 24  // mode switch, nCK: JESD79-4 tMOD = max(24 nCK, 15 ns)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        core_en_i,

  // Host: register port of the decoder on the DDR side
  input  logic        host_valid_i,
  output logic        host_ready_o,
  input  logic        host_write_i,
  input  logic [7:3]  host_address_i,
  input  logic [63:0] host_wdata_i,
  output logic        host_rvalid_o,
  output logic [63:0] host_rdata_o,

  // Core: register port of its loads and stores; an access completes at the enabled edge with valid and ready
  input  logic        core_valid_i,
  output logic        core_ready_o,
  input  logic        core_write_i,
  input  logic [7:3]  core_address_i,
  input  logic [7:0]  core_strobe_i,
  input  logic [63:0] core_wdata_i,
  output logic [63:0] core_rdata_o,

  // Core: run control
  output logic        start_o,         // held until the first enabled edge
  output logic        stop_o,          // held until the core answers with done or trap
  input  logic        done_i,
  input  logic        trap_i,
  input  logic [31:0] code_i,          // exit code with done_i, mcause with trap_i
  input  logic        core_flushed_i,  // no dirty line buffer, no access to the bank in flight

  // Bank
  input  logic        bank_idle_i,         // precharged, tRP over
  input  logic        host_bank_access_i,  // the host sends this bank a command other than refresh
  output logic        host_lockout_o,
  output logic        bank_grant_o,        // the core may use the bank
  output logic        claimed_o,           // the host needs it: the core's controller closes the row and waits
  input  logic        claim_ready_i,       // it has, and the host may use the bank

  // Host: the run has ended; held until it is cleared or the next run starts
  output logic        alert_o
);

  ///////////////
  // Constants //
  ///////////////

  localparam int COUNT_BITS = $clog2(TmodNck);

  /////////////
  // Signals //
  /////////////

  // Codes of pim_pkg::run_e and owner_e; Icarus 11 crashes on variables of a package's enum type.
  logic [1:0] run_q, run_d;
  logic [2:0] owner_q, owner_d;

  logic [COUNT_BITS-1:0] switch_count_q, switch_count_d;

  logic        host_waited_q, host_waited_d;
  logic        start_q, start_d;
  logic        start_pending_q, start_pending_d;
  logic        stop_q, stop_d;
  logic        lockout_error_q, lockout_error_d;
  logic        protocol_error_q, protocol_error_d;
  logic        claim_q, claim_d;
  logic        keep_q, keep_d;
  logic        claimed_q;
  logic [31:0] code_q, code_d;
  logic        host_rvalid_q, host_rvalid_d;
  logic [63:0] host_rdata_q, host_rdata_d;
  logic [63:0] return_q, return_d;
  logic [63:0] argument_q [pim_pkg::NUM_ARGUMENTS];

  logic        core_access, host_access, host_commands, host_port;
  logic        port_write, port_is_argument, argument_we;
  logic [7:3]  port_address;
  logic [7:0]  port_strobe;
  logic [63:0] argument, port_wdata, port_rdata, port_merged;

  logic        control_write, owner_write;
  logic        start_asked, clear_asked, request_asked, release_asked, claim_asked, unclaim_asked;
  logic        running, run_ends, core_enters, launch;

  ///////////////////////////////////////////////////////
  // Register port: one, shared by the host and the core //
  ///////////////////////////////////////////////////////

  // The core goes first, so that polling never changes its timing, unless the host has just waited. With a core clock
  // of at most half of tCK's the tCK after an enabled edge is free: the host waits one tCK at most, the core never.
  // The host's writes to CONTROL and OWNER need no port and never wait: the host knows when they act.
  assign host_commands = host_valid_i && host_write_i
                      && (host_address_i == pim_pkg::CONTROL_OFFSET || host_address_i == pim_pkg::OWNER_OFFSET);
  assign core_ready_o  = !(host_valid_i && host_waited_q);
  assign core_access   = core_valid_i && core_ready_o && core_en_i;
  assign host_ready_o  = !core_access || host_commands;
  assign host_access   = host_valid_i && host_ready_o;
  assign host_port     = host_access && !host_commands;
  assign host_waited_d = host_valid_i && !host_ready_o;

  assign port_address     = host_port ? host_address_i : core_address_i;
  assign port_write       = host_port ? host_write_i : (core_access && core_write_i);
  assign port_wdata       = host_port ? host_wdata_i : core_wdata_i;
  assign port_strobe      = host_port ? 8'hFF : core_strobe_i;
  assign port_is_argument = port_address >= pim_pkg::ARGUMENT_OFFSET;
  assign argument_we      = port_write && port_is_argument;
  assign argument         = argument_q[port_address[6:3]];

  always_comb begin
    port_rdata = '0;
    unique case (port_address)
      pim_pkg::CONTROL_OFFSET: port_rdata[pim_pkg::CONTROL_START_BIT] = start_pending_q;
      pim_pkg::STATUS_OFFSET:
        port_rdata = {code_q, 22'd0, protocol_error_q, lockout_error_q, claim_q, owner_q, 2'd0, run_q};
      pim_pkg::OWNER_OFFSET:   port_rdata[4:0] = {keep_q, claim_q, owner_q};
      pim_pkg::RETURN_OFFSET:  port_rdata = return_q;
      default:                 if (port_is_argument) port_rdata = argument;
    endcase
  end

  always_comb begin
    for (int i = 0; i < 8; i++) begin
      port_merged[8*i +: 8] = port_strobe[i] ? port_wdata[8*i +: 8] : port_rdata[8*i +: 8];
    end
  end

  always_comb begin
    return_d = return_q;
    if (port_write && port_address == pim_pkg::RETURN_OFFSET) return_d = port_merged;
  end

  assign core_rdata_o  = port_rdata;
  assign host_rvalid_d = host_access && !host_write_i;
  assign host_rdata_d  = host_rvalid_d ? port_rdata : host_rdata_q;
  assign host_rvalid_o = host_rvalid_q;
  assign host_rdata_o  = host_rdata_q;

  // CONTROL and OWNER obey the host only.
  assign control_write = host_access && host_write_i && host_address_i == pim_pkg::CONTROL_OFFSET;
  assign owner_write   = host_access && host_write_i && host_address_i == pim_pkg::OWNER_OFFSET;
  assign start_asked   = control_write && host_wdata_i[pim_pkg::CONTROL_START_BIT];
  assign clear_asked   = control_write && host_wdata_i[pim_pkg::CONTROL_CLEAR_BIT];
  assign release_asked = owner_write && host_wdata_i[1:0] == pim_pkg::OWNER_RELEASE;
  assign request_asked = owner_write && host_wdata_i[1:0] == pim_pkg::OWNER_REQUEST;
  assign claim_asked   = owner_write && host_wdata_i[1:0] == pim_pkg::OWNER_CLAIM;
  assign unclaim_asked = owner_write && host_wdata_i[1:0] == pim_pkg::OWNER_UNCLAIM;

  ///////////////
  // Ownership //
  ///////////////

  always_comb begin
    owner_d        = owner_q;
    switch_count_d = switch_count_q;
    unique case (owner_q)
      pim_pkg::OWNER_HOST: if (request_asked) owner_d = pim_pkg::OWNER_DRAIN;

      // An access at this very edge opens the row again.
      pim_pkg::OWNER_DRAIN: begin
        switch_count_d = COUNT_BITS'(TmodNck - 1);
        if (release_asked) owner_d = pim_pkg::OWNER_HOST;
        else if (bank_idle_i && !host_bank_access_i) owner_d = pim_pkg::OWNER_TO_CORE;
      end

      // A release during the switch turns back, after a full tMOD.
      pim_pkg::OWNER_TO_CORE: begin
        switch_count_d = switch_count_q - COUNT_BITS'(1);
        if (release_asked) begin
          owner_d        = pim_pkg::OWNER_TO_HOST;
          switch_count_d = COUNT_BITS'(TmodNck - 1);
        end else if (switch_count_q == COUNT_BITS'(1)) begin
          owner_d = pim_pkg::OWNER_CORE;
        end
      end

      pim_pkg::OWNER_CORE: begin
        if ((run_ends && (!keep_q || release_asked)) || (release_asked && !running)) owner_d = pim_pkg::OWNER_FLUSH;
      end

      pim_pkg::OWNER_FLUSH: begin
        switch_count_d = COUNT_BITS'(TmodNck - 1);
        if (core_en_i && core_flushed_i) owner_d = pim_pkg::OWNER_TO_HOST;
      end

      pim_pkg::OWNER_TO_HOST: begin
        switch_count_d = switch_count_q - COUNT_BITS'(1);
        if (switch_count_q == COUNT_BITS'(1)) owner_d = pim_pkg::OWNER_HOST;
      end

      default: owner_d = pim_pkg::OWNER_HOST;
    endcase
  end

  assign bank_grant_o   = owner_q == pim_pkg::OWNER_CORE || owner_q == pim_pkg::OWNER_FLUSH;
  assign host_lockout_o = !(owner_q == pim_pkg::OWNER_HOST || owner_q == pim_pkg::OWNER_DRAIN)
                       && !claim_ready_i;

  // A claim ends with its row closed; when the bank is the host's again anyway, it means nothing.
  always_comb begin
    claim_d = claim_q;
    if (claim_asked && bank_grant_o) claim_d = 1'b1;
    if (unclaim_asked && bank_idle_i && !host_bank_access_i) claim_d = 1'b0;
    if (owner_q == pim_pkg::OWNER_HOST) claim_d = 1'b0;
  end

  assign claimed_o = claimed_q;

  always_comb begin
    keep_d = keep_q;
    if (request_asked && owner_q == pim_pkg::OWNER_HOST) keep_d = host_wdata_i[pim_pkg::OWNER_KEEP_BIT];
    if (release_asked) keep_d = 1'b0;
  end

  /////////
  // Run //
  /////////

  assign running     = run_q == pim_pkg::RUN_RUNNING;
  assign run_ends    = running && !start_q && core_en_i && (done_i || trap_i);
  assign core_enters = owner_q == pim_pkg::OWNER_TO_CORE && owner_d == pim_pkg::OWNER_CORE;
  assign launch      = (core_enters && (start_pending_q || start_asked))
                    || (owner_q == pim_pkg::OWNER_CORE && (start_pending_q || start_asked) && !running && core_flushed_i
                        && !release_asked);

  always_comb begin
    run_d  = run_q;
    code_d = code_q;
    if (clear_asked && !running) run_d = pim_pkg::RUN_IDLE;
    if (launch) begin
      run_d  = pim_pkg::RUN_RUNNING;
      code_d = '0;
    end else if (run_ends) begin
      run_d  = trap_i ? pim_pkg::RUN_TRAPPED : pim_pkg::RUN_DONE;
      code_d = code_i;
    end
  end

  // A start written during the hand-over waits for the grant, one after a run for the end of its write-back; a release
  // forgets it.
  always_comb begin
    start_pending_d = start_pending_q;
    if (launch || release_asked) begin
      start_pending_d = 1'b0;
    end else if (owner_q == pim_pkg::OWNER_DRAIN || owner_q == pim_pkg::OWNER_TO_CORE
                 || (owner_q == pim_pkg::OWNER_CORE && !running)) begin
      start_pending_d = start_pending_q || start_asked;
    end
  end

  assign start_d = launch || (start_q && !core_en_i);
  assign stop_d  = !run_ends && (stop_q || (release_asked && running));
  assign start_o = start_q;
  assign stop_o  = stop_q;
  assign alert_o = run_q == pim_pkg::RUN_DONE || run_q == pim_pkg::RUN_TRAPPED;

  // Sticky errors; a new one wins over the clear.
  always_comb begin
    lockout_error_d  = (lockout_error_q && !clear_asked) || (host_lockout_o && host_bank_access_i);
    protocol_error_d = protocol_error_q && !clear_asked;
    unique case (owner_q)
      pim_pkg::OWNER_HOST: if (start_asked) protocol_error_d = 1'b1;
      pim_pkg::OWNER_DRAIN, pim_pkg::OWNER_TO_CORE: if (claim_asked) protocol_error_d = 1'b1;
      pim_pkg::OWNER_CORE: if (start_asked && running) protocol_error_d = 1'b1;
      pim_pkg::OWNER_FLUSH, pim_pkg::OWNER_TO_HOST: if (start_asked || request_asked) protocol_error_d = 1'b1;
      default: ;
    endcase
    if (unclaim_asked && claim_q && claim_d) protocol_error_d = 1'b1;
  end

  ///////////////
  // Registers //
  ///////////////

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q            <= pim_pkg::RUN_IDLE;
      owner_q          <= pim_pkg::OWNER_HOST;
      switch_count_q   <= '0;
      host_waited_q    <= 1'b0;
      start_q          <= 1'b0;
      start_pending_q  <= 1'b0;
      stop_q           <= 1'b0;
      lockout_error_q  <= 1'b0;
      protocol_error_q <= 1'b0;
      claim_q          <= 1'b0;
      keep_q           <= 1'b0;
      claimed_q        <= 1'b0;
      code_q           <= '0;
      host_rvalid_q    <= 1'b0;
      host_rdata_q     <= '0;
      return_q         <= '0;
    end else begin
      run_q            <= run_d;
      owner_q          <= owner_d;
      switch_count_q   <= switch_count_d;
      host_waited_q    <= host_waited_d;
      start_q          <= start_d;
      start_pending_q  <= start_pending_d;
      stop_q           <= stop_d;
      lockout_error_q  <= lockout_error_d;
      protocol_error_q <= protocol_error_d;
      claim_q          <= claim_d;
      keep_q           <= keep_d;
      claimed_q        <= claim_q;
      code_q           <= code_d;
      host_rvalid_q    <= host_rvalid_d;
      host_rdata_q     <= host_rdata_d;
      return_q         <= return_d;
    end
  end

  // A register file: word write-enable here, no next-state copy.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int i = 0; i < pim_pkg::NUM_ARGUMENTS; i++) argument_q[i] <= '0;
    end else if (argument_we) begin
      argument_q[port_address[6:3]] <= port_merged;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT_INIT(TmodIsAtLeastTwo, TmodNck >= 2)

  // One partner at a time on the shared port, and nobody waits twice.
  `ASSERT(PortHasOneUser, !(host_port && core_access))
  `ASSERT(HostWaitsOnce, !(host_waited_q && host_valid_i && !host_ready_o))

  // The bank never has two users.
  `ASSERT(GrantLocksHostOut, !bank_grant_o || host_lockout_o || claim_ready_i)
  `ASSERT(RunningOwnsBank, !running || owner_q == pim_pkg::OWNER_CORE)

  // What the partners owe: a held request, and an end only of a run that has begun.
  `ASSERT(HostHoldsRequest, !host_waited_q || host_valid_i)
  `ASSERT(EndNeedsRun, !(core_en_i && (done_i || trap_i)) || (running && !start_q))

endmodule
