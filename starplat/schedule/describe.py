"""The choices for a program and their reasons, as text (`starplat explain`) and as JSON."""

from dataclasses import dataclass
from typing import Any

from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Choice

NOTHING = "nothing to choose: every kernel runs as the program has it"


@dataclass(frozen=True, slots=True)
class Plan:
    """A schedule for a target and its choices for one program; `facts` and `mean_weight` are of the graph, if known,
    `device` is what it was made for, in words."""

    target: str
    schedule: Schedule
    choices: tuple[Choice, ...]
    facts: GraphFacts | None = None
    device: str = ""
    mean_weight: float | None = None

    def __str__(self) -> str:
        """The schedule, and a line for every choice with its reason."""
        width = max((len(choice.step) for choice in self.choices), default=0)
        lines = [f"  {choice.step:<{width}}  {choice.what}: {choice.why}" for choice in self.choices]
        weights = "no weights" if self.mean_weight is None else f"mean weight {self.mean_weight:.4g}"
        on = "" if self.facts is None else f", on {self.facts}, {weights}"
        given = f"{self.target}, {self.device}" if self.device else self.target
        return "\n".join([f"schedule for {given}{on}: {self.schedule}", *(lines or [f"  {NOTHING}"])])

    def to_json(self) -> dict[str, Any]:
        """The same as data."""
        return {
            "target": self.target,
            "device": self.device or None,
            "schedule": {name: str(value) for name, value in self.schedule.values.items()},
            "graph": None if self.facts is None else {**self.facts.to_json(), "mean_weight": self.mean_weight},
            "choices": [{"step": choice.step, "what": choice.what, "why": choice.why} for choice in self.choices],
        }
