"""Steady-state temperature of a die, its package and its board."""
