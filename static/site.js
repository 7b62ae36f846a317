// Spares a vote the reload and closes the menu. Everything here works without this script too.
"use strict";

const FRAGMENT = "X-Fragment";

/** Returns the polite line next to a row where a refusal is said. */
function statusLine(row) {
  let line = row.nextElementSibling;
  if (!line?.classList.contains("row-status")) {
    line = document.createElement("p");
    line.className = "row-status";
    line.setAttribute("role", "status");
    row.after(line);
  }
  return line;
}

/** Says why a vote was not counted; screen readers hear only what changes after the line exists. */
function say(row, sentence) {
  const line = statusLine(row);
  line.textContent = "";
  requestAnimationFrame(() => requestAnimationFrame(() => (line.textContent = sentence)));
}

/** Puts what came back in the place of the old and keeps the keyboard where it was. */
function replace(row, html, way) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const fresh = holder.content.querySelector("article");
  const line = row.nextElementSibling;
  if (line?.classList.contains("row-status")) line.remove();
  const focused = row.contains(document.activeElement);
  if (row.classList.contains("comment")) renew(row, fresh);
  else row.replaceWith(fresh);
  if (focused) document.querySelector(`#${row.id} .arrow.${way}`)?.focus({ preventScroll: true });
}

/** Takes over what a vote changes of a comment; its text stays. */
function renew(comment, fresh) {
  Object.assign(comment.dataset, fresh.dataset);
  for (const part of [".arrows", ".points"]) {
    comment.querySelector(part).replaceWith(fresh.querySelector(part));
  }
}

/** Sends the vote that was pressed and shows the answer. */
async function vote(form, button) {
  const row = button.closest("article");
  if (row.hasAttribute("aria-busy")) return;
  row.setAttribute("aria-busy", "true");
  const way = button.classList.contains("up") ? "up" : "down";
  const place = row.querySelector("h1") ? "post" : "1";
  try {
    const answer = await fetch(button.formAction, {
      method: "POST",
      body: new URLSearchParams(new FormData(form, button)),
      headers: { [FRAGMENT]: place },
    });
    if (answer.redirected) return location.assign(answer.url);
    const text = await answer.text();
    const ours = answer.headers.get("content-type")?.startsWith("text/plain");
    if (answer.ok) replace(row, text, way);
    else say(row, ours ? text : document.body.dataset.offline);
  } catch {
    say(row, document.body.dataset.offline);
  } finally {
    row.removeAttribute("aria-busy");
  }
}

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (event.target.id !== "vote" || !button?.classList.contains("arrow")) return;
  event.preventDefault();
  vote(event.target, button);
});

// The menu of the header is a plain <details>; it also closes by a press beside it and by Escape.
const menu = document.querySelector(".menu");

document.addEventListener("click", (event) => {
  if (!menu?.contains(event.target)) menu?.removeAttribute("open");
});

menu?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  menu.removeAttribute("open");
  menu.firstElementChild.focus();
});
