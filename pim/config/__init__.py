"""What a machine is: geometry, timing, core, interface and host, read from YAML and checked."""
