// Constants and types shared by the units of a bank core: register map, states of a run and of the bank's ownership.
package pim_pkg;

  //////////////////////
  // Mailbox registers //
  //////////////////////

  localparam int NUM_ARGUMENTS = 16;

  // Byte offsets of the registers, without the three low bits (every register is eight bytes).
  localparam logic [7:3] CONTROL_OFFSET  = 5'h00;  // 0x00
  localparam logic [7:3] STATUS_OFFSET   = 5'h01;  // 0x08
  localparam logic [7:3] OWNER_OFFSET    = 5'h02;  // 0x10
  localparam logic [7:3] RETURN_OFFSET   = 5'h03;  // 0x18
  localparam logic [7:3] ARGUMENT_OFFSET = 5'h10;  // 0x80 to 0xF8

  // Bits of CONTROL (written) and OWNER (written).
  localparam int CONTROL_START_BIT = 0;
  localparam int CONTROL_CLEAR_BIT = 1;
  localparam int OWNER_CORE_BIT    = 0;

  ////////////
  // States //
  ////////////

  // Where a run is: STATUS[1:0]. Bit 1 alone says that it has ended.
  typedef enum logic [1:0] {
    RUN_IDLE    = 2'd0,
    RUN_RUNNING = 2'd1,
    RUN_DONE    = 2'd2,
    RUN_TRAPPED = 2'd3
  } run_e;

  // Who owns the bank: OWNER[2:0] and STATUS[6:4]. The host is locked out from OWNER_TO_CORE to OWNER_TO_HOST.
  typedef enum logic [2:0] {
    OWNER_HOST    = 3'd0,
    OWNER_DRAIN   = 3'd1,  // requested; the host's row is still open
    OWNER_TO_CORE = 3'd2,  // mode switch, tMOD
    OWNER_CORE    = 3'd3,
    OWNER_FLUSH   = 3'd4,  // run over; the core writes its line buffers back
    OWNER_TO_HOST = 3'd5   // mode switch, tMOD
  } owner_e;

endpackage
