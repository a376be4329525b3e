"""The runtime: one executor over thin devices, arguments in, results out."""

from starplat.runtime.arguments.bind import Bound, bind, bind_text
from starplat.runtime.attending.progress import Limits, Progress, limits
from starplat.runtime.launch import run_module
from starplat.runtime.results.result import Bytes, Result, Seconds, Summary
from starplat.runtime.session import Session, close
from starplat.runtime.validate import Verdict, validate

__all__ = [
    "Bound",
    "Bytes",
    "Limits",
    "Progress",
    "Result",
    "Seconds",
    "Session",
    "Summary",
    "Verdict",
    "bind",
    "bind_text",
    "close",
    "limits",
    "run_module",
    "validate",
]
