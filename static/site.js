// Votes, saves and hides posts without a page load, keeps rows up to date after going back, keeps
// unsent text, prevents double submission, and closes the menu. All of the site also works without
// this script.
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

/** Shows below a row why its button changed nothing, and lets it be pressed again at once. */
function refuse(row, sentence, link = []) {
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

/** Replaces a row by the HTML of its new state, and removes an earlier error. */
function replace(row, html) {
  const line = row.nextElementSibling;
  if (line?.classList.contains("row-status")) line.remove();
  exchange(row, new DOMParser().parseFromString(html, "text/html").querySelector("article"));
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
    const ours = answer.headers.get("content-type")?.startsWith("text/plain");
    if (answer.ok) replace(row, text), leaveList(button), tellOthers(button);
    else takeBack(), refuse(row, ours ? text : document.body.dataset.offline, linkBeside(answer));
  } catch {
    takeBack();
    refuse(row, document.body.dataset.offline);
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
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
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

// Drafts: unsent text is restored when its form is opened again, in this tab or another. Each tab has its
// own drafts (sessionStorage); the newest of each form is also kept for other tabs (localStorage). A draft
// is deleted when the site confirms that it accepted the form, so that text sent while offline is not
// lost, and at log-out. Forms that edit a text (with a field `seen`) have no drafts, since the text may
// have changed meanwhile.

const FORMS = "form.stack:has([name=body]):not(:has([name=seen]))";
const WORDS = "[name=body], [name=title], [name=url]";
const GIVEN_BACK = "#preview, [role=alert]";
const SENDING = "sending"; // key and URL of the form that this tab has sent
const SENT = "sent"; // keys of forms that the site accepted; also the name of the site's cookie for it
const LOG_OUT = "[formaction$='/logout/']";
const UNSENT = "unsent"; // the first word of the key of each draft
const AT = "&at="; // stands between a draft for other tabs and the time when it was saved
const DAYS = 30; // after this time the draft for other tabs is deleted
let leaving = false; // set at log-out: its response clears the storage, and `pagehide` must not fill it again
const typed = new WeakSet(); // forms with input since the page was shown

/** Returns the key of a form's draft; each person and each reply has its own. */
function draftKey(form) {
  const about = form.elements.parent?.value ?? "";
  return [UNSENT, document.body.dataset.reader, form.action, about].join(" ");
}

/** Returns a draft by its key: that of this tab, or else the newest one. */
function draftOf(key) {
  return new URLSearchParams(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? "");
}

/** Deletes a draft by its key. */
function dropDraft(key) {
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
}

/** Deletes the drafts for which `unwanted` returns true. */
function dropDrafts(unwanted) {
  const keys = [...Object.keys(localStorage), ...Object.keys(sessionStorage)];
  keys.filter((key) => key.startsWith(`${UNSENT} `) && unwanted(key)).forEach(dropDraft);
}

/** Returns whether a draft is another person's, or too old. */
function isOutdated(key) {
  const since = localStorage.getItem(key)?.split(AT).at(-1) ?? Date.now();
  return key.split(" ")[1] !== document.body.dataset.reader || Date.now() - since > DAYS * 86_400_000;
}

/** Fills in a form from its draft, unless the site has filled it in. */
function bringBack(form) {
  const filled = [...form.querySelectorAll(WORDS)].some((box) => box.value);
  if (filled && form.querySelector(GIVEN_BACK)) typed.add(form);
  if (filled) return;
  fill(form, draftOf(draftKey(form)));
  const notice = form.querySelector(".draft");
  if (notice) notice.hidden &&= ![...form.querySelectorAll(WORDS)].some((box) => box.value);
}

/** Fills in fields and ticks boxes from a draft, except fields that the URL has filled in: for example,
 * the groups of both together could be more than a post may have. */
function fill(form, draft) {
  const fields = [...form.querySelectorAll("input:not([type=hidden]), textarea")];
  const has = (field) => (field.type === "checkbox" ? field.checked : field.value);
  const given = fields.filter((field) => field.type !== "radio" && has(field));
  const names = new Set(given.map((field) => field.name));
  for (const field of fields.filter((field) => !names.has(field.name))) {
    const values = draft.getAll(field.name);
    if (!["radio", "checkbox"].includes(field.type)) field.value = values.at(-1) ?? "";
    else field.checked ||= values.includes(field.value);
  }
}

/** Saves a form's content as its draft. */
function keep(form) {
  const fields = new FormData(form);
  fields.delete("csrfmiddlewaretoken");
  const draft = new URLSearchParams(fields);
  sessionStorage.setItem(draftKey(form), draft);
  localStorage.setItem(draftKey(form), draft + AT + Date.now());
}

/** Saves the drafts of all forms with input. */
function keepTyped() {
  if (leaving) return;
  for (const form of document.querySelectorAll(FORMS)) if (typed.has(form)) keep(form);
}

/** After another tab sent or discarded a draft: forgets the same draft in this tab. */
function forgetSame(event) {
  const { key, oldValue, newValue } = event;
  if (!key?.startsWith(`${UNSENT} `) || newValue !== null) return;
  if (oldValue.startsWith(sessionStorage.getItem(key) + AT)) sessionStorage.removeItem(key);
  document.querySelectorAll(FORMS).forEach((form) => draftKey(form) === key && typed.delete(form));
}

/** Saves the draft of a form that is being sent, until the site confirms that it accepted the form. */
function keepWhileSending(form) {
  const parent = form.elements.parent?.value;
  const { pathname, search } = new URL(form.action);
  const address = pathname + (parent ? `?parent=${parent}` : search);
  keep(form);
  sessionStorage.setItem(SENDING, JSON.stringify([draftKey(form), address]));
}

/** Deletes the draft of the form that this tab sent, if the site has accepted the form. */
function settle() {
  const [key, address] = JSON.parse(sessionStorage.getItem(SENDING) ?? "[]");
  if (!key) return;
  sessionStorage.removeItem(SENDING);
  if (!document.cookie.split("; ").includes(`${SENT}=${encodeURIComponent(address)}`)) return;
  document.cookie = `${SENT}=; path=/; max-age=0`;
  dropDraft(key);
  sessionStorage.setItem(SENT, JSON.stringify([...new Set(sentKeys()).add(key)]));
}

/** Returns the draft keys of the forms that the site accepted from this tab. */
function sentKeys() {
  return JSON.parse(sessionStorage.getItem(SENT) ?? "[]");
}

/** Empties a form after going back to it, if it was sent. Text written after sending is kept. */
function empty(form) {
  if (!sentKeys().includes(draftKey(form))) return;
  for (const box of form.querySelectorAll(WORDS)) box.value = "";
  typed.delete(form);
  bringBack(form);
}

try {
  settle();
  dropDrafts(isOutdated);
  document.querySelectorAll(FORMS).forEach(bringBack);
  addEventListener("pagehide", keepTyped);
  addEventListener("visibilitychange", () => document.hidden && keepTyped()); // a phone may end a hidden tab
  addEventListener("storage", forgetSame);
  addEventListener("pageshow", (event) => {
    const [visit] = performance.getEntriesByType("navigation");
    if (!event.persisted && visit?.type !== "back_forward") return;
    settle();
    document.querySelectorAll(FORMS).forEach(empty);
  });
  document.addEventListener("input", (event) => event.target.form && typed.add(event.target.form));
  document.addEventListener("submit", (event) => {
    leaving = Boolean(event.submitter?.matches(LOG_OUT));
    if (leaving) dropDrafts(() => true);
    if (event.target.matches(FORMS) && !event.defaultPrevented) keepWhileSending(event.target);
  });
} catch {} // a browser without storage keeps no drafts

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
