"""The parts of the random program generator: text as a tree, names and who may touch them, expressions, statements."""
