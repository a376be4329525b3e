"""NVIDIA's run-time compiler from its wheel, called by its C interface: it needs no GPU and no driver."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path

INSTALL = "pip install nvidia-cuda-nvrtc"


@cache
def library() -> ctypes.CDLL | None:
    """The library, or None where the wheel is not installed."""
    package = find_spec("nvidia")
    folders = [] if package is None else list(package.submodule_search_locations or ())
    found = [path for folder in folders for path in Path(folder).glob("*/lib/libnvrtc.so.*")]
    return ctypes.CDLL(str(max(found))) if found else None


def compiled(text: str, *options: str) -> tuple[bytes, str]:
    """The machine code, empty if there is none, and what the compiler said."""
    nvrtc = library()
    assert nvrtc is not None
    program = ctypes.c_void_p()
    words = [option.encode() for option in options]
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None)
    failed = nvrtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    log = _fetched(nvrtc, program, "ProgramLog").rstrip(b"\0").decode()
    code = b"" if failed else _fetched(nvrtc, program, "CUBIN")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code, log


def _fetched(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    assert getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) == 0
    content = ctypes.create_string_buffer(size.value)
    assert getattr(nvrtc, f"nvrtcGet{what}")(program, content) == 0
    return content.raw
