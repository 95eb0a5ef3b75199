"""The machine a trace is captured on: what is written down about it, and what must not be."""

import getpass
import importlib.util
import os
import platform
import socket
import sys
from pathlib import Path
from typing import Any

from pim.this_machine import cpu_model, memory_bytes
from spark_traces.scrub import Scrubber

PACKAGE_ROOT = Path(__file__).resolve().parent.parent


def describe_machine() -> dict[str, Any]:
    """Return CPU model, number of cores, memory [bytes] and operating system; no name of host or user."""
    return {
        "cpu": cpu_model(),
        "n_cores": os.cpu_count() or 1,
        "memory_bytes": memory_bytes(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def machine_scrubber(work: Path, java_home: Path) -> Scrubber:
    """Return a scrubber that knows this machine's folders and names, and the capture's folder ``work``."""
    spec = importlib.util.find_spec("pyspark")
    roots = [
        (str(work), "<work>"),
        (str(work.resolve()), "<work>"),
        (str(Path(spec.origin).parent) if spec and spec.origin else "", "<spark>"),
        (sys.prefix, "<python>"),
        (str(java_home), "<java>"),
        (str(PACKAGE_ROOT), "<scalein>"),
        (str(Path.home()), "<home>"),
    ]
    host = socket.gethostname()
    names = {host, socket.getfqdn(), host.split(".")[0]}
    user = getpass.getuser()
    if user not in ("root", "spark"):  # words that also stand in class names and plans
        names.add(user)
    return Scrubber(roots, names)
