"""Targets: capabilities, spelling and emitted texts of each."""

from collections.abc import Mapping
from dataclasses import replace

from starplat.backends.base import Backend
from starplat.backends.cuda import CUDA
from starplat.backends.hip import HIP
from starplat.backends.host.parts import Connection
from starplat.backends.openacc import OPENACC
from starplat.backends.opencl import OPENCL
from starplat.backends.openmp import OPENMP
from starplat.backends.sycl import SYCL
from starplat.backends.webgpu import WebGPU

BACKENDS: Mapping[str, Backend] = {
    backend.name: backend for backend in (CUDA, OPENCL, SYCL, OPENACC, HIP, OPENMP, WebGPU())
}
"""Every target that emits text, by name."""

IN_PARTS: Mapping[Connection, Mapping[str, Backend]] = {
    Connection.PROCESSES: {"openmp": OPENMP, "cuda": CUDA},
    Connection.THREADS: {"cuda": replace(CUDA, connection=Connection.THREADS)},
}
"""Those that emit programs in parts, by how these are connected."""
