"""Measures programs: across targets, schedules and graphs, before and after, and in search of the best schedule."""
