"""Lines of a possibly compressed file, with bounds on what decompression may yield.

The codec is found by the file's first bytes, not by its name. Spark closes a zstd frame at every flush, so one file
has many frames, and the last one of a killed driver is open: both are read to the end. What the lines mean is
decided in `spark_traces.eventlog`.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import zstandard

from pim.errors import LoadError

MAX_LOG_BYTES = 64 << 30  # assumption: larger logs than 64 GiB (decompressed) are damaged or hostile
MAX_LINE_BYTES = 512 << 20  # assumption: the longest known line, a huge plan's text, has about 50 MB
MAX_RATIO = 300  # assumption: event logs shrink to a fiftieth; what grows by more than this was made to
MIN_BOUND_BYTES = 64 << 20  # of the bound by ratio: no harm is done below it
_CHUNK_BYTES = 1 << 20

_MAGIC = {
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x1f\x8b": "gzip",
    b"LZ4Block": "lz4 (block framing)",
    b"\x82SNAPPY\x00": "snappy",
    b"ZV": "lzf",
    b"PK\x03\x04": "zip",
}


def codec_of(path: Path) -> str:
    """Return ``zstd``, ``gzip``, another codec's name, or ``plain``, by the file's first bytes."""
    with path.open("rb") as file:
        head = file.read(8)
    return next((codec for magic, codec in _MAGIC.items() if head.startswith(magic)), "plain")


def _gunzip(file: BinaryIO) -> Iterator[bytes]:
    """Yield what gzip members hold; unlike `gzip.open`, also the part before a missing end."""
    member = zlib.decompressobj(wbits=31)  # 31: gzip header and trailer
    data = b""
    while data or (data := file.read(_CHUNK_BYTES)):
        if member.eof:
            member = zlib.decompressobj(wbits=31)
        yield member.decompress(data, _CHUNK_BYTES)
        data = member.unconsumed_tail or member.unused_data


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        match codec_of(path):
            case "plain":
                while chunk := file.read(_CHUNK_BYTES):
                    yield chunk
            case "gzip":
                yield from _gunzip(file)
            case "zstd":
                reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
                while chunk := reader.read(_CHUNK_BYTES):
                    yield chunk
            case codec:
                raise LoadError(f"{path}: compressed as {codec}; this reader knows plain, gzip and zstd")


def read_chunks(path: Path, max_bytes: int = MAX_LOG_BYTES) -> Iterator[bytes]:
    """Yield the decompressed content in chunks; a cut end just ends it.

    Raises
    ------
    LoadError
        If the codec is unknown, the compressed data is corrupt, or more comes out than ``max_bytes`` or than the
        file's size times `MAX_RATIO`.
    """
    total = 0
    if codec_of(path) != "plain":
        max_bytes = min(max_bytes, max(MIN_BOUND_BYTES, MAX_RATIO * path.stat().st_size))
    try:
        for chunk in _chunks(path):
            total += len(chunk)
            if total > max_bytes:
                raise LoadError(f"{path}: decompresses to more than the {max_bytes} bytes allowed")
            yield chunk
    except (zstandard.ZstdError, zlib.error) as error:
        raise LoadError(f"{path}: corrupt compressed data after {total} bytes: {error}") from error


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the whole decompressed content, at most ``max_bytes``."""
    return b"".join(read_chunks(path, max_bytes))


def read_lines(path: Path, max_bytes: int = MAX_LOG_BYTES, max_line: int = MAX_LINE_BYTES) -> Iterator[bytes]:
    """Yield the lines without their newline; the last one also if it has none.

    Raises
    ------
    LoadError
        As `read_chunks`, or if a line is longer than ``max_line`` bytes.
    """
    pending: list[bytes] = []
    n_pending = number = 0
    for chunk in read_chunks(path, max_bytes):
        *lines, rest = chunk.split(b"\n")
        if lines:
            lines[0] = b"".join((*pending, lines[0]))
            pending, n_pending = [], 0
            number += len(lines)
            yield from lines
        pending.append(rest)
        n_pending += len(rest)
        if n_pending > max_line:
            raise LoadError(f"{path}, line {number + 1}: longer than the {max_line} bytes allowed")
    if n_pending:
        yield b"".join(pending)


def compress(data: bytes) -> bytes:
    """Return ``data`` as one zstd frame; the same input gives the same bytes for one library version."""
    return zstandard.ZstdCompressor(level=19, write_content_size=True, write_checksum=True).compress(data)
