"""Where native code finds what it needs: one frame of int64 words per core.

Header; a table of entries (see `Entry`) by number of the sector, modulo its size; `SITE_WORDS` per load and store; one
per line of code that blocks are cut at, 1 if it is not in the instruction buffer, else 0; then
`BLOCK_WORDS` per block. Words for entries are their addresses.
"""

from enum import IntEnum
from typing import Any, NamedTuple

from pim.core.translate.plan import Plan


class Header(IntEnum):
    """Words of a frame's header."""

    X = 0  # address of the integer registers
    F = 1  # address of the floating-point registers
    ENTRY = 2  # point to begin at
    CYCLE = 3  # core cycle, less the static cycles from its block's start to where it is
    LIMIT = 4  # a branch or jump that leads back, or anywhere, past this cycle is left to the interpreter
    SLACK = 5  # cycles of all blocks: no more than these pass from one such branch or jump to the next
    POINT = 6  # point at which native code was left
    REASON = 7  # a Reason, of accesses with `access_bits`
    ADDRESS = 8  # of the access it was left at; or of the block, + 1 if its first instruction is in two lines
    JUMPS = 9  # address of the table of points by parcel (int32): number + 1 of each block's head, else 0
    MASK = 10  # what of an address must equal its entry's; by log2 of the width, 4 words
    SECTOR_SHIFT = 14
    IS_STALE = 15  # whether the interpreter has run since entries and blocks were matched with the buffers

    IS_INSIDE = 16  # whether native code has the core: it is there, or parked there with all it counts in the frame
    NO_STAMP = 17  # what entries of the scratchpad have for an LRU stamp
    LOWEST_STORE = 18  # lowest offset in memory whose stores need no care, as the entries know it
    SERVE = 19  # address of a function int64(frame, cycle), which does what native code asks for: see `serve`
    PORT = 20  # address of the core's Port, for that function
    ENVIRONMENT = 21  # address of the group's Environment, for that function
    STACK = 22  # where the core's own stack begins, or 0


HEADER_WORDS = 23

TABLE_WORDS = 256
"""Size of the table of entries: five line buffers of 1 KB have 80 sectors of 64 B."""


class Reason(IntEnum):
    """Why native code was left."""

    ACCESS = 0  # at a load or store to what its entry does not stand for
    FETCH = 1  # at the start of a block whose lines may not be in the instruction buffer
    INTERPRET = 2  # at something the interpreter has to do


REASON_MASK = 3
STORE_BIT = 4
UNALIGNED_SHIFT = 3
UNALIGNED_MASK = 7
SITE_SHIFT = 6
SITE_MASK = 0x1FFF
ACCESS_SHIFT = 19
"""What `access_bits` are taken apart by."""


def access_bits(access: int, site: int, shift: int, *, is_store: bool) -> int:
    """Return Reason.ACCESS with a load or store's number and site, and what its width, given by its log2, needs."""
    assert site <= SITE_MASK, site
    unaligned = (1 << shift) - 1  # bits of its address that must be 0
    bits = Reason.ACCESS | STORE_BIT * is_store | unaligned << UNALIGNED_SHIFT
    return bits | site << SITE_SHIFT | access << ACCESS_SHIFT


class BlockWord(IntEnum):
    """Words of a block's record in the frame."""

    FALL_CYCLES = 0  # static cycles to its end
    TAKEN_CYCLES = 1  # the same with the penalty
    FALL_COUNT = 2  # how often it was executed to its end without, and with its branch taken; see `Flow.counted`
    TAKEN_COUNT = 3
    ENTERED = 4  # how often native code was entered in it, less the times it was left before its end


BLOCK_WORDS = 5


class SiteWord(IntEnum):
    """Words of a site, and of the load or store that has the same number; there are no more sites than these."""

    ENTRY = 0  # of a site: the entry that was used last
    CYCLES = 1  # of a load or store: static cycles from its block's start


SITE_WORDS = 2


class Entry(IntEnum):
    """Words of an entry: a sector in a line buffer, or as many bytes of the scratchpad."""

    LOAD_BASE = 0  # its first address if loads may go there, else `unmatched`
    STORE_BASE = 1  # likewise for stores: if the sector is dirty already
    USED = 2  # address in this process of its line buffer's LRU stamp
    DELTA = 3  # address in this process - the core's address


ENTRY_WORDS = 4


class Layout(NamedTuple):
    """Places in a frame, in words."""

    n_accesses: int
    n_lines: int
    n_blocks: int

    @property
    def line_at(self) -> int:
        """Return where the words of lines begin."""
        return HEADER_WORDS + TABLE_WORDS + SITE_WORDS * self.n_accesses

    @property
    def block_at(self) -> int:
        """Return where the blocks' records begin."""
        return self.line_at + self.n_lines

    @property
    def words(self) -> int:
        """Return the words of a frame."""
        return self.block_at + BLOCK_WORDS * self.n_blocks

    def block(self, number: Any, word: BlockWord) -> Any:
        """Return where a word of a block's record is; of an array of blocks, an array."""
        return self.block_at + BLOCK_WORDS * number + word

    def site(self, number: Any, word: SiteWord = SiteWord.ENTRY) -> Any:
        """Return where a word of a site, or a load or store, is."""
        return HEADER_WORDS + TABLE_WORDS + SITE_WORDS * number + word


def layout_of(plan: Plan) -> Layout:
    """Return the layout of a plan's frames."""
    n_lines = max((plan.lines(block)[-1] + 1 for block in plan.blocks), default=0)
    return Layout(plan.n_accesses, n_lines, len(plan.blocks))
