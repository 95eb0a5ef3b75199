// Turns a 16-bit instruction into the 32-bit one it stands for; all zeros, which is illegal, where there is none.
// References: RISC-V unprivileged specification, "C" extension, instruction listings.
module pim_expander #(
  parameter int Xlen = 64
) (
  input  logic [15:0] parcel_i,
  output logic [31:0] instruction_o
);

  localparam logic [6:0] LOAD = 7'h03, OP_IMM = 7'h13, OP_IMM_32 = 7'h1B, STORE = 7'h23, OP = 7'h33, LUI = 7'h37,
                         OP_32 = 7'h3B, BRANCH = 7'h63, JALR = 7'h67, JAL = 7'h6F;
  localparam logic [4:0] ZERO = 5'd0, RA = 5'd1, SP = 5'd2;
  localparam logic IS_64 = Xlen == 64;

  logic [15:0] c;
  logic [4:0]  rd, rs2, rd_short, rs2_short;
  logic [11:0] ci, lw_offset, ld_offset, lwsp_offset, ldsp_offset, swsp_offset, sdsp_offset, addi4spn, addi16sp;
  logic [20:1] jump;
  logic [12:1] branch;
  logic [31:0] jal_bits;

  assign c         = parcel_i;
  assign rd        = c[11:7];
  assign rs2       = c[6:2];
  assign rd_short  = {2'b01, c[9:7]};
  assign rs2_short = {2'b01, c[4:2]};

  assign ci          = {{7{c[12]}}, c[6:2]};
  assign lw_offset   = {5'd0, c[5], c[12:10], c[6], 2'b00};
  assign ld_offset   = {4'd0, c[6:5], c[12:10], 3'b000};
  assign lwsp_offset = {4'd0, c[3:2], c[12], c[6:4], 2'b00};
  assign ldsp_offset = {3'd0, c[4:2], c[12], c[6:5], 3'b000};
  assign swsp_offset = {4'd0, c[8:7], c[12:9], 2'b00};
  assign sdsp_offset = {3'd0, c[9:7], c[12:10], 3'b000};
  assign addi4spn    = {2'd0, c[10:7], c[12:11], c[5], c[6], 2'b00};
  assign addi16sp    = {{3{c[12]}}, c[4:3], c[5], c[2], c[6], 4'd0};
  assign jump        = {{10{c[12]}}, c[8], c[10:9], c[6], c[7], c[2], c[11], c[5:3]};
  assign branch      = {{5{c[12]}}, c[6:5], c[2], c[11:10], c[4:3]};
  assign jal_bits    = {jump[20], jump[10:1], jump[11], jump[19:12], 12'd0};

  always_comb begin
    instruction_o = '0;
    unique case ({c[1:0], c[15:13]})
      5'b00_000: if (c[12:5] != '0) instruction_o = {addi4spn, SP, 3'd0, rs2_short, OP_IMM};
      5'b00_010: instruction_o = {lw_offset, rd_short, 3'd2, rs2_short, LOAD};
      5'b00_011: if (IS_64) instruction_o = {ld_offset, rd_short, 3'd3, rs2_short, LOAD};
      5'b00_110: instruction_o = {lw_offset[11:5], rs2_short, rd_short, 3'd2, lw_offset[4:0], STORE};
      5'b00_111: if (IS_64) instruction_o = {ld_offset[11:5], rs2_short, rd_short, 3'd3, ld_offset[4:0], STORE};

      5'b01_000: instruction_o = {ci, rd, 3'd0, rd, OP_IMM};
      5'b01_001: begin
        if (!IS_64) instruction_o = jal_bits | {20'd0, RA, JAL};
        else if (rd != '0) instruction_o = {ci, rd, 3'd0, rd, OP_IMM_32};
      end
      5'b01_010: instruction_o = {ci, ZERO, 3'd0, rd, OP_IMM};
      5'b01_011: begin
        if ({c[12], c[6:2]} != '0) begin
          instruction_o = (rd == SP) ? {addi16sp, SP, 3'd0, SP, OP_IMM} : {{15{c[12]}}, c[6:2], rd, LUI};
        end
      end
      5'b01_100: begin
        unique case (c[11:10])
          2'd0: if (IS_64 || !c[12]) instruction_o = {6'h00, c[12], c[6:2], rd_short, 3'd5, rd_short, OP_IMM};
          2'd1: if (IS_64 || !c[12]) instruction_o = {6'h10, c[12], c[6:2], rd_short, 3'd5, rd_short, OP_IMM};
          2'd2: instruction_o = {ci, rd_short, 3'd7, rd_short, OP_IMM};
          default: begin
            unique case ({c[12], c[6:5]})
              3'd0:    instruction_o = {7'h20, rs2_short, rd_short, 3'd0, rd_short, OP};
              3'd1:    instruction_o = {7'h00, rs2_short, rd_short, 3'd4, rd_short, OP};
              3'd2:    instruction_o = {7'h00, rs2_short, rd_short, 3'd6, rd_short, OP};
              3'd3:    instruction_o = {7'h00, rs2_short, rd_short, 3'd7, rd_short, OP};
              3'd4:    if (IS_64) instruction_o = {7'h20, rs2_short, rd_short, 3'd0, rd_short, OP_32};
              3'd5:    if (IS_64) instruction_o = {7'h00, rs2_short, rd_short, 3'd0, rd_short, OP_32};
              default: ;
            endcase
          end
        endcase
      end
      5'b01_101: instruction_o = jal_bits | {20'd0, ZERO, JAL};
      5'b01_110: instruction_o = {branch[12], branch[10:5], ZERO, rd_short, 3'd0, branch[4:1], branch[11], BRANCH};
      5'b01_111: instruction_o = {branch[12], branch[10:5], ZERO, rd_short, 3'd1, branch[4:1], branch[11], BRANCH};

      5'b10_000: if (IS_64 || !c[12]) instruction_o = {6'h00, c[12], c[6:2], rd, 3'd1, rd, OP_IMM};
      5'b10_010: if (rd != '0) instruction_o = {lwsp_offset, SP, 3'd2, rd, LOAD};
      5'b10_011: if (IS_64 && rd != '0) instruction_o = {ldsp_offset, SP, 3'd3, rd, LOAD};
      5'b10_100: begin
        if (rs2 != '0) instruction_o = {7'h00, rs2, c[12] ? rd : ZERO, 3'd0, rd, OP};
        else if (rd != '0) instruction_o = {12'd0, rd, 3'd0, c[12] ? RA : ZERO, JALR};
        else if (c[12]) instruction_o = 32'h0010_0073;  // ebreak
      end
      5'b10_110: instruction_o = {swsp_offset[11:5], rs2, SP, 3'd2, swsp_offset[4:0], STORE};
      5'b10_111: if (IS_64) instruction_o = {sdsp_offset[11:5], rs2, SP, 3'd3, sdsp_offset[4:0], STORE};
      default: ;
    endcase
  end

endmodule
