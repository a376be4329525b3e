"""Asks a program of this machine about itself, such as `--version`: its answer, and the signal that ended it."""

import os
import signal
import subprocess

SECONDS = 30


def answer(path: str, question: str) -> str | None:
    """What it prints, in English; None if it does not start, fails, takes too long, or has nothing to say."""
    try:
        done = subprocess.run(
            [path, question],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 and done.stdout.strip() else None


def signal_name(number: int) -> str:
    """The name of the signal that ended it."""
    try:
        return signal.Signals(number).name
    except ValueError:  # one of those for real-time work
        return f"signal {number}"
