"""Names, comments and lines of emitted text."""
