// Judges a package with the project's own verifier, under Pyodide, from files of this site alone.
import { loadPyodide } from "./pyodide/pyodide.mjs";

async function fetched(name) {
  const answer = await fetch(new URL(name, import.meta.url), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
  return answer;
}

async function prepared() {
  const list = await (await fetched("list.json")).json();
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  const extractDir = python.runPython("import site; site.getsitepackages()[0]");
  const wheels = Object.keys(list.pyodide).filter((name) => name.endsWith(".whl"));
  const archives = [...wheels.map((name) => `pyodide/${name}`), "project.zip"];
  const contents = await Promise.all(archives.map(async (name) => (await fetched(name)).arrayBuffer()));
  contents.forEach((content) => python.unpackArchive(content, "zip", { extractDir }));
  python.runPython("import importlib; importlib.invalidate_caches()");
  const recompute = python.runPython("from orchestrator.listing.recomputing import recompute; recompute");
  return { list, python, recompute };
}

let ready = null;

addEventListener("message", async ({ data: { root } }) => {
  try {
    ready ??= prepared();
    const { list, python, recompute } = await ready;
    const row = list.rows.find((one) => one.root === root);
    if (row === undefined) throw new Error("list.json has no such row");
    const content = new Uint8Array(await (await fetched(`packages/${root}.zip`)).arrayBuffer());
    const file = `/tmp/${root}.zip`;
    python.FS.writeFile(file, content);
    try {
      postMessage({ root, findings: JSON.parse(recompute(file, JSON.stringify(row))) });
    } finally {
      python.FS.unlink(file);
    }
  } catch (error) {
    const lines = String(error.message ?? error).trim().split("\n");
    postMessage({ root, error: lines[lines.length - 1] });
  }
});
