"""What the intermediate form means: the interpreter, and arithmetic as all targets have it."""
