"""Spark event logs and trace bundles: capture, read, schedule."""
