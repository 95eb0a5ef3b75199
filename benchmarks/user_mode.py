"""A kernel and its data as a Linux program: what a functional emulator needs for the same instructions.

The program is the one that the cores run. Mailbox and scratchpad become ordinary memory, and the call that ends it is
Linux's ``exit`` too.
"""

import os
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from pim.core.mailbox import ARGUMENT_WORD, MAILBOX_WORDS
from pim.core.settings import MAILBOX_BASE, MEMORY_BASE, SCRATCHPAD_BASE
from pim.isa import Program
from pim.system import CoreTask

EMULATOR = "qemu-riscv64"
PAGE_BYTES = 4096
READ, WRITE, EXECUTE = 4, 2, 1
EXIT_AT = 0x4000_0000
EXIT = struct.pack("<III", 0x0000_0513, 0x05D0_0893, 0x0000_0073)
"""li a0, 0; li a7, 93; ecall."""


def cpu_seconds(program: Program, task: CoreTask, repeats: int) -> list[float]:
    """Return the CPU time of a task on the emulator beyond that of a program that ends at once; a pair per repeat."""
    with tempfile.TemporaryDirectory() as folder:
        whole, nothing = Path(folder) / "task.elf", Path(folder) / "nothing.elf"
        parts = _parts(program, task)
        whole.write_bytes(_elf(parts, program.entry))
        nothing.write_bytes(_elf(parts, EXIT_AT))
        for path in (whole, nothing):
            path.chmod(0o755)
        _run(whole)  # brings the files into the host's caches
        return [_run(whole) - _run(nothing) for _ in range(repeats)]


def _run(path: Path) -> float:
    """Return the CPU seconds, user and system, that the emulator takes for a program that must succeed."""
    process = subprocess.Popen([EMULATOR, str(path)])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{EMULATOR} {path.name}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def _parts(program: Program, task: CoreTask) -> list[tuple[int, bytes, int]]:
    """Return address, content and flags of what is in memory; no two parts share a page."""
    mailbox = np.zeros(MAILBOX_WORDS, np.uint64)
    mailbox[ARGUMENT_WORD : ARGUMENT_WORD + len(task.arguments)] = task.arguments
    end = max(segment.end for segment in program.segments)
    image = bytearray(end - MEMORY_BASE)
    for segment in program.segments:
        at = segment.address - MEMORY_BASE
        image[at : at + len(segment.content)] = segment.content
    arrays = [(address, array.tobytes()) for address, array in task.writes]
    return [
        (MAILBOX_BASE, mailbox.tobytes(), READ | WRITE),
        (SCRATCHPAD_BASE, bytes(PAGE_BYTES), READ | WRITE),
        (EXIT_AT, EXIT, READ | EXECUTE),
        (MEMORY_BASE, bytes(image), READ | WRITE | EXECUTE),
        *((address, content, READ | WRITE) for address, content in arrays),
    ]


def _elf(parts: list[tuple[int, bytes, int]], entry: int) -> bytes:
    """Return a static ELF file (System V ABI, chapter "Object Files")."""
    headers, body = b"", b""
    start = 64 + 56 * len(parts)
    for address, content, flags in parts:
        body += bytes((address - start - len(body)) % PAGE_BYTES)
        headers += struct.pack("<IIQQQQQQ", 1, flags, start + len(body), address, address, *[len(content)] * 2, 4096)
        body += content
    identity = b"\x7fELF\x02\x01\x01" + bytes(9)
    return (
        identity
        + struct.pack("<HHIQQQIHHHHHH", 2, 243, 1, entry, 64, 0, 0, 64, 56, len(parts), 64, 0, 0)
        + headers
        + body
    )
