"""What a caller gives, as values of the program's parameters."""
