"""Word count as a job: text in, [word, count] out."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from mapreduce.api import Arrays, Job, Parameters
from mapreduce.call import Array, Call, Input, Outcome, Output, Scratch
from mapreduce.kernels.wordcount import FIRST_CAPACITY, HEADER, LOW_32, record_items, wordcount_map, wordcount_reduce
from mapreduce.shuffle import partition_records
from mapreduce.split import text_bounds
from pim.errors import ConfigError

_SMALLEST_RECORD = HEADER + 1
"""Items of the record of a word of 1 to 8 bytes."""


def _n_slots(n_records: int) -> int:
    """Return the slots for a table of up to ``n_records``: the power of two that keeps it half empty."""
    return max(FIRST_CAPACITY, 1 << (2 * n_records - 1).bit_length() if n_records else 0)


class WordCount(Job):
    """Counts words separated by spaces and newlines. Input ``text``: uint8, UTF-8."""

    name = "wordcount"
    map_kernel = wordcount_map
    reduce_kernel = wordcount_reduce
    inputs = {"text": "uint8"}  # noqa: RUF012
    map_unit = "byte of text"
    reduce_unit = "item (8 B) of records"

    def split(self, inputs: Arrays, parameters: Parameters, n: int) -> list[Arrays]:
        """Return parts cut at white space."""
        del parameters
        text = inputs["text"]
        return [{"text": text[start:end]} for start, end in pairwise(text_bounds(text, n))]

    def start(self, inputs: Arrays, parameters: Parameters) -> Arrays:
        """Return nothing: there is no broadcast state."""
        del inputs, parameters
        return {}

    def map_call(self, part: Arrays, state: Arrays, parameters: Parameters) -> Call:
        """Return a call with room for the worst case, words of one byte that are all different."""
        del state, parameters
        text = part["text"]
        most_words = (len(text) + 1) // 2
        # + one record of the longest word, which is tried out beyond the records
        n_items = _SMALLEST_RECORD * most_words + HEADER + (len(text) + 7) // 8
        return Call(
            wordcount_map,
            (Input(text, resident=True), Scratch("i4", _n_slots(most_words)), Output("i8", n_items, returned=True)),
        )

    def shuffle(self, outcomes: Sequence[Outcome], n: int) -> list[Arrays | None]:
        """Return the records by ranges of their hash."""
        parts = partition_records([outcome.outputs[0] for outcome in outcomes], n)
        return [{"records": part} if part.size else None for part in parts]

    def reduce_call(self, part: Arrays) -> Call:
        """Return a call with room for the worst case, no two records of the same word."""
        records = part["records"]
        n_slots = _n_slots(len(records) // _SMALLEST_RECORD)
        return Call(
            wordcount_reduce,
            (Input(records), Scratch("i4", n_slots), Output("i8", len(records), returned=True)),
        )

    def update(self, outcomes: Sequence[Outcome], state: Arrays) -> Arrays:
        """Return all merged records, one after the other."""
        del state
        outputs = [outcome.outputs[0] for outcome in outcomes]
        return {"records": np.concatenate(outputs) if outputs else np.zeros(0, np.int64)}

    def result(self, state: Arrays) -> Any:
        """Return ``[word, count]`` in ascending order of words."""
        counts = _decode(state["records"])
        try:
            return sorted([word.decode(), count] for word, count in counts)
        except UnicodeDecodeError as error:
            raise ConfigError(f"job wordcount: the text is not UTF-8: word {error.object!r}") from error


def _decode(records: Array) -> list[tuple[bytes, int]]:
    """Return (word, count) of packed records."""
    packed, items = records.tobytes(), records.tolist()
    found, at = [], 0
    while at < len(items):
        first = 8 * (at + HEADER)
        found.append((packed[first : first + (items[at + 1] & LOW_32)], items[at]))
        at += record_items(items[at + 1])
    return found
