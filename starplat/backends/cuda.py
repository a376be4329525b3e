"""CUDA C++ for compute capability 7.0 and newer: one file, for nvcc and NVRTC alike."""

from dataclasses import replace

from starplat.backends.cuda_family import CAPABILITIES, SIGNED_ATOMICS, SPELLING, Family
from starplat.backends.spelling import ClusterWords
from starplat.backends.text.helpers import Helper

CLUSTERS = ClusterWords(
    kernel='extern "C" __global__ void __cluster_dims__({groups}, 1, 1) __launch_bounds__({size}, 1)',
    barrier="cluster_barrier();",
    short_barrier="barrier_of_blocks();",
    barrier_helper="clusters",
)

CUDA = Family(
    "cuda",
    ".cu",
    added={**SIGNED_ATOMICS, "atomic_next": Helper("atomic_next")},
    last_error="cudaGetLastError",
    helper_files=("helpers", "records", "clusters", "peers"),
    capabilities=replace(CAPABILITIES, clusters=True, managed_memory=True, peers=True, rows_with_room=True),
    spelling=replace(
        SPELLING,
        few_groups_kernel='extern "C" __global__ void __launch_bounds__({size}, {groups})',
        streamed="__ldcs(&{cell})",
        clusters=CLUSTERS,
        atomic_next="atomic_next",
    ),
)
