"""Analyses: facts about a program, which they do not change."""

from starplat.analysis.describe import describe, to_json
from starplat.analysis.facts import Facts, FunctionFacts, analyse

__all__ = ["Facts", "FunctionFacts", "analyse", "describe", "to_json"]
