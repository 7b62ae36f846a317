// Votes, saves and hides posts without a page load, keeps rows up to date after going back, prevents
// double submission, closes the menu, and loads other scripts when they are needed. All of the site also
// works without this script.
"use strict";

const FRAGMENT = "X-Fragment";
const CHANGED = "changed";
const IN_ROW = ".arrow, .save, .hide"; // buttons that change nothing but their row
const PAUSE = 3000; // milliseconds in which a second press of a button is ignored
const DOUBLE_CLICK = 600; // the same for buttons in a row, whose effect can be undone
document.documentElement.classList.add("scripted");

/** Returns the line next to a row that announces errors to screen readers. */
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

/** Shows a sentence, and perhaps a link, below a row. They are set later than the line is added, since
 * screen readers announce only changes of a line that exists. */
function say(row, sentence, link) {
  const line = statusLine(row);
  line.textContent = "";
  requestAnimationFrame(() => requestAnimationFrame(() => line.replaceChildren(sentence, ...link)));
}

/** Shows below a row why its button changed nothing, and lets it be pressed again at once. The reason is that
 * the site doesn't respond, unless a sentence is given. */
function refuse(row, sentence = document.body.dataset.offline, link = []) {
  last.key = null;
  say(row, sentence, link);
}

/** Returns the link that a refusal has in a header, after a space; nothing if it has none. */
function linkBeside(answer) {
  const [address, words] = answer.headers.get("X-Link")?.split(" ") ?? [];
  if (!address) return [];
  const link = document.createElement("a");
  link.href = address;
  link.textContent = decodeURIComponent(words);
  return [" ", link];
}

/** Returns a page of HTML as a document. */
function parse(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

/** Returns whether a response is a sentence for people, and not a page. */
function isSentence(answer) {
  return answer.headers.get("content-type")?.startsWith("text/plain");
}

/** Shows below a row the words of a response that is an error. */
function refuseWith(row, answer, text) {
  refuse(row, isSentence(answer) ? text : undefined, linkBeside(answer));
}

/** Replaces a row by the HTML of its new state, and removes an earlier error. */
function replace(row, html) {
  const line = row.nextElementSibling;
  if (line?.classList.contains("row-status")) line.remove();
  exchange(row, parse(html).querySelector("article"));
}

/** Replaces a row (or the votes of a comment) by a newer one, and keeps the focus. The notice in place
 * of a hidden post is as tall as its row, so that no other row moves under the pointer. */
function exchange(row, fresh) {
  if (fresh.classList.contains("away")) fresh.style.minBlockSize = `${row.offsetHeight}px`;
  const held = row.contains(document.activeElement) ? purpose(document.activeElement) : null;
  const whole = document.activeElement === row; // the keyboard shortcuts focus rows
  if (row.classList.contains("comment")) renew(row, fresh);
  else row.replaceWith(fresh);
  if (held === null || document.activeElement !== document.body) return;
  if (whole) fresh.tabIndex = -1;
  if (whole) return fresh.focus({ preventScroll: true });
  const links = (row.isConnected ? row : fresh).querySelectorAll("a, button");
  [...links].find((link) => purpose(link) === held)?.focus({ preventScroll: true });
}

/** Returns a text that identifies a link or button in its row, whether it is pressed or not. */
function purpose(link) {
  return `${link.className} ${link.formAction ?? link.href}`;
}

/** Replaces the arrows and points of a comment after a vote, and the button after saving it. */
function renew(comment, fresh) {
  Object.assign(comment.dataset, fresh.dataset);
  for (const part of [".arrows", ".points", ".save"]) {
    const newer = fresh.querySelector(part);
    if (newer) comment.querySelector(part)?.replaceWith(newer);
  }
}

/** After a post was removed from a person's list: removes its line with date and button, and focuses
 * the button in the row, which undoes the removal. */
function leaveList(button) {
  const line = button.closest(".since");
  const links = line?.closest("li").querySelectorAll("article button") ?? [];
  const back = [...links].find((link) => purpose(link) === purpose(button));
  line?.remove();
  back?.focus({ preventScroll: true });
}

let pressed = new WeakSet(); // rows pressed since `freshen` began to load the page

const WORTH = { down: -1, none: 0, up: 1 };

/** Shows a vote in a row or comment at once, and the points in a row, before the site answers. */
function paint(row, vote) {
  const change = WORTH[vote] - WORTH[row.dataset.vote];
  for (const arrow of row.querySelectorAll(".arrow")) {
    arrow.setAttribute("aria-pressed", arrow.classList.contains(vote));
  }
  row.dataset.vote = vote;
  const points = row.querySelector(".arrows .points");
  if (!points) return;
  row.dataset.points = Number(row.dataset.points) + change;
  points.textContent = Number(row.dataset.points).toLocaleString("en").replace("-", "\u2212");
}

/** Sends the form with the pressed button of a row, such as an arrow, and shows the response. */
async function send(form, button) {
  const row = button.closest("article") ?? button.closest("li").querySelector("article");
  if (row.hasAttribute("aria-busy")) return;
  row.setAttribute("aria-busy", "true");
  pressed.add(row);
  const { vote } = row.dataset;
  const takeBack = () => vote && paint(row, vote);
  if (button.matches(".arrow")) paint(row, button.value);
  const place = row.querySelector("h1") ? "post" : "1";
  try {
    const answer = await fetch(button.formAction, {
      method: "POST",
      body: new URLSearchParams(new FormData(form, button)),
      headers: { [FRAGMENT]: place },
    });
    if (answer.redirected) return location.assign(answer.url);
    const text = await answer.text();
    if (answer.ok) replace(row, text), leaveList(button), tellOthers(button);
    else takeBack(), refuseWith(row, answer, text);
  } catch {
    takeBack();
    refuse(row);
  } finally {
    row.removeAttribute("aria-busy");
  }
}

let last = { key: null, at: 0 };
let clicked = false; // whether the last press was by pointer: one by keyboard is a click without `detail`

addEventListener("click", (event) => (clicked = event.detail > 0), true);

/** Returns whether a button was pressed a moment ago, so that a double click votes only once and sends
 * only one comment. Buttons of a row are compared by `purpose`, since the response replaces the row.
 * By keyboard they may be pressed again at once. */
function pressedTwice(button) {
  const inRow = button?.matches(IN_ROW);
  const key = !inRow ? button : clicked ? purpose(button) : null;
  const within = inRow ? DOUBLE_CLICK : PAUSE;
  const twice = key && key === last.key && Date.now() - last.at < within;
  if (!twice) last = { key, at: Date.now() };
  return twice;
}

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (pressedTwice(button)) {
    event.preventDefault();
  } else if (event.target.id === "vote" && button?.matches(IN_ROW)) {
    event.preventDefault();
    send(event.target, button);
  } else if (event.target.id === "vote") {
    tellOthers();
  }
});

// After going back, and in other tabs, a page may not show the viewer's latest votes. Such a page is
// fetched again once, and its rows are replaced.

let stale = false;

/** Records an action, so that other tabs and earlier pages update themselves. Does nothing if the
 * browser has no storage. */
function tellOthers(button) {
  const hides = button?.matches(".hide[value='1']") ? button.formAction : "";
  try {
    localStorage.setItem(CHANGED, Date.now());
    sessionStorage.setItem(CHANGED, [...new Set(done()).add(hides)].join(" "));
  } catch {}
}

/** Returns the URLs by which posts were hidden in this tab; null if there was no action in this tab. */
function done() {
  try {
    return sessionStorage.getItem(CHANGED)?.split(" ") ?? null;
  } catch {
    return [];
  }
}

/** Fetches this page and updates its rows and the votes of its comments, but nothing else. */
async function freshen() {
  const rows = document.querySelectorAll("article[data-vote]:not([aria-busy])");
  stale = false;
  if (!rows.length) return;
  pressed = new WeakSet();
  const headers = { Purpose: "prefetch" }; // the site counts no view and marks no comment as seen
  const answer = await fetch(location.href, { cache: "no-store", headers }).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const page = parse(await answer.text());
  for (const row of rows) {
    const fresh = page.getElementById(row.id);
    if (!fresh && done()?.includes(row.querySelector(".hide")?.formAction)) row.closest("li").remove();
    if (!fresh?.querySelector(".arrows") || !row.querySelector(".arrows")) continue;
    if (!pressed.has(row)) exchange(row, fresh);
  }
}

addEventListener("storage", (event) => (stale ||= event.key === CHANGED));

document.addEventListener("visibilitychange", () => {
  if (stale && !document.hidden) freshen();
});

addEventListener("pageshow", (event) => {
  last.key = null;
  if (event.persisted && done()) freshen(); // a page that was loaded again is up to date
});

// Scripts that most visits don't need. Each is loaded when somebody first does what it is for, and then
// that is done again.

const LATER = document.currentScript.dataset; // the addresses of the scripts, by name
const REPLY = ".comment .actions a[href$='#reply']";
const SUMMARY = "details:has(> .comment-form) > summary";
const PREVIEWED = ".comment-form:has(.field)"; // forms that show previews inside them
const TEXT_FORM = "form.stack:has(textarea)";
const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, dialog *";
const loading = {};

/** Loads a script once. The promise resolves when it has run, or can't be loaded. */
function load(name) {
  return (loading[name] ??= new Promise((done) => {
    const script = document.createElement("script");
    document.head.append(Object.assign(script, { src: LATER[name], onload: done, onerror: done }));
  }));
}

/** Returns whether a key or click has a modifier; such a click opens a link in another tab or window. */
function isModified(event) {
  return event.ctrlKey || event.metaKey || event.altKey;
}

/** Loads a script at the first click on something that a selector matches. */
function loadAtClick(name, selector) {
  const first = async (event) => {
    const part = event.target.closest(selector);
    if (!part || event.shiftKey || isModified(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    await load(name);
    document.removeEventListener("click", first, true);
    part.click();
  };
  document.addEventListener("click", first, true);
}

/** Loads the keyboard shortcuts at the first key that may be one. */
async function loadAtKey(event) {
  const { key, target } = event;
  const sends = key === "Enter" && isModified(event);
  const isShortcut = key.length === 1 || (key === "Enter" && loading.keys);
  if (!sends && (!isShortcut || isModified(event) || target.closest(TYPING))) return;
  if (key === "/") event.preventDefault();
  await load("keys");
  document.removeEventListener("keydown", loadAtKey);
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", event));
}

loadAtClick("flag", "a.flag");
loadAtClick("write", `${REPLY}, ${SUMMARY}, ${PREVIEWED} [name=preview]`);
if (document.getElementById("comments")) {
  document.addEventListener("selectionchange", () => load("write"), { once: true }); // it quotes what is selected
} else if (document.querySelector(TEXT_FORM)) {
  load("write"); // the page is for writing, and it may be left right after the first key
}
if (LATER.keys) document.addEventListener("keydown", loadAtKey);
document.addEventListener("focusin", ({ target }) => {
  if (target.form?.matches(TEXT_FORM)) load("write"), load("complete");
});

// Reports a click on a post's link with a beacon, because Firefox ignores `ping`. Removing the attribute
// prevents other browsers from reporting the same click twice.
for (const kind of ["click", "auxclick"]) {
  document.addEventListener(kind, (event) => {
    const link = event.button < 2 && event.target.closest("a[ping]");
    if (link && navigator.sendBeacon(link.ping)) link.removeAttribute("ping");
  });
}

// A browser that goes back restores texts, but not the state of the box around them.
for (const form of document.querySelectorAll("details > .comment-form")) {
  if (form.elements.body.value) form.parentElement.open = true;
}

// Focus the first field with an error.
document.querySelector("[aria-invalid=true], [data-invalid]")?.focus();

// Buttons that copy the text of a field. Without the script, people select it themselves.
for (const button of document.querySelectorAll("[data-copies]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).value);
    button.textContent = button.dataset.copied;
  });
}

// The menu in the header is a <details>. This also closes it on a press outside, on Escape and when it
// loses the focus.
const menu = document.querySelector(".menu");

document.addEventListener("click", (event) => {
  if (!menu?.contains(event.target)) menu?.removeAttribute("open");
});

menu?.addEventListener("focusout", (event) => {
  if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.removeAttribute("open");
});

menu?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  menu.removeAttribute("open");
  menu.firstElementChild.focus();
});
