"""The process around the command line: what the `starplat` command and `python -m starplat` start."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from starplat.cli.app import main

_DEVICE_LIBRARIES = ("pyopencl", "cupy", "dpctl", "starplat.runtime.library")


def run() -> NoReturn:
    """Runs the command line and ends the process with its exit code.

    Where a device was used the process ends at once: the runtimes of several vendors in one process tear down each
    other's threads and contexts, and may crash after the answer has been printed. `kept.KEPT` holds what was on devices
    till then.
    """
    code = main()
    if any(name in sys.modules for name in _DEVICE_LIBRARIES):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
