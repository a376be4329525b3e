"""The notebooks in `docs/notebooks` run from top to bottom, and hold nothing of an earlier run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def cells_of(notebook: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return found


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_shipped_without_outputs(notebook: Path) -> None:
    code = [cell for cell in cells_of(notebook) if cell["cell_type"] == "code"]
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"]] == []
    assert any("%load_ext starplat" in "".join(cell["source"]) for cell in code)


@pytest.mark.campaign
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for needed in ("ipykernel", "matplotlib", "networkx"):
        pytest.importorskip(needed)
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    executed = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(executed, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in executed.cells for output in cell.get("outputs", ())]
    assert "image/png" in {kind for output in outputs for kind in output.get("data", ())}
    assert any("<svg" in output.get("data", {}).get("text/html", "") for output in outputs)
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    for cell in executed.cells:
        errors = [output for output in cell.get("outputs", ()) if output.output_type == "error"]
        assert len(errors) == ("raises-exception" in cell.metadata.get("tags", ()))
        for error in errors:
            assert error.traceback[0].startswith("error[E0")
            assert "Traceback" not in "".join(error.traceback)
