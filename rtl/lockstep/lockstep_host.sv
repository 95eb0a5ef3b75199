// The host's commands to claimed banks, from a file of a line for each, in the order of their clocks: clock, bank, what,
// column; what is a DRAM command, CLAIM or RELEASE. Not for synthesis.
module lockstep_host #(
  parameter int Banks      = 1,
  parameter int ColumnBits = 7
) (
  input  logic                             clk_i,
  input  logic                             counting_i,
  input  logic [63:0]                      clock_i,
  input  logic [31:0]                      run_i,      // names the file
  input  logic                             open_i,     // a rising edge opens it
  output logic [Banks-1:0]                 claimed_o,
  output logic [Banks-1:0][2:0]            command_o,
  output logic [Banks-1:0][ColumnBits-1:0] column_o
);

  localparam int CLAIM = 8, RELEASE = 9;

  integer      file = 0, scanned = 0, bank, what;
  logic [63:0] at, column;

  initial begin
    claimed_o = '0;
    command_o = '0;
    column_o  = '0;
  end

  always @(posedge open_i) begin
    if (file != 0) $fclose(file);
    file = $fopen($sformatf("%0d.host", run_i), "r");
    if (file == 0) $fatal(1, "can't open the host's commands of run %0d", run_i);
    scanned = $fscanf(file, "%d %d %d %d", at, bank, what, column);
    claimed_o = '0;
  end

  // In the middle of the tCK, so that all is stable at its end.
  always @(negedge clk_i) begin
    command_o = '0;
    while (counting_i && scanned == 4 && at == clock_i) begin
      if (what == CLAIM) claimed_o[bank] = 1'b1;
      else if (what == RELEASE) claimed_o[bank] = 1'b0;
      else begin
        command_o[bank] = 3'(what);
        column_o[bank]  = ColumnBits'(column);
      end
      scanned = $fscanf(file, "%d %d %d %d", at, bank, what, column);
    end
  end

endmodule
