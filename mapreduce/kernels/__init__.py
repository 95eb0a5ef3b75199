"""Map, combine and reduce functions of the shipped workloads, in Python."""
