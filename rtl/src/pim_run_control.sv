// Whether the core runs, and its clock: from start_i to the last instruction; then its lines are written back.
module pim_run_control (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        core_en_i,

  input  logic        start_i,
  input  logic        over_i,           // at the core edge of the last instruction
  input  logic        memory_ready_i,   // of the write-back
  input  logic        memory_clean_i,

  output logic        begins_o,         // at the run's first core edge
  output logic        running_o,
  output logic        writes_back_o,
  output logic        flushed_o,
  output logic [63:0] time_o            // tCK since the start, as of the instruction's first core edge
);

  logic        running_q, running_d, finishing_q, finishing_d;
  logic [63:0] clock_q, clock_d, time_q, time_d;

  assign begins_o      = start_i && !running_q;
  assign running_o     = running_q;
  assign writes_back_o = finishing_q;
  assign flushed_o     = !running_q && !finishing_q && memory_clean_i;
  assign time_o        = time_q;

  assign clock_d = (core_en_i && begins_o) ? 64'd1 : clock_q + 64'd1;
  assign time_d  = !core_en_i ? time_q : begins_o ? '0 : clock_q;

  always_comb begin
    running_d   = running_q;
    finishing_d = finishing_q;
    if (start_i) running_d = 1'b1;
    if (over_i) begin
      running_d   = 1'b0;
      finishing_d = 1'b1;
    end else if (finishing_q && memory_ready_i) begin
      finishing_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clock_q     <= '0;
      time_q      <= '0;
      running_q   <= 1'b0;
      finishing_q <= 1'b0;
    end else begin
      clock_q <= clock_d;
      time_q  <= time_d;
      if (core_en_i) begin
        running_q   <= running_d;
        finishing_q <= finishing_d;
      end
    end
  end

endmodule
