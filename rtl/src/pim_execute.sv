// What one instruction computes: the ALU's, multiplier's or divider's result, the address of a load or store, and whether
// a branch is taken.
module pim_execute #(
  parameter int Xlen = 64
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            core_en_i,

  // Instruction; held, with stable operands, until the core edge with ready
  input  logic            valid_i,
  input  logic [2:0]      funct3_i,
  input  logic [3:0]      alu_i,
  input  logic            word_i,
  input  logic            a_is_pc_i,
  input  logic            b_is_rs2_i,
  input  logic            is_memory_i,  // load or store
  input  logic            is_mul_i,
  input  logic            is_div_i,

  // Operands
  input  logic [Xlen-1:0] pc_i,
  input  logic [Xlen-1:0] a_i,          // rs1
  input  logic [Xlen-1:0] b_i,          // rs2
  input  logic [Xlen-1:0] immediate_i,

  output logic            ready_o,
  output logic [Xlen-1:0] result_o,
  output logic [Xlen-1:0] address_o,
  output logic            taken_o
);

  logic [Xlen-1:0] alu_result, mul_result, div_result;
  logic            mul_ready, div_ready, equal, less;

  ///////////
  // Units //
  ///////////

  pim_alu #(.Xlen(Xlen)) u_alu (
    .operation_i((a_is_pc_i || is_memory_i) ? 4'd0 : alu_i),
    .word_i,
    .a_i        (a_is_pc_i ? pc_i : a_i),
    .b_i        (b_is_rs2_i ? b_i : immediate_i),
    .result_o   (alu_result)
  );

  pim_multiplier #(.Xlen(Xlen)) u_multiplier (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .valid_i    (valid_i && is_mul_i),
    .operation_i(funct3_i[1:0]),
    .word_i,
    .a_i,
    .b_i,
    .ready_o    (mul_ready),
    .result_o   (mul_result)
  );

  pim_divider #(.Xlen(Xlen)) u_divider (
    .clk_i,
    .rst_ni,
    .core_en_i,
    .valid_i    (valid_i && is_div_i),
    .operation_i(funct3_i[1:0]),
    .word_i,
    .a_i,
    .b_i,
    .ready_o    (div_ready),
    .result_o   (div_result)
  );

  /////////////
  // Results //
  /////////////

  always_comb begin
    ready_o  = 1'b1;
    result_o = alu_result;
    if (is_mul_i) begin
      ready_o  = mul_ready;
      result_o = mul_result;
    end
    if (is_div_i) begin
      ready_o  = div_ready;
      result_o = div_result;
    end
  end

  assign address_o = a_i + immediate_i;

  assign equal   = a_i == b_i;
  assign less    = (a_i[Xlen-1] == b_i[Xlen-1] || funct3_i[1]) ? a_i < b_i : a_i[Xlen-1];
  assign taken_o = (funct3_i[2] ? less : equal) != funct3_i[0];

endmodule
