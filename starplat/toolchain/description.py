"""The row of `starplat devices` for one device, and the errors where something is missing or kernels are refused."""

import re
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.toolchain.cache import key_of, private_folder, write_atomically


@dataclass(frozen=True, slots=True)
class DeviceDescription:
    """One device of one target. `index` is what `--device` takes, None for what cannot be used; `memory` in bytes."""

    target: str
    index: int | None
    name: str
    driver: str
    compute_units: int
    memory: int
    status: str = "ready"
    mend: str | None = None
    is_gpu: bool = False

    @property
    def usable(self) -> bool:
        """Whether programs can run on it."""
        return self.index is not None


def in_brief(error: Exception) -> str:
    """The relevant line of an import's or driver's error, which may be a page."""
    lines = [" ".join(line.split()) for line in str(error).splitlines()]
    worded = [line for line in lines if any(map(str.isalpha, line))]
    causes = (line for line in worded if re.match(r"\w*(Error|Exception): ", line))
    return next(causes, worded[0] if worded else type(error).__name__)


def imported(target: str, package: str, *modules: str) -> ModuleType:
    """The Python package that a target needs, with these modules of it loaded. Raises E0901: it is not installed or
    does not load."""
    try:
        found, *_ = map(import_module, (package, *modules))
    except (ImportError, OSError) as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == package
        reason = "is not installed" if absent else f"does not load: {in_brief(error)}"
        message = f"target {target} needs the Python package {package}, which {reason}"
        raise unavailable(message, f"pip install 'starplat[{target}]'") from error
    return found


def unavailable(message: str, help: str) -> DiagnosticError:
    """E0901: something that a target needs is not here."""
    return DiagnosticError(Diagnostic("E0901", message, help=help), exit_code=ExitCode.NO_DEVICE)


def missing(target: str, status: str, mend: str | None) -> DeviceDescription:
    """The row of a target that has no device here."""
    return DeviceDescription(target, None, "-", "-", 0, 0, status, mend)


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
