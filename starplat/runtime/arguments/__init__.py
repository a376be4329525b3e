"""Arguments: from the caller's objects or words to values of the program's parameters."""
