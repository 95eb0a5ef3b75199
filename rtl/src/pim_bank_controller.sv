// Commands to one bank: what a request of the core needs, each at the first tCK that its timing allows, and refresh on time.
// The row stays open after a request. A refresh that is due goes before the next request; one that has begun goes first.
// While the host claims the bank it is the host's: what the core has asked for before goes first, then a refresh due before.

`include "pim_assert.svh"

module pim_bank_controller #(
  parameter int RowBits    = 16,
  parameter int ColumnBits = 7,
  // Timings in tCK; defaults: DDR4-2400, 8 Gb (pim/config/timing.py)
  parameter int NRcd  = 17,
  parameter int NRp   = 17,
  parameter int NRas  = 39,
  parameter int NCl   = 17,
  parameter int NCwl  = 12,
  parameter int NCcd  = 6,   // tCCD_L
  parameter int NWr   = 18,
  parameter int NRtp  = 9,
  parameter int NWtr  = 9,   // tWTR_L
  parameter int NRfc  = 421,
  // The host's claims: when it gives its ACT, and how long before that the die's cores give none
  parameter int NClaim = 1000,
  parameter int NQuiet = 26
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Request: held until done
  input  logic                  request_i,
  input  logic                  write_i,
  input  logic [RowBits-1:0]    row_i,
  input  logic [ColumnBits-1:0] column_i,       // first one
  input  logic [7:0]            columns_i,      // how many
  output logic                  read_beat_o,    // read data of column beat_index_o is there
  output logic                  write_beat_o,   // data of column beat_index_o must be there at the next tCK
  output logic [7:0]            beat_index_o,
  output logic                  done_o,         // with the last column's data

  input  logic                  close_i,        // without a request: close the row

  // Refresh: a pulse every tREFI
  input  logic                  refresh_due_i,

  // Host: the bank is claimed in these tCK
  input  logic                  claimed_i,
  output logic                  claim_ready_o,  // and it is the host's by now

  // What the banks of a die share
  output logic                  act_pending_o,  // a request needs an ACT; from its tCK to that of the ACT
  output logic                  act_ready_o,    // the bank can take it in this tCK
  input  logic                  act_grant_i,    // this tCK carries it
  output logic                  act_quiet_o,    // the host's ACT to this bank comes soon

  // Bank
  output logic [2:0]            command_o,      // pim_pkg::COMMAND_*
  output logic [RowBits-1:0]    command_row_o,
  output logic [ColumnBits-1:0] command_column_o,
  output logic                  idle_o          // precharged, no command in flight, no refresh due
);

  ///////////////
  // Constants //
  ///////////////

  localparam int TIMER_BITS = 10;
  localparam int CLAIM_BITS = $clog2(NClaim + 2);
  // From a RD to a WR and the reverse: the data bus turns around.
  localparam int READ_TO_WRITE = (NCl + 2 - NCwl > NCcd) ? NCl + 2 - NCwl : NCcd;
  localparam int WRITE_TO_READ = NCwl + NWtr;
  localparam int WRITE_TO_PRE  = NCwl + NWr;

  /////////////
  // Signals //
  /////////////

  // Clocks until the next command of the kind may go out, 0: now.
  logic [TIMER_BITS-1:0] act_wait_q, act_wait_d, pre_wait_q, pre_wait_d;
  logic [TIMER_BITS-1:0] read_wait_q, read_wait_d, write_wait_q, write_wait_d;

  logic                  open_q, open_d;
  logic [RowBits-1:0]    row_q, row_d;
  logic                  taken_q, taken_d;    // the request goes before a claim
  logic                  begun_q, begun_d;    // the request has the bank until its last column command
  logic                  issued_q, issued_d;  // all its column commands are out
  logic [7:0]            next_q, next_d;      // columns commanded
  logic [7:0]            beat_q, beat_d;      // columns whose data has come or gone
  logic [7:0]            asked_q, asked_d;    // columns whose data to write was asked for
  logic                  due_q, due;
  logic                  due_first_q, due_first_d;  // it is due before the claim
  logic                  claimed_q;
  logic [CLAIM_BITS-1:0] claim_q, claim_d;    // clocks since the claim, as far as anyone asks
  logic [NCl-2:0]        read_pipe_q;
  logic [NCwl-2:0]       write_pipe_q;

  logic taken, active, is_open, column_ok, refreshing, closing, last_column;

  //////////////
  // Commands //
  //////////////

  assign due       = due_q || refresh_due_i;
  assign taken     = request_i && !issued_q && (taken_q || !claimed_i);
  assign active    = begun_q || (taken && !due);
  assign is_open   = open_q && row_q == row_i;
  assign column_ok = write_i ? write_wait_q == '0 : read_wait_q == '0;
  // A refresh waits for what is under way: precharge first, then REF. One that comes up during a claim waits for its end.
  assign refreshing = due && !begun_q && (!claimed_i || due_first_d);
  assign closing    = (close_i || claimed_i) && !active;

  assign act_pending_o = taken && (!is_open || (due && !begun_q));
  assign act_ready_o   = active && !open_q && act_wait_q == '0;

  always_comb begin
    command_o = pim_pkg::COMMAND_NOP;
    if (refreshing || closing) begin
      if (open_q && pre_wait_q == '0) command_o = pim_pkg::COMMAND_PRE;
      else if (refreshing && !open_q && act_wait_q == '0) command_o = pim_pkg::COMMAND_REF;
    end else if (active) begin
      if (is_open) begin
        if (column_ok) command_o = write_i ? pim_pkg::COMMAND_WR : pim_pkg::COMMAND_RD;
      end else if (open_q) begin
        if (pre_wait_q == '0) command_o = pim_pkg::COMMAND_PRE;
      end else if (act_ready_o && act_grant_i) begin
        command_o = pim_pkg::COMMAND_ACT;
      end
    end
  end

  assign command_row_o    = row_i;
  assign command_column_o = column_i + ColumnBits'(next_q);

  ///////////////////////
  // Timers and state //
  ///////////////////////

  function automatic logic [TIMER_BITS-1:0] longer(input logic [TIMER_BITS-1:0] left, input int clocks);
    longer = (left > TIMER_BITS'(clocks - 1)) ? left : TIMER_BITS'(clocks - 1);
  endfunction

  assign last_column = next_q == columns_i - 8'd1;

  always_comb begin
    act_wait_d   = (act_wait_q == '0) ? '0 : act_wait_q - TIMER_BITS'(1);
    pre_wait_d   = (pre_wait_q == '0) ? '0 : pre_wait_q - TIMER_BITS'(1);
    read_wait_d  = (read_wait_q == '0) ? '0 : read_wait_q - TIMER_BITS'(1);
    write_wait_d = (write_wait_q == '0) ? '0 : write_wait_q - TIMER_BITS'(1);
    open_d       = open_q;
    row_d        = row_q;
    taken_d      = taken;
    begun_d      = active;
    issued_d     = issued_q && !done_o;
    next_d       = next_q;
    unique case (command_o)
      pim_pkg::COMMAND_ACT: begin
        open_d       = 1'b1;
        row_d        = row_i;
        pre_wait_d   = TIMER_BITS'(NRas - 1);
        read_wait_d  = longer(read_wait_d, NRcd);
        write_wait_d = longer(write_wait_d, NRcd);
      end
      pim_pkg::COMMAND_PRE: begin
        open_d     = 1'b0;
        act_wait_d = longer(act_wait_d, NRp);
      end
      pim_pkg::COMMAND_RD: begin
        read_wait_d  = TIMER_BITS'(NCcd - 1);
        write_wait_d = TIMER_BITS'(READ_TO_WRITE - 1);
        pre_wait_d   = longer(pre_wait_d, NRtp);
      end
      pim_pkg::COMMAND_WR: begin
        write_wait_d = TIMER_BITS'(NCcd - 1);
        read_wait_d  = TIMER_BITS'(WRITE_TO_READ - 1);
        pre_wait_d   = longer(pre_wait_d, WRITE_TO_PRE);
      end
      pim_pkg::COMMAND_REF: act_wait_d = TIMER_BITS'(NRfc - 1);
      default: ;
    endcase
    if (command_o == pim_pkg::COMMAND_RD || command_o == pim_pkg::COMMAND_WR) begin
      next_d = last_column ? '0 : next_q + 8'd1;
      if (last_column) begin
        taken_d  = 1'b0;
        begun_d  = 1'b0;
        issued_d = 1'b1;
      end
    end
  end

  ////////////
  // Claims //
  ////////////

  assign due_first_d = due && (due_first_q || !claimed_q);
  assign claim_d     = !claimed_i ? '0 : (claim_q > CLAIM_BITS'(NClaim)) ? claim_q : claim_q + CLAIM_BITS'(1);
  // Closed, and what goes before the claim is over.
  assign claim_ready_o = claimed_i && !open_q && act_wait_q == '0 && !taken && !due_first_d;
  assign act_quiet_o   = claimed_i && claim_q > CLAIM_BITS'(NClaim - NQuiet) && claim_q <= CLAIM_BITS'(NClaim);

  //////////
  // Data //
  //////////

  // RD in this tCK: data NCl - 1 later, so that it is taken at the edge NCl after it; WR likewise, asked for one before.
  assign read_beat_o  = read_pipe_q[NCl-2];
  assign write_beat_o = write_pipe_q[NCwl-3];
  assign done_o       = issued_q && (read_pipe_q[NCl-2] || write_pipe_q[NCwl-2]) && beat_q == columns_i - 8'd1;
  assign beat_index_o = write_beat_o ? asked_q : beat_q;

  always_comb begin
    beat_d  = beat_q;
    asked_d = asked_q;
    if (read_beat_o || write_pipe_q[NCwl-2]) beat_d = beat_q + 8'd1;
    if (write_beat_o) asked_d = asked_q + 8'd1;
    if (done_o) begin
      beat_d  = '0;
      asked_d = '0;
    end
  end

  assign idle_o = !open_q && act_wait_q == '0 && !request_i && !due;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      act_wait_q   <= '0;
      pre_wait_q   <= '0;
      read_wait_q  <= '0;
      write_wait_q <= '0;
      open_q       <= 1'b0;
      row_q        <= '0;
      taken_q      <= 1'b0;
      begun_q      <= 1'b0;
      issued_q     <= 1'b0;
      next_q       <= '0;
      beat_q       <= '0;
      asked_q      <= '0;
      due_q        <= 1'b0;
      due_first_q  <= 1'b0;
      claimed_q    <= 1'b0;
      claim_q      <= '0;
      read_pipe_q  <= '0;
      write_pipe_q <= '0;
    end else begin
      act_wait_q   <= act_wait_d;
      pre_wait_q   <= pre_wait_d;
      read_wait_q  <= read_wait_d;
      write_wait_q <= write_wait_d;
      open_q       <= open_d;
      row_q        <= row_d;
      taken_q      <= taken_d;
      begun_q      <= begun_d;
      issued_q     <= issued_d;
      next_q       <= next_d;
      beat_q       <= beat_d;
      asked_q      <= asked_d;
      due_q        <= due && command_o != pim_pkg::COMMAND_REF;
      due_first_q  <= due_first_d && command_o != pim_pkg::COMMAND_REF;
      claimed_q    <= claimed_i;
      claim_q      <= claim_d;
      read_pipe_q  <= {read_pipe_q[NCl-3:0], command_o == pim_pkg::COMMAND_RD};
      write_pipe_q <= {write_pipe_q[NCwl-3:0], command_o == pim_pkg::COMMAND_WR};
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT_INIT(LatenciesAreThreeAtLeast, NCl >= 3 && NCwl >= 3)
  `ASSERT_INIT(TimersAreWideEnough, NRfc <= 1 << TIMER_BITS && WRITE_TO_PRE <= 1 << TIMER_BITS)
  `ASSERT_INIT(QuietZoneIsPartOfTheClaim, NClaim > NQuiet)
  `ASSERT(RequestIsHeld, !(taken_q || issued_q) || request_i)
  `ASSERT(NoSecondRefreshDue, !(due_q && refresh_due_i))
  `ASSERT(ClaimedBankIsIdleInTime, !claimed_i || claim_q < CLAIM_BITS'(NClaim) || claim_ready_o)

endmodule
