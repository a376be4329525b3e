"""From text to the syntax tree, and back."""
