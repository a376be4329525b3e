"""OpenMP in C++, for the cores of the host: capabilities and spelling."""

from dataclasses import replace

from starplat.backends.directives import CAPABILITIES, DirectiveBackend, spelling
from starplat.backends.launch import FEW_ITERATIONS
from starplat.backends.spelling import Directives

DIRECTIVES = Directives(
    loop="#pragma omp parallel for schedule(static)",
    uneven_loop="#pragma omp parallel for schedule(dynamic, 64)",
    loop_of_steps="#pragma omp parallel for schedule(dynamic, 64 + ({iterations}) / 512)",
    loop_of_rows="#pragma omp parallel for schedule(dynamic, rows_at_a_time({rows}, {nodes}))",
    long_loop="#pragma omp parallel for schedule(dynamic)",
    alone=None,
    arrays=None,
    reduction="reduction({operator} : {names})",
    results="",
    atomic="#pragma omp atomic update",
    capture="#pragma omp atomic capture",
    few=f"if({{length}} > {FEW_ITERATIONS})",
    vector_loop="#pragma omp simd",
    gathered=("Additions {name}({members}, {size});", "Additions &{name}", "firstprivate({names})"),
    own_arrays=("std::vector<{type}> {name}(num_nodes);", "#pragma omp parallel", "#pragma omp", "nowait"),
)

OPENMP = DirectiveBackend(
    name="openmp",
    language="OpenMP",
    spelling=spelling(DIRECTIVES, function="static "),
    capabilities=replace(
        CAPABILITIES,
        lockstep=False,
        group_loops=True,
        compiled_loops=True,
        own_cells=True,
        gathers=True,
        rows_with_room=True,
    ),
    includes=("#include <omp.h>", "#include <sys/mman.h>"),
)
