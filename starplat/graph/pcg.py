"""NumPy's PCG64 random numbers, vectorised: the same stream on a device as on the host.

`Numbers` has those methods of `numpy.random.Generator` that the generators of graphs use, with the same meaning and bit
for bit the same values, as arrays of any module that does what NumPy does (CuPy, or NumPy itself). A 128-bit linear
congruential generator can leap: state i + k is an affine function of state i whose two constants depend on k alone
(Brown 1994), so a block of states is filled by doubling and moves on as a whole. O'Neill: PCG (2014), XSL-RR 128/64.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
BLOCK = 1 << 22
AT_ONCE = 1 << 26
"""Reals, or whole numbers, that are made at once: an even number, as two words are a number."""
_WORD = 1 << 64
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class Numbers:
    """The stream of `numpy.random.default_rng(seed)`, as arrays of the module `xp`."""

    def __init__(self, seed: int, xp: Any) -> None:
        self._xp = xp
        self._host = np.random.default_rng(seed)

    def random(self, size: int, dtype: Any = np.float64) -> Any:
        """Reals in [0, 1): of 53 bits in float64, of 24 bits in float32."""
        if np.dtype(dtype) == np.float64:
            return (self._raw(size) >> np.uint64(11)) * (1.0 / (1 << 53))
        unit = np.float32(1.0 / (1 << 24))
        return self._in_parts(
            size, np.float32, lambda count: (self._words(count) >> np.uint32(8)).astype(np.float32) * unit
        )

    def integers(self, low: int, high: int, size: int, dtype: Any = np.int32) -> Any:
        """Whole numbers from low up to high - 1, of up to 32 bits, by Lemire's method (2019)."""
        xp, span = self._xp, high - low
        assert 0 < span < 1 << 32, "a range of 32-bit numbers"
        if span == 1:
            return xp.full(size, low, dtype)
        unfair = ((1 << 32) - span) % span  # products whose lower half is less are drawn again
        if not unfair:
            wide = np.uint64(span)
            return self._in_parts(size, dtype, lambda count: ((self._words(count) * wide) >> _HALF).astype(dtype) + low)
        found: list[Any] = []
        while (missing := size - sum(map(len, found))) or not found:
            product = self._words(missing).astype(np.uint64) * np.uint64(span)
            product = product[(product & _LOW) >= np.uint64(unfair)]
            found.append((product >> _HALF).astype(dtype) + np.dtype(dtype).type(low))
        return found[0] if len(found) == 1 else xp.concatenate(found)

    def permutation(self, n: int) -> Any:
        """0..n-1 in random order. Every swap depends on the ones before, so the host does it."""
        return self._xp.asarray(self._host.permutation(n).astype(np.int32))

    def _in_parts(self, size: int, dtype: Any, draw: Callable[[int], Any]) -> Any:
        """What `draw` gives, some at a time: the numbers that it is made of take several times as much memory."""
        found = self._xp.empty(size, dtype)
        for start in range(0, size, AT_ONCE):
            found[start : start + AT_ONCE] = draw(min(AT_ONCE, size - start))
        return found

    def _words(self, count: int) -> Any:
        """The next 32-bit words: the lower half of a number, then its upper half, which waits if it is not needed."""
        xp, bits = self._xp, self._host.bit_generator
        before = bits.state
        waiting = min(int(before["has_uint32"]), count)
        numbers = (count - waiting + 1) // 2
        words = self._raw(numbers).view(np.uint32)
        left_over = 2 * numbers - (count - waiting)
        if left_over:
            bits.state = {**bits.state, "has_uint32": 1, "uinteger": int(words[-1])}
        elif waiting:
            bits.state = {**bits.state, "has_uint32": 0, "uinteger": 0}
        words = words[: len(words) - left_over]
        return xp.concatenate([xp.full(1, before["uinteger"], np.uint32), words]) if waiting else words

    def _raw(self, count: int) -> Any:
        """The next 64-bit numbers. Like NumPy's, it leaves a waiting half of an earlier one alone."""
        xp, bits = self._xp, self._host.bit_generator
        found = xp.empty(count, np.uint64)
        before = bits.state
        state, increment = before["state"]["state"], before["state"]["inc"]
        lanes = _Lanes(xp, state, increment, min(count, BLOCK))
        for start in range(0, count, BLOCK):
            if start:
                lanes.leap()
            found[start : start + BLOCK] = lanes.numbers()[: count - start]
        a, c = _leap(count, increment)
        bits.state = {**before, "state": {"state": (a * state + c) % (1 << 128), "inc": increment}}
        return found


class _Lanes:
    """States that follow each other, as two 64-bit halves; `count` of them."""

    def __init__(self, xp: Any, state: int, increment: int, count: int) -> None:
        size = 1 << max(count - 1, 0).bit_length()
        self._high, self._low = xp.empty(size, np.uint64), xp.empty(size, np.uint64)
        first = (MULTIPLIER * state + increment) % (1 << 128)
        self._high[:1], self._low[:1] = np.uint64(first >> 64), np.uint64(first % _WORD)
        filled = 1
        while filled < size:
            a, c = _leap(filled, increment)
            high, low = _affine(self._high[:filled], self._low[:filled], a, c)
            self._high[filled : 2 * filled], self._low[filled : 2 * filled] = high, low
            filled *= 2
        self._step = _leap(size, increment)

    def leap(self) -> None:
        """On to as many states behind these."""
        self._high, self._low = _affine(self._high, self._low, *self._step)

    def numbers(self) -> Any:
        """What the states give: both halves xored, rotated by the six upper bits."""
        mixed, turn = self._high ^ self._low, self._high >> np.uint64(58)
        return (mixed >> turn) | (mixed << (-turn & np.uint64(63)))


def _leap(steps: int, increment: int) -> tuple[int, int]:
    """a and c of state -> a * state + c, which is `steps` steps in one."""
    a, c = 1, 0
    power_a, power_c = MULTIPLIER, increment
    while steps:
        if steps & 1:
            a, c = a * power_a % (1 << 128), (c * power_a + power_c) % (1 << 128)
        power_a, power_c = power_a * power_a % (1 << 128), (power_c * power_a + power_c) % (1 << 128)
        steps >>= 1
    return a, c


def _affine(high: Any, low: Any, a: int, c: int) -> tuple[Any, Any]:
    """a * (high, low) + c modulo 2^128."""
    a_high, a_low = np.uint64(a >> 64), np.uint64(a % _WORD)
    c_high, c_low = np.uint64(c >> 64), np.uint64(c % _WORD)
    sum_low = low * a_low + c_low
    carry = (sum_low < c_low).astype(np.uint64)
    return _upper_product(low, a_low) + low * a_high + high * a_low + c_high + carry, sum_low


def _upper_product(x: Any, y: np.uint64) -> Any:
    """The upper 64 of the 128 bits of x * y, from products of halves."""
    x_low, x_high, y_low, y_high = x & _LOW, x >> _HALF, y & _LOW, y >> _HALF
    inner, outer = x_high * y_low, x_low * y_high
    middle = ((x_low * y_low) >> _HALF) + (inner & _LOW) + (outer & _LOW)
    return x_high * y_high + (inner >> _HALF) + (outer >> _HALF) + (middle >> _HALF)
