"""Statements of which all threads of a launch know: barriers, arrays that change names, sets of nodes, records."""

from __future__ import annotations

from dataclasses import dataclass

from starplat.ir.nodes import Array, Expression, Variable


@dataclass(frozen=True, slots=True)
class GridBarrier:
    """Every thread of the launch waits here for all others, and sees what they wrote; if a set is given, only in case
    its list lacks some of its members."""

    lacking: Array | None = None


@dataclass(frozen=True, slots=True)
class SwapPointers:
    """The names of two arrays change places."""

    first: Array
    second: Array


@dataclass(frozen=True, slots=True)
class Insert:
    """Puts a node into a set; `alone` where only one thread does so, between barriers."""

    members: Array
    node: Expression
    alone: bool = False


@dataclass(frozen=True, slots=True)
class AskEmpty:
    """`variable` becomes whether a set has no members, as all threads see it; the opposite unless `when_empty`."""

    variable: Variable
    members: Array
    when_empty: bool


@dataclass(frozen=True, slots=True)
class AskSize:
    """`variable` becomes how many members a set has, as all threads see it."""

    variable: Variable
    members: Array


@dataclass(frozen=True, slots=True)
class NoteMembers:
    """The members of a set become array[first], array[first + 1], …, in any order."""

    members: Array
    array: Array
    first: Expression


@dataclass(frozen=True, slots=True)
class Inserted:
    """Ends the inserting into a set: after the next barrier all threads see what is in it. With `rows` it is estimated
    how many arcs the new members have."""

    members: Array
    rows: Array | None = None


@dataclass(frozen=True, slots=True)
class Clear:
    """Takes everything out of a set."""

    members: Array


@dataclass(frozen=True, slots=True)
class Record:
    """Notes when a traced launch comes to a point, and how many nodes are active there, if that is not known before:
    the `node` of a set, of a list, or of all nodes, for which `keep` holds; and how many arcs they have by `rows`."""

    point: int
    new_round: bool = False
    members: Array | None = None
    listed: tuple[Array, Expression, Expression] | None = None
    node: Variable | None = None
    keep: Expression | None = None
    rows: Array | None = None


LaunchStatement = Insert | AskEmpty | AskSize | NoteMembers | Inserted | Clear | Record | GridBarrier | SwapPointers
