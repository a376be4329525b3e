"""The options of `Program.run` as one record, and what the ways of running make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from starplat.progress_listener import of_run
from starplat.runtime import Bound, Limits, Progress, Result, Session, limits
from starplat.runtime.request import Request
from starplat.runtime.targets import count_devices
from starplat.schedule import PLAIN, Schedule


@dataclass(eq=False, kw_only=True)
class Asked:
    """What the caller of `Program.run` said, which see."""

    target: str
    device: int | None
    function: str | None
    schedule: Schedule | str | None
    validate: bool
    checked: bool
    results: Sequence[str] | None
    device_results: bool
    repeat: int
    trace: bool
    max_rounds: int | None
    time_limit: float | None
    device_memory: int | str | None
    host_memory: int | str | None
    follow: Callable[[Progress], None] | None
    on_batch: Callable[[int, Result], None] | None
    session: Session | None
    comm: Any
    devices: int | str | None
    arguments: Mapping[str, object] | Bound | None
    named: Mapping[str, object]

    @cached_property
    def parts(self) -> int:
        """How many devices take a part of the run: `auto` is as many as the target has GPUs, one if it has none. Raises
        E0902, the target has not so many devices; E0712, it is no number of devices."""
        if self.devices is None:
            return 1
        return count_devices(self.target, self.devices)

    def limits(self, program: str | None = None) -> Limits:
        """What the run may take, and who follows it, by default what attends to runs of the program. Raises E0732: one
        is no limit."""
        follow = self.follow or (None if program is None else of_run(program))
        return limits(self.max_rounds, self.time_limit, follow, self.device_memory, self.host_memory)

    def request(self, limits: Limits, *, schedule: Schedule | None = None, compile_seconds: float) -> Request:
        """The request for a run that may take so much."""
        return Request(
            target=self.target,
            device_index=self.device,
            results=self.results,
            device_results=self.device_results,
            repeat=self.repeat,
            schedule=schedule,
            trace=self.trace,
            limits=limits,
            session=self.session,
            on_batch=self.on_batch,
            compile_seconds=compile_seconds,
        )

    def beside_parts(self) -> Mapping[str, object]:
        """Whether something is asked for that runs in parts go without, by its name."""
        return {
            "a schedule": self.schedule not in (None, PLAIN, "plain"),
            "validate": self.validate,
            "checked": self.checked,
            "device results": self.device_results,
            "on_batch": self.on_batch,
            "target all": self.target == "all",
            "comm and devices at once": self.comm is not None and self.devices is not None,
            "a number of a device": self.comm is None and self.device is not None,
        }

    def beside_checked(self, *, interpreted: bool) -> Mapping[str, object]:
        """The same of checked runs, which may be interpreted."""
        return {
            "target all": self.target == "all",
            "a schedule": self.schedule,
            "--validate": self.validate,
            "--trace": self.trace,
            "device results": interpreted and self.device_results,
            "--repeat": interpreted and self.repeat > 1,
            "--max-rounds": interpreted and self.max_rounds,
            "--time-limit": interpreted and self.time_limit,
            "--device-memory": interpreted and self.device_memory,
            "--host-memory": interpreted and self.host_memory,
        }


OPTIONS = tuple(each.name for each in fields(Asked) if each.name != "named")
"""The names of the options."""
