"""Sets of nodes in plain arrays, for rounds that the host drives and for targets without sets of their own."""
