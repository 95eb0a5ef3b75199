// Writes what one core retires, a line each, and how its run ended. Not for synthesis.
`include "pim_assert.svh"

module lockstep_trace #(
  parameter int Core = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        core_en_i,
  input  logic        counting_i,    // the run's clocks have begun
  input  logic [31:0] run_i,         // names the file
  input  logic        open_i,        // a rising edge opens and closes it
  input  logic        close_i,
  input  logic [63:0] cycle_i,
  input  logic [63:0] clock_i,
  input  logic [63:0] tohost_i,      // a store that is not 0 there ends the program; 0: none does
  output logic        told_o,

  // What the core does in this cycle
  input  logic        retires_i,
  input  logic        traps_i,
  input  logic [7:0]  cause_i,
  input  logic [63:0] pc_i,
  input  logic [31:0] word_i,
  input  logic        is_load_i,
  input  logic        is_store_i,
  input  logic        is_access_i,
  input  logic [7:0]  rd_i,
  input  logic [63:0] address_i,
  input  logic [1:0]  width_i,
  input  logic [63:0] store_data_i,
  input  logic [63:0] written_i,     // one core cycle later: by then a load's data is there

  // ACT wanted, possible for the bank, and not granted
  input  logic        act_waits_i,

  // At the end
  input  logic [1:0]  run_state_i,
  input  logic [31:0] code_i,
  input  logic [63:0] return_i,
  input  logic [63:0] sum_i
);

  integer      trace_file = 0;
  logic        pending_q = 1'b0, pending_writes_q, told_q = 1'b0;
  logic [63:0] pending_cycle_q, pending_pc_q, pending_address_q, pending_data_q, waits_q;
  logic [31:0] pending_word_q;
  logic [7:0]  pending_kind_q, pending_rd_q;
  logic [63:0] stored;

  assign told_o = told_q;

  always_comb begin
    stored = store_data_i;
    unique case (width_i)
      2'd0: stored = stored & 64'hFF;
      2'd1: stored = stored & 64'hFFFF;
      2'd2: stored = stored & 64'hFFFF_FFFF;
      default: ;
    endcase
  end

  always @(posedge open_i) trace_file = $fopen($sformatf("%0d.%0d.trace", run_i, Core), "w");

  always @(posedge close_i) begin
    $fwrite(trace_file, "end %h %h %h %h %h %h\n", told_q ? 2'd0 : run_state_i, code_i, return_i, sum_i, waits_q,
            clock_i);
    $fclose(trace_file);
  end

  always @(posedge clk_i) begin
    if (!rst_ni || !counting_i) begin
      told_q    <= 1'b0;
      pending_q <= 1'b0;
      waits_q   <= '0;
    end else begin
      if (act_waits_i) waits_q <= waits_q + 1;
      if (core_en_i) begin
        if (pending_q) begin
          // fixed width, all hexadecimal: cycle pc word kind rd value address data
          $fwrite(trace_file, "%16h%16h%8h%2h%2h%16h%16h%16h\n", pending_cycle_q, pending_pc_q, pending_word_q,
                  pending_kind_q, pending_rd_q, pending_writes_q ? written_i : 64'd0, pending_address_q, pending_data_q);
        end
        if (retires_i && is_store_i && tohost_i != 0 && stored != 0 && address_i == tohost_i) told_q <= 1'b1;
        pending_q         <= !told_q && (retires_i || traps_i);
        pending_cycle_q   <= traps_i ? cycle_i : cycle_i + 1;
        pending_pc_q      <= pc_i;
        pending_word_q    <= word_i;
        pending_kind_q    <= traps_i ? 8'h80 | cause_i : is_load_i ? 8'd1 : is_store_i ? 8'd2 : 8'd0;
        pending_writes_q  <= retires_i && rd_i != 0;
        pending_rd_q      <= retires_i ? rd_i : 8'd0;
        pending_address_q <= (retires_i && is_access_i) ? address_i : 64'd0;
        pending_data_q    <= (retires_i && is_store_i) ? stored : 64'd0;
      end
    end
  end

endmodule
