// 32 integer registers: two reads at any time, one write at a core edge. x0 reads 0 and is not kept.
module pim_register_file #(
  parameter int Xlen = 64
) (
  input  logic            clk_i,
  input  logic            write_i,
  input  logic [4:0]      rd_i,
  input  logic [Xlen-1:0] wdata_i,
  input  logic [4:0]      rs1_i,
  input  logic [4:0]      rs2_i,
  output logic [Xlen-1:0] rs1_o,
  output logic [Xlen-1:0] rs2_o
);

  logic [Xlen-1:0] register_q [1:31];

  assign rs1_o = (rs1_i == '0) ? '0 : register_q[rs1_i];
  assign rs2_o = (rs2_i == '0) ? '0 : register_q[rs2_i];

  always_ff @(posedge clk_i) begin
    if (write_i && rd_i != '0) register_q[rd_i] <= wdata_i;
  end

endmodule
