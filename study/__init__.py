"""Joins traces with the model: replay, sweeps, reports and the command line."""
