"""Spark applications as trace bundles: capture, checked reading, and replay of the measured tasks."""

from spark_traces.bundle import Bundle, open_bundle, shipped_bundles

__all__ = ["Bundle", "open_bundle", "shipped_bundles"]
