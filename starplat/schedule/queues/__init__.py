"""Sets of nodes in plain arrays, for host-driven rounds and for targets without sets of their own."""
