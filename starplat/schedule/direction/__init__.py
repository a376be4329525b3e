"""Knob `direction`: push or pull, and the proofs that either is legal."""
