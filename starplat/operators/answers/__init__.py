"""Questions about operators, each answered with its reason."""
