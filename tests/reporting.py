"""What a run of the tests prints last: its time by folder, its dearest tests, and what to install against its skips.

A pytest plugin. Time is CPU time of the worker and of the processes that it waited for; what no test spent is start and
collection.
"""

from __future__ import annotations

import re
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

DEAREST = 10
REMEDIES = (
    (r"cuda|CUDA|CuPy|cupy|hip|HIP|ROCm", "a GPU and CuPy: pip install 'starplat[cuda]'"),
    (r"sycl|SYCL|dpctl|icpx", "SYCL: pip install 'starplat[sycl]'"),
    (r"[Oo]pen[Cc][Ll]|oclgrind|PoCL|CL/", "OpenCL: apt install pocl-opencl-icd ocl-icd-opencl-dev oclgrind"),
    (r"OpenACC|openacc|openmp|OpenMP|g\+\+|nvc\+\+|clang|nvcc|compiler", "a compiler: g++, clang, nvcc or hipcc"),
    (r"data|graphs|could not import|No module", "what is optional: real graphs, networkit, pandas"),
)
OTHERWISE = "what their reasons name: pytest -rs"

Seconds = tuple[float, float]


class Account:
    """CPU and wall seconds of every test of one process."""

    def __init__(self) -> None:
        self.tests: dict[str, Seconds] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        cpu, wall = cpu_seconds(), time.perf_counter()
        result = yield
        self.tests[item.nodeid] = (cpu_seconds() - cpu, time.perf_counter() - wall)
        return result

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        spent = getattr(session.config, "workeroutput", None)
        if spent is not None:
            spent["tests"] = self.tests
            spent["cpu"] = cpu_seconds()


class Summary:
    """The accounts of all workers together, printed last."""

    def __init__(self, own: Account) -> None:
        self.own = own
        self.workers: list[dict[str, object]] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        self.workers.append(getattr(node, "workeroutput", {}))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        tests, total = dict(self.own.tests), cpu_seconds()
        for worker in self.workers:
            tests |= worker.get("tests", {})  # type: ignore[arg-type]
        if self.workers:
            total = sum(float(worker.get("cpu", 0.0)) for worker in self.workers)  # type: ignore[arg-type]
        lines = [*skipped(terminalreporter), *table(tests, total)]
        if lines:
            terminalreporter.section("time and skips")
        for line in lines:
            terminalreporter.write_line(line)


def pytest_configure(config: pytest.Config) -> None:
    account = Account()
    config.pluginmanager.register(account, "account of time")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Summary(account), "summary of time")


def cpu_seconds() -> float:
    """Of this process and of those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def table(tests: dict[str, Seconds], total: float) -> list[str]:
    """CPU and wall seconds by folder, the dearest first, and the dearest tests."""
    folders: dict[str, list[Seconds]] = defaultdict(list)
    for name, seconds in tests.items():
        folders[folder_of(name)].append(seconds)
    rows = [(sum(c for c, _ in spent), sum(w for _, w in spent), len(spent), name) for name, spent in folders.items()]
    started = total - sum(cpu for cpu, *_ in rows)
    lines = [f"{'CPU s':>8} {'wall s':>8} {'tests':>6}  folder"] if rows else []
    lines += [f"{cpu:8.1f} {wall:8.1f} {count:6}  {name}" for cpu, wall, count, name in sorted(rows, reverse=True)]
    lines += [f"{started:8.1f} {'':>8} {'':>6}  start and collection", f"{total:8.1f}  in all"] if rows else []
    dearest = sorted(tests.items(), key=lambda test: -test[1][0])[:DEAREST]
    return lines + [f"{cpu:8.1f}  {name}" for name, (cpu, _) in dearest if cpu >= 1]


def folder_of(name: str) -> str:
    path = name.split("::", maxsplit=1)[0].split("/")
    return "/".join(path[:2])


def skipped(terminalreporter: pytest.TerminalReporter) -> list[str]:
    """A line for each remedy: how many tests it would wake."""
    reasons = (report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()))
    counts = Counter(remedy_of(str(reason)) for reason in reasons)
    return [f"{count:6} skipped for want of {remedy}" for remedy, count in counts.most_common()]


def remedy_of(reason: str) -> str:
    return next((remedy for pattern, remedy in REMEDIES if re.search(pattern, reason)), OTHERWISE)
