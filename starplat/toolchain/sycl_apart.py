"""Builds SYCL kernels in a child process, so that a crash of the compiler does not end this one.

SYCL's compiler and the drivers' own live in the process that uses them. `build` starts another Python, which has only
our shim and the text, and takes the binary from it; what it leaves in the drivers' cache this process finds there.
"""

import os
import subprocess
import sys
from pathlib import Path

from starplat.toolchain.sycl_shim import Shim, SyclError
from starplat.toolchain.tools import signal_name

BUILD_SECONDS = 300
_ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = f"import sys; sys.path.append({str(_ROOT)!r}); from starplat.toolchain.sycl_apart import main; main()"


def build(shim: Path, place: int, text: str, options: tuple[str, ...]) -> bytes:
    """The binary of the kernels for the device at that `Shim.place`. Raises SyclError: the compiler refuses the text,
    crashes, or comes to no end."""
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, str(shim), str(place), *options]
    try:
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=BUILD_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise SyclError(f"no end after {BUILD_SECONDS} s") from None
    except OSError as error:
        raise SyclError(f"{sys.executable} cannot be started to compile: {error.strerror or error}") from error
    if done.returncode < 0:
        raise SyclError(f"the device's compiler crashed ({signal_name(-done.returncode)})")
    if done.returncode != 0:
        raise SyclError((done.stdout or done.stderr).decode(errors="replace"))
    return done.stdout


def main() -> None:
    """What the other process does: reads the text, writes the binary, or what is wrong and ends with 1."""
    path, place, *options = sys.argv[1:]
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # compilers may talk
    try:
        shim = Shim(Path(path))
        built = shim.build(shim.queue(int(place)), sys.stdin.buffer.read().decode(), tuple(options))
        content, code = shim.binary(built), 0
    except (SyclError, OSError) as error:
        content, code = str(error).encode(), 1
    with os.fdopen(answer, "wb") as stream:
        stream.write(content)
    os._exit(code)  # runtimes that take leave of each other may crash
