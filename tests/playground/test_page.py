"""The page as built, in headless Chromium: it checks, compiles, explains, runs in Python and on a GPU, stops.

The GPU is SwiftShader, Vulkan on the CPU, which comes with Chromium.
"""

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from matplotlib.image import imread

from starplat.diagnostics import DiagnosticError, render
from starplat.pipeline import check
from starplat.source import SourceFile
from tests.cli.conftest import ROOT
from tests.playground import looks

PATIENCE = 90_000
"""Milliseconds that the page may take for one thing on a busy machine."""

ENDLESS = """function endless(Graph g) {
  int i = 0;
  while (i >= 0) { i = i * 0 + g.num_nodes(); }
  return i;
}
"""
DISTANCES = {"0": "0", "1": "7", "2": "9", "3": "20", "4": "20", "5": "11"}
"""In 'Six towns and their roads' from town 0."""


class Quiet(SimpleHTTPRequestHandler):
    """A static server of one folder."""

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


GPU = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served, built anew."""
    if shutil.which("npm") is None or shutil.which("chromium") is None:
        pytest.skip("npm or chromium is missing: apt-get install npm chromium")
    folder = tmp_path_factory.mktemp("playground") / "page"
    build = [sys.executable, ROOT / "docs/playground/build.py", folder]
    assert any(subprocess.run(build, check=False).returncode == 0 for _ in range(3))  # npm and pip may fail to fetch
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Chromium, with a GPU if the test is given `GPU`."""
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    flags = ["--no-sandbox", "--disable-dev-shm-usage", *getattr(request, "param", ())]
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        yield chromium
        chromium.close()


@pytest.mark.campaign
def test_the_page_checks_compiles_explains_runs_and_stops(address: str, browser: Any) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    asked: list[str] = []
    failed: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(address)
    page.wait_for_selector("#go:enabled")

    assert page.is_disabled("#device option[value=webgpu]")
    page.wait_for_selector("#lacking:has-text('no adapter answers')")

    page.select_option("#graph", label="Six towns and their roads")
    ran(page)
    assert table(page) == DISTANCES
    assert page.locator("#picture circle").count() == 6

    page.fill("#edges", "0 1 2\n0 x 2\n")
    page.click("#go")
    page.wait_for_selector("#said:has-text('error[E0805]')")
    assert "edges.txt:2:3" in page.inner_text("#diagnostics")
    page.select_option("#graph", label="Six towns and their roads")

    page.click("#tab-opencl")
    page.wait_for_selector("body[data-shown=opencl]")
    page.locator("#editor .cm-line", has_text="forall (nbr").hover()
    page.wait_for_function("document.querySelectorAll('#editor .lit').length === 6")
    assert "sssp.sp:12 forall" in page.locator("#panel-code .lit").first.inner_text()
    page.click("#tab-beside")
    page.wait_for_selector("body[data-shown=beside]")
    lit_in_all_panes(page, "forall (nbr", "sssp.sp:12 forall")
    page.click("#tab-explain")
    page.wait_for_selector("body[data-shown=explain]")
    assert "monotone" in page.inner_text("#facts")

    mistaken = (ROOT / "examples/sssp.sp").read_text(encoding="utf-8").replace("nbr.dist, nbr.m", "nbr.dist, nbr.n")
    written(page, mistaken)
    page.wait_for_selector("#verdict.error")
    with pytest.raises(DiagnosticError) as wrong:
        check(SourceFile("sssp.sp", mistaken))
    assert page.locator("#diagnostics pre").all_inner_texts() == [render(one) for one in wrong.value.diagnostics]
    assert page.locator("#editor .cm-lintRange-error").first.inner_text() == "nodified"
    assert page.is_disabled("#go")

    written(page, ENDLESS)
    page.click("#tab-run")
    page.click("#go")
    page.click("#stop")
    page.select_option("#example", "bfs_levels")
    ran(page)
    assert page.input_value("#shown") == "level"

    assert failed == []
    assert {url for url in asked if not url.startswith((address, "data:", "blob:"))} == set()


def lit_in_all_panes(page: Any, line: str, shown: str) -> None:
    """Moves over a line until all panes, which may still be measuring theirs, have scrolled to its code."""
    for _ in range(PATIENCE // 1000):
        page.locator("#tab-beside").hover()
        page.locator("#editor .cm-line", has_text=line).hover()
        page.wait_for_timeout(1000)
        panes = page.locator(".pane").all()
        if all(pane.locator(".lit", has_text=shown).count() for pane in panes):
            return
    raise AssertionError(f"no pane lights up '{shown}'")


@pytest.mark.campaign
@pytest.mark.parametrize("browser", [GPU], indirect=True, ids=["gpu"])
def test_kernels_run_on_the_browsers_gpu_or_are_refused_by_name(address: str, browser: Any) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(address)
    page.wait_for_selector("#go:enabled")
    page.wait_for_selector("#device option[value=webgpu]:enabled", state="attached")
    page.select_option("#graph", label="Six towns and their roads")
    page.select_option("#device", "webgpu")
    for _ in range(2):
        ran(page)
        assert table(page) == DISTANCES
    assert "(WebGPU)" in page.inner_text("#said")

    page.select_option("#graph", "uniform")
    for program in ("bfs_levels", "connected_components"):
        page.select_option("#example", program)
        page.wait_for_selector(f"#editor:has-text('function {program}')")
        found = {target: answers(page, target) for target in ("reference", "webgpu")}
        assert found["webgpu"] == found["reference"], program

    page.select_option("#example", "pagerank")
    page.wait_for_selector("#editor:has-text('function pagerank')")
    page.wait_for_selector("#go:enabled")
    page.click("#go")
    page.wait_for_selector("#said:has-text('error[E0604]')")
    page.click("#tab-webgpu")
    page.wait_for_selector(".refused .shared:has-text('double')")
    assert failed == []


LOOKS = (("light", 1280, 800), ("dark", 1280, 800), ("light", 390, 844), ("dark", 390, 844))
"""Colours, width and height of the window."""


@pytest.mark.campaign
def test_the_page_is_readable_light_dark_and_narrow(address: str, browser: Any, tmp_path: Path) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.select_option("#graph", label="Six towns and their roads")
    ran(page)
    for colors, width, height in LOOKS:
        page.emulate_media(color_scheme=colors)
        page.set_viewport_size({"width": width, "height": height})
        for tab, pane in (("run", "#picture svg"), ("opencl", ".pane"), ("beside", ".pane"), ("explain", "#plan")):
            page.click(f"#tab-{tab}")
            page.wait_for_selector(f"body[data-tab={tab}]" if tab == "run" else f"body[data-shown={tab}]")
            looks.require_room(page, "#editor", pane, width=width // 4, height=100)
            looks.require_readable(page)
            picture = tmp_path / f"{colors}-{width}-{tab}.png"
            page.screenshot(path=picture, full_page=True)
            bright = imread(picture)[..., :3].mean()
            assert bright > 0.7 if colors == "light" else bright < 0.3, f"{picture.name}: {bright:.2f}"
    page.select_option("#example", "bfs_levels")
    written(page, "function f(Graph g) { return 1 + ; }")
    page.wait_for_selector("#verdict.error")
    for colors, width, height in LOOKS:
        page.emulate_media(color_scheme=colors)
        page.set_viewport_size({"width": width, "height": height})
        looks.require_room(page, "#editor", "#diagnostics li", width=width // 4, height=40)
        looks.require_readable(page)
        page.screenshot(path=tmp_path / f"{colors}-{width}-mistake.png", full_page=True)


def answers(page: Any, target: str) -> tuple[list[str], str]:
    """What a run on a target gives: the rows of the tables, and what it returns."""
    page.select_option("#device", target)
    ran(page)
    return page.locator("#tables tr").all_inner_texts(), page.text_content("#returned output")


def table(page: Any) -> dict[str, str]:
    """The values of the nodes."""
    rows = page.locator("#tables table").first.locator("tbody tr").all_inner_texts()
    return dict(row.split("\t") for row in rows)


def ran(page: Any) -> None:
    """Runs, and waits for the answers."""
    page.wait_for_selector("#go:enabled")
    before = int(page.get_attribute("body", "data-ran") or 0)
    page.click("#go")
    page.wait_for_selector(f"body[data-ran='{before + 1}']")


def written(page: Any, text: str) -> None:
    """Replaces the program."""
    page.click("#editor .cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
