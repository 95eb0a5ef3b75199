// Quotient or remainder of two registers in 66 core cycles, whatever the operands: one to take their magnitudes, one for
// each bit of the quotient (restoring division), one to give the result its sign.
module pim_divider #(
  parameter int Xlen   = 64,
  parameter int Cycles = 66  // at least Xlen + 2
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            core_en_i,
  input  logic            valid_i,      // held, with stable operands, until the core edge with ready
  input  logic [1:0]      operation_i,  // funct3: div, divu, rem, remu
  input  logic            word_i,
  input  logic [Xlen-1:0] a_i,
  input  logic [Xlen-1:0] b_i,
  output logic            ready_o,
  output logic [Xlen-1:0] result_o
);

  localparam int COUNT_BITS = $clog2(Cycles);

  logic [COUNT_BITS-1:0] count_q, count_d;
  logic [Xlen-1:0]       quotient_q, quotient_d, remainder_q, remainder_d, divisor_q, divisor_d;
  logic [Xlen-1:0]       a, b, magnitude;
  logic [Xlen:0]         shifted, difference;
  logic                  is_signed, is_remainder, negative, steps;

  assign is_signed    = !operation_i[0];
  assign is_remainder = operation_i[1];

  always_comb begin
    a = a_i;
    b = b_i;
    if (word_i) begin
      a       = {Xlen{is_signed && a_i[31]}};
      b       = {Xlen{is_signed && b_i[31]}};
      a[31:0] = a_i[31:0];
      b[31:0] = b_i[31:0];
    end
  end

  assign shifted    = {remainder_q, quotient_q[Xlen-1]};
  assign difference = shifted - {1'b0, divisor_q};
  assign steps      = count_q != '0 && count_q <= COUNT_BITS'(Xlen);
  assign ready_o    = count_q == COUNT_BITS'(Cycles - 1);

  always_comb begin
    count_d     = count_q;
    quotient_d  = quotient_q;
    remainder_d = remainder_q;
    divisor_d   = divisor_q;
    if (core_en_i && valid_i) begin
      count_d = ready_o ? '0 : count_q + COUNT_BITS'(1);
      if (count_q == '0) begin
        quotient_d  = (is_signed && a[Xlen-1]) ? -a : a;
        divisor_d   = (is_signed && b[Xlen-1]) ? -b : b;
        remainder_d = '0;
      end else if (steps) begin
        quotient_d  = {quotient_q[Xlen-2:0], !difference[Xlen]};
        remainder_d = difference[Xlen] ? shifted[Xlen-1:0] : difference[Xlen-1:0];
      end
    end
  end

  // Division by zero: all ones, and the dividend, without a sign of their own.
  assign negative  = is_signed && (is_remainder ? a[Xlen-1] : (a[Xlen-1] != b[Xlen-1] && b != '0));
  assign magnitude = is_remainder ? remainder_q : quotient_q;

  always_comb begin
    result_o = negative ? -magnitude : magnitude;
    if (word_i) result_o = {{(Xlen-31){result_o[31]}}, result_o[30:0]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q     <= '0;
      quotient_q  <= '0;
      remainder_q <= '0;
      divisor_q   <= '0;
    end else begin
      count_q     <= count_d;
      quotient_q  <= quotient_d;
      remainder_q <= remainder_d;
      divisor_q   <= divisor_d;
    end
  end

endmodule
