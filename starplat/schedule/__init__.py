"""Schedules: the knobs, and the steps that apply them."""

from starplat.schedule.schedule import AUTO, KNOBS, PLAIN, Schedule, driven_by_host, in_less_memory

__all__ = ["AUTO", "KNOBS", "PLAIN", "Schedule", "driven_by_host", "in_less_memory"]
