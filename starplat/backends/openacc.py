"""OpenACC in C++: how it spells what kernels under directives need. Offloaded by g++ or nvc++, or run on the host."""

from __future__ import annotations

from starplat.backends.directives import DirectiveBackend, spelling
from starplat.backends.spelling import Directives

DIRECTIVES = Directives(
    loop="#pragma acc parallel loop gang vector",
    uneven_loop="#pragma acc parallel loop gang vector",
    alone="#pragma acc serial",
    arrays="deviceptr({names})",
    reduction="reduction({operator} : {names})",
    results="copy({names})",
    atomic="#pragma acc atomic update",
    capture="#pragma acc atomic capture",
)

OPENACC = DirectiveBackend(
    name="openacc",
    language="OpenACC",
    spelling=spelling(DIRECTIVES, function="#pragma acc routine seq\nstatic "),
)
