"""OpenACC in C++: capabilities and spelling. Offloaded by g++ or nvc++, or run on the host."""

from dataclasses import replace

from starplat.backends.directives import CAPABILITIES, DirectiveBackend, spelling
from starplat.backends.launch import GANGS, TEAMS_OF_A_GANG, THREADS_OF_A_TEAM
from starplat.backends.spelling import Directives
from starplat.ir.processors import Processor

DIRECTIVES = Directives(
    loop="#pragma acc parallel loop gang worker vector",
    uneven_loop="#pragma acc parallel loop gang(static:1) worker vector",
    long_loop="#pragma acc parallel loop gang worker vector",
    team_loop="#pragma acc parallel loop gang(static:1) worker",
    inner_loop="#pragma acc loop vector",
    gang_loop="#pragma acc parallel loop gang",
    inner_team_loop="#pragma acc loop worker",
    threads=f"num_gangs({GANGS}) num_workers({TEAMS_OF_A_GANG}) vector_length({THREADS_OF_A_TEAM})",
    threads_of_few=f"num_gangs({GANGS}) num_workers(4) vector_length(128)",
    alone="#pragma acc serial",
    arrays="deviceptr({names})",
    reduction="reduction({operator} : {names})",
    results="copy({names})",
    atomic="#pragma acc atomic update",
    capture="#pragma acc atomic capture",
    ahead=("async(1)", "device.finish();"),
)
"""Left to itself, g++ makes thousands of gangs, and these combine what they found one after the other, 0.7 microseconds
each on an NVIDIA H200: few and large gangs are better. With `static:1`, nodes with neighboring numbers go to different
gangs, so that one gang does not get all long rows. A round that walks a list may have few nodes, one of them with most
arcs of the graph, which 128 threads share better than 32; but what they combine goes through memory. What the host
does not wait for is in one queue, so that all of it happens in its order."""

OPENACC = DirectiveBackend(
    name="openacc",
    language="OpenACC",
    spelling=spelling(DIRECTIVES, function="#pragma acc routine seq\nstatic "),
    capabilities=replace(CAPABILITIES, inner_loops=True, batches=True, emitted_chunks=True),
    processors=(Processor.GPU, Processor.CPU),
    includes=("#include <openacc.h>",),
)
