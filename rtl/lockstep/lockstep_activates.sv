// Checks every ACT of a die against all before it, cores' and host's, apart from the arbiter's own timers. Not for synthesis.
`include "pim_assert.svh"

module lockstep_activates #(
  parameter int Banks      = 16,
  parameter int BankGroups = 4,
  parameter int NRrdS      = 4,
  parameter int NRrdL      = 6,
  parameter int NFaw       = 26
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [Banks-1:0][2:0] command_i,
  input logic [Banks-1:0][2:0] host_command_i
);

  localparam int LONG_AGO = -1_000_000;

  integer now = 0, acts, group;
  integer act_at [4];          // of the last four, the latest first
  integer group_at [BankGroups];

  always @(posedge clk_i) begin
    now = now + 1;
    if (!rst_ni) begin
      for (int i = 0; i < 4; i++) act_at[i] = LONG_AGO;
      for (int i = 0; i < BankGroups; i++) group_at[i] = LONG_AGO;
    end else begin
      acts = 0;
      for (int i = 0; i < Banks; i++) begin
        if (command_i[i] != pim_pkg::COMMAND_NOP && host_command_i[i] != pim_pkg::COMMAND_NOP)
          $fatal(1, "%m: bank %0d gets a command from its core and from the host", i);
        if (command_i[i] == pim_pkg::COMMAND_ACT || host_command_i[i] == pim_pkg::COMMAND_ACT) begin
          acts  = acts + 1;
          group = i % BankGroups;
          if (acts > 1) $fatal(1, "%m: two ACTs in one clock");
          if (now - act_at[0] < NRrdS) $fatal(1, "%m: bank %0d breaks tRRD_S", i);
          if (now - group_at[group] < NRrdL) $fatal(1, "%m: bank %0d breaks tRRD_L", i);
          if (now - act_at[3] < NFaw) $fatal(1, "%m: bank %0d breaks tFAW", i);
          for (int j = 3; j > 0; j--) act_at[j] = act_at[j-1];
          act_at[0]       = now;
          group_at[group] = now;
        end
      end
    end
  end

endmodule
