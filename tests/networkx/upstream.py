"""NetworkX's own tests with this backend: `python -m tests.networkx.upstream` runs them, and holds what starplat itself
computed, not NetworkX in its place, against `computed.json`.

There each function has a number of tests in which starplat computed it. A number that falls is an error; `--refresh`
writes the numbers of today. Other words are parts of `networkx.algorithms` to run in place of `PARTS`, or `whole`: all
of NetworkX's tests. As a plugin (`-p tests.networkx.upstream`) this file counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COMPUTED = Path(__file__).with_name("computed.json")
PARTS = (
    "assortativity", "bipartite", "centrality", "community", "components", "connectivity", "link_analysis",
    "shortest_paths", "traversal", "tests.test_cluster", "tests.test_core", "tests.test_dag",
    "tests.test_distance_measures", "tests.test_link_prediction", "tree.tests.test_mst",
)  # fmt: skip
"""Parts of `networkx.algorithms` whose tests reach most of the backend's functions."""
CHOSEN = "not use_bounds_on_off or -0]"
"""Of 500 graphs on which NetworkX compares its bounds of distances, those of one seed: 50."""
FOLDER = "STARPLAT_NETWORKX_COUNTS"


class Counting:
    """Notes which functions starplat computed in which test; each worker writes a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.test = ""
        self.computed: set[tuple[str, str]] = set()

    def pytest_configure(self) -> None:
        from starplat.networkx.interface import Backend

        found = Backend.__getattr__

        def counted(backend: Backend, name: str) -> Callable[..., Any]:
            function = found(backend, name)

            def call(*args: Any, **kwargs: Any) -> Any:
                answer = function(*args, **kwargs)
                self.computed.add((name, self.test))
                return answer

            return call

        Backend.__getattr__ = counted  # type: ignore[method-assign]

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.test = f"{item.path} {item.nodeid}"

    def pytest_unconfigure(self) -> None:
        (self.folder / f"{os.getpid()}.json").write_text(json.dumps(sorted(self.computed)))


def pytest_configure(config: pytest.Config) -> None:
    counting = Counting(Path(os.environ[FOLDER]))
    config.pluginmanager.register(counting)


def main(words: list[str]) -> int:
    """Runs the tests and compares the counts; 1 where a test fails or a count falls."""
    refresh = "--refresh" in words
    asked = [word for word in words if word != "--refresh"]
    parts = [f"networkx.algorithms.{part}" for part in asked or PARTS]
    chosen = ["networkx"] if asked == ["whole"] else [*parts, "-W", "ignore", "-k", CHOSEN]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pytest.ini").write_text("[pytest]\n")
        command = [
            sys.executable, "-m", "pytest", "-q", "-c", f"{folder}/pytest.ini", "-p", "tests.networkx.upstream",
            "-p", "no:cacheprovider", "-n", "2", "--tb=short", "-rfEx", "--pyargs", *chosen,
        ]  # fmt: skip
        environment = {
            "NETWORKX_TEST_BACKEND": "starplat", "NETWORKX_FALLBACK_TO_NX": "True", FOLDER: folder,
            "PYTHONPATH": os.pathsep.join([str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]),
        }  # fmt: skip
        passed = subprocess.run(command, check=False, cwd=folder, env={**os.environ, **environment}).returncode == 0
        found = [json.loads(path.read_text()) for path in Path(folder).glob("*.json")]
    counts = Counter(name for part in found for name, _ in part)
    if refresh:
        COMPUTED.write_text(json.dumps(dict(sorted(counts.items())), indent=1) + "\n")
    fallen = [
        f"{name}: computed in {counts[name]} tests of NetworkX, not in {least}"
        for name, least in json.loads(COMPUTED.read_text()).items()
        if counts[name] < least
    ]
    print(*fallen, f"{len(counts)} functions were computed {sum(counts.values())} times", sep="\n")
    return int(bool(fallen) or not passed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
