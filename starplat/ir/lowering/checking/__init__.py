"""Checks that a checked run makes: what may go wrong in an operation, and how kernels and the host tell."""

from starplat.ir.lowering.checking.checks import (
    FAULT_CELLS,
    FAULTS,
    SLOTS,
    Checks,
    Lines,
    Record,
    failed,
    is_iterator,
    new_lines,
    no_number,
    parameters_of_record,
    printed,
)
from starplat.ir.lowering.checking.risks import Risk, at_cell, risk_of, risk_of_update

__all__ = [
    "FAULTS",
    "FAULT_CELLS",
    "SLOTS",
    "Checks",
    "Lines",
    "Record",
    "Risk",
    "at_cell",
    "failed",
    "is_iterator",
    "new_lines",
    "no_number",
    "parameters_of_record",
    "printed",
    "risk_of",
    "risk_of_update",
]
