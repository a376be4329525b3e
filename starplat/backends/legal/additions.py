"""Lists that the threads of a loop add to: each thread gathers what it adds, and takes places for many at a time.

Threads that take one place at a time wait for each other at the one cell that says how long the list is. A list has its
members in no order, and no iteration looks at what others add to it: so they may be added later, as long as nothing
else in the loop asks how long the list is.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from starplat.backends import statements as st
from starplat.backends.legal.inside import with_blocks
from starplat.backends.uses import called_in, names_taken, reads
from starplat.ir import build, fresh_names, nodes as ir, visitor

Pair = tuple[ir.Array, ir.Array]
"""A list, and the cell that says how long it is."""
_INT = {ir.Element.INT, ir.Element.NODE}
PairOf = Callable[[ir.Function], Pair | None]
"""The parameters of a function in whose place it gets what a thread gathers."""


def in_loops(body: st.Body, module: ir.Module, pair_of: PairOf) -> st.Body:
    """A kernel's body, in which the threads of shared loops gather what they add to lists."""

    def gathering(statement: st.Statement) -> st.Statement:
        if isinstance(statement, st.SharedLoop):
            return _gathering(statement, module, pair_of)
        return with_blocks(statement, lambda block: tuple(map(gathering, block)))

    return tuple(map(gathering, body))


def pair_of_function(function: ir.Function, body: st.Body, module: ir.Module) -> Pair | None:
    """The list that a function adds to and its length, if both are its parameters and only kernels call it: outside of
    shared loops these call what is for one thread."""
    if function.alone is None or any(function in called_in(other.body, module) for other in module.helpers):
        return None
    given = [parameter.what for parameter in function.parameters]
    pairs = set(_additions(body, module, lambda _: None))
    return next(iter(pairs)) if len(pairs) == 1 and all(array in given for pair in pairs for array in pair) else None


def in_function(function: ir.Function, body: st.Body, module: ir.Module, pair: Pair) -> st.LegalFunction:
    """The function that gets what a thread gathers in place of a list and its length."""
    gathered = replace(pair[0], origin=ir.Origin.THREAD)
    parameters = (replace(p, what=gathered) if p.what == pair[0] else p for p in function.parameters)
    kept = tuple(parameter for parameter in parameters if parameter.what != pair[1])
    adding = _Adding({pair: gathered}.get, module, lambda _: None)
    return st.LegalFunction(replace(function, parameters=kept), adding.block(body))


def _gathering(shared: st.SharedLoop, module: ir.Module, pair_of: PairOf) -> st.SharedLoop:
    additions = _additions(shared.loop.body, module, pair_of)
    asked = Counter(part for part in visitor.walk(shared.loop) if isinstance(part, ir.Array))
    asked.subtract(size for _, size in additions)
    names = fresh_names.FreshNames(names_taken(module))
    gathered = {
        pair: replace(pair[0], name=names.fresh(f"to_{pair[0].name}"), origin=ir.Origin.THREAD)
        for pair in dict.fromkeys(additions)
        if not asked[pair[1]]
    }
    body = _Adding(gathered.get, module, pair_of).block(shared.loop.body)
    lists = tuple(st.Gathered(array, *pair) for pair, array in gathered.items())
    return replace(shared, loop=replace(shared.loop, body=body), lists=lists)


def _additions(body: st.Body, module: ir.Module, pair_of: PairOf) -> list[Pair]:
    """What is added to, once for each place where it is."""
    found: list[Pair] = []
    _Adding(found.append, module, pair_of).block(body)
    return found


@dataclass(frozen=True)
class _Adding:
    """Rewrites what adds to lists for which `gathered` gives what a thread gathers."""

    gathered: Callable[[Pair], ir.Array | None]
    module: ir.Module
    pair_of: PairOf

    def block(self, body: st.Body) -> st.Body:
        done: list[st.Statement] = []
        for place, statement in enumerate(body):
            appended = self.appended(body[place - 1], statement, body[place + 1 :]) if place else None
            if appended is None:
                done.append(self.called(statement.call) if isinstance(statement, st.Call) else self.inside(statement))
            else:
                done[-1] = appended
        return tuple(done)

    def inside(self, statement: st.Statement) -> st.Statement:
        return with_blocks(statement, self.block)

    def appended(self, before: st.Statement, statement: st.Statement, rest: st.Body) -> st.Append | None:
        """A place at the end of a list that is taken and filled, and not mentioned again."""
        match before, statement:
            case (
                st.FetchCell(place, ir.Combine.ADD, size, build.ZERO, build.ONE, declares=True),
                st.StoreCell(members, ir.Ref(filled), value),
            ) if filled == place and {members.element, size.element} <= _INT and not reads(place, (value, *rest)):
                gathered = self.gathered((members, size))
                return None if gathered is None else st.Append(gathered, value)
        return None

    def called(self, call: ir.CallFunction) -> st.Call:
        """A call, with what the thread gathers."""
        function = self.module.helper(call.function)
        if (pair := self.pair_of(function)) is None:
            return st.Call(call)
        arguments = dict(zip((parameter.what for parameter in function.parameters), call.arguments, strict=True))
        members, size = arguments[pair[0]], arguments.pop(pair[1])
        assert isinstance(members, ir.Array)
        assert isinstance(size, ir.Array)
        if (gathered := self.gathered((members, size))) is None:
            return st.Call(call)
        arguments[pair[0]] = gathered
        return st.Call(replace(call, arguments=tuple(arguments.values())))
