"""The kernels and functions of a module as finished pieces for the template, and what a host binds for each kernel."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.backends import launch, statements as st, uses
from starplat.backends.c.lines import INDENT
from starplat.backends.c.parameters import Parameters, signature_text
from starplat.backends.spelling import Spelling
from starplat.backends.text.comments import comment, file_name, origin
from starplat.backends.text.folding import folded
from starplat.backends.text.helpers import Helper, Helpers
from starplat.backends.wgsl.expressions import WgslExpressions
from starplat.backends.wgsl.instances import Binding, Emitted, Instances, Key, emitted, given_to
from starplat.backends.wgsl.statements import WgslStatements
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities


@dataclass(frozen=True, slots=True)
class WgslUnit:
    """All kernels and functions of a module as texts."""

    program: str
    bindings: tuple[Binding, ...]
    helpers: tuple[Helper, ...]
    routines: tuple[str, ...]


def wgsl_unit(module: ir.Module, capabilities: Capabilities, spelling: Spelling) -> WgslUnit:
    """The kernels in WGSL. Raises E06xx: the target cannot do what the program asks."""
    printer = _Kernels(emitted(module, capabilities), spelling)
    kernels = [printer.kernel(legal) for legal in printer.emitted.kernels]  # first: refusals point at their loops
    functions = [printer.function(key, name) for key, name in printer.emitted.functions.items()]
    bindings = tuple(printer.emitted.bindings.values())
    return WgslUnit(file_name(module), bindings, tuple(printer.helpers.needed), (*functions, *kernels))


def given_to_kernel(arguments: tuple[launch.KernelArgument, ...]) -> tuple[launch.KernelArgument, ...]:
    """The numbers among a kernel's parameters, in the order of the record that it is given them in."""
    numbers = (launch.ArgumentKind.NUM_NODES, launch.ArgumentKind.NUM_ARCS, launch.ArgumentKind.SCALAR)
    return tuple(argument for argument in arguments if argument.kind in numbers)


class _Kernels:
    def __init__(self, emitted: Emitted, spelling: Spelling) -> None:
        self.emitted, self.spelling = emitted, spelling
        self.helpers = Helpers()
        self.hidden = Parameters(emitted.module, spelling, emitted.names).hidden
        fresh = emitted.words.fresh
        self.thread, self.threads, self.lane = fresh("item"), fresh("items"), fresh("lane")
        self.place, self.groups = fresh("place_in_grid"), fresh("groups")

    def statements(self, instances: Instances, references: frozenset[ir.Variable] = frozenset()) -> WgslStatements:
        expressions = WgslExpressions(
            replace(self.spelling, thread=self.thread, threads=self.threads, lane=self.lane),
            instances.local,
            self.emitted.names.helper,
            self.helpers,
            references=references,
            hidden_arguments=self.hidden,
            instances=instances,
        )
        return WgslStatements(expressions)

    def function(self, key: Key, name: str) -> str:
        legal = self.emitted.helpers[key[0]]
        function = legal.function
        references = frozenset(function.references)
        instances = Instances(self.emitted, function.span, given_to(legal, key[1]))
        printer = self.statements(instances, references)
        parameters, copies = [f"{size}: i32" for size in self.hidden[function.name]], []
        for variable in function.given_scalars:
            own, kind = instances.local(variable), printer.expressions.kind(variable.element)
            if variable in references:
                parameters.append(f"{own}: ptr<function, {kind}>")
            elif variable in uses.assigned_in(legal.body):
                parameters.append(f"{own}_given: {kind}")
                copies.append(f"{INDENT}var {own} = {own}_given;")
            else:
                parameters.append(f"{own}: {kind}")
        result = "" if function.result is None else f" -> {printer.expressions.kind(function.result)}"
        signature = signature_text(f"fn {name}", parameters) + result
        return self.routine(function, (), signature, (*copies, *printer.lines(legal.body)))

    def kernel(self, legal: st.LegalKernel) -> str:
        kernel, module = legal.kernel, self.emitted.module
        name = self.emitted.names.kernel(kernel.name)
        instances = Instances(self.emitted, kernel.span)
        lines = self.statements(instances).lines(legal.body)
        size = 1 if isinstance(kernel.domain, ir.Once) or kernel.works_apart else launch.GROUP_SIZE
        numbers = given_to_kernel(launch.kernel_parameters(module, kernel))
        record, begin = self.record(numbers, instances, uses.assigned_in(legal.body))
        inputs = []
        if _says(self.thread, lines):
            inputs.append(f"@builtin(global_invocation_id) {self.place}: vec3<u32>")
            begin.append(f"{INDENT}let {self.thread} = i32({self.place}.x);")
        if _says(self.threads, lines):
            inputs.append(f"@builtin(num_workgroups) {self.groups}: vec3<u32>")
            begin.append(f"{INDENT}let {self.threads} = i32({self.groups}.x){f' * {size}' if size > 1 else ''};")
        if _says(self.lane, lines):
            inputs.append(f"@builtin(local_invocation_index) {self.lane}: u32")
        signature = signature_text(f"@compute @workgroup_size({size})\nfn {name}", inputs)
        return self.routine(kernel, record, signature, (*begin, *lines))

    def routine(
        self, what: ir.Kernel | ir.Function, declared: Iterable[str], signature: str, body: Iterable[str]
    ) -> str:
        """The text of a kernel or function below its comments; `declared` stands above its signature."""
        comments = [comment(text) for text in (origin(self.emitted.module, what.span), what.comment) if text]
        return "\n".join((*folded(comments), *declared, f"{signature} {{", *folded(body), "}"))

    def record(
        self, numbers: tuple[launch.KernelArgument, ...], instances: Instances, changed: frozenset[ir.Variable]
    ) -> tuple[tuple[str, ...], list[str]]:
        """The record in which a kernel is given its numbers, and the locals that it has of them."""
        if not numbers:
            return (), []
        fields, begin = [], []
        expressions = self.statements(instances).expressions
        kind, own = self.emitted.words.fresh("Given"), self.emitted.words.fresh("given")
        for number in numbers:
            variable = number.variable
            if variable is None:
                local, element = number.kind.value, ir.Element.INT
            else:
                local, element = instances.local(variable), variable.element
            is_bool = element is ir.Element.BOOL
            fields.append(f"{local}: {'i32' if is_bool else expressions.kind(element)}")
            word = "var" if variable in changed else "let"
            begin.append(f"{INDENT}{word} {local} = {own}.{local}{' != 0' * is_bool};")
        record = f"struct {kind} {{ {', '.join(fields)} }}"
        return (*folded([record]), f"@group(1) @binding(0) var<uniform> {own}: {kind};"), begin


def _says(word: str, lines: list[str]) -> bool:
    return any(re.search(rf"\b{word}\b", line) for line in lines)
