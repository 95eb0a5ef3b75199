"""The in-order core: what instructions do (step) and how long they take (pipeline)."""
