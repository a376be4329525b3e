"""OpenMP in C++, for the cores of the host: capabilities and spelling."""

from dataclasses import replace

from starplat.backends.directives import CAPABILITIES, DirectiveBackend, spelling
from starplat.backends.spelling import Directives

DIRECTIVES = Directives(
    loop="#pragma omp parallel for schedule(static)",
    uneven_loop="#pragma omp parallel for schedule(dynamic, 64)",
    long_loop="#pragma omp parallel for schedule(dynamic)",
    alone=None,
    arrays=None,
    reduction="reduction({operator} : {names})",
    results="",
    atomic="#pragma omp atomic update",
    capture="#pragma omp atomic capture",
    few="if({length} > 1000)",
    vector_loop="#pragma omp simd",
)

OPENMP = DirectiveBackend(
    name="openmp",
    language="OpenMP",
    spelling=spelling(DIRECTIVES, function="static "),
    capabilities=replace(CAPABILITIES, lockstep=False, group_loops=True, compiled_loops=True),
    includes=("#include <omp.h>",),
)
