"""What a run gives back, how it shows itself, and whether it is right."""
