"""The interpreter, which defines the meaning of the intermediate form."""
