"use strict";
// Sorts the rows of each group, and recomputes a row in a worker.

for (const head of document.querySelectorAll("th[data-sort]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = head.textContent;
  head.replaceChildren(button);
  button.addEventListener("click", () => sort(head, head.getAttribute("aria-sort") === "ascending"));
}

function sort(head, descending) {
  for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const value = (row) => {
    const cell = row.children[head.cellIndex];
    return cell.dataset.value === undefined ? cell.textContent.trim() : cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
  };
  const compare = (one, other) => {
    const [a, b] = [value(one), value(other)];
    if (typeof a === "string") return (descending ? -1 : 1) * a.localeCompare(b, "en", { numeric: true });
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b); // unknown ones stay last
    return descending ? b - a : a - b;
  };
  for (const body of head.closest("table").tBodies) {
    body.append(...[...body.rows].filter((row) => !row.classList.contains("group")).sort(compare));
  }
}

let worker = null;
const waiting = new Map();

function answer({ data: { root, findings, error } }) {
  const { cell, begin, button } = waiting.get(root);
  waiting.delete(root);
  button.disabled = false;
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const good = error === undefined && findings.length === 0;
  const more = findings && findings.length > 1 ? ` (and ${findings.length - 1} more)` : "";
  const words = error !== undefined ? `could not be recomputed: ${error}` : good ? "same verdict, no findings" : findings[0] + more;
  const output = cell.querySelector("output");
  output.className = good ? "good" : "bad";
  output.textContent = `${words} (${seconds} s)`;
  cell.parentElement.dataset.result = output.className;
}

function start() {
  worker = new Worker("worker.js", { type: "module" });
  worker.addEventListener("message", answer);
  worker.addEventListener("error", (event) => {
    worker = null; // the next click tries again
    for (const root of [...waiting.keys()]) answer({ data: { root, error: event.message || "worker.js did not start" } });
  });
}

if ("recomputes" in document.body.dataset) {
  for (const cell of document.querySelectorAll("td.recompute")) {
    const { root, name } = cell.dataset;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Recompute";
    button.setAttribute("aria-label", `Recompute ${name}`);
    const output = document.createElement("output");
    cell.append(button, output);
    button.addEventListener("click", () => {
      button.disabled = true;
      output.className = "na";
      output.textContent = "recomputing …";
      delete cell.parentElement.dataset.result;
      waiting.set(root, { cell, button, begin: performance.now() });
      if (worker === null) start();
      worker.postMessage({ root });
    });
  }
}
