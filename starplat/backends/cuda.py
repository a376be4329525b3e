"""CUDA C++ for compute capability 7.0 and newer: one file, which nvcc and the run-time compiler build alike."""

from __future__ import annotations

from dataclasses import replace

from starplat.backends.cuda_family import CAPABILITIES, SIGNED_ATOMICS, SPELLING, Family

CUDA = Family(
    "cuda",
    ".cu",
    added=SIGNED_ATOMICS,
    last_error="cudaGetLastError",
    capabilities=replace(CAPABILITIES, shared_arcs=True),
    spelling=replace(SPELLING, few_groups_kernel='extern "C" __global__ void __launch_bounds__({size}, {groups})'),
    helper_files=("helpers", "sets", "rows", "gathering", "records"),
)
