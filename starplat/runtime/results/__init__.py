"""Results of runs: access, display, validation."""
