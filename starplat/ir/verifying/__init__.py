"""The rules that the intermediate form keeps, and whether it does."""
