"""What a program is scheduled for: a run on a graph and a device, or a device that it would run on."""
