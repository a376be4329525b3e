"""Measurement of programs: targets, schedules and graphs, before and after, search of the best schedule."""
