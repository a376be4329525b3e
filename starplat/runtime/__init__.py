"""Runs modules: one executor over thin devices, arguments in, results out."""

from starplat.runtime.arguments import Bound, bind, bind_text
from starplat.runtime.launch import run_module
from starplat.runtime.limits import Limits, limits
from starplat.runtime.progress import Progress
from starplat.runtime.result import Bytes, Result, Seconds, Summary
from starplat.runtime.validate import Verdict, validate

__all__ = [
    "Bound",
    "Bytes",
    "Limits",
    "Progress",
    "Result",
    "Seconds",
    "Summary",
    "Verdict",
    "bind",
    "bind_text",
    "limits",
    "run_module",
    "validate",
]
