"""The kernel that does a whole loop in one launch: barriers, rings, rounds."""
