"""The kernels and functions of a module that a target prints, and the entries of persistent kernels."""

from starplat.backends import statements as st
from starplat.backends.launch import KernelArgument, loop_parameters
from starplat.backends.legal.routines import legal_function, legal_kernel
from starplat.backends.one_launch.together import legal_loop
from starplat.backends.text.names import Names
from starplat.backends.uses import called_in, callees_first
from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.same import remembered


@remembered(4)
def legal(
    module: ir.Module, capabilities: Capabilities
) -> tuple[tuple[st.LegalKernel | st.LegalLoop, ...], tuple[st.LegalFunction, ...]]:
    """The kernels that the host of a module launches, and the functions that they call, callees first; the same ones
    for the file of the kernels and for that of the host."""
    kernels: tuple[st.LegalKernel | st.LegalLoop, ...] = (
        *(legal_kernel(kernel, module, capabilities) for kernel in visitor.launched_alone(module)),
        *(legal_loop(loop, module, capabilities) for loop in visitor.loops_of(module)),
    )
    used = called_in(tuple(kernel.body for kernel in kernels), module)
    ordered = callees_first(used, lambda function: called_in(function.body, module))
    return kernels, tuple(legal_function(function, module, capabilities) for function in ordered)


@remembered(4)
def legal_names(module: ir.Module, capabilities: Capabilities) -> Names:
    """The emitted names of everything in the module; the same ones for both files."""
    return Names(module, *legal(module, capabilities))


def loop_entry(
    op: ir.OnDevice, module: ir.Module, capabilities: Capabilities
) -> tuple[str, tuple[KernelArgument, ...]]:
    """The name and parameters of a persistent kernel in the text."""
    return Names(module, (), ()).kernel(op.name), loop_parameters(module, legal_loop(op, module, capabilities))
