// Assertion macros. $fatal, because on Icarus $error alone does not fail a cocotb run.
// They need clk_i and rst_ni in scope and vanish in synthesis.
`ifndef PIM_ASSERT_SVH
`define PIM_ASSERT_SVH
`ifdef SYNTHESIS
  `define ASSERT(name, prop)
  `define ASSERT_INIT(name, prop)
`else
  `define ASSERT(name, prop) \
    always @(posedge clk_i) if (rst_ni && !(prop)) $fatal(1, "%m: %s", `"name`");
  `define ASSERT_INIT(name, prop) \
    initial if (!(prop)) $fatal(1, "%m: %s", `"name`");
`endif
`endif
