// Behavioural DRAM bank for simulation: content, row buffer, and a check of every command's timing. Not for synthesis.
`include "pim_assert.svh"

module pim_bank_model #(
  parameter int RowBits    = 10,
  parameter int RowBytes   = 1024,
  parameter int PortBytes  = 8,
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
  localparam int ColumnBits = (RowBytes > PortBytes) ? $clog2(RowBytes / PortBytes) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [2:0]             command_i,
  input  logic [RowBits-1:0]     row_i,
  input  logic [ColumnBits-1:0]  column_i,
  output logic [8*PortBytes-1:0] rdata_o,  // NCl - 1 tCK after RD
  input  logic [8*PortBytes-1:0] wdata_i   // NCwl - 1 tCK after WR
);

  localparam int COLUMNS     = RowBytes / PortBytes;
  localparam int PORT_WORDS  = PortBytes / 8;
  localparam int INDEX_BITS  = RowBits + $clog2(RowBytes) - 3;
  localparam int WORDS       = 1 << INDEX_BITS;

  logic [63:0] word_q [WORDS];

  // First tCK at which each command is allowed.
  longint now_q, act_at, column_at, read_at, write_at, pre_at;
  logic               open_q;
  logic [RowBits-1:0] open_row_q;

  logic [NCl-3:0]        read_valid_q;
  logic [NCwl-2:0]       write_valid_q;
  logic [INDEX_BITS-1:0] read_index_q [NCl-2];
  logic [INDEX_BITS-1:0] write_index_q [NCwl-1];
  logic [INDEX_BITS-1:0] index;
  logic [8*PortBytes-1:0] rdata_q;

  assign index = INDEX_BITS'((32'(open_row_q) * COLUMNS + ((COLUMNS > 1) ? 32'(column_i) : 0)) * PORT_WORDS);

  assign rdata_o = rdata_q;

  always_ff @(posedge clk_i) begin
    for (int i = 1; i < NCl - 2; i++) read_index_q[i] <= read_index_q[i-1];
    for (int i = 1; i < NCwl - 1; i++) write_index_q[i] <= write_index_q[i-1];
    read_index_q[0]  <= index;
    write_index_q[0] <= index;
    // Nothing is on the port but at the clock of its data: who takes it at another one gets this.
    rdata_q <= {PORT_WORDS{64'hBAD0_BAD0_BAD0_BAD0}};
    if (read_valid_q[NCl-3]) begin
      for (int i = 0; i < PORT_WORDS; i++) rdata_q[64*i +: 64] <= word_q[read_index_q[NCl-3] + INDEX_BITS'(i)];
    end
    if (write_valid_q[NCwl-2]) begin
      for (int i = 0; i < PORT_WORDS; i++) word_q[write_index_q[NCwl-2] + INDEX_BITS'(i)] <= wdata_i[64*i +: 64];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q         <= 0;
      act_at        <= 0;
      column_at     <= 0;
      read_at       <= 0;
      write_at      <= 0;
      pre_at        <= 0;
      open_q        <= 1'b0;
      open_row_q    <= '0;
      read_valid_q  <= '0;
      write_valid_q <= '0;
    end else begin
      now_q         <= now_q + 1;
      read_valid_q  <= {read_valid_q[NCl-4:0], command_i == pim_pkg::COMMAND_RD};
      write_valid_q <= {write_valid_q[NCwl-3:0], command_i == pim_pkg::COMMAND_WR};
      case (command_i)
        pim_pkg::COMMAND_ACT: begin
          open_q     <= 1'b1;
          open_row_q <= row_i;
          column_at  <= now_q + NRcd;
          pre_at     <= now_q + NRas;
        end
        pim_pkg::COMMAND_PRE: begin
          open_q <= 1'b0;
          act_at <= now_q + NRp;
        end
        pim_pkg::COMMAND_RD: begin
          read_at  <= now_q + NCcd;
          write_at <= now_q + ((NCl + 2 - NCwl > NCcd) ? NCl + 2 - NCwl : NCcd);
          if (now_q + NRtp > pre_at) pre_at <= now_q + NRtp;
        end
        pim_pkg::COMMAND_WR: begin
          write_at <= now_q + NCcd;
          read_at  <= now_q + NCwl + NWtr;
          if (now_q + NCwl + NWr > pre_at) pre_at <= now_q + NCwl + NWr;
        end
        pim_pkg::COMMAND_REF: act_at <= now_q + NRfc;
        default: ;
      endcase
    end
  end

  logic is_act, is_pre, is_column;
  assign is_act    = command_i == pim_pkg::COMMAND_ACT || command_i == pim_pkg::COMMAND_REF;
  assign is_pre    = command_i == pim_pkg::COMMAND_PRE;
  assign is_column = command_i == pim_pkg::COMMAND_RD || command_i == pim_pkg::COMMAND_WR;

  `ASSERT(ActNeedsAClosedBank, !is_act || !open_q)
  `ASSERT(ActKeepsTrpAndTrfc, !is_act || now_q >= act_at)
  `ASSERT(ColumnNeedsAnOpenRow, !is_column || open_q)
  `ASSERT(ColumnKeepsTrcd, !is_column || now_q >= column_at)
  `ASSERT(ReadKeepsTccdAndTwtr, command_i != pim_pkg::COMMAND_RD || now_q >= read_at)
  `ASSERT(WriteKeepsTccdAndTurnaround, command_i != pim_pkg::COMMAND_WR || now_q >= write_at)
  `ASSERT(PreKeepsTrasTrtpTwr, !is_pre || now_q >= pre_at)

endmodule
