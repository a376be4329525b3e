"""The memory of the machine, which limits what graph readers accept."""

import os


def memory() -> int:
    """Bytes of the machine's memory; 16 GiB where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**34
