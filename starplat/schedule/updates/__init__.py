"""The knob `updates`: how a graph that changes takes a batch of updates."""
