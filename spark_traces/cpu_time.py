"""CPU seconds used by a session's processes and by the whole machine, from Linux's /proc; None elsewhere.

Spark's own metrics leave out Python workers; these counters have them, and what else ran on the machine meanwhile.

References
----------
proc(5): /proc/[pid]/stat fields 6 and 14 to 17, /proc/stat.
"""

import os
from pathlib import Path

_PROC = Path("/proc")


def session_seconds() -> float | None:
    """Return the CPU seconds of all processes in this one's session, with those of their ended children."""
    session, ticks = os.getsid(0), 0
    if not (_PROC / "self" / "stat").exists():
        return None
    for folder in _PROC.iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            text = (folder / "stat").read_text()
        except OSError:  # ended meanwhile
            continue
        fields = text[text.rindex(")") + 2 :].split()  # from field 3 on; the name before may hold spaces
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def machine_seconds() -> float | None:
    """Return the CPU seconds that were not idle since the machine started, over all cores, stolen ones included."""
    try:
        first = (_PROC / "stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return None
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, first[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
