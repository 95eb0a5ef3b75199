"""The names of the two engines; a file of its own, so that the command line starts without the model."""

from enum import StrEnum


class Engine(StrEnum):
    """What simulates instructions; both give the same result.

    The interpreter takes over where the translator does not serve: single steps, several cores that share one memory,
    sectors below 16 B.
    """

    INTERPRETER = "interpreter"
    TRANSLATOR = "translator"


DEFAULT_ENGINE = Engine.TRANSLATOR
