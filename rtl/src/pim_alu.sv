// Integer arithmetic, logic, shifts and comparisons, in one core cycle.
// The operation is {bit 30, funct3} of the instruction's OP encoding; a word operation works on the low 32 bits.
module pim_alu #(
  parameter int Xlen = 64  // 32 or 64
) (
  input  logic [3:0]      operation_i,
  input  logic            word_i,
  input  logic [Xlen-1:0] a_i,
  input  logic [Xlen-1:0] b_i,
  output logic [Xlen-1:0] result_o
);

  localparam int SHIFT_BITS = $clog2(Xlen);

  logic [Xlen-1:0]       sum, shift_operand, shifted, full;
  logic [SHIFT_BITS-1:0] amount;
  logic                  subtract, less, fill;

  assign subtract = operation_i[3] || (operation_i[2:1] == 2'b01);
  assign sum      = subtract ? a_i - b_i : a_i + b_i;
  assign less     = (a_i[Xlen-1] == b_i[Xlen-1]) ? sum[Xlen-1] : (operation_i[0] ? b_i[Xlen-1] : a_i[Xlen-1]);

  // One right shifter; a left shift is a right shift of the reversed operand.
  always_comb begin
    shift_operand = a_i;
    fill          = operation_i[3] && a_i[Xlen-1];
    if (word_i) begin
      fill          = operation_i[3] && a_i[31];
      shift_operand = {Xlen{fill}};
      shift_operand[31:0] = a_i[31:0];
    end
    amount = word_i ? SHIFT_BITS'(b_i[4:0]) : b_i[SHIFT_BITS-1:0];
    if (operation_i[1:0] == 2'b01 && !operation_i[2]) begin
      for (int i = 0; i < Xlen; i++) shift_operand[i] = a_i[Xlen-1-i];
    end
  end

  assign shifted = Xlen'({{Xlen{fill}}, shift_operand} >> amount);

  always_comb begin
    full = '0;
    unique case (operation_i[2:0])
      3'd0:    full = sum;
      3'd1:    for (int i = 0; i < Xlen; i++) full[i] = shifted[Xlen-1-i];
      3'd2:    full[0] = less;
      3'd3:    full[0] = less;
      3'd4:    full = a_i ^ b_i;
      3'd5:    full = shifted;
      3'd6:    full = a_i | b_i;
      default: full = a_i & b_i;
    endcase
  end

  always_comb begin
    result_o = full;
    if (word_i) begin
      result_o       = {Xlen{full[31]}};
      result_o[31:0] = full[31:0];
    end
  end

endmodule
