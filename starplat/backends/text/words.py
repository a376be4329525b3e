"""Reserved words of all targets: what no identifier may be in emitted text.

One table for all targets, so that a program has the same names on each of them. The words are in `templates/reserved`.
"""

from starplat.resources import template_folder


def _listed(*files: str) -> frozenset[str]:
    """The words in some files of `templates/reserved`."""
    texts = ((template_folder("reserved") / f"{file}.txt").read_text(encoding="utf-8") for file in files)
    return frozenset(word for text in texts for word in text.split())


WORDS_OF_C = _listed("c_and_cpp", "library_of_c")
"""What a header that C and C++ read may not call a parameter."""

RESERVED = WORDS_OF_C | _listed("opencl", "cuda_and_hip", "sycl_and_pragmas", "ours")
"""Of all languages, and of our own text: graph arrays too, so that no array of a program has their names."""

RESERVED_PREFIXES = tuple(_listed("prefixes"))
"""How names of the targets' libraries and of our own helper functions begin."""

_VECTORS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half", "bool")
VECTOR_WORDS = frozenset(f"{word}{width}" for word in _VECTORS for width in (1, 2, 3, 4, 8, 16))
