"""The report when a device's compiler refuses emitted kernels: our mistake, with everything needed to fix it."""

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.toolchain.cache import key_of, private_folder, write_atomically


def refused_kernels(device: str, text: str, suffix: str, error: str) -> DiagnosticError:
    """E0904; the text is kept beside the cache, where there is one, under a name that ends in `suffix`."""
    message = f"{device} does not compile the kernels that were emitted: {error}"
    help = f"this is a mistake of starplat; please report it with your program{_kept(text, suffix)}"
    return DiagnosticError(Diagnostic("E0904", message, help=help), exit_code=ExitCode.BUILD_FAILED)


def first_error(log: str) -> str:
    """The first line of a build log that speaks of an error, else its last line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[-1] if lines else "no reason given")


def _kept(text: str, suffix: str) -> str:
    if (folder := private_folder()) is None:
        return ""
    path = folder / "refused" / f"{key_of(text)[:16]}{suffix}"
    try:
        write_atomically(path, text.encode())
    except OSError:  # a full disk: the message matters more
        return ""
    return f" and {path}"
