"""What a replay does unless told otherwise; a file of its own, so that the command line starts without the model."""

SAMPLE_GROUPS = 1
"""Groups of cores simulated per launch; more where few of their cores have work."""

SAMPLE_ITERATIONS = 1
"""First iterations simulated of an iterative job: the same records each time, other values."""

EXECUTOR_CORES = 16
"""N of the Spark baseline. Assumption: one server of a small cluster."""

TRACE_SIZE = "100MiB"
"""Input of a new trace: that of the shipped ones, whose stages are not all overhead."""

THREADS = 16
"""N of the native baseline: the same server."""

MAX_EXECUTOR_CORES = 100_000
"""Largest N of the Spark baseline. Assumption: far above the largest clusters known to run one application."""

MAX_THREADS = 1024
"""Largest N of the native baseline. Assumption: above any one host; its work is split into as many parts."""
