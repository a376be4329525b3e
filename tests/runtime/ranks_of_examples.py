"""Runs the examples in parts, as one of MPI's ranks: `mpiexec -n 2 python -m tests.runtime.ranks_of_examples openmp 4`.

Every rank holds its answers against the oracle. The number says which graphs are left out: one in so many is taken.
"""

from __future__ import annotations

import sys
import traceback

from starplat.runtime.session import Session
from tests.programs.cases import CASES
from tests.programs.targets import compiled
from tests.runtime.test_parts import CAN_BE_DIVIDED
from tests.zoo import ZOO


def run(target: str, step: int) -> None:
    from mpi4py import MPI

    comm, session = MPI.COMM_WORLD, Session()
    assert len(CAN_BE_DIVIDED) == len(CASES) - 1
    for case in CAN_BE_DIVIDED:
        for graph in map(case.suits, list(ZOO.values())[::step]):
            for call in case.calls(graph):
                result = compiled(case.path).run(graph, target=target, comm=comm, session=session, arguments=call)
                case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)
        if comm.Get_rank() == 0:
            print(case.program, "is right", flush=True)


if __name__ == "__main__":
    try:
        run(sys.argv[1], int(sys.argv[2]))
    except BaseException:
        from mpi4py import MPI

        traceback.print_exc()
        MPI.COMM_WORLD.Abort(1)
