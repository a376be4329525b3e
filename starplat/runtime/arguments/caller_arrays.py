"""Device arrays of a caller: recognises them, and fetches those that lie elsewhere.

`pyopencl.array.Array`, and whatever offers `__cuda_array_interface__` (CuPy, Numba, PyTorch),
`__sycl_usm_array_interface__` (dpnp, dpctl) or `__dlpack__` for a device. In them nodes are numbers 0..n-1, as on the
device, not original ids. Which of them lie on its own device a `Device` knows (`adopt`).
"""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat.frontend.types import PropertyType, SetType
from starplat.runtime.arguments.scalars import UnfitError
from starplat.runtime.elements import Cells

HOST_DEVICES = frozenset({1, 3, 11})
"""What DLPack calls the host: plain memory, and memory that CUDA or ROCm has pinned."""

CUDA_DEVICES = frozenset({2, 13})
"""DLPack's numbers for CUDA's memory, its own and managed."""


@dataclass(frozen=True, slots=True, eq=False)
class CallerArray:
    """A caller's array on some device, given for the parameter `name` of type `kind`."""

    name: str
    kind: PropertyType | SetType
    value: Any


def on_a_device(value: object) -> bool:
    """Whether a caller's object is an array that does not lie in the host's memory."""
    if isinstance(value, np.ndarray):
        return False
    if is_opencl_array(value) or cuda_interface(value) is not None or sycl_interface(value) is not None:
        return True
    place = dlpack_device(value)
    return place is not None and place[0] not in HOST_DEVICES


def is_opencl_array(value: object) -> bool:
    """Whether it is one of pyopencl's arrays; none exists before pyopencl is imported."""
    module = sys.modules.get("pyopencl.array")
    return module is not None and isinstance(value, module.Array)


def cuda_interface(value: object) -> dict[str, Any] | None:
    """`__cuda_array_interface__`, if it is offered: PyTorch's tensors refuse where they are on the host."""
    try:
        found = getattr(value, "__cuda_array_interface__", None)
    except RuntimeError:
        return None
    return found if isinstance(found, dict) else None


def sycl_interface(value: object) -> dict[str, Any] | None:
    """`__sycl_usm_array_interface__`, if it is offered."""
    found = getattr(value, "__sycl_usm_array_interface__", None)
    return found if isinstance(found, dict) else None


def dlpack_device(value: object) -> tuple[int, int] | None:
    """DLPack's kind of device and its number, for what DLPack can exchange."""
    if not hasattr(value, "__dlpack__") or not hasattr(value, "__dlpack_device__"):
        return None
    kind, number = value.__dlpack_device__()
    return int(kind), int(number)


def cell_run(interface: dict[str, Any], dtype: np.dtype[Any], count: int) -> tuple[int, bool] | None:
    """Address and whether it is read-only of an array with such an interface, if it is `count` cells of `dtype` in a
    row."""
    strides = interface.get("strides")
    in_a_row = strides is None or count < 2 or tuple(strides) == (dtype.itemsize,)
    if tuple(interface["shape"]) != (count,) or np.dtype(interface["typestr"]) != dtype or not in_a_row:
        return None
    if interface.get("mask") is not None:
        return None
    address, read_only = interface["data"]
    return int(address or 0), bool(read_only)


def fetched(value: Any) -> Cells:
    """The array's cells on the host. Raises UnfitError: no library here can fetch it."""
    if is_opencl_array(value):
        return _from_opencl(value)
    if cuda_interface(value) is not None and (brought := _from_cuda(value)) is not None:
        return brought
    if (interface := sycl_interface(value)) is not None:
        return _from_sycl(value, interface)
    try:
        return np.array(np.from_dlpack(value, device="cpu", copy=True))
    except (BufferError, RuntimeError, TypeError, AttributeError, ValueError) as error:
        raise UnfitError(f"this {type(value).__qualname__} cannot be brought to the host: {error}") from None


def _from_opencl(value: Any) -> Cells:
    import pyopencl

    queue = value.queue or pyopencl.CommandQueue(value.context)
    cells: Cells = value.get(queue)
    return cells


def _from_cuda(value: Any) -> Cells | None:
    for method in ("get", "copy_to_host"):  # CuPy, Numba
        if hasattr(value, method):
            return np.asarray(getattr(value, method)())
    cupy = sys.modules.get("cupy")
    return None if cupy is None else np.asarray(cupy.asnumpy(cupy.asarray(value)))


def _from_sycl(value: Any, interface: dict[str, Any]) -> Cells:
    from dpctl.memory import as_usm_memory

    raw = np.frombuffer(as_usm_memory(value).copy_to_host(), np.uint8)
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    if (strides := interface.get("strides")) is None:
        cells: Cells = raw[: dtype.itemsize * int(np.prod(shape))].view(dtype).reshape(shape)
        return cells
    if any(step < 0 for step in strides):
        raise UnfitError("an array that runs backwards cannot be brought to the host")
    in_bytes = tuple(step * dtype.itemsize for step in strides)
    whole: Cells = np.ndarray(shape, dtype, raw.tobytes(), 0, in_bytes)
    return whole
