"""Parses text full of numbers into arrays, many words at a time.

Eight characters of every word are gathered into one 64-bit integer and converted by three multiplications (the SWAR
method of D. Lemire, "Quickly parsing eight digits", 2022), for all words of the text at once. What is not a number
raises `NotNumbersError`; a later reading, line by line, finds the place.
"""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

PAD = 24
"""Spaces before the text, so that a word's last 24 characters can always be loaded."""

Positions = NDArray[np.int64]


class NotNumbersError(Exception):
    """Some word of a piece of text is not what was asked for."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a piece of text: `starts` and `ends` into `padded`, and where its lines end."""

    padded: bytes
    characters: NDArray[np.uint8]
    starts: Positions
    ends: Positions
    line_ends: Positions

    def per_line(self) -> Positions:
        """How many words each line has."""
        before = np.searchsorted(self.starts, self.line_ends)
        return np.diff(before, prepend=0)

    def table(self, columns: int) -> tuple[Positions, Positions]:
        """Starts and ends as [lines, columns]; blank lines are left out. Raises NotNumbersError: a line has another
        number of words."""
        if len(self.starts) % columns:
            raise NotNumbersError
        starts, ends = self.starts.reshape(-1, columns), self.ends.reshape(-1, columns)
        if len(self.line_ends) == len(starts):
            fits = (starts[:, -1] < self.line_ends).all() and (starts[1:, 0] > self.line_ends[:-1]).all()
        else:
            counts = self.per_line()
            fits = ((counts == columns) | (counts == 0)).all()
        if not fits:
            raise NotNumbersError
        return starts, ends


def words_of(text: bytes) -> Words:
    """The words of some whole lines; the text must end with a line's end. Raises NotNumbersError: a character that no
    text file holds."""
    padded = b" " * PAD + text
    characters = np.frombuffer(padded, np.uint8)
    if (characters < 9).any() or (characters - np.uint8(14) < 18).any():
        raise NotNumbersError
    solid = characters > 32
    bounds = np.flatnonzero(solid[1:] != solid[:-1]) + 1
    return Words(padded, characters, bounds[0::2], bounds[1::2], np.flatnonzero(characters == 10))


def naturals(words: Words, starts: Positions, ends: Positions) -> NDArray[np.uint64]:
    """The values of words made of digits; an empty word is 0. Raises NotNumbersError: another character, or a value of
    2^64 and more."""
    lengths = ends - starts
    if (longest := int(lengths.max(initial=0))) > PAD:
        raise NotNumbersError
    values = _eight_digits(words, ends, np.minimum(lengths, 8))
    for done in range(8, longest, 8):
        rest = np.flatnonzero(lengths > done)
        upper = _eight_digits(words, ends[rest] - done, np.minimum(lengths[rest] - done, 8))
        values[rest] += upper * np.uint64(10**done % 2**64)
    if longest > 19:
        _refuse_overflow(words, starts, ends, lengths)
    return values


def integers(words: Words, starts: Positions, ends: Positions) -> NDArray[np.int64]:
    """The values of words made of digits with or without a sign. Raises NotNumbersError: another character, a sign
    alone, or a value outside 64 bits."""
    first = words.characters[starts]
    signed = (first == ord("-")) | (first == ord("+"))
    digits = starts + signed
    if (digits == ends).any():
        raise NotNumbersError
    values = naturals(words, digits, ends)
    negative = first == ord("-")
    if values.size and int(values.max()) >= 2**63 and (values > np.uint64(2**63 - 1) + negative).any():
        raise NotNumbersError
    result = values.view(np.int64)
    return np.where(negative, -result, result) if signed.any() else result


def reals(words: Words, starts: Positions, ends: Positions) -> NDArray[np.float64]:
    """The values of words as C's `strtod` reads them, correctly rounded.

    Up to 15 digits and no exponent: an exact integer divided by an exact power of ten (Clinger 1990). Other decimals go
    to SciPy's reader of numbers; what is no decimal (`inf`, `1_0`, more than 24 characters) one by one to Python's.
    Not-a-number and infinity pass through, for the caller to refuse. Raises NotNumbersError: a word is not a number.
    """
    try:
        return _short_decimals(words, starts, ends)
    except NotNumbersError:
        return _any_reals(words, starts, ends)


def _short_decimals(words: Words, starts: Positions, ends: Positions) -> NDArray[np.float64]:
    """Words that are all `[-+]digits[.digits]` with at most 15 digits, which most files hold nothing but."""
    dots = np.flatnonzero(words.characters == ord("."))
    owner = np.searchsorted(starts, dots, "right") - 1
    point = ends.copy()
    if len(dots):
        if owner[0] < 0 or (dots >= ends[owner]).any() or (owner[1:] == owner[:-1]).any():
            raise NotNumbersError
        point[owner] = dots
    first = words.characters[starts]
    digits = ends - starts - (point < ends) - ((first == ord("-")) | (first == ord("+")))
    if len(digits) and (int(digits.max()) > 15 or int(digits.min()) < 1):
        raise NotNumbersError
    return _exact_quotients(words, starts, ends, point)


def _any_reals(words: Words, starts: Positions, ends: Positions) -> NDArray[np.float64]:
    shapes = _shapes(words, starts, ends)
    values = np.zeros(len(starts), np.float64)
    easy = np.flatnonzero(shapes.decimal & ~shapes.exponent & (shapes.digits <= 15))
    values[easy] = _exact_quotients(words, starts[easy], ends[easy], shapes.point[easy])
    long = np.flatnonzero(shapes.decimal & (shapes.exponent | (shapes.digits > 15)))
    if len(long):
        values[long] = _by_scipy(words, starts[long], ends[long])
    odd = np.flatnonzero(~shapes.decimal)
    if len(odd):
        values[odd] = _one_by_one(words, starts[odd], ends[odd])
    return values


def numbers(words: Words, starts: Positions, ends: Positions) -> NDArray[Any]:
    """int64 where every word is an integer that fits, else float64."""
    try:
        return integers(words, starts, ends)
    except NotNumbersError:
        return reals(words, starts, ends)


def _eight_digits(words: Words, ends: Positions, lengths: Positions) -> NDArray[np.uint64]:
    """The values of the last `lengths` (at most 8) characters before `ends`."""
    at_every_byte: NDArray[np.uint64] = np.ndarray(
        (len(words.padded) - 7,), np.dtype("<u8"), buffer=words.padded, strides=(1,)
    )
    chunk = at_every_byte[ends - 8] ^ np.uint64(0x3030303030303030)
    before = ((8 - lengths) << 3).astype(np.uint64)
    chunk = np.where(lengths == 0, np.uint64(0), (chunk >> before) << before)
    if (((chunk + np.uint64(0x0606060606060606)) | chunk) & np.uint64(0xF0F0F0F0F0F0F0F0)).any():
        raise NotNumbersError
    pairs = (chunk * np.uint64(2561) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(6553601) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    return fours * np.uint64(42949672960001) >> np.uint64(32)


def _refuse_overflow(words: Words, starts: Positions, ends: Positions, lengths: Positions) -> None:
    for at in np.flatnonzero(lengths > 19):
        if int(words.padded[starts[at] : ends[at]]) >= 2**64:
            raise NotNumbersError


@dataclass(frozen=True, slots=True)
class _Shapes:
    """What words look like: whether they are `[-+]digits[.digits][e[-+]digits]`, with an exponent, where the point
    stands (at the end, if there is none), and how many digits come before the exponent."""

    decimal: NDArray[np.bool_]
    exponent: NDArray[np.bool_]
    point: Positions
    digits: Positions


def _shapes(words: Words, starts: Positions, ends: Positions) -> _Shapes:
    count, last = len(starts), len(words.characters) - 1
    decimal = ends - starts <= PAD
    exponent, dotted, after_e = (np.zeros(count, np.bool_) for _ in range(3))
    digits, point = np.zeros(count, np.int64), ends.copy()
    digit = np.zeros(count, np.bool_)
    for offset in range(min(int((ends - starts).max(initial=0)), PAD)):
        here = starts + offset
        inside = here < ends
        character = words.characters[np.minimum(here, last)]
        is_digit = (character - np.uint8(48)) < 10
        dot = (character == ord(".")) & ~dotted & ~exponent
        e = ((character | 32) == ord("e")) & (digits > 0) & ~exponent
        sign = ((character == ord("-")) | (character == ord("+"))) & (after_e if offset else np.True_)
        decimal &= ~inside | is_digit | dot | e | sign
        point = np.where(inside & dot, here, point)
        dotted |= inside & dot
        digits += inside & is_digit & ~exponent
        after_e = np.where(inside, e, after_e)
        digit = np.where(inside, is_digit, digit)
        exponent |= inside & e
    return _Shapes(decimal & (digits > 0) & (digit | ~exponent), exponent, point, digits)


def _exact_quotients(words: Words, starts: Positions, ends: Positions, point: Positions) -> NDArray[np.float64]:
    first = words.characters[starts]
    begin = starts + ((first == ord("-")) | (first == ord("+")))
    after = np.minimum(point + 1, ends)
    whole, fraction = naturals(words, begin, point), naturals(words, after, ends)
    power = (10 ** np.arange(16, dtype=np.uint64))[ends - after]
    values = (whole * power + fraction).astype(np.float64) / power.astype(np.float64)
    return np.where(first == ord("-"), -values, values)


def _by_scipy(words: Words, starts: Positions, ends: Positions) -> Any:
    """Words known to be decimals, read as a dense Matrix Market column, which SciPy does in C++ on all cores."""
    starts = starts + (words.characters[starts] == ord("+"))
    width = int((ends - starts).max())
    at = starts[:, None] + np.arange(width)
    column = np.full((len(starts), width + 1), ord("\n"), np.uint8)
    column[:, :width] = np.where(at < ends[:, None], words.characters[np.minimum(at, len(words.characters) - 1)], 32)
    banner = f"%%MatrixMarket matrix array real general\n{len(starts)} 1\n".encode()
    import scipy.io  # takes a tenth of a second, which most files need not pay

    try:
        return np.asarray(scipy.io.mmread(io.BytesIO(banner + column.tobytes()), spmatrix=False)).reshape(-1)
    except (ValueError, OverflowError):  # a value beyond the doubles
        return _one_by_one(words, starts, ends)


def _one_by_one(words: Words, starts: Positions, ends: Positions) -> list[float]:
    if b"_" in words.padded:  # Python's float would read 1_000
        raise NotNumbersError
    text = words.padded
    try:
        return [float(text[a:b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    except ValueError:
        raise NotNumbersError from None
