"""Exit codes of the command line; 0 is success."""

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT."""
FAILED = 1
"""Exit code when some points of a sweep failed, or the system refused to go on."""
BAD_INPUT = 2
"""Exit code of an error that is the input's fault."""
NOT_THE_GUESTS = 125
"""Exit code of `exec` where the guest gave none: wrong input, trap, cycle limit. As of env, timeout and containers."""
