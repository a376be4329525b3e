"""Chooses how a target updates a shared cell atomically, or refuses."""

from dataclasses import dataclass

from starplat.backends import statements as st
from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.ir import nodes as ir
from starplat.ir.capabilities import BITS, Capabilities
from starplat.source import NOWHERE, SourceFile, Span

OTHER = "use another target"
NARROWER = (
    "use another target, or numbers of 32 bits: `int` for `long`, `float` for `double`; "
    "in place of `Sum` or `Count`, add up in a `forall`"
)
"""What to do where numbers of 64 bits are too wide for a target."""


@dataclass(frozen=True)
class Methods:
    """Those of a target, for the kernel or function at a place of the program."""

    capabilities: Capabilities
    source: SourceFile
    span: Span

    def method(self, combine: ir.Combine, element: ir.Element) -> st.Method:
        """How the target updates a shared cell atomically. Raises E0604: it cannot."""
        if element is ir.Element.BOOL and combine is ir.Combine.BIT_XOR:
            return st.Method.FLIP_BYTE
        if self.capabilities.has_atomic(combine, element):
            return st.Method.NATIVE
        if self.capabilities.has_compare_and_swap(element):
            return st.Method.SWAP_LOOP
        message = f"this target cannot update a shared {element.value} with '{combine.value}' in one piece"
        raise self._impossible(message, NARROWER if BITS[element] == 64 else OTHER)

    def require_fetch(self, array: ir.Array, combine: ir.Combine) -> None:
        """Refuses an atomic read and change of a cell, if the target has none."""
        if not self.capabilities.has_atomic(combine, array.element):
            raise self._impossible(f"this target cannot read a cell of '{array.name}' and change it in one piece")

    def require_swap(self, array: ir.Array) -> None:
        """Refuses an atomic compare-and-swap of a cell, if the target has none."""
        if not self.capabilities.has_compare_and_swap(array.element):
            raise self._impossible(f"this target cannot compare and swap a cell of '{array.name}' in one piece")

    def require_lock(self, array: ir.Array) -> None:
        """Refuses a lock, if the target has none."""
        if not self.capabilities.has_compare_and_swap(ir.Element.INT):
            raise self._impossible(f"this target cannot lock a cell of '{array.name}'")

    def _impossible(self, message: str, help: str = OTHER) -> DiagnosticError:
        return impossible(message, self.source, self.span, help)


def impossible(message: str, source: SourceFile, span: Span, help: str = OTHER) -> DiagnosticError:
    """E0604, which points at the loop or function that needs what the target has not."""
    place = None if span == NOWHERE else Label(span, "in this loop")
    return DiagnosticError(Diagnostic("E0604", message, source, place, help=help))
