"""A graph that changes on the device where it lies."""
