// Activate budget of one die: which bank may have its ACT in this tCK.
// ACTs of the cores go out in the order of their requests, by tCK and then by core: only the first one in the queue gets a
// grant, when its bank is ready and tRRD_S, tRRD_L and tFAW are kept. The host's ACTs count, and go before all.

`include "pim_assert.svh"

module pim_activate_arbiter #(
  parameter int Banks  = 16,
  parameter int Groups = 4,   // bank groups: bank b is of group b mod Groups
  // Timings in tCK; defaults: DDR4-2400, x8 (pim/config/timing.py)
  parameter int NRrdS  = 4,
  parameter int NRrdL  = 6,
  parameter int NFaw   = 26   // 0: the die obeys no tFAW
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // Bank controllers
  input  logic [Banks-1:0] pending_i,   // a request that needs an ACT is there; from its tCK to that of the ACT
  input  logic [Banks-1:0] ready_i,     // its bank can take the ACT in this tCK
  output logic [Banks-1:0] grant_o,

  // Host
  input  logic [Banks-1:0] host_act_i,  // an ACT of the host in this tCK
  input  logic             quiet_i      // one comes so soon that the cores have to hold theirs
);

  ///////////////
  // Constants //
  ///////////////

  localparam int PLACE_BITS = $clog2(Banks + 1);
  localparam int LONGEST    = (NFaw > NRrdL) ? NFaw : NRrdL;
  localparam int TIMER_BITS = $clog2(LONGEST + NRrdS);

  /////////////
  // Signals //
  /////////////

  logic [Banks-1:0]                 queued_q, queued_d;
  logic [Banks-1:0][PLACE_BITS-1:0] place_q, place_d, place;  // requests before this one
  logic [PLACE_BITS-1:0]            behind;

  // Clocks until the distance to an earlier ACT is kept, 0: it is.
  logic [TIMER_BITS-1:0]             short_q, short_d;
  logic [Groups-1:0][TIMER_BITS-1:0] long_q, long_d;
  logic [3:0][TIMER_BITS-1:0]        window_q, window_d;  // of the last four ACTs, the latest first

  logic [Banks-1:0]  act;
  logic [Groups-1:0] group_acts, group_waits;
  logic              any_act, allowed;

  ///////////
  // Queue //
  ///////////

  // Requests of one tCK queue by number behind all that wait already.
  always_comb begin
    behind = '0;
    for (int i = 0; i < Banks; i++) behind = behind + PLACE_BITS'(queued_q[i]);
    for (int i = 0; i < Banks; i++) begin
      place[i] = queued_q[i] ? place_q[i] : behind;
      behind   = behind + PLACE_BITS'(pending_i[i] && !queued_q[i]);
    end
  end

  assign allowed = short_q == '0 && window_q[3] == '0 && !quiet_i;

  always_comb begin
    for (int i = 0; i < Groups; i++) group_waits[i] = long_q[i] != '0;
  end

  always_comb begin
    for (int i = 0; i < Banks; i++) begin
      grant_o[i] = pending_i[i] && place[i] == '0 && ready_i[i] && allowed && !group_waits[i % Groups];
    end
  end

  always_comb begin
    queued_d = pending_i & ~grant_o;
    for (int i = 0; i < Banks; i++) place_d[i] = place[i] - PLACE_BITS'(grant_o != '0);
  end

  ///////////////
  // Distances //
  ///////////////

  function automatic logic [TIMER_BITS-1:0] less(input logic [TIMER_BITS-1:0] left);
    less = (left == '0) ? '0 : left - TIMER_BITS'(1);
  endfunction

  assign act     = grant_o | host_act_i;
  assign any_act = act != '0;

  always_comb begin
    group_acts = '0;
    for (int i = 0; i < Banks; i++) group_acts[i % Groups] = group_acts[i % Groups] | act[i];
  end

  always_comb begin
    short_d = any_act ? TIMER_BITS'(NRrdS - 1) : less(short_q);
    for (int i = 0; i < Groups; i++) long_d[i] = group_acts[i] ? TIMER_BITS'(NRrdL - 1) : less(long_q[i]);
    for (int i = 0; i < 4; i++) window_d[i] = less(window_q[i]);
    if (any_act) begin
      for (int i = 1; i < 4; i++) window_d[i] = less(window_q[i-1]);
      window_d[0] = (NFaw > 0) ? TIMER_BITS'(NFaw - 1) : '0;
    end
  end

  ///////////////
  // Registers //
  ///////////////

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      queued_q <= '0;
      place_q  <= '0;
      short_q  <= '0;
      long_q   <= '0;
      window_q <= '0;
    end else begin
      queued_q <= queued_d;
      place_q  <= place_d;
      short_q  <= short_d;
      long_q   <= long_d;
      window_q <= window_d;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  `ASSERT_INIT(DistancesAreOneAtLeast, NRrdS >= 1 && NRrdL >= NRrdS)
  `ASSERT_INIT(BanksShareGroups, Groups >= 1)
  `ASSERT(RequestsWaitForTheirAct, (queued_q & ~pending_i) == '0)
  `ASSERT(OneActATime, (act & (act - Banks'(1))) == '0 && (grant_o == '0 || host_act_i == '0))
  `ASSERT(ActKeepsTrrdSAndTfaw, !any_act || (short_q == '0 && window_q[3] == '0))
  `ASSERT(ActKeepsTrrdL, (group_acts & group_waits) == '0)

endmodule
