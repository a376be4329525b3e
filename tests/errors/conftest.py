"""What the compiler says about a program."""

from __future__ import annotations

from starplat.analysis import analyse
from starplat.diagnostics import Diagnostic, DiagnosticError, sort
from starplat.frontend.check import check
from starplat.frontend.parser import parse
from starplat.frontend.statements.sequence import sequenced
from starplat.ir.lower import lower
from starplat.source import SourceFile


def diagnostics_of(source: SourceFile, *, lowered: bool = False) -> list[Diagnostic]:
    """All errors and warnings about a program, in the order of the text; what lowering refuses, if it comes so far."""
    try:
        program = check(parse(source), source)
        facts = analyse(sequenced(program))
        if lowered:
            lower(facts.program, None, facts)
        return sort([*program.warnings, *facts.warnings])
    except DiagnosticError as error:
        return list(error.diagnostics)
