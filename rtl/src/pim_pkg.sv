// Constants and types shared by the units of a bank core: memory map, register map, causes of traps, DRAM commands,
// states of a run and of the bank's ownership.
package pim_pkg;

  ////////////////
  // Memory map //
  ////////////////

  localparam logic [31:0] MAILBOX_BASE    = 32'h1000_0000;
  localparam logic [31:0] DMA_BASE        = 32'h1000_0100;
  localparam logic [31:0] SCRATCHPAD_BASE = 32'h2000_0000;
  localparam logic [31:0] MEMORY_BASE     = 32'h8000_0000;

  ///////////////////
  // Trap causes   //
  ///////////////////

  // Exception codes of mcause (privileged specification, "Machine Cause Register").
  localparam logic [3:0] CAUSE_FETCH_ACCESS     = 4'd1;
  localparam logic [3:0] CAUSE_ILLEGAL          = 4'd2;
  localparam logic [3:0] CAUSE_BREAKPOINT       = 4'd3;
  localparam logic [3:0] CAUSE_LOAD_MISALIGNED  = 4'd4;
  localparam logic [3:0] CAUSE_LOAD_ACCESS      = 4'd5;
  localparam logic [3:0] CAUSE_STORE_MISALIGNED = 4'd6;
  localparam logic [3:0] CAUSE_STORE_ACCESS     = 4'd7;
  localparam logic [3:0] CAUSE_ECALL_M          = 4'd11;

  // What a7 holds at the ecall that ends a program.
  localparam int EXIT_CALL = 93;

  //////////////////
  // DRAM command //
  //////////////////

  localparam logic [2:0] COMMAND_NOP = 3'd0;
  localparam logic [2:0] COMMAND_ACT = 3'd1;
  localparam logic [2:0] COMMAND_RD  = 3'd2;
  localparam logic [2:0] COMMAND_WR  = 3'd3;
  localparam logic [2:0] COMMAND_PRE = 3'd4;
  localparam logic [2:0] COMMAND_REF = 3'd5;

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

  // Bits of CONTROL (written).
  localparam int CONTROL_START_BIT = 0;
  localparam int CONTROL_CLEAR_BIT = 1;

  // What is written to OWNER[1:0].
  localparam logic [1:0] OWNER_RELEASE = 2'd0;  // give the bank back to the host
  localparam logic [1:0] OWNER_REQUEST = 2'd1;  // hand it over to the core
  localparam logic [1:0] OWNER_CLAIM   = 2'd2;  // concurrent: the host needs the core's bank for a while
  localparam logic [1:0] OWNER_UNCLAIM = 2'd3;  // concurrent: no longer

  // Bit of OWNER (written, with a request): the core keeps the bank when its run ends.
  localparam int OWNER_KEEP_BIT = 2;

  ////////////////////////
  // Registers of the DMA //
  ////////////////////////

  // Byte offsets, without the three low bits; what is stored to START is the length in bytes.
  localparam logic [4:3] DMA_SOURCE      = 2'd0;
  localparam logic [4:3] DMA_DESTINATION = 2'd1;
  localparam logic [4:3] DMA_START       = 2'd2;

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
