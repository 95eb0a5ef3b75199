"""Silicon area of a configuration, as a share of what it sits on."""
