"""The intermediate form: one host program and its kernels, independent of targets.

Host operations and kernel operations are separate types. Host operations are few enough that two readers of them exist:
the printer of an artifact's C++ and the executor that walks them from Python. Names of variables and arrays are unique
inside one host function or kernel (lowering sees to that), so a reader needs no scopes. Expressions are shared by
both worlds.

Memory. An `Array` lives on the device. The host reads and writes single cells of it with `ReadCell` and `WriteCell`
only; the graph's own arrays are also present on the host, where expressions may `Load` from them. A `Variable` is a
host scalar, a kernel's scalar parameter (the host variable of that name, by value) or a kernel's local. A `HostList` is
the host's alone.
"""

from starplat.ir.nodes.hosts import *
from starplat.ir.nodes.kernels import *
from starplat.ir.nodes.layouts import *
from starplat.ir.nodes.lists import *
from starplat.ir.nodes.module import *
from starplat.ir.nodes.operations import *
from starplat.ir.nodes.parts import *
from starplat.ir.nodes.sizes import *
from starplat.ir.nodes.values import *
