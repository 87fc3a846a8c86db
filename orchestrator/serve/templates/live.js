"use strict";
// Follows a campaign: puts each new state into the page, in place, so that focus and scrolling stay.
const live = document.getElementById("live");
const drawings = document.getElementById("drawings");
const notice = document.getElementById("notice");
let stream = null;

// Makes an element like a fresh one; what is kept stays as it is.
function patch(old, fresh, kept) {
  if (old === kept) return;
  if (old.nodeName === "svg" && fresh.nodeName === "svg") {
    if (!old.isEqualNode(fresh)) old.replaceWith(fresh);
    return;
  }
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
    old.replaceWith(fresh);
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (old.nodeType === Node.ELEMENT_NODE && old !== live && old !== drawings) {
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
  }
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  after.forEach((node, place) => (place < before.length ? patch(before[place], node, kept) : old.append(node)));
  before.slice(after.length).forEach((node) => node.remove());
}

function parsed(text) {
  const fresh = document.createElement("div");
  fresh.append(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
  return fresh;
}

function follow() {
  stream = new EventSource(live.dataset.stream);
  stream.addEventListener("figures", (event) => patch(drawings, parsed(event.data), null));
  stream.addEventListener("progress", (event) => {
    notice.textContent = "";
    patch(live, parsed(event.data), drawings);
    live.dataset.updates = String(Number(live.dataset.updates || 0) + 1);
  });
  stream.addEventListener("problem", (event) => { notice.textContent = event.data; });
  stream.addEventListener("error", () => {
    notice.textContent = "No connection to the server; what is shown may be old. Trying again.";
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 5000);
  });
}

// A browser opens few connections to one server: pages that are not seen leave theirs to others.
document.addEventListener("visibilitychange", () => {
  if (stream !== null) stream.close();
  if (!document.hidden) follow();
});
if (!document.hidden) follow();
