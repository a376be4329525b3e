"""Random programs in which values spread: each rule may tell what it changes in time, too late or not at all.

All of them end: whoever asks for another round has made a value better, or is about to.
"""

from __future__ import annotations

import random


def random_closure(seed: int) -> str:
    """The text of a program with parameters `first` and `held`, two properties."""
    draw = random.Random(seed)
    kind = draw.choice(["int", "long", "bool", "node"])
    rule = _Rules(draw, kind)
    body = " ".join(rule.one(*draw.sample(["v", "u"], 2)) for _ in range(draw.choice([1, 1, 2, 3])))
    around = draw.choice(["g.neighbors(v)", "g.nodes_to(v)"])
    loops = [f"{draw.choice(['for', 'forall'])} (u in {around}) {{ {body} }}"]
    if draw.random() < 0.3:
        loops.append(f"forall (u in g.nodes_to(v)) {{ {rule.one('u', 'v')} }}")
    starts = ["v.held = v.first;", "", f"v.held = {'v == 1' if kind == 'bool' else 'v'};"]
    begun = f"forall (v in g.nodes()) {{ {draw.choice(starts)} }}"
    over = f"forall (v in g.nodes(){draw.choice(['', '', rule.filter])}) {{ {' '.join(loops)} }}"
    return (
        f"function spread(Graph g, propNode<{kind}> first, propNode<{kind}> held) {{ {begun} "
        f"bool more = False; do {{ more = False; {over} }} while (more); }}"
    )


class _Rules:
    """How one node's value becomes at least as good as another's."""

    def __init__(self, draw: random.Random, kind: str) -> None:
        self.draw, self.kind = draw, kind
        self.greatest = draw.random() < 0.5
        worst = str(not self.greatest) if kind == "bool" else "INF"
        self.filter = f".filter(held != {worst})" if kind == "bool" or not self.greatest else ""

    def one(self, taker: str, giver: str) -> str:
        """A rule, told in one of the ways."""
        told, change, better = "more = True;", self.change(taker, giver), self.better(giver, taker)
        ways = [
            f"if ({better}) {{ {change} {told} }}",
            f"if ({better}) {{ {told} }} {change}",
            f"if ({taker}.held != {giver}.held) {{ {change} {self.change(giver, taker)} {told} }}",
            f"{change} if ({better}) {{ {told} }}",
            f"if ({better} && {taker} != 2) {{ {change} {told} }}",
            f"if ({better}) {{ {change} }}",
            f"{self.kind} old = {taker}.held; {change} if (old != {taker}.held) {{ {told} }}",
        ]
        if self.kind != "bool":
            word = "Max" if self.greatest else "Min"
            ways += [f"<{taker}.held, more> = <{word}({taker}.held, {giver}.held), True>;"] * 3
        return f"{{ {self.draw.choice(ways)} }}"

    def better(self, one: str, other: str) -> str:
        if self.kind == "bool":
            return f"{one}.held && !{other}.held" if self.greatest else f"!{one}.held && {other}.held"
        return f"{one}.held {'>' if self.greatest else '<'} {other}.held"

    def change(self, taker: str, giver: str) -> str:
        if self.kind == "bool":
            return f"{taker}.held {'||=' if self.greatest else '&&='} {giver}.held;"
        return f"<{taker}.held> = <{'Max' if self.greatest else 'Min'}({taker}.held, {giver}.held)>;"
