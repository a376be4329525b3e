"""CUDA C++ for compute capability 7.0 and newer: one file, for nvcc and NVRTC alike."""

from dataclasses import replace

from starplat.backends.cuda_family import SIGNED_ATOMICS, SPELLING, Family

CUDA = Family(
    "cuda",
    ".cu",
    added=SIGNED_ATOMICS,
    last_error="cudaGetLastError",
    helper_files=("helpers", "records"),
    spelling=replace(SPELLING, few_groups_kernel='extern "C" __global__ void __launch_bounds__({size}, {groups})'),
)
