"""`python -m starplat`, the same as `starplat`."""

import sys

from starplat.cli import main

sys.exit(main())
