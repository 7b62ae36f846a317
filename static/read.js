// For readers of a thread: folds a branch by the line beside its replies, keeps folded branches folded until
// the tab is closed, and adds a button that copies it to each block of code. Without this script, people
// fold a branch by the triangle above it.
"use strict";

const BRANCH = ".replies > li > details";
const FOLDED = "folded"; // the key under which the tab stores the ids of folded comments
const MOST_FOLDED = 300;
const { copy, copied } = document.currentScript.dataset; // the words on the button
document.documentElement.classList.add("folds");

/** Returns the ids of the comments that are folded in this tab; none if the browser has no storage. */
function foldedIds() {
  try {
    return new Set(sessionStorage.getItem(FOLDED)?.split(" "));
  } catch {
    return new Set();
  }
}

/** Stores whether a branch is folded. */
function remember(branch) {
  const { id } = branch.querySelector(".comment");
  const ids = foldedIds();
  if (ids.has(id) !== branch.open) return;
  if (branch.open) ids.delete(id);
  else ids.add(id);
  try {
    sessionStorage.setItem(FOLDED, [...ids].slice(-MOST_FOLDED).join(" "));
  } catch {}
}

document.addEventListener("toggle", ({ target }) => target.matches(BRANCH) && remember(target), true);

document.addEventListener("click", ({ target }) => {
  if (!target.matches(".replies .replies") || !getSelection().isCollapsed) return;
  const branch = target.closest(BRANCH);
  branch.open = false;
  branch.firstElementChild.focus({ preventScroll: true });
  branch.scrollIntoView({ block: "nearest" });
});

const aim = document.getElementById(location.hash.slice(1));
for (const id of foldedIds()) {
  const branch = document.getElementById(id)?.closest(BRANCH);
  if (branch && !branch.contains(aim)) branch.open = false;
}

for (const pre of navigator.clipboard ? document.querySelectorAll(".prose pre") : []) {
  const frame = document.createElement("div");
  const button = document.createElement("button");
  frame.className = "code";
  Object.assign(button, { type: "button", textContent: copy });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = copied;
  });
  pre.replaceWith(frame);
  frame.append(pre, button);
}
