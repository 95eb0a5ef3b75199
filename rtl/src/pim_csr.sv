// Control and status registers of a machine-mode core, the two counters and what a trap keeps.
// Which CSRs there are and which bits they keep: pim/core/csr.py. No interrupt is ever pending.

`include "pim_assert.svh"

module pim_csr #(
  parameter int Xlen = 64
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            core_en_i,
  input  logic [15:0]     hart_id_i,

  // Access of the instruction in execution
  input  logic            commit_i,       // it completes at this core edge
  input  logic            access_i,       // it is a CSR instruction
  input  logic [11:0]     address_i,
  input  logic [1:0]      operation_i,    // funct3[1:0]: write, set, clear
  input  logic            source_zero_i,  // its rs1 field is 0: set and clear do not write
  input  logic [Xlen-1:0] operand_i,      // rs1's value or the immediate
  output logic [Xlen-1:0] rdata_o,
  output logic            illegal_o,

  // Run and traps
  input  logic            clear_i,        // a run starts: everything 0
  input  logic            running_i,      // core cycles count
  input  logic            trap_i,         // at this core edge
  input  logic [3:0]      cause_i,
  input  logic [Xlen-1:0] tval_i,
  input  logic [Xlen-1:0] pc_i,
  input  logic            return_i,       // mret completes at this core edge
  input  logic [63:0]     time_i,         // tCK at the last core edge
  output logic [Xlen-1:0] handler_o,      // 0: none
  output logic [Xlen-1:0] return_pc_o
);

  localparam logic IS_32 = Xlen == 32;
  localparam logic [Xlen-1:0] MISA =
      (Xlen == 64 ? (Xlen'(2) << (Xlen - 2)) : (Xlen'(1) << (Xlen - 2))) | Xlen'('h1104);  // I, M, C
  localparam logic [Xlen-1:0] MACHINE_MODE = Xlen'('h1800);  // mstatus.MPP

  logic            mie_q, mpie_q, mie_d, mpie_d;
  logic [2:0]      enables_q, enables_d;  // mie: external, timer, software
  logic [Xlen-1:0] mtvec_q, mtvec_d, mscratch_q, mscratch_d, mepc_q, mepc_d;
  logic [Xlen-1:0] mcause_q, mcause_d, mtval_q, mtval_d;
  logic [63:0]     cycle_q, cycle_d, instret_q, instret_d, counter;
  logic [Xlen-1:0] value;
  logic            known, upper, is_counter, writes, write, event_zero;
  logic [11:0]     address;

  assign address = address_i;
  assign writes  = operation_i == 2'd1 || !source_zero_i;

  //////////
  // Read //
  //////////

  // Counters: 0xC00 to 0xC02, 0xB00 and 0xB02, and 0x80 above them the upper halves of RV32.
  always_comb begin
    upper      = IS_32 && address[7];
    is_counter = 1'b0;
    counter    = '0;
    if (address[11:10] == 2'b11 && address[9:8] == 2'b00 || address[11:8] == 4'hB) begin
      if (!address[7] || IS_32) begin
        unique case (address[6:0])
          7'd0: begin
            counter    = cycle_q;
            is_counter = 1'b1;
          end
          7'd1: begin
            counter    = time_i;
            is_counter = address[10];
          end
          7'd2: begin
            counter    = instret_q;
            is_counter = 1'b1;
          end
          default: ;
        endcase
      end
    end
  end

  // Identity, pending interrupts and event counters: there, but 0.
  always_comb begin
    event_zero = 1'b0;
    unique case (address[11:5])
      7'h78: event_zero = address[4:0] >= 5'd17 && address[4:0] <= 5'd21;                     // 0xF11 to 0xF15
      7'h1A: event_zero = address[4:0] == 5'd4;                                               // mip
      7'h19: event_zero = address[4:0] == 5'd0 || address[4:0] >= 5'd3;                       // 0x320, 0x323 to 0x33F
      7'h58: event_zero = address[4:0] >= 5'd3;                                               // 0xB03 to 0xB1F
      7'h5C: event_zero = IS_32 && address[4:0] >= 5'd3;                                      // 0xB83 to 0xB9F
      7'h18: event_zero = IS_32 && address[4:0] == 5'd16;                                     // mstatush
      default: ;
    endcase
  end

  always_comb begin
    value = '0;
    known = is_counter || event_zero;
    if (is_counter) value = upper ? Xlen'(counter[63:32]) : counter[Xlen-1:0];
    unique case (address)
      12'h300: begin
        value    = MACHINE_MODE;
        value[3] = mie_q;
        value[7] = mpie_q;
        known    = 1'b1;
      end
      12'h301: begin
        value = MISA;
        known = 1'b1;
      end
      12'h304: begin
        {value[11], value[7], value[3]} = enables_q;
        known = 1'b1;
      end
      12'h305: begin
        value = mtvec_q;
        known = 1'b1;
      end
      12'h340: begin
        value = mscratch_q;
        known = 1'b1;
      end
      12'h341: begin
        value = mepc_q;
        known = 1'b1;
      end
      12'h342: begin
        value = mcause_q;
        known = 1'b1;
      end
      12'h343: begin
        value = mtval_q;
        known = 1'b1;
      end
      12'hF14: value = Xlen'(hart_id_i);
      default: ;
    endcase
  end

  assign illegal_o   = access_i && (!known || (writes && address[11:10] == 2'b11));
  assign rdata_o     = value;
  assign write       = access_i && commit_i && writes;
  assign handler_o   = {mtvec_q[Xlen-1:2], 2'b00};
  assign return_pc_o = mepc_q;

  ///////////
  // Write //
  ///////////

  logic [Xlen-1:0] written;
  always_comb begin
    unique case (operation_i)
      2'd2:    written = value | operand_i;
      2'd3:    written = value & ~operand_i;
      default: written = operand_i;
    endcase
  end

  always_comb begin
    mie_d      = mie_q;
    mpie_d     = mpie_q;
    enables_d  = enables_q;
    mtvec_d    = mtvec_q;
    mscratch_d = mscratch_q;
    mepc_d     = mepc_q;
    mcause_d   = mcause_q;
    mtval_d    = mtval_q;
    cycle_d    = running_i ? cycle_q + 64'd1 : cycle_q;
    instret_d  = commit_i ? instret_q + 64'd1 : instret_q;
    if (write) begin
      unique case (address)
        12'h300: {mpie_d, mie_d} = {written[7], written[3]};
        12'h304: enables_d = {written[11], written[7], written[3]};
        12'h305: mtvec_d = {written[Xlen-1:2], 1'b0, written[0]};
        12'h340: mscratch_d = written;
        12'h341: mepc_d = {written[Xlen-1:1], 1'b0};
        12'h342: mcause_d = written;
        12'h343: mtval_d = written;
        12'hB00: cycle_d[Xlen-1:0] = written;
        12'hB02: instret_d[Xlen-1:0] = written;
        12'hB80: cycle_d[63:32] = written[31:0];
        12'hB82: instret_d[63:32] = written[31:0];
        default: ;
      endcase
    end
    if (trap_i) begin
      mepc_d   = pc_i;
      mcause_d = Xlen'(cause_i);
      mtval_d  = tval_i;
      mpie_d   = mie_q;
      mie_d    = 1'b0;
    end
    if (return_i) begin
      mie_d  = mpie_q;
      mpie_d = 1'b1;
    end
    if (clear_i) begin
      mie_d      = 1'b0;
      mpie_d     = 1'b0;
      enables_d  = '0;
      mtvec_d    = '0;
      mscratch_d = '0;
      mepc_d     = '0;
      mcause_d   = '0;
      mtval_d    = '0;
      cycle_d    = '0;
      instret_d  = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mie_q      <= 1'b0;
      mpie_q     <= 1'b0;
      enables_q  <= '0;
      mtvec_q    <= '0;
      mscratch_q <= '0;
      mepc_q     <= '0;
      mcause_q   <= '0;
      mtval_q    <= '0;
      cycle_q    <= '0;
      instret_q  <= '0;
    end else if (core_en_i) begin
      mie_q      <= mie_d;
      mpie_q     <= mpie_d;
      enables_q  <= enables_d;
      mtvec_q    <= mtvec_d;
      mscratch_q <= mscratch_d;
      mepc_q     <= mepc_d;
      mcause_q   <= mcause_d;
      mtval_q    <= mtval_d;
      cycle_q    <= cycle_d;
      instret_q  <= instret_d;
    end
  end

  `ASSERT(OneCauseAtATime, !(trap_i && commit_i))

endmodule
