// A chip for its bench: pim_ddr_chip and behavioural banks, and the die's refresh.
module ddr_chip_top #(
  parameter int Banks      = 4,
  parameter int MemoryBits = 14,
  parameter int NRefi      = 9363,
  parameter int NClaim     = 1200,
  localparam int RowBits   = MemoryBits - 10
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        core_en_i,
  input  logic        cs_ni,
  input  logic        act_ni,
  input  logic        ras_ni,
  input  logic        cas_ni,
  input  logic        we_ni,
  input  logic [1:0]  bank_group_i,
  input  logic [1:0]  bank_address_i,
  input  logic [13:0] address_i,
  input  logic [15:0] dq_i,
  output logic [15:0] dq_o,
  output logic        dq_enable_o,
  output logic        alert_no
);

  logic [Banks-1:0][63:0]        boot_address, bank_rdata, bank_wdata;
  logic [Banks-1:0][2:0]         command;
  logic [Banks-1:0][RowBits-1:0] command_row;
  logic [Banks-1:0][6:0]         command_column;
  logic [31:0]                   refresh_q;

  assign boot_address = {Banks{64'h8000_0000}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) refresh_q <= 32'd1;
    else refresh_q <= (refresh_q == NRefi) ? 32'd1 : refresh_q + 32'd1;
  end

  pim_ddr_chip #(
    .Banks     (Banks),
    .MemoryBits(MemoryBits),
    .NClaim    (NClaim)
  ) u_chip (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .boot_address_i  (boot_address),
    .refresh_due_i   (refresh_q == NRefi),
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
    .command_o       (command),
    .command_row_o   (command_row),
    .command_column_o(command_column),
    .bank_rdata_i    (bank_rdata),
    .bank_wdata_o    (bank_wdata)
  );

  generate
    for (genvar i = 0; i < Banks; i++) begin : gen_bank
      pim_bank_model #(.RowBits(RowBits)) u_model (
        .clk_i,
        .rst_ni,
        .command_i(command[i]),
        .row_i    (command_row[i]),
        .column_i (command_column[i]),
        .rdata_o  (bank_rdata[i]),
        .wdata_i  (bank_wdata[i])
      );
    end
  endgenerate

  // What the bench looks at.
  logic                  refresh;
  logic [Banks-1:0]      grant, started, claimed, ready, open, waiting;
  logic [Banks-1:0][2:0] commands;
  assign refresh  = refresh_q == NRefi;
  assign grant    = u_chip.grant;
  assign claimed  = u_chip.claimed;
  assign commands = command;

  generate
    for (genvar i = 0; i < Banks; i++) begin : gen_look
      assign started[i] = u_chip.u_chip.gen_bank[i].u_bank.start;
      assign ready[i]   = u_chip.u_chip.gen_bank[i].u_bank.claim_ready;
      assign open[i]    = u_chip.u_chip.gen_bank[i].u_bank.u_controller.open_q;
      assign waiting[i] = u_chip.u_chip.gen_bank[i].u_bank.request;
    end
  endgenerate

endmodule
