// Packs a folder of Python files for the page: byte code of the browser's own Python instead of sources, and the cache
// with the parser's tables. Usage: node prepare.mjs PYODIDE SITE OUT.zip
import { writeFileSync } from "node:fs";

const [, , pyodideFolder, site, out] = process.argv;
const { loadPyodide } = await import(`${pyodideFolder}/pyodide.mjs`);
const python = await loadPyodide({ env: { STARPLAT_CACHE_DIR: "/cache", HOME: "/home/pyodide" } });
python.mountNodeFS("/mnt", site);
const pack = `
import compileall, pathlib, shutil, sys

shutil.copytree("/mnt", "/site")
sys.path.insert(0, "/site")
import bridge

checked = bridge.check("none", "function none(Graph _g) { }")
assert not checked["diagnostics"], checked

for cached in list(pathlib.Path("/site").rglob("__pycache__")):
    shutil.rmtree(cached)
assert compileall.compile_dir("/site", quiet=1, legacy=True, optimize=0, stripdir="/site")
for source in pathlib.Path("/site").rglob("*.py"):
    source.unlink()
shutil.copytree("/cache", "/site/starplat_cache")
shutil.make_archive("/tmp/python", "zip", "/site")
pathlib.Path("/tmp/python.zip").read_bytes()
`;
try {
  writeFileSync(out, python.runPython(pack).toJs());
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
