"""PySpark programs that can be traced."""
