"use strict";
// Zooms the timeline by moving its view box: buttons, wheel with Ctrl, and drag.
for (const figure of document.querySelectorAll("figure.timeline")) {
  const svg = figure.querySelector("svg");
  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let view = [...whole];
  const show = () => svg.setAttribute("viewBox", view.join(" "));
  const zoom = (factor, x = 0.5, y = 0.5) => {
    const width = Math.min(whole[2], Math.max(whole[2] / 64, view[2] / factor));
    const height = width * whole[3] / whole[2];
    view = move([view[0] + (view[2] - width) * x, view[1] + (view[3] - height) * y, width, height]);
    show();
  };
  const move = ([x, y, width, height]) => [
    Math.min(Math.max(x, whole[0]), whole[0] + whole[2] - width),
    Math.min(Math.max(y, whole[1]), whole[1] + whole[3] - height), width, height];
  const pan = (x, y) => {
    view = move([view[0] + x * view[2], view[1] + y * view[3], view[2], view[3]]);
    show();
  };
  const buttons = document.createElement("div");
  buttons.className = "zoom";
  buttons.setAttribute("role", "group");
  buttons.setAttribute("aria-label", "Zoom the timeline");
  for (const [label, name, act] of [
    ["+", "Zoom in", () => zoom(2)], ["−", "Zoom out", () => zoom(0.5)],
    ["←", "Earlier", () => pan(-0.25, 0)], ["→", "Later", () => pan(0.25, 0)],
    ["↑", "Slots above", () => pan(0, -0.25)], ["↓", "Slots below", () => pan(0, 0.25)],
    ["Show all", "Show all", () => { view = [...whole]; show(); }],
  ]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.title = name;
    if (label !== name) button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
    buttons.append(button);
  }
  figure.prepend(buttons);
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  let from = null;
  svg.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; });
  addEventListener("pointerup", () => { from = null; });
  svg.addEventListener("pointermove", (event) => {
    if (from === null || view[2] === whole[2]) return;
    const box = svg.getBoundingClientRect();
    pan((from[0] - event.clientX) / box.width, (from[1] - event.clientY) / box.height);
    from = [event.clientX, event.clientY];
  });
}
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details:not(.reason)")) part.open = true;
});
