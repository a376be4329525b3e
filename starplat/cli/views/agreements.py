"""Shows in color how the answer of a device compares with the reference's."""

from rich.markup import escape

from starplat.runtime.everywhere import Agreement

STYLES = {
    Agreement.MEASURE: "",
    Agreement.AGREES: "green",
    Agreement.UNDEFINED: "yellow",
    Agreement.REFUSED: "yellow",
    Agreement.ABSENT: "dim",
    Agreement.DIFFERS: "bold red",
    Agreement.FAILED: "bold red",
}


def agreement_in_color(agreement: Agreement, reason: str) -> str:
    """The agreement and its reason, if there is one, in rich's markup."""
    style, said = STYLES[agreement], escape(agreement.value + (f": {reason}" if reason else ""))
    return f"[{style}]{said}[/]" if style else said
