"""What may be chosen about how a program runs, and the choosing."""

from starplat.schedule.schedule import AUTO, KNOBS, PLAIN, Schedule, driven_by_host

__all__ = ["AUTO", "KNOBS", "PLAIN", "Schedule", "driven_by_host"]
