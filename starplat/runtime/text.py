"""The kernel text that a device builds: the backend's, or the user's edited one.

`STARPLAT_DUMP=DIR` writes everything that is about to run into DIR: the kernels of each target, the intermediate form,
how the host proceeds. `STARPLAT_OVERRIDE=DIR` runs the kernels that lie there, under the names that a dump gives them,
instead of those that are emitted, and says so. All devices get their text here.
"""

import hashlib
import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath

from starplat.backends import BACKENDS
from starplat.backends.compiled_loops import compiled_functions
from starplat.backends.text.names import Names
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir import nodes as ir
from starplat.ir.visitor import launched_alone, loops_of
from starplat.toolchain.cache import write_atomically

DUMP_VARIABLE = "STARPLAT_DUMP"
OVERRIDE_VARIABLE = "STARPLAT_OVERRIDE"

SUFFIXES = {"cuda": ".cu", "hip": ".hip", "opencl": ".cl", "webgpu": ".wgsl"}
"""How a file of a target's kernels ends, where it is not C++ of another kind."""

_LONGEST_STEM = 80


class OverrideWarning(UserWarning):
    """Kernels that were not emitted are run, or an override was asked for and is not there."""


def kernels_text_to_run(target: str, module: ir.Module, emit: Callable[[ir.Module], str] | None = None) -> str:
    """The kernels of a module as a target's compiler is to get them; dumped, and replaced, where the user wants that.

    `emit` makes them where a compiler wants them otherwise than `kernels_text` has them. Raises DiagnosticError: E06xx,
    the target cannot do what the program asks; E0792, the dump cannot be written; E0910, the text that replaces the
    kernels cannot be read, or lacks one of them.
    """
    text = BACKENDS[target].kernels_text(module) if emit is None else emit(module)
    _dump(kernels_file(target, module), text)
    if (wanted := overriding_file(target, module)) is None:
        return text
    if not wanted.exists():
        _warn(f"{OVERRIDE_VARIABLE} is set, but there is no {wanted}: the emitted kernels run")
        return text
    return _overriding_text(wanted, target, module, text)


def dump_program(module: ir.Module) -> None:
    """Writes the intermediate form and the host's steps, if dumping is wanted."""
    if not os.environ.get(DUMP_VARIABLE):
        return
    from starplat.ir.printing.modules import print_module
    from starplat.ir.printing.proceeding import proceeding

    _dump(f"{_stem(module)}.ir.txt", print_module(module))
    _dump(f"{_stem(module)}.host.txt", proceeding(module))


@contextmanager
def edited_text_may_be_wrong(target: str, module: ir.Module) -> Iterator[None]:
    """Attributes a failed build to the text that replaces the kernels, where one does. Raises E0912: the device does
    not take that text."""
    try:
        yield
    except DiagnosticError as error:
        edited = overriding_file(target, module) if target in BACKENDS else None
        if edited is None or not edited.exists() or error.diagnostics[0].code not in ("E0904", "E0906"):
            raise
        reason = error.diagnostics[0].message.partition(": ")[2]
        message = f"{edited}, which {OVERRIDE_VARIABLE} puts in place, does not build: {reason}"
        help = f"mend that file, remove it, or unset {OVERRIDE_VARIABLE}"
        raise DiagnosticError(Diagnostic("E0912", message, help=help), exit_code=ExitCode.WRONG_INPUT) from error


def kernels_file(target: str, module: ir.Module) -> str:
    """The name of a dumped kernel file: `sssp.sssp.opencl.cl`; of kernels that record their rounds
    `sssp.sssp.traced.cuda.cu`."""
    return f"{_stem(module)}.{target}{SUFFIXES.get(target, '.cpp')}"


def overriding_file(target: str, module: ir.Module) -> Path | None:
    """The file that replaces a module's kernels if it exists."""
    folder = os.environ.get(OVERRIDE_VARIABLE)
    return Path(os.path.expanduser(folder)) / kernels_file(target, module) if folder else None


def _overriding_text(path: Path, target: str, module: ir.Module, emitted: str) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise _unfit(f"{path}: cannot be read: {reason.lower()}") from error
    names = Names(module, (), ())
    alone = (names.kernel(kernel.name) for kernel in launched_alone(module))
    together = (names.kernel(loop.name) for loop in loops_of(module))
    compiled = BACKENDS[target].capabilities.compiled_loops
    loops = (one.name for one in compiled_functions(module).functions if compiled)
    needed = [(name, "kernel", "program launches") for name in (*alone, *together)]
    needed += ((name, "function", "run calls in place of a loop") for name in loops)
    for name, kind, use in needed:
        if not re.search(rf"\b{re.escape(name)}\b", text):
            raise _unfit(f"{path} has no {kind} '{name}', which the {use}")
    how = "as it is emitted" if text == emitted else "instead of the emitted kernels"
    _warn(f"{OVERRIDE_VARIABLE} is in force: {path} runs, {how}")
    return text


def _warn(message: str) -> None:
    """Every time, not only the first."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", OverrideWarning)
        warnings.warn(message, OverrideWarning, stacklevel=4)


def _unfit(message: str) -> DiagnosticError:
    help = f"{DUMP_VARIABLE}=DIR writes the kernels as they are emitted; unset {OVERRIDE_VARIABLE} to run those"
    return DiagnosticError(Diagnostic("E0910", message, help=help))


def _dump(name: str, text: str) -> None:
    if not (folder := os.environ.get(DUMP_VARIABLE)):
        return
    path = Path(os.path.expanduser(folder)) / name
    try:
        write_atomically(path, (text if text.endswith("\n") else text + "\n").encode())
    except OSError as error:
        message = f"{path}: cannot be written: {(error.strerror or str(error)).lower()}"
        raise DiagnosticError(Diagnostic("E0792", message, help=f"see {DUMP_VARIABLE}")) from error


def _stem(module: ir.Module) -> str:
    """Program and entry, in letters that every file system takes and no path is made of."""
    program = PurePosixPath(PureWindowsPath(module.source.name).as_posix()).stem
    said = f"{program}.{module.entry}{'.traced' * any(loop.traced for loop in loops_of(module))}"
    safe = re.sub(r"[^A-Za-z0-9_.-]", "_", said).lstrip(".-")[:_LONGEST_STEM]
    return safe if safe == said else f"{safe}-{hashlib.sha256(said.encode()).hexdigest()[:8]}"
