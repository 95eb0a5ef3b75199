"""Energy of the ranks of a channel from the commands they got and the time they spent in each state."""

from pim.dram import Channel, Command
from pim.dram.channel import state_clocks
from pim.power.dram import CommandCounts, CommandTimes, DramEnergy, Rails, StateTimes, dram_energy


def rank_energy(
    channel: Channel, rank_id: int, end: int, tck_s: float, rails: Rails, *, rho: float = 1.0
) -> DramEnergy:
    """Return the energy of each of a rank's devices, J.

    Parameters
    ----------
    channel : Channel
    rank_id : int
    end : int
        DRAM clock up to which the states count, from 0; not before the rank's last command.
    tck_s : float
        Period of the DRAM clock, s.
    rails : Rails
        Supplies, V and mA; `pim.power.figures` has data-sheet and typical ones.
    rho : float
        As in `dram_energy`.
    """
    clocks = state_clocks(channel, rank_id, end)
    first, n_banks = rank_id << channel.bank_shift, 1 << channel.bank_shift
    banks = channel.bank_activity[first : first + n_banks]
    counts = CommandCounts(
        act=int(banks.acts.sum()),
        pre=int(banks.closings.sum()),
        rd=int(banks.reads.sum()),
        wr=int(banks.writes.sum()),
        ref=int(channel.activity[rank_id].commands[[Command.REF, Command.SRE]].sum()),  # SRE begins with a refresh
    )
    times = StateTimes(
        active_s=clocks.active * tck_s,
        precharged_s=clocks.precharged * tck_s,
        powerdown_active_s=clocks.down_active * tck_s,
        powerdown_precharged_s=clocks.down_precharged * tck_s,
        self_refresh_s=clocks.self_refresh * tck_s,
        bank_open_s=sum(clocks.bank_open) * tck_s,
    )
    timing = channel.timing
    command_times = CommandTimes(timing.nras * tck_s, timing.nrp * tck_s, timing.nbl * tck_s, timing.nrfc * tck_s)
    return dram_energy(rails, counts, times, command_times, rho=rho, n_banks=n_banks)
