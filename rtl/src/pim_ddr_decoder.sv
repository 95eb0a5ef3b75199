// What a chip does with the host's DDR4 commands: the top row of each bank is its registers, whoever owns the bank; commands
// to other rows go to the array of a bank that the host may use, and are an error that STATUS shows elsewhere.
// A command is taken from the pins at an edge of tCK and acts in the tCK that begins there. Costs: docs/timing.md.

`include "pim_assert.svh"

module pim_ddr_decoder #(
  parameter int Banks      = 16,  // bank b is number b / 4 of bank group b mod 4
  parameter int RowBits    = 16,
  parameter int ColumnBits = 7,   // bursts of eight beats in a row
  // Timings in tCK; defaults: DDR4-2400, 8 Gb (pim/config/timing.py)
  parameter int NRp  = 17,
  parameter int NRas = 39,
  parameter int NCl  = 17,
  parameter int NCwl = 12,
  parameter int NWr  = 18,
  parameter int NRtp = 9,
  parameter int NRfc = 421
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Command pins; ras_ni, cas_ni and we_ni are A16 to A14 of an ACT, address_i[10] is AP
  input  logic                  cs_ni,
  input  logic                  act_ni,
  input  logic                  ras_ni,
  input  logic                  cas_ni,
  input  logic                  we_ni,
  input  logic [1:0]            bank_group_i,
  input  logic [1:0]            bank_address_i,
  input  logic [13:0]           address_i,

  // Data pins: both beats of a tCK, the first one below; taken and given at the edge that ends it
  input  logic [15:0]           dq_i,
  output logic [15:0]           dq_o,
  output logic                  dq_enable_o,
  output logic                  alert_no,       // a core has ended its run

  // Mailboxes: one register port, valid and ready for each
  output logic [Banks-1:0]      host_valid_o,
  input  logic [Banks-1:0]      host_ready_i,   // low for one tCK at most
  output logic                  host_write_o,
  output logic [7:3]            host_address_o,
  output logic [63:0]           host_wdata_o,
  input  logic [64*Banks-1:0]   host_rdata_i,   // kept from the tCK after a read was taken until the next one is
  input  logic [Banks-1:0]      alert_i,

  // Mailboxes: ownership
  output logic [Banks-1:0]      bank_idle_o,    // precharged; tRP or tRFC is over at the next edge
  output logic [Banks-1:0]      bank_access_o,  // a command to the array, but for refresh
  input  logic [Banks-1:0]      lockout_i,
  input  logic [Banks-1:0]      core_grant_i,   // the die refreshes the bank

  // Array: one command per bank
  output logic [3*Banks-1:0]    command_o,      // pim_pkg::COMMAND_*
  output logic [RowBits-1:0]    command_row_o,
  output logic [ColumnBits-1:0] command_column_o,
  input  logic [64*Banks-1:0]   array_rdata_i,  // NCl - 1 tCK after RD
  output logic [63:0]           array_wdata_o   // NCwl - 1 tCK after WR
);

  ///////////////
  // Constants //
  ///////////////

  localparam int BURST       = 4;  // tCK of eight beats
  localparam int BANK_BITS   = (Banks > 1) ? $clog2(Banks) : 1;
  localparam int TIMER_BITS  = 10;
  localparam int WRITE_TO_PRE = NCwl + BURST + NWr;

  // Bursts of the register row: a bank's registers first, then those of all banks.
  localparam logic [ColumnBits-1:0] REGISTERS = ColumnBits'(32);

  // Ages of a command, in tCK, at which something is done for it.
  localparam int AGE_ARRAY_WRITE    = BURST;             // so that its data is there in time
  localparam int AGE_REGISTER_WRITE = NCwl + BURST - 1;  // with the last two beats
  localparam int AGE_REGISTER_READ  = NCl - 3;           // in time even if the core goes first
  localparam int AGE_READ_DATA      = NCl - 1;
  localparam int AGES = (AGE_REGISTER_WRITE + 1 > AGE_READ_DATA) ? AGE_REGISTER_WRITE + 2 : AGE_READ_DATA + 1;

  /////////////
  // Signals //
  /////////////

  // The command of this tCK.
  logic [2:0]           command_q, command_d;
  logic                 auto_q;      // AP: also precharge, or all banks
  logic [BANK_BITS-1:0] bank_q, bank_d;
  logic [RowBits-1:0]   row_q, row_d;
  logic [ColumnBits-1:0] column_q;

  // Columns by age; [0] is this tCK's.
  logic [AGES-1:0]                 is_read, is_write, is_register;
  logic [AGES-1:1]                 is_read_q, is_write_q, is_register_q;
  logic [AGES-1:0][BANK_BITS-1:0]  bank;
  logic [AGES-1:1][BANK_BITS-1:0]  aged_bank_q;
  logic [AGES-1:0][ColumnBits-1:0] column;
  logic [AGES-1:1][ColumnBits-1:0] aged_column_q;
  logic [BANK_BITS-1:0]            bank_written, bank_given;

  // Banks
  logic [Banks-1:0]                 registers_open_q, registers_open_d;  // the register row is the open one
  logic [Banks-1:0]                 open_q, open_d;                      // a row of the array is, by the host
  logic [Banks-1:0]                 closes_q, closes_d;                  // it closes by itself
  logic [Banks-1:0][TIMER_BITS-1:0] wait_q, wait_d;  // open: until it may close; closed: until it may open
  logic [Banks-1:0]                 selected, act, pre, refresh, read, write, column_closes, array_write;
  logic                             is_column, to_registers, writes_array;

  // Register port
  logic [Banks-1:0]    waiting_q, targets;
  logic                reads_register, writes_register, late_write, waits, is_broadcast;
  logic [BANK_BITS-1:0]  write_bank, read_bank, port_bank;
  logic [ColumnBits-1:0] write_column, read_column, port_column;

  // Data
  logic [63:0] taken_q, given_q, given_d, read_data;
  logic [3:0]  given_valid_q, given_valid_d;
  logic        gives, gives_array, gives_all;

  //////////////////
  // Command pins //
  //////////////////

  // JESD79-4, "Command truth table". Mode registers, calibration and power-down are the memory's own business.
  always_comb begin
    command_d = pim_pkg::COMMAND_NOP;
    if (!cs_ni) begin
      if (!act_ni) begin
        command_d = pim_pkg::COMMAND_ACT;
      end else begin
        unique case ({ras_ni, cas_ni, we_ni})
          3'b001:  command_d = pim_pkg::COMMAND_REF;
          3'b010:  command_d = pim_pkg::COMMAND_PRE;
          3'b100:  command_d = pim_pkg::COMMAND_WR;
          3'b101:  command_d = pim_pkg::COMMAND_RD;
          default: ;
        endcase
      end
    end
  end

  assign row_d   = RowBits'({ras_ni, cas_ni, we_ni, address_i});
  assign bank_d  = BANK_BITS'({bank_address_i, bank_group_i});

  ///////////
  // Banks //
  ///////////

  assign is_column    = command_q == pim_pkg::COMMAND_RD || command_q == pim_pkg::COMMAND_WR;
  assign to_registers = (command_q == pim_pkg::COMMAND_ACT) ? row_q == '1 : registers_open_q[bank_q];

  always_comb begin
    selected         = '0;
    selected[bank_q] = 1'b1;
  end

  // To the array: what the host asks for, where it may.
  always_comb begin
    bank_access_o = '0;
    act           = '0;
    pre           = '0;
    refresh       = '0;
    read          = '0;
    write         = '0;
    unique case (command_q)
      pim_pkg::COMMAND_ACT: begin
        if (!to_registers) begin
          bank_access_o = selected;
          act           = selected & ~lockout_i;
        end
      end
      pim_pkg::COMMAND_PRE: begin
        if (auto_q) begin
          pre = open_q & ~lockout_i;
        end else if (!to_registers) begin
          bank_access_o = selected;
          pre           = selected & open_q & ~lockout_i;
        end
      end
      pim_pkg::COMMAND_RD, pim_pkg::COMMAND_WR: begin
        if (!to_registers) begin
          bank_access_o = selected;
          if (command_q == pim_pkg::COMMAND_RD) read = selected & ~lockout_i;
          else write = selected & ~lockout_i;
        end
      end
      // Banks of cores are refreshed by the die, claimed ones too.
      pim_pkg::COMMAND_REF: refresh = ~lockout_i & ~core_grant_i;
      default: ;
    endcase
    column_closes = auto_q ? read | write : '0;
  end

  // A row closes by itself when it may.
  always_comb begin
    registers_open_d = registers_open_q;
    if (command_q == pim_pkg::COMMAND_ACT && to_registers) registers_open_d = registers_open_q | selected;
    if (command_q == pim_pkg::COMMAND_PRE) registers_open_d = auto_q ? '0 : registers_open_q & ~selected;
    if (is_column && auto_q) registers_open_d = registers_open_q & ~selected;
  end

  function automatic logic [TIMER_BITS-1:0] longer(input logic [TIMER_BITS-1:0] left, input int clocks);
    longer = (left > TIMER_BITS'(clocks - 1)) ? left : TIMER_BITS'(clocks - 1);
  endfunction

  logic [Banks-1:0] closing;

  always_comb begin
    for (int i = 0; i < Banks; i++) begin
      closing[i]  = pre[i] || (closes_q[i] && wait_q[i] == '0);
      open_d[i]   = (open_q[i] || act[i]) && !closing[i];
      closes_d[i] = (closes_q[i] || column_closes[i]) && !closing[i];
      wait_d[i]   = (wait_q[i] == '0) ? '0 : wait_q[i] - TIMER_BITS'(1);
      if (act[i]) wait_d[i] = TIMER_BITS'(NRas - 1);
      if (read[i]) wait_d[i] = longer(wait_d[i], NRtp);
      if (write[i]) wait_d[i] = longer(wait_d[i], WRITE_TO_PRE);
      if (closing[i]) wait_d[i] = TIMER_BITS'(NRp - 1);
      if (refresh[i]) wait_d[i] = TIMER_BITS'(NRfc - 1);
      bank_idle_o[i] = !open_q[i] && wait_q[i] <= TIMER_BITS'(1);
    end
  end

  assign writes_array = is_write[AGE_ARRAY_WRITE] && !is_register[AGE_ARRAY_WRITE];
  assign bank_written = bank[AGE_ARRAY_WRITE];

  always_comb begin
    array_write               = '0;
    array_write[bank_written] = writes_array;
  end

  always_comb begin
    for (int i = 0; i < Banks; i++) begin
      command_o[3*i +: 3] = pim_pkg::COMMAND_NOP;
      if (act[i]) command_o[3*i +: 3] = pim_pkg::COMMAND_ACT;
      if (read[i]) command_o[3*i +: 3] = pim_pkg::COMMAND_RD;
      if (refresh[i]) command_o[3*i +: 3] = pim_pkg::COMMAND_REF;
      if (array_write[i]) command_o[3*i +: 3] = pim_pkg::COMMAND_WR;
      if (closing[i]) command_o[3*i +: 3] = pim_pkg::COMMAND_PRE;
    end
  end

  assign command_row_o    = row_q;
  assign command_column_o = writes_array ? column[AGE_ARRAY_WRITE] : column_q;

  //////////////////
  // Columns' age //
  //////////////////

  assign is_read     = {is_read_q, command_q == pim_pkg::COMMAND_RD && (to_registers || read != '0)};
  assign is_write    = {is_write_q, command_q == pim_pkg::COMMAND_WR && (to_registers || write != '0)};
  assign is_register = {is_register_q, to_registers};
  assign bank        = {aged_bank_q, bank_q};
  assign column      = {aged_column_q, column_q};

  //////////////////
  // Register port //
  //////////////////

  // A row's first 32 bursts are the bank's registers. Behind them a write goes to those of all banks, and a read tells which
  // cores have ended (15:0) and which banks the host may not use (31:16).
  assign writes_register = is_write[AGE_REGISTER_WRITE] && is_register[AGE_REGISTER_WRITE];
  assign reads_register  = is_read[AGE_REGISTER_READ] && is_register[AGE_REGISTER_READ];
  assign waits           = waiting_q != '0;

  // An access that had to wait is a tCK older.
  assign late_write   = is_write[AGE_REGISTER_WRITE+1] && is_register[AGE_REGISTER_WRITE+1];
  assign host_write_o = waits ? late_write : writes_register;
  assign write_bank   = waits ? bank[AGE_REGISTER_WRITE+1] : bank[AGE_REGISTER_WRITE];
  assign read_bank    = waits ? bank[AGE_REGISTER_READ+1] : bank[AGE_REGISTER_READ];
  assign write_column = waits ? column[AGE_REGISTER_WRITE+1] : column[AGE_REGISTER_WRITE];
  assign read_column  = waits ? column[AGE_REGISTER_READ+1] : column[AGE_REGISTER_READ];
  assign port_bank    = host_write_o ? write_bank : read_bank;
  assign port_column  = host_write_o ? write_column : read_column;

  assign is_broadcast   = port_column >= REGISTERS;
  assign host_address_o = port_column[4:0];

  always_comb begin
    targets = '0;
    if (is_broadcast && writes_register) targets = '1;
    if (!is_broadcast && (writes_register || reads_register)) targets[port_bank] = 1'b1;
  end

  assign host_valid_o = waits ? waiting_q : targets;

  //////////
  // Data //
  //////////

  // The last two beats of a write come past the register, unless the port had to wait.
  assign host_wdata_o  = waits ? taken_q : {dq_i, taken_q[63:16]};
  assign array_wdata_o = {dq_i, taken_q[63:16]};

  assign bank_given   = bank[AGE_READ_DATA];
  assign gives        = is_read[AGE_READ_DATA];
  assign gives_array  = !is_register[AGE_READ_DATA];
  assign gives_all    = column[AGE_READ_DATA] >= REGISTERS;

  always_comb begin
    read_data              = '0;
    read_data[Banks-1:0]   = alert_i;
    read_data[16 +: Banks] = lockout_i;
    if (gives_array) read_data = array_rdata_i[64*bank_given +: 64];
    else if (!gives_all) read_data = host_rdata_i[64*bank_given +: 64];
  end

  always_comb begin
    given_d       = {16'd0, given_q[63:16]};
    given_valid_d = {1'b0, given_valid_q[3:1]};
    if (gives) begin
      given_d       = read_data;
      given_valid_d = '1;
    end
  end

  assign dq_o        = given_q[15:0];
  assign dq_enable_o = given_valid_q[0];
  assign alert_no    = alert_i == '0;

  ///////////////
  // Registers //
  ///////////////

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      command_q        <= pim_pkg::COMMAND_NOP;
      auto_q           <= 1'b0;
      bank_q           <= '0;
      row_q            <= '0;
      column_q         <= '0;
      is_read_q        <= '0;
      is_write_q       <= '0;
      is_register_q    <= '0;
      aged_bank_q      <= '0;
      aged_column_q    <= '0;
      registers_open_q <= '0;
      open_q           <= '0;
      closes_q         <= '0;
      wait_q           <= '0;
      waiting_q        <= '0;
      taken_q          <= '0;
      given_q          <= '0;
      given_valid_q    <= '0;
    end else begin
      command_q        <= command_d;
      auto_q           <= address_i[10];
      bank_q           <= bank_d;
      row_q            <= row_d;
      column_q         <= ColumnBits'(address_i[9:3]);
      is_read_q        <= is_read[AGES-2:0];
      is_write_q       <= is_write[AGES-2:0];
      is_register_q    <= is_register[AGES-2:0];
      aged_bank_q      <= bank[AGES-2:0];
      aged_column_q    <= column[AGES-2:0];
      registers_open_q <= registers_open_d;
      open_q           <= open_d;
      closes_q         <= closes_d;
      wait_q           <= wait_d;
      waiting_q        <= host_valid_o & ~host_ready_i;
      taken_q          <= {dq_i, taken_q[63:16]};
      given_q          <= given_d;
      given_valid_q    <= given_valid_d;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT_INIT(LatenciesAreLongEnough, NCl >= 3 && NCwl >= 3)
  `ASSERT_INIT(RowHoldsRegistersAndBroadcast, ColumnBits >= 6 && ColumnBits <= 7 && Banks <= 16)
  `ASSERT_INIT(TimersAreWideEnough, NRfc <= 1 << TIMER_BITS && WRITE_TO_PRE <= 1 << TIMER_BITS)

  // What a memory controller owes: JEDEC's order of commands.
  `ASSERT(ActNeedsAClosedBank, command_q != pim_pkg::COMMAND_ACT || ((registers_open_q | open_q) & selected) == '0)
  `ASSERT(BurstStartsAtItsFirstBeat, cs_ni || !act_ni || !ras_ni || address_i[2:0] == '0 || command_d == pim_pkg::COMMAND_NOP)
  `ASSERT(OneRegisterAccessAtATime, !(reads_register && writes_register) && !(waits && (reads_register || writes_register)))
  `ASSERT(MailboxWaitsOnce, (waiting_q & ~host_ready_i) == '0)
  `ASSERT(ClosingBankTakesNoCommand, (closes_q & (act | read | write)) == '0)

endmodule
