// What is added to an x8 DRAM chip: its bank cores and the decoder of the host's commands, between the pins and the banks.
// The banks are outside; each has one command and data port, the core's or the host's by turns. Cores have the column port.

`include "pim_assert.svh"

module pim_ddr_chip #(
  parameter int Banks                 = 16,
  parameter int Xlen                  = 64,
  parameter int MemoryBits            = 26,    // log2 of a bank's bytes
  parameter int RowBytes              = 1024,
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
  parameter int NFaw  = 26,
  parameter int NClaim = 1000,
  localparam int RowBits    = MemoryBits - $clog2(RowBytes),
  localparam int ColumnBits = $clog2(RowBytes / 8)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            core_en_i,
  input  logic [Banks-1:0][Xlen-1:0]      boot_address_i,
  input  logic                            refresh_due_i,  // a pulse every tREFI: the die's own, for banks of cores

  // Host: command pins
  input  logic                            cs_ni,
  input  logic                            act_ni,
  input  logic                            ras_ni,
  input  logic                            cas_ni,
  input  logic                            we_ni,
  input  logic [1:0]                      bank_group_i,
  input  logic [1:0]                      bank_address_i,
  input  logic [13:0]                     address_i,

  // Host: data pins, both beats of a tCK
  input  logic [15:0]                     dq_i,
  output logic [15:0]                     dq_o,
  output logic                            dq_enable_o,
  output logic                            alert_no,

  // Banks
  output logic [Banks-1:0][2:0]            command_o,
  output logic [Banks-1:0][RowBits-1:0]    command_row_o,
  output logic [Banks-1:0][ColumnBits-1:0] command_column_o,
  input  logic [Banks-1:0][63:0]           bank_rdata_i,
  output logic [Banks-1:0][63:0]           bank_wdata_o
);

  /////////////
  // Signals //
  /////////////

  logic [Banks-1:0]       host_valid, host_ready, alert, bank_idle, bank_access, lockout, grant, claimed, host_act;
  logic                   host_write;
  logic [7:3]             host_address;
  logic [63:0]            host_wdata, array_wdata;
  logic [Banks-1:0][63:0] host_rdata, core_wdata;
  logic [Banks-1:0]       host_rvalid;

  logic [Banks-1:0][2:0]            host_command, core_command;
  logic [RowBits-1:0]               host_row;
  logic [ColumnBits-1:0]            host_column;
  logic [Banks-1:0][RowBits-1:0]    core_row;
  logic [Banks-1:0][ColumnBits-1:0] core_column;

  //////////
  // Host //
  //////////

  pim_ddr_decoder #(
    .Banks     (Banks),
    .RowBits   (RowBits),
    .ColumnBits(ColumnBits),
    .NRp       (NRp),
    .NRas      (NRas),
    .NCl       (NCl),
    .NCwl      (NCwl),
    .NWr       (NWr),
    .NRtp      (NRtp),
    .NRfc      (NRfc)
  ) u_decoder (
    .clk_i,
    .rst_ni,
    .cs_ni,
    .act_ni,
    .ras_ni,
    .cas_ni,
    .we_ni,
    .bank_group_i,
    .bank_address_i,
    .address_i,
    .dq_i,
    .dq_o,
    .dq_enable_o,
    .alert_no,
    .host_valid_o    (host_valid),
    .host_ready_i    (host_ready),
    .host_write_o    (host_write),
    .host_address_o  (host_address),
    .host_wdata_o    (host_wdata),
    .host_rdata_i    (host_rdata),
    .alert_i         (alert),
    .bank_idle_o     (bank_idle),
    .bank_access_o   (bank_access),
    .lockout_i       (lockout),
    .core_grant_i    (grant),
    .command_o       (host_command),
    .command_row_o   (host_row),
    .command_column_o(host_column),
    .array_rdata_i   (bank_rdata_i),
    .array_wdata_o   (array_wdata)
  );

  ///////////
  // Cores //
  ///////////

  pim_chip #(
    .Banks                 (Banks),
    .Xlen                  (Xlen),
    .MemoryBits            (MemoryBits),
    .RowBytes              (RowBytes),
    .PortBytes             (8),
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
    .NRrdS                 (NRrdS),
    .NRrdL                 (NRrdL),
    .NFaw                  (NFaw),
    .NClaim                (NClaim)
  ) u_chip (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .boot_address_i,
    .host_valid_i      (host_valid),
    .host_ready_o      (host_ready),
    .host_write_i      (host_write),
    .host_address_i    (host_address),
    .host_wdata_i      (host_wdata),
    .host_rvalid_o     (host_rvalid),
    .host_rdata_o      (host_rdata),
    .alert_o           (alert),
    .host_bank_idle_i  (bank_idle),
    .host_bank_access_i(bank_access),
    .host_act_i        (host_act),
    .host_lockout_o    (lockout),
    .claimed_o         (claimed),
    .claimed_i         (claimed),
    .refresh_due_i,
    .bank_grant_o      (grant),
    .command_o         (core_command),
    .command_row_o     (core_row),
    .command_column_o  (core_column),
    .bank_rdata_i,
    .bank_wdata_o      (core_wdata)
  );

  ///////////
  // Banks //
  ///////////

  // One of the two sends a command; data to write is that of whose turn it is, to its last column.
  always_comb begin
    for (int i = 0; i < Banks; i++) begin
      host_act[i]         = host_command[i] == pim_pkg::COMMAND_ACT;
      command_o[i]        = host_command[i];
      command_row_o[i]    = host_row;
      command_column_o[i] = host_column;
      if (core_command[i] != pim_pkg::COMMAND_NOP) begin
        command_o[i]        = core_command[i];
        command_row_o[i]    = core_row[i];
        command_column_o[i] = core_column[i];
      end
      bank_wdata_o[i] = lockout[i] ? core_wdata[i] : array_wdata;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  generate
    for (genvar i = 0; i < Banks; i++) begin : gen_assert
      `ASSERT(OneCommandToABank, host_command[i] == pim_pkg::COMMAND_NOP || core_command[i] == pim_pkg::COMMAND_NOP)
    end
  endgenerate

  `ASSERT(OneAnswerAtATime, (host_rvalid & (host_rvalid - Banks'(1))) == '0)

endmodule
