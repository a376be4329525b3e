"""What a checked program does to a graph, in the field's words and in one canonical form."""
