"""DDR4 timing parameters: JEDEC minimums in nanoseconds in, clocks out, by one rounding rule."""

from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from pim.config.model import Clocks, ConfigModel, Nanoseconds


def round_up_nck(duration_ns: float, tck_ns: float) -> int:
    """Return ``duration_ns`` in clocks by JEDEC's rule: up, after a correction of 2.6 % of a clock.

    ``floor(duration/tCK + 0.974)``, both in whole picoseconds.

    References
    ----------
    JESD79-4, section 13.5 "Rounding algorithms"; JESD400 SPD annex.
    """
    duration_ps, tck_ps = round(duration_ns * 1000), round(tck_ns * 1000)
    return (duration_ps * 1000 // tck_ps + 974) // 1000


class ClockTiming(NamedTuple):
    """The timings in DRAM clocks, as kernels see them."""

    nrcd: int
    nrp: int
    nras: int
    ncl: int
    ncwl: int
    nbl: int
    nccd_s: int
    nccd_l: int
    nrrd_s: int
    nrrd_l: int
    nfaw: int
    nwr: int
    nrtp: int
    nwtr_s: int
    nwtr_l: int
    nrtrs: int
    nxp: int
    ncke: int
    nckesr: int
    nxs: int
    nxsdll: int
    nrefi: int
    nrfc: int
    nrow_transfer: int


class ClockOverrides(ConfigModel):
    """Timings given in clocks, which replace the rounded ones: for controllers programmed by hand, or comparisons."""

    nrcd: Clocks | None = None
    nrp: Clocks | None = None
    nras: Clocks | None = None
    ncl: Clocks | None = None
    ncwl: Clocks | None = None
    nbl: Clocks | None = None
    nccd_s: Clocks | None = None
    nccd_l: Clocks | None = None
    nrrd_s: Clocks | None = None
    nrrd_l: Clocks | None = None
    nfaw: Clocks | None = None
    nwr: Clocks | None = None
    nrtp: Clocks | None = None
    nwtr_s: Clocks | None = None
    nwtr_l: Clocks | None = None
    nrtrs: Clocks | None = None
    nxp: Clocks | None = None
    ncke: Clocks | None = None
    nckesr: Clocks | None = None
    nxs: Clocks | None = None
    nxsdll: Clocks | None = None
    nrefi: int | None = Field(None, ge=1, le=1 << 50)
    nrfc: Clocks | None = None
    nrow_transfer: Clocks | None = None


class TimingSpec(ConfigModel):
    """Minimum timings of one device; defaults: DDR4-2400, 8 Gb, x8 (JESD79-4; Micron 8 Gb DDR4 sheet).

    The other speed grades, densities and widths are in `pim.config.ddr4`.
    """

    tck_ns: float = Field(0.833, ge=0.1, le=100)  # JESD79-4: 2400 MT/s
    trcd_ns: Nanoseconds = 14.16  # 2400 bin T (17-17-17), Micron -083
    trp_ns: Nanoseconds = 14.16  # same
    tras_ns: Nanoseconds = 32.0  # JESD79-4: 2400
    tccd_l_ns: Nanoseconds = 5.0  # JESD79-4: max(5 nCK, 5 ns)
    trrd_s_ns: Nanoseconds = 3.3  # JESD79-4: max(4 nCK, 3.3 ns), x8
    trrd_l_ns: Nanoseconds = 4.9  # JESD79-4: max(4 nCK, 4.9 ns), x8
    tfaw_ns: Nanoseconds = 21.0  # JESD79-4: max(20 nCK, 21 ns), x8
    tfaw_min_nck: Clocks = 20  # same
    twr_ns: Nanoseconds = 15.0  # JESD79-4
    trtp_ns: Nanoseconds = 7.5  # JESD79-4: max(4 nCK, 7.5 ns)
    twtr_s_ns: Nanoseconds = 2.5  # JESD79-4: max(2 nCK, 2.5 ns)
    twtr_l_ns: Nanoseconds = 7.5  # JESD79-4: max(4 nCK, 7.5 ns)
    trtrs_nck: Clocks = 2  # assumption: two clocks between bursts of two ranks, as two public simulators take it
    txp_ns: Nanoseconds = 6.0  # JESD79-4: max(4 nCK, 6 ns)
    tcke_ns: Nanoseconds = 5.0  # JESD79-4: max(3 nCK, 5 ns); a self-refresh takes a clock more (tCKESR)
    txsdll_nck: Clocks = 768  # JESD79-4: tXSDLL = tDLLK, 2133 and 2400
    trefi_ns: float = Field(7800.0, gt=0, le=1e12)  # JESD79-4: 7.8 us up to 85 C; a longer one is no refresh
    trfc_ns: Nanoseconds = 350.0  # JESD79-4: tRFC1 of 8 Gb
    trfc2_ns: Nanoseconds = 260.0  # JESD79-4: 8 Gb, fine granularity 2x
    trfc4_ns: Nanoseconds = 160.0  # JESD79-4: 8 Gb, fine granularity 4x
    fine_refresh: Literal[1, 2, 4] = 1  # JESD79-4, fine granularity refresh mode: so many shorter REFs per trefi_ns
    cl_nck: Clocks = 17  # 2400 bin T
    cwl_nck: Clocks = 12  # JESD79-4: 2400, first set
    bl_nck: Clocks = 4  # BL8 at double data rate
    row_transfer_ns: Nanoseconds = 5.0
    """Row latch to line buffer, ns (whole-row port): v0-to-register transfer of the published bank core's simulator."""
    nck: ClockOverrides = ClockOverrides()

    @model_validator(mode="after")
    def _refresh_leaves_time(self) -> Self:
        if self.trefi_ns < self.trfc_ns + self.tck_ns:
            raise ValueError(f"trefi_ns must be longer than trfc_ns ({self.trfc_ns} ns), got {self.trefi_ns} ns")
        clocks = self.to_kernel()
        if clocks.nrefi <= clocks.nrfc:
            raise ValueError(
                f"a REF every {clocks.nrefi} clocks must leave time after its {clocks.nrfc} clocks (trefi_ns, "
                f"fine_refresh, trfc2_ns, trfc4_ns, nck)"
            )
        return self

    @property
    def refresh_ns(self) -> tuple[float, float]:
        """Interval between REFs and duration of one, ns, in the fine-granularity mode."""
        trfc_ns = {1: self.trfc_ns, 2: self.trfc2_ns, 4: self.trfc4_ns}[self.fine_refresh]
        return self.trefi_ns / self.fine_refresh, trfc_ns

    def to_kernel(self) -> ClockTiming:
        """Return all timings in DRAM clocks; tREFI, a maximum, is rounded down. Those of ``nck`` replace the others."""
        overrides = {name: clocks for name, clocks in self.nck.model_dump().items() if clocks is not None}
        return self._rounded()._replace(**overrides)

    def _rounded(self) -> ClockTiming:

        def nck(duration_ns: float, at_least: int = 1) -> int:
            return max(at_least, round_up_nck(duration_ns, self.tck_ns))

        refresh_interval_ns, trfc_ns = self.refresh_ns
        return ClockTiming(
            nrcd=nck(self.trcd_ns),
            nrp=nck(self.trp_ns),
            nras=nck(self.tras_ns),
            ncl=self.cl_nck,
            ncwl=self.cwl_nck,
            nbl=self.bl_nck,
            nccd_s=4,  # JESD79-4: tCCD_S = 4 nCK
            nccd_l=nck(self.tccd_l_ns, 5),
            nrrd_s=nck(self.trrd_s_ns, 4),
            nrrd_l=nck(self.trrd_l_ns, 4),
            nfaw=nck(self.tfaw_ns, self.tfaw_min_nck),
            nwr=nck(self.twr_ns),
            nrtp=nck(self.trtp_ns, 4),
            nwtr_s=nck(self.twtr_s_ns, 2),
            nwtr_l=nck(self.twtr_l_ns, 4),
            nrtrs=self.trtrs_nck,
            nxp=nck(self.txp_ns, 4),
            ncke=nck(self.tcke_ns, 3),
            nckesr=nck(self.tcke_ns, 3) + 1,
            nxs=nck(self.trfc_ns + 10.0),  # JESD79-4: tXS = tRFC1 + 10 ns
            nxsdll=self.txsdll_nck,
            nrefi=int(refresh_interval_ns / self.tck_ns),
            nrfc=nck(trfc_ns),
            nrow_transfer=nck(self.row_transfer_ns),
        )
