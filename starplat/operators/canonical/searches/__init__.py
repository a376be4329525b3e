"""Searches, however they say who has been reached: by levels, by marks, in waves."""
