"""The executor: each host operation's effect on a device."""
