"""Optional compilers and tools: which are on the path, what they say of themselves, and how to install the others.

None is needed for what works here already; `starplat doctor` lists them.
"""

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass

_VERSION = re.compile(r"(?<![\d.])\d+\.\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that builds for a target: `path` and `version` are None where it is not found."""

    name: str
    purpose: str
    mend: str
    path: str | None = None
    version: str | None = None


_KNOWN = (
    Tool("g++", "openmp, openacc on the host, artifacts", "apt-get install g++"),
    Tool("nvcc", "artifacts of target cuda", "apt-get install nvidia-cuda-toolkit"),
    Tool("hipcc", "artifacts of target hip", "apt-get install hipcc"),
    Tool(
        "icpx",
        "target sycl without dpctl, artifacts",
        "apt-get install intel-oneapi-compiler-dpcpp-cpp (Intel's repository)",
    ),
    Tool("acpp", "target sycl without dpctl", "see https://adaptivecpp.github.io"),
    Tool("nvc++", "openacc on NVIDIA's GPUs", "see https://developer.nvidia.com/hpc-sdk"),
)


def tools() -> tuple[Tool, ...]:
    """All that are known, found or not."""
    return tuple(map(_looked_for, _KNOWN))


def _looked_for(tool: Tool) -> Tool:
    path = shutil.which(tool.name)
    return tool if path is None else Tool(tool.name, tool.purpose, tool.mend, path, _version(path))


def _version(path: str) -> str | None:
    """The last number with a point of the first line that has one; None if the tool does not even start."""
    lines = [line for line in (answer(path, "--version") or "").splitlines() if _VERSION.search(line)]
    return _VERSION.findall(lines[0])[-1] if lines else None


SECONDS = 30


def answer(path: str, question: str) -> str | None:
    """What it prints, in English; None if it does not start, fails, takes too long, or has nothing to say."""
    try:
        done = subprocess.run(
            [path, question],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 and done.stdout.strip() else None


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of those for real-time work
        return f"signal {number}"
