"""What is delivered: a wheel that needs no checkout, manual pages, and the files that others read about a project."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

import starplat
from tests.test_docs import ROOT, blocks


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel that `python -m build` makes of the source distribution, and no checkout.
    What starplat depends on is lent by this process's environment."""
    for needed in ("build", "hatchling"):
        pytest.importorskip(needed)
    folder = tmp_path_factory.mktemp("packaging")
    quiet_run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), str(ROOT)], folder)
    venv.create(folder / "environment", symlinks=True)
    python = folder / "environment" / "bin" / "python"
    wheel = next((folder / "dist").glob("*.whl"))
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--quiet", "--disable-pip-version-check"]
    quiet_run([*pip, "install", "--no-deps", "--no-index", str(wheel)], folder)
    (site,) = (folder / "environment" / "lib").glob("python*/site-packages")
    lent = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (site / "lent.pth").write_text("\n".join(lent) + "\n", encoding="utf-8")
    return folder / "environment"


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    return tmp_path


def quiet_run(command: list[str], folder: Path, path: Path | None = None) -> str:
    """What a command that succeeds prints, in a folder, with the commands of an environment found first."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    if path is not None:
        environment["PATH"] = f"{path / 'bin'}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.campaign
def test_the_wheel_is_imported_from_its_environment(installed: Path, empty: Path) -> None:
    code = "import starplat; print(starplat.__file__)"
    assert Path(quiet_run([str(installed / "bin" / "python"), "-c", code], empty).strip()).is_relative_to(installed)
    assert quiet_run(["starplat", "--version"], empty, installed) == f"starplat {starplat.__version__}\n"


@pytest.mark.campaign
def test_the_readmes_commands_run_from_the_wheel(installed: Path, empty: Path) -> None:
    lines = [line for block in blocks(ROOT / "README.md") if block.kind == "sh" for line in block.text.splitlines()]
    commands = [part.strip() for line in lines for part in line.split("&&") if part.strip().startswith("starplat ")]
    assert commands
    for command in commands:
        quiet_run(shlex.split(command), empty, installed)


@pytest.mark.campaign
def test_the_readmes_python_runs_from_the_wheel(installed: Path, empty: Path) -> None:
    code = "".join(block.text for block in blocks(ROOT / "README.md") if block.kind == "python")
    assert code
    quiet_run([str(installed / "bin" / "python"), "-c", code], empty)


@pytest.mark.campaign
@pytest.mark.parametrize(
    "command",
    [
        "starplat explain E0203",
        "starplat show sssp",
        "starplat new my.sp --from pagerank",
        "starplat compile sssp --target all --output code",
        "starplat explain sssp",
        "python -m pygments program.sp",
    ],
)
def test_what_needs_files_beside_the_code_runs_from_the_wheel(installed: Path, empty: Path, command: str) -> None:
    (empty / "program.sp").write_text("function f(Graph g) { return g.num_nodes(); }\n", encoding="utf-8")
    quiet_run(shlex.split(command), empty, installed)


@pytest.mark.campaign
def test_the_wheel_brings_the_manual_pages(installed: Path) -> None:
    brought = {path.name for path in (installed / "share" / "man" / "man1").iterdir()}
    assert brought == {path.name for path in (ROOT / "docs" / "man").iterdir()}
    assert "starplat-run.1" in brought


def test_the_manual_pages_are_those_of_the_command_line() -> None:
    """Refreshed by `python docs/generate_man.py`."""
    place = importlib.util.spec_from_file_location("generate_man", ROOT / "docs" / "generate_man.py")
    assert place is not None
    assert place.loader is not None
    generator = importlib.util.module_from_spec(place)
    place.loader.exec_module(generator)
    kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "man").glob("*.1")}
    assert kept == generator.pages()


@pytest.mark.campaign
def test_the_documentation_builds(tmp_path: Path) -> None:
    """Without a warning: every link leads somewhere, every parameter that a docstring names exists."""
    for needed in ("mkdocs", "mkdocstrings"):
        pytest.importorskip(needed)
    quiet_run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)], ROOT)
    reference = (tmp_path / "api" / "index.html").read_text(encoding="utf-8")
    assert 'id="starplat.Program.run"' in reference


def test_the_reference_names_everything_that_is_public() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8").splitlines()
    assert [name for name in starplat.__all__ if f"::: starplat.{name}" not in page] == ["__version__"]


def test_the_citation_is_about_this_project() -> None:
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = {"title": "name", "abstract": "description", "license": "license", "keywords": "keywords"}
    assert {key: citation[key] for key in said} == {key: project[theirs] for key, theirs in said.items()}


def test_a_release_has_the_wheel_and_the_extension() -> None:
    yaml = pytest.importorskip("yaml")
    steps = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]["release"][
        "steps"
    ]
    commands = {step["name"]: step for step in steps if "run" in step}
    built = commands["the wheel and the sources"]["run"]
    assert 'python -m build && ls dist/starplat-"${GITHUB_REF_NAME#v}"-py3-none-any.whl' in built
    extension = commands["the extension"]
    version, *build = extension["run"].split(" && ")
    assert version == 'npm version --no-git-tag-version --allow-same-version "${GITHUB_REF_NAME#v}"'
    assert build == ["npm install", "npm run package"]
    manifest = json.loads((ROOT / extension["working-directory"] / "package.json").read_text(encoding="utf-8"))
    assert "--out starplat.vsix" in manifest["scripts"]["package"]
    assert commands["the release"]["run"].endswith(f"dist/* {extension['working-directory']}/starplat.vsix")


@pytest.mark.parametrize("name", ["bug", "feature"])
def test_an_issue_is_asked_for_what_it_needs(name: str) -> None:
    yaml = pytest.importorskip("yaml")
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text(encoding="utf-8"))
    assert form["name"]
    assert form["description"]
    asked = [field for field in form["body"] if field["type"] != "markdown"]
    assert asked
    assert all(field["attributes"]["label"] for field in asked)
    assert any(field.get("validations", {}).get("required") for field in asked)
