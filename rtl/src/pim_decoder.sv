// Operation and operands of a 32-bit instruction of RV32IM or RV64IM with Zicsr and Zifencei.
module pim_decoder #(
  parameter int Xlen = 64
) (
  input  logic [31:0]     instruction_i,

  // Operands
  output logic [4:0]      rd_o,          // 0 if it writes no register
  output logic [4:0]      rs1_o,
  output logic [4:0]      rs2_o,
  output logic            reads_rs1_o,
  output logic            reads_rs2_o,
  output logic [Xlen-1:0] immediate_o,
  output logic            a_is_pc_o,     // ALU operands: rs1 or pc,
  output logic            b_is_rs2_o,    // immediate or rs2

  // Operation: at most one of the kinds; none of them is plain ALU
  output logic [3:0]      alu_o,
  output logic            word_o,
  output logic            is_load_o,
  output logic            is_store_o,
  output logic            is_branch_o,
  output logic            is_jal_o,
  output logic            is_jalr_o,
  output logic            is_mul_o,
  output logic            is_div_o,
  output logic            is_csr_o,
  output logic            is_fence_o,
  output logic            is_fence_i_o,
  output logic            is_ecall_o,
  output logic            is_ebreak_o,
  output logic            is_mret_o,
  output logic            is_illegal_o
);

  localparam logic IS_64 = Xlen == 64;
  localparam logic [4:0] A0 = 5'd10, A7 = 5'd17;

  logic [31:0] i;
  logic [2:0]  funct3;
  logic [6:0]  funct7;
  logic        shift_ok, shift_word_ok;
  logic [31:0] imm;

  assign i             = instruction_i;
  assign funct3        = i[14:12];
  assign funct7        = i[31:25];
  assign shift_ok      = (IS_64 || !i[25]) && (i[31:26] == 6'h00 || (i[31:26] == 6'h10 && funct3 == 3'd5));
  assign shift_word_ok = funct7 == 7'h00 || (funct7 == 7'h20 && funct3 == 3'd5);

  always_comb begin
    rd_o         = i[11:7];
    rs1_o        = i[19:15];
    rs2_o        = i[24:20];
    reads_rs1_o  = 1'b0;
    reads_rs2_o  = 1'b0;
    imm          = {{20{i[31]}}, i[31:20]};
    a_is_pc_o    = 1'b0;
    b_is_rs2_o   = 1'b0;
    alu_o        = 4'd0;
    word_o       = 1'b0;
    is_load_o    = 1'b0;
    is_store_o   = 1'b0;
    is_branch_o  = 1'b0;
    is_jal_o     = 1'b0;
    is_jalr_o    = 1'b0;
    is_mul_o     = 1'b0;
    is_div_o     = 1'b0;
    is_csr_o     = 1'b0;
    is_fence_o   = 1'b0;
    is_fence_i_o = 1'b0;
    is_ecall_o   = 1'b0;
    is_ebreak_o  = 1'b0;
    is_mret_o    = 1'b0;
    is_illegal_o = 1'b0;

    unique case (i[6:0])
      7'h03: begin  // loads
        is_load_o    = 1'b1;
        reads_rs1_o  = 1'b1;
        is_illegal_o = funct3 == 3'd7 || (!IS_64 && (funct3 == 3'd3 || funct3 == 3'd6));
      end
      7'h23: begin  // stores
        is_store_o   = 1'b1;
        reads_rs1_o  = 1'b1;
        reads_rs2_o  = 1'b1;
        rd_o         = '0;
        imm          = {{20{i[31]}}, i[31:25], i[11:7]};
        is_illegal_o = funct3[2] || (!IS_64 && funct3 == 3'd3);
      end
      7'h13: begin  // ALU with an immediate
        reads_rs1_o  = 1'b1;
        alu_o        = {funct3 == 3'd5 && i[30], funct3};
        is_illegal_o = funct3[1:0] == 2'd1 && !shift_ok;
      end
      7'h1B: begin
        reads_rs1_o  = 1'b1;
        word_o       = 1'b1;
        alu_o        = {funct3 == 3'd5 && i[30], funct3};
        is_illegal_o = !IS_64 || !(funct3 == 3'd0 || (funct3[1:0] == 2'd1 && shift_word_ok));
      end
      7'h33, 7'h3B: begin  // ALU, multiplication, division
        reads_rs1_o  = 1'b1;
        reads_rs2_o  = 1'b1;
        b_is_rs2_o   = 1'b1;
        word_o       = i[3];
        alu_o        = {i[30], funct3};
        is_mul_o     = funct7 == 7'h01 && !funct3[2];
        is_div_o     = funct7 == 7'h01 && funct3[2];
        if (funct7 == 7'h20) is_illegal_o = !(funct3 == 3'd0 || funct3 == 3'd5);
        else if (funct7 == 7'h01) is_illegal_o = i[3] && !(funct3 == 3'd0 || funct3[2]);
        else if (funct7 == 7'h00) is_illegal_o = i[3] && !(funct3 == 3'd0 || funct3[1:0] == 2'd1);
        else is_illegal_o = 1'b1;
        if (i[3] && !IS_64) is_illegal_o = 1'b1;
      end
      7'h37: begin  // lui
        rs1_o = '0;
        imm   = {i[31:12], 12'd0};
      end
      7'h17: begin  // auipc
        a_is_pc_o = 1'b1;
        imm       = {i[31:12], 12'd0};
      end
      7'h63: begin  // branches
        is_branch_o  = 1'b1;
        reads_rs1_o  = 1'b1;
        reads_rs2_o  = 1'b1;
        rd_o         = '0;
        imm          = {{20{i[31]}}, i[7], i[30:25], i[11:8], 1'b0};
        is_illegal_o = funct3[2:1] == 2'b01;
      end
      7'h6F: begin
        is_jal_o = 1'b1;
        imm      = {{12{i[31]}}, i[19:12], i[20], i[30:21], 1'b0};
      end
      7'h67: begin
        is_jalr_o    = 1'b1;
        reads_rs1_o  = 1'b1;
        is_illegal_o = funct3 != 3'd0;
      end
      7'h0F: begin
        rd_o         = '0;
        is_fence_o   = !funct3[0];
        is_fence_i_o = funct3[0];
        is_illegal_o = funct3[2:1] != 2'd0;
      end
      7'h73: begin
        if (funct3[1:0] != 2'd0) begin
          is_csr_o    = 1'b1;
          reads_rs1_o = !funct3[2];
        end else begin
          rd_o        = '0;
          is_ecall_o  = i == 32'h0000_0073;
          is_ebreak_o = i == 32'h0010_0073;
          is_mret_o   = i == 32'h3020_0073;
          // The call's number and the exit code, which wait for no load.
          if (is_ecall_o) begin
            rs1_o = A7;
            rs2_o = A0;
          end
          is_illegal_o = !(is_ecall_o || is_ebreak_o || is_mret_o || i == 32'h1050_0073);  // wfi does nothing
        end
      end
      default: is_illegal_o = 1'b1;
    endcase

    if (is_illegal_o) begin
      reads_rs1_o = 1'b0;
      reads_rs2_o = 1'b0;
    end
  end

  generate
    if (Xlen == 64) begin : gen_immediate_64
      assign immediate_o = {{32{imm[31]}}, imm};
    end else begin : gen_immediate_32
      assign immediate_o = imm;
    end
  endgenerate

endmodule
