"""One algorithm in many words: see README.md."""
