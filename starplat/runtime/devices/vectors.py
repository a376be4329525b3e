"""Short arrays of a device for work that its kernels do not do: sorting, sums.

By default they are NumPy's, and cross to the device and back; a device whose memory a module of arrays can work on
gives that module.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

import numpy as np

from starplat.runtime.devices import buffers, device_memory
from starplat.runtime.elements import Cells


class VectorMemory(device_memory.DeviceMemory):
    """The memory of a device, and short arrays in it.

    Attributes:
        merges_graphs: whether its kernels merge updates with a graph; the host does it elsewhere, and what changed
            crosses.
        vector_module: the module that works on vectors.
    """

    merges_graphs: ClassVar[bool] = True
    vector_module: Any = np

    def working(self) -> AbstractContextManager[object]:
        """What work on vectors is to be inside of."""
        return nullcontext()

    def vector_of(self, cells: Cells) -> Any:
        """The cells as a vector."""
        return cells

    def as_vector(self, buffer: buffers.Buffer) -> Any:
        """The cells of a buffer as a vector."""
        return self.download(buffer)

    def as_buffer(self, vector: Any) -> buffers.Buffer:
        """The vector as a kernel takes it."""
        buffer = self.allocate(vector.dtype, len(vector))
        self.upload(buffer, vector)
        return buffer

    def allocate_changing(self, dtype: np.dtype[Any], count: int) -> buffers.Buffer:
        """Cells of arcs of a graph that changes: the next graph has another number of them."""
        return self.allocate(dtype, count)

    def release_changing(self, buffer: buffers.Buffer) -> None:
        """Gives such cells back. None are kept: hardly any other buffer has just this size."""
        if not buffer.lent:
            self._ours.discard(buffer)
