"""Knob `loop`: what drives the rounds: the host, ahead or one by one, a persistent kernel, or one group."""
