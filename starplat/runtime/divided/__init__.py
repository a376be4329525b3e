"""Runs of a program in parts on the devices of this process: the plan, and its runner."""
