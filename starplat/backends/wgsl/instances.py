"""The buffers of a module as WGSL has them, and the functions that kernels call, once for all arrays they are given.

WGSL passes no pointers into storage: buffers are variables of the module, and a function names those that it uses.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from starplat.backends import statements as st
from starplat.backends.legal import methods
from starplat.backends.legal_module import legal
from starplat.backends.text.names import Names
from starplat.backends.wgsl.places import with_narrow_places
from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import FreshNames
from starplat.source import Span


@dataclass(frozen=True, slots=True)
class Binding:
    """A buffer of the module: its number in group 0, and how any of the kernels uses it."""

    name: str
    number: int
    element: ir.Element
    written: bool
    atomic: bool

    @property
    def declaration(self) -> str:
        """The variable of the module. Atomic cells hold the bits of a FLOAT."""
        kind = "f32" if self.element is ir.Element.FLOAT and not self.atomic else "i32"
        cell = f"atomic<{kind}>" if self.atomic else kind
        access = "read_write" if self.written else "read"
        return f"@group(0) @binding({self.number}) var<storage, {access}> {self.name}: array<{cell}>;"


Key = tuple[str, tuple[ir.Array, ...]]
"""A function and the arrays that it is called with."""

Given = Mapping[ir.Array, ir.Array]
"""The arrays that stand for a function's own."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """What a module is emitted as: kernels, buffers, and for the functions with the arrays that they are called with
    their names, callees first. `words` are names that something has."""

    module: ir.Module
    names: Names
    kernels: tuple[st.LegalKernel, ...]
    helpers: Mapping[str, st.LegalFunction]
    bindings: Mapping[ir.Array, Binding]
    functions: Mapping[Key, str]
    words: FreshNames


@dataclass(frozen=True, slots=True)
class Instances:
    """The same as one kernel or function sees it."""

    emitted: Emitted
    span: Span
    given: Given = field(default_factory=dict)

    def local(self, what: ir.Variable | ir.Array) -> str:
        """The name of a variable or buffer."""
        return self.binding(what).name if isinstance(what, ir.Array) else self.emitted.names.local(what)

    def binding(self, array: ir.Array) -> Binding:
        """The buffer that holds an array."""
        return self.emitted.bindings[self.given.get(array, array)]

    def called(self, call: ir.CallFunction) -> str:
        """The name of a function for the arrays of a call."""
        return self.emitted.functions[_key(call, self.given)]

    def require_pure(self, side: ir.Expression) -> None:
        """Refuses a side of a choice that may not be evaluated in vain: `select` evaluates both. Raises E0604: it calls
        a function that changes cells or loops."""
        for call in _calls(side):
            if not _may_be_in_vain(call.function, self.emitted.helpers):
                self.refuse(f"this target evaluates both sides of '? :', and '{call.function}' does more than compute")

    def refuse(self, message: str, help: str = methods.OTHER) -> NoReturn:
        """Raises E0604, which points at the loop or function."""
        raise methods.impossible(message, self.emitted.module.source, self.span, help)


def emitted(module: ir.Module, capabilities: Capabilities) -> Emitted:
    """The buffers and functions of a module. Raises E06xx: the target cannot do what the program asks."""
    module = with_narrow_places(module)
    routines, functions = legal(module, capabilities)
    kernels = tuple(routine for routine in routines if isinstance(routine, st.LegalKernel))
    assert len(kernels) == len(routines), "persistent kernels are for targets that have a barrier for all threads"
    names, helpers = Names(module, kernels, functions), {legal.function.name: legal for legal in functions}
    keys: dict[Key, None] = {}
    for kernel in kernels:
        _collect(kernel.body, {}, helpers, keys)
    bodies: list[tuple[st.Body, Given]] = [(kernel.body, {}) for kernel in kernels]
    bodies += [(helpers[name].body, given_to(helpers[name], arrays)) for name, arrays in keys]
    routine_names = {names.kernel(kernel.kernel.name) for kernel in kernels} | set(map(names.helper, helpers))
    variables = (part for part in visitor.walk((kernels, functions)) if isinstance(part, ir.Variable))
    words = FreshNames(routine_names.union(map(names.local, variables)))
    bindings = _bindings(kernels, bodies, names, words)
    chosen: dict[Key, str] = {}
    for name, arrays in keys:
        first = all(other != name for other, _ in chosen)
        chosen[name, arrays] = names.helper(name) if first else words.fresh(names.helper(name))
    return Emitted(module, names, kernels, helpers, bindings, chosen, words)


def given_to(function: st.LegalFunction, arrays: tuple[ir.Array, ...]) -> Given:
    """The arrays that stand for a function's own, in the order of its parameters."""
    return dict(zip(function.function.given_arrays, arrays, strict=True))


def _collect(body: object, given: Given, helpers: Mapping[str, st.LegalFunction], keys: dict[Key, None]) -> None:
    """Adds what is called, callees first."""
    for call in _calls(body):
        if (key := _key(call, given)) not in keys:
            callee = helpers[call.function]
            _collect(callee.body, given_to(callee, key[1]), helpers, keys)
            keys[key] = None


def _calls(body: object) -> Iterator[ir.CallFunction]:
    return (part for part in visitor.walk(body) if isinstance(part, ir.CallFunction))


def _key(call: ir.CallFunction, given: Given) -> Key:
    arrays = (argument for argument in call.arguments if isinstance(argument, ir.Array))
    return call.function, tuple(given.get(array, array) for array in arrays)


def _may_be_in_vain(function: str, helpers: Mapping[str, st.LegalFunction]) -> bool:
    """Whether a function, and what it calls, only computes a value and comes to an end on any argument."""
    body = helpers[function].body
    doing = (*_STORING, st.While, st.For, st.Count, st.Call)
    if any(isinstance(part, doing) for part in visitor.walk(body)):
        return False
    return all(_may_be_in_vain(call.function, helpers) for call in _calls(body))


def _bindings(
    kernels: tuple[st.LegalKernel, ...], bodies: list[tuple[st.Body, Given]], names: Names, words: FreshNames
) -> dict[ir.Array, Binding]:
    """A buffer for every array of the kernels, by what they and their functions do with it."""
    written, atomic = set[ir.Array](), set[ir.Array]()
    for body, given in bodies:
        for part in visitor.walk(body):
            if isinstance(part, _STORING):
                array = part.result if isinstance(part, st.CombineGroup) else part.array
                written.add(given.get(array, array))
                if _is_atomic(part):
                    atomic.add(given.get(array, array))
    arrays = dict.fromkeys(array for kernel in kernels for array in (*kernel.kernel.arrays, *kernel.results))
    return {
        array: Binding(words.fresh(names.local(array)), number, array.element, array in written, array in atomic)
        for number, array in enumerate(arrays)
    }


_STORING = (
    st.StoreCell,
    st.CombineCell,
    st.AtomicCell,
    st.FetchCell,
    st.SwapCell,
    st.IfBeyond,
    st.WhileBeyondLocked,
    st.CombineGroup,
)


def _is_atomic(part: object) -> bool:
    """Whether a statement changes its cell in one piece."""
    if isinstance(part, st.IfBeyond):
        return part.method is not None
    return isinstance(part, st.AtomicCell | st.FetchCell | st.SwapCell | st.CombineGroup)
