"""Checks that a checked run makes: what may go wrong in an operation, and how kernels and the host tell."""

from starplat.ir.lowering.checking.checks import *
from starplat.ir.lowering.checking.risks import *
