"""`starplat lsp`: the server that editors talk to."""

from typing import Annotated

import typer

from starplat.diagnostics import Diagnostic, DiagnosticError

Stdio = Annotated[bool, typer.Option("--stdio", help="Talk over stdin and stdout, which is what it always does.")]


def lsp(stdio: Stdio = True) -> None:
    """Serve editors: diagnostics, hover, completion, rename, by the Language Server Protocol."""
    try:
        from starplat.lsp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        message = "starplat lsp needs pygls, which is not installed"
        raise DiagnosticError(Diagnostic("E0813", message, help="pip install 'starplat[lsp]'")) from error
    serve()
