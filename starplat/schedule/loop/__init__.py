"""Knob `loop`: who drives the rounds: the host, ahead or one by one, all threads of a launch, or one group of them."""
