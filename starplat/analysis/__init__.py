"""Facts about a program; they change nothing."""

from starplat.analysis.describe import describe, to_json
from starplat.analysis.facts import Facts, FunctionFacts, analyse

__all__ = ["Facts", "FunctionFacts", "analyse", "describe", "to_json"]
