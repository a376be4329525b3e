"""Which tests run when: `pytest` in minutes, `.ci/run` the campaign with them, the nightly run everything.

A pytest plugin. A test that takes a device meets one device for each combination of its other parameters in a plain
run, another in the campaign (of half of the combinations) and the rest at night, so that every run tries every
promise and every device; a test that is marked `campaign` itself meets one there. Devices whose programs take seconds
to build come up less often. The interpreter is always met. A device that is not here is skipped once a test.

A device is the parameter `target`, if it holds a `Target` or the test is marked `spread`. Parameters that
`spread(over=("graph",))` names do not count in a combination: they meet the same device. Of a test marked
`thin(plain=8)` a plain run takes every eighth case, the campaign every third of the others, or what `campaign=` says;
None leaves all others to the night.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any

import pytest

from starplat.toolchain.devices import report
from tests.programs.targets import REFERENCE, TARGETS, Target

Combination = tuple[tuple[str, int], ...]

SLOW_ONE_IN = 12
"""Of so many combinations one meets a device that is slow to build for."""
BY_NIGHT = 4
"""Of so many combinations half meet their second device in the campaign, the others at night: two and two in turn, so
that every device is a second one by day."""


def every_other(*lists: Iterable[Any]) -> list[Any]:
    """All combinations as parameters, every other one for the night: of three lists any two values meet by day."""
    found = []
    for combination in product(*map(enumerate, lists)):
        places, values = zip(*combination, strict=True)
        found.append(pytest.param(*values, marks=pytest.mark.nightly if sum(places) % 2 else ()))
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what a plain run leaves to the campaign, and what the campaign leaves to the night; long tests come first,
    so that the other workers have something to do meanwhile."""
    spread(items)
    thin(items)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def spread(items: list[pytest.Item]) -> None:
    """Which device a combination of other parameters meets when."""
    combinations: dict[str, dict[Combination, dict[str, list[pytest.Item]]]] = defaultdict(lambda: defaultdict(dict))
    shown = set[tuple[str, str]]()
    for item in items:
        label = device_of(item)
        if label is None or label == REFERENCE.label:
            continue
        if usable(label):
            combinations[function_of(item)][combination_of(item)].setdefault(label, []).append(item)
            continue
        if (function_of(item), label) in shown:
            item.add_marker(pytest.mark.nightly)
        shown.add((function_of(item), label))
    for function, met in combinations.items():
        start = 0 if len(met) > SLOW_ONE_IN else zlib.crc32(function.encode())  # tests of many cases build the same
        for number, here in enumerate(met.values(), start):
            for place, label in enumerate(turns(tuple(here), number)):
                for item in here[label] if place else ():
                    by_day = place == 1 and number % BY_NIGHT < BY_NIGHT // 2 and not is_for_the_campaign(item)
                    item.add_marker(pytest.mark.campaign if by_day else pytest.mark.nightly)


def thin(items: list[pytest.Item]) -> None:
    """Which of many cases, on whatever device, a plain run and the campaign take: all parameters come up in both."""
    cases: dict[str, dict[Combination, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if item.get_closest_marker("thin"):
            cases[function_of(item)][combination_of(item)].append(item)
    for those in cases.values():
        every = next(iter(those.values()))[0].get_closest_marker("thin").kwargs  # type: ignore[union-attr]
        for number, case in enumerate(sorted(those.values(), key=lambda case: zlib.crc32(case[0].nodeid.encode()))):
            turn, rest = divmod(number, every["plain"])
            if rest:
                others, taken = turn * (every["plain"] - 1) + rest - 1, every.get("campaign", 3)
                later = pytest.mark.nightly if taken is None or others % taken else pytest.mark.campaign
                for item in case:
                    item.add_marker(later)


def is_for_the_campaign(item: pytest.Item) -> bool:
    """Whether a test's first device is met there already."""
    return item.get_closest_marker("campaign") is not None


def combination_of(item: pytest.Item) -> Combination:
    """The test's parameters but the device and those that a mark `spread(over=...)` names."""
    if not hasattr(item, "callspec"):
        return ()
    marked, parameters = item.get_closest_marker("spread"), item.callspec.params
    left_out = (*(marked.kwargs.get("over", ()) if marked else ()), "" if device_of(item) is None else "target")
    return tuple((name, id(value)) for name, value in sorted(parameters.items()) if name not in left_out)


def function_of(item: pytest.Item) -> str:
    return item.nodeid.split("[")[0]


def device_of(item: pytest.Item) -> str | None:
    """The label of the device that a test takes."""
    target = item.callspec.params.get("target") if hasattr(item, "callspec") else None
    if isinstance(target, Target):
        return target.label
    return target if isinstance(target, str) and item.get_closest_marker("spread") else None


@cache
def usable(label: str) -> bool:
    """Whether the target or device of a label can run here."""
    known = {target.label: target.fault is None for target in TARGETS}
    return known[label] if label in known else report(label)[0].usable


def turns(labels: tuple[str, ...], number: int) -> list[str]:
    """The devices of a combination: that of a plain run, that of the campaign, then those of the night."""
    fast = rotated([label for label in labels if not is_slow(label)], number)
    slow = rotated([label for label in labels if is_slow(label)], number // SLOW_ONE_IN)
    place = {5: 0, 6: 1}.get(number % SLOW_ONE_IN, len(fast))
    return [*fast[:place], *slow, *fast[place:]]


def rotated(labels: list[str], by: int) -> list[str]:
    return labels[by % len(labels) :] + labels[: by % len(labels)] if labels else []


@cache
def is_slow(label: str) -> bool:
    """Whether a program takes seconds to build there: SYCL, and OpenCL runtimes after the first."""
    first = next((target.label for target in TARGETS if target.target == "opencl" and target.fault is None), None)
    return label.startswith("sycl") or (label.startswith("opencl-") and label != first)
