// Product of two registers in three core cycles: a third of the second factor each, into one accumulator.
module pim_multiplier #(
  parameter int Xlen = 64
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            core_en_i,
  input  logic            valid_i,      // held, with stable operands, until the core edge with ready
  input  logic [1:0]      operation_i,  // funct3: mul, mulh, mulhsu, mulhu
  input  logic            word_i,
  input  logic [Xlen-1:0] a_i,
  input  logic [Xlen-1:0] b_i,
  output logic            ready_o,
  output logic [Xlen-1:0] result_o
);

  // Both factors are signed and one bit longer than a register.
  localparam int DIGIT = (Xlen + 3) / 3;
  localparam int SUM   = Xlen + DIGIT + 3;

  logic [1:0]             step_q, step_d;
  logic [SUM-1:0]         sum_q;
  logic [2*DIGIT-1:0]     low_q;
  logic                   a_signed, b_signed;
  logic signed [Xlen:0]   a;
  logic [3*DIGIT-1:0]     b;
  logic signed [DIGIT:0]  digit;
  logic signed [SUM-1:0]  partial, carried, sum;
  logic [2*Xlen-1:0]      product;

  assign a_signed = operation_i != 2'd3;
  assign b_signed = !operation_i[1];
  assign a        = {a_signed && a_i[Xlen-1], a_i};
  assign b        = {{(3*DIGIT-Xlen){b_signed && b_i[Xlen-1]}}, b_i};

  always_comb begin
    unique case (step_q)
      2'd0:    digit = {1'b0, b[0 +: DIGIT]};
      2'd1:    digit = {1'b0, b[DIGIT +: DIGIT]};
      default: digit = {b[3*DIGIT-1], b[2*DIGIT +: DIGIT]};
    endcase
  end

  assign partial  = a * digit;
  assign carried  = (step_q == 2'd0) ? '0 : {{DIGIT{sum_q[SUM-1]}}, sum_q[SUM-1:DIGIT]};
  assign sum      = partial + carried;
  assign product  = (2*Xlen)'({sum, low_q});
  assign ready_o  = step_q == 2'd2;

  always_comb begin
    step_d = step_q;
    if (core_en_i && valid_i) step_d = ready_o ? 2'd0 : step_q + 2'd1;
  end

  always_comb begin
    result_o = (operation_i == 2'd0) ? product[Xlen-1:0] : product[2*Xlen-1:Xlen];
    if (word_i) begin
      result_o       = {Xlen{product[31]}};
      result_o[31:0] = product[31:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= '0;
      sum_q  <= '0;
      low_q  <= '0;
    end else begin
      step_q <= step_d;
      if (core_en_i && valid_i) begin
        sum_q <= sum;
        low_q <= {sum[DIGIT-1:0], low_q[2*DIGIT-1:DIGIT]};
      end
    end
  end

endmodule
