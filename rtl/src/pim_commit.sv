// How an instruction ends: it retires, traps or ends the run; and where the program goes on. Combinational.
module pim_commit #(
  parameter int Xlen = 64
) (
  // Fetched instruction
  input  logic [Xlen-1:0] pc_i,
  input  logic [31:0]     fetched_i,       // as it lies in memory
  input  logic            is_long_i,       // 32 bits
  input  logic            fetch_fault_i,
  input  logic            fault_second_i,  // of its second half

  // In execution
  input  logic            execute_i,
  input  logic            ready_i,         // its unit is
  input  logic            is_illegal_i,
  input  logic            is_branch_i,
  input  logic            is_jal_i,
  input  logic            is_jalr_i,
  input  logic            is_mret_i,
  input  logic            is_ecall_i,
  input  logic            is_ebreak_i,
  input  logic            is_access_i,     // load or store
  input  logic            is_store_i,
  input  logic            is_exit_call_i,  // an ecall with a7 = 93
  input  logic            taken_i,
  input  logic            misaligned_i,
  input  logic            no_access_i,
  input  logic [Xlen-1:0] immediate_i,
  input  logic [Xlen-1:0] address_i,

  // CSRs
  input  logic [Xlen-1:0] handler_i,       // of traps; 0: none
  input  logic [Xlen-1:0] return_pc_i,

  // Run control
  input  logic            running_i,
  input  logic            stop_i,

  // Its end, at a core edge
  output logic            exits_o,         // an ecall that ends the program, when retired
  output logic            retires_o,
  output logic            traps_o,
  output logic [3:0]      cause_o,
  output logic [Xlen-1:0] tval_o,
  output logic            stops_o,         // stop_i at the end of an instruction
  output logic            over_o,          // last instruction of the run

  // Where it goes on
  output logic            next_o,          // in sequence
  output logic            redirect_o,
  output logic [Xlen-1:0] target_o,
  output logic [Xlen-1:0] link_o           // address of what follows
);

  logic is_refused, jumps, has_handler;

  assign has_handler = handler_i != '0;

  // With a handler the call is an environment call like any other.
  assign exits_o = is_ecall_i && is_exit_call_i && !has_handler;

  ///////////
  // Traps //
  ///////////

  // By priority: fetch, decode, environment, address.
  assign is_refused = is_access_i && (misaligned_i || no_access_i);
  assign traps_o    = fetch_fault_i
                   || (execute_i && (is_illegal_i || is_ebreak_i || (is_ecall_i && !exits_o) || is_refused));

  assign cause_o = fetch_fault_i ? pim_pkg::CAUSE_FETCH_ACCESS
                 : is_illegal_i  ? pim_pkg::CAUSE_ILLEGAL
                 : is_ebreak_i   ? pim_pkg::CAUSE_BREAKPOINT
                 : is_ecall_i    ? pim_pkg::CAUSE_ECALL_M
                 : misaligned_i  ? (is_store_i ? pim_pkg::CAUSE_STORE_MISALIGNED : pim_pkg::CAUSE_LOAD_MISALIGNED)
                 :                 (is_store_i ? pim_pkg::CAUSE_STORE_ACCESS : pim_pkg::CAUSE_LOAD_ACCESS);

  assign tval_o = fetch_fault_i ? (fault_second_i ? pc_i + Xlen'(2) : pc_i)
                : is_illegal_i  ? (is_long_i ? Xlen'(fetched_i) : Xlen'(fetched_i[15:0]))
                : is_ebreak_i   ? pc_i
                : is_ecall_i    ? '0 : address_i;

  //////////
  // Ends //
  //////////

  assign retires_o = execute_i && !traps_o && ready_i;
  assign stops_o   = stop_i && running_i && (retires_o || traps_o);
  assign over_o    = (retires_o && exits_o) || stops_o || (traps_o && !has_handler);

  /////////////
  // Goes on //
  /////////////

  assign jumps      = is_jal_i || is_jalr_i || is_mret_i || (is_branch_i && taken_i);
  assign next_o     = retires_o && !jumps && !exits_o && !stops_o;
  assign redirect_o = ((retires_o && jumps) || (traps_o && has_handler)) && !stops_o;
  assign link_o     = pc_i + (is_long_i ? Xlen'(4) : Xlen'(2));

  always_comb begin
    target_o = pc_i + immediate_i;
    if (traps_o) target_o = handler_i;
    else if (is_jalr_i) target_o = {address_i[Xlen-1:1], 1'b0};
    else if (is_mret_i) target_o = return_pc_i;
  end

endmodule
