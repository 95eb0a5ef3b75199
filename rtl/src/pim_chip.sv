// The bank cores of one die: a pim_bank for each bank, and the activate budget that they share with the host.

`include "pim_assert.svh"

module pim_chip #(
  parameter int Banks                 = 16,
  parameter int BankGroups            = 4,     // bank b is of group b mod BankGroups
  parameter int Xlen                  = 64,
  parameter int MemoryBits            = 26,    // log2 of a bank's bytes
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
  parameter int NRcd  = 17,
  parameter int NRp   = 17,
  parameter int NRas  = 39,
  parameter int NCl   = 17,
  parameter int NCwl  = 12,
  parameter int NCcd  = 6,
  parameter int NWr   = 18,
  parameter int NRtp  = 9,
  parameter int NWtr  = 9,
  parameter int NRfc  = 421,
  parameter int NRrdS = 4,
  parameter int NRrdL = 6,
  parameter int NFaw  = 26,     // 0: the die obeys no tFAW
  parameter int NClaim = 1000,
  localparam int RowBits    = MemoryBits - $clog2(RowBytes),
  localparam int ColumnBits = (RowBytes > PortBytes) ? $clog2(RowBytes / PortBytes) : 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              core_en_i,
  input  logic [Banks-1:0][Xlen-1:0]        boot_address_i,

  // Host: registers, a port for each bank core with one address and data; a broadcast is valid for several
  input  logic [Banks-1:0]                  host_valid_i,
  output logic [Banks-1:0]                  host_ready_o,
  input  logic                              host_write_i,
  input  logic [7:3]                        host_address_i,
  input  logic [63:0]                       host_wdata_i,
  output logic [Banks-1:0]                  host_rvalid_o,
  output logic [Banks-1:0][63:0]            host_rdata_o,
  output logic [Banks-1:0]                  alert_o,

  // Host: the banks as memory
  input  logic [Banks-1:0]                  host_bank_idle_i,    // precharged, tRP over
  input  logic [Banks-1:0]                  host_bank_access_i,  // a command other than refresh
  input  logic [Banks-1:0]                  host_act_i,          // an ACT
  output logic [Banks-1:0]                  host_lockout_o,
  output logic [Banks-1:0]                  claimed_o,           // as written to OWNER (`concurrent`)
  input  logic [Banks-1:0]                  claimed_i,           // the host's for a while

  // Die: a pulse every tREFI, for all banks
  input  logic                              refresh_due_i,

  // Banks, while the cores have them
  output logic [Banks-1:0]                  bank_grant_o,
  output logic [Banks-1:0][2:0]             command_o,
  output logic [Banks-1:0][RowBits-1:0]     command_row_o,
  output logic [Banks-1:0][ColumnBits-1:0]  command_column_o,
  input  logic [Banks-1:0][8*PortBytes-1:0] bank_rdata_i,
  output logic [Banks-1:0][8*PortBytes-1:0] bank_wdata_o
);

  ///////////////
  // Constants //
  ///////////////

  // An ACT so long before the host's leaves that free, whatever was before.
  localparam int QUIET = (NFaw > NRrdL) ? NFaw : NRrdL;

  /////////////
  // Signals //
  /////////////

  logic [Banks-1:0] act_pending, act_ready, act_grant, act_quiet;

  ///////////
  // Banks //
  ///////////

  generate
    for (genvar i = 0; i < Banks; i++) begin : gen_bank
      pim_bank #(
        .Xlen                  (Xlen),
        .MemoryBits            (MemoryBits),
        .RowBytes              (RowBytes),
        .PortBytes             (PortBytes),
        .InstructionBufferBytes(InstructionBufferBytes),
        .InstructionLineBytes  (InstructionLineBytes),
        .LineBuffers           (LineBuffers),
        .LineBytes             (LineBytes),
        .SectorBytes           (SectorBytes),
        .ScratchpadBytes       (ScratchpadBytes),
        .TmodNck               (TmodNck),
        .NRcd                  (NRcd),
        .NRp                   (NRp),
        .NRas                  (NRas),
        .NCl                   (NCl),
        .NCwl                  (NCwl),
        .NCcd                  (NCcd),
        .NWr                   (NWr),
        .NRtp                  (NRtp),
        .NWtr                  (NWtr),
        .NRfc                  (NRfc),
        .NClaim                (NClaim),
        .NQuiet                (QUIET)
      ) u_bank (
        .clk_i,
        .rst_ni,
        .core_en_i,
        .hart_id_i         (16'(i)),
        .boot_address_i    (boot_address_i[i]),
        .host_valid_i      (host_valid_i[i]),
        .host_ready_o      (host_ready_o[i]),
        .host_write_i,
        .host_address_i,
        .host_wdata_i,
        .host_rvalid_o     (host_rvalid_o[i]),
        .host_rdata_o      (host_rdata_o[i]),
        .alert_o           (alert_o[i]),
        .host_bank_idle_i  (host_bank_idle_i[i]),
        .host_bank_access_i(host_bank_access_i[i]),
        .host_lockout_o    (host_lockout_o[i]),
        .claimed_o         (claimed_o[i]),
        .claimed_i         (claimed_i[i]),
        .refresh_due_i,
        .act_pending_o     (act_pending[i]),
        .act_ready_o       (act_ready[i]),
        .act_grant_i       (act_grant[i]),
        .act_quiet_o       (act_quiet[i]),
        .bank_grant_o      (bank_grant_o[i]),
        .command_o         (command_o[i]),
        .command_row_o     (command_row_o[i]),
        .command_column_o  (command_column_o[i]),
        .bank_rdata_i      (bank_rdata_i[i]),
        .bank_wdata_o      (bank_wdata_o[i])
      );

      `ASSERT(ActGoesOutOnlyWithAGrant, (command_o[i] == pim_pkg::COMMAND_ACT) == act_grant[i])
      `ASSERT(HostsActIsIntoAClaimedBank, !(host_act_i[i] && bank_grant_o[i]) || claimed_i[i])
    end
  endgenerate

  /////////////////////
  // Activate budget //
  /////////////////////

  pim_activate_arbiter #(
    .Banks (Banks),
    .Groups(BankGroups),
    .NRrdS (NRrdS),
    .NRrdL (NRrdL),
    .NFaw  (NFaw)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .pending_i (act_pending),
    .ready_i   (act_ready),
    .grant_o   (act_grant),
    .host_act_i,
    .quiet_i   (act_quiet != '0)
  );

endmodule
