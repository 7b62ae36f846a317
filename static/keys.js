// Keyboard shortcuts for members. Most keys press a link or button of the page, so that they do the same
// as the mouse. The page /keys explains them; `forum/web/keyboard.py` has their list.
"use strict";

const ITEMS = ":is(.row, .post-head, .comment, .inbox-item)";
const STOPS = `${ITEMS}, .thread details:not([open]) > summary`; // where j and k stop
const OPENS = [".title a", "a:has(> time)", "p > a"]; // what Enter presses: the first that an item has
const HELP = "/keys";
const OFF = document.querySelector(".keys-off");
// The id of the last item that had the focus or was clicked. A click puts the selection there.
let current = getSelection().anchorNode?.parentElement?.closest(ITEMS)?.id ?? "";
let led = location.hash; // the part of the URL that last led to an item
let goes = false; // whether the last key was "g"

const visible = (selector) => [...document.querySelectorAll(selector)].filter((part) => part.checkVisibility());
const isBefore = (one, other) => one.compareDocumentPosition(other) & 4; // DOCUMENT_POSITION_FOLLOWING
const itemOf = (part) => part?.querySelector(`:scope > ${ITEMS}, :scope > details > ${ITEMS}`);

/** Returns the item with the focus, also if it is folded, or else the last one that had it or was clicked,
 * or else the one that the URL leads to. */
function item() {
  if (led !== (led = location.hash)) current = ""; // a link has led to another item
  const focused = document.activeElement;
  const last = document.getElementById(current) ?? document.querySelector(`${ITEMS}:target`);
  return focused.closest(ITEMS) ?? itemOf(focused.closest(".thread details")) ?? last;
}

/** Moves the focus to an item; a folded comment has it on the line that unfolds it. */
function focus(next) {
  if (!next) return;
  const target = next.checkVisibility() ? next : next.closest("details").querySelector("summary");
  if (target.matches(ITEMS)) target.tabIndex = -1;
  target.focus({ preventScroll: true, focusVisible: true });
  target.scrollIntoView({ block: "nearest" });
}

/** Focuses the next (or previous) item; at first the topmost on the screen. */
function step(items, back) {
  const here = document.activeElement.closest("summary, " + ITEMS) ?? item();
  if (back) return focus(items.findLast((other) => here && isBefore(other, here)));
  const after = (other) => (here ? isBefore(here, other) : other.getBoundingClientRect().top >= 0);
  focus(items.find(after));
}

/** Presses the link or button of the item that a selector matches. Without an item, or on the head of a
 * post's page, presses the one that `ofPage` matches. */
function press(selector, ofPage = `.post-head ${selector}`) {
  const here = item();
  const button = here?.querySelector(selector);
  if (button) button.click();
  else if (!here || here.matches(".post-head")) document.querySelector(ofPage)?.click();
}

/** Focuses the comment beside this one: the next or the previous one with the same parent. */
function sibling(side) {
  focus(itemOf(item()?.closest("li")?.[side]));
}

/** Opens the box for a reply to the item, or else the one for a comment on the post. */
function reply() {
  const toItem = item()?.querySelector(".actions a[href*='#reply'], .inbox-reply > summary");
  if (toItem) return toItem.click();
  const box = document.querySelector("#comments .comment-form [name=body]");
  const folded = box?.closest("details");
  if (!folded) return box?.focus();
  folded.open = false; // the press opens it, and quotes what is selected
  folded.firstElementChild.click();
}

/** Follows what the page is about, or watches its thread. The reader of a thread stays at the same place. */
async function follow() {
  const button = document.querySelector("main button:is([formaction$='/follow'], [formaction$='/watch'])");
  if (!button?.matches(".talk-head *")) return button?.click();
  const body = new URLSearchParams(new FormData(button.form, button));
  const answer = await fetch(button.formAction, { method: "POST", body }).catch(() => null);
  if (!answer?.ok) return button.click(); // the site's page explains the error
  const page = parse(await answer.text());
  button.replaceWith(page.querySelector(".talk-head button"));
  say(item() ?? document.querySelector(".post-head"), page.querySelector(".talk > .notice").textContent, []);
}

/** Folds a comment with its replies, or unfolds it. */
function fold() {
  const comment = item();
  const branch = comment?.closest(".thread details");
  if (!branch) return;
  branch.open = !branch.open;
  focus(comment);
}

/** Focuses the search box; a narrow page has a link to search instead. */
function search() {
  const box = visible("[type=search]").at(-1);
  if (box) box.focus();
  else document.querySelector(".to-search")?.click();
}

/** Shows the list of shortcuts in a dialog, or as a page if it can't be loaded. */
async function help() {
  const answer = await fetch(HELP).catch(() => null);
  if (!answer?.ok) return location.assign(HELP);
  const page = parse(await answer.text());
  const dialog = document.createElement("dialog");
  dialog.className = "panel";
  dialog.append(...page.querySelector("main").children);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const ACTIONS = {
  j: () => step(visible(STOPS)),
  k: () => step(visible(STOPS), true),
  p: () => focus(itemOf(item()?.closest("li")?.parentElement.closest("li"))),
  "]": () => sibling("nextElementSibling"),
  "[": () => sibling("previousElementSibling"),
  n: () => step(visible(STOPS).filter((stop) => stop.querySelector(".tag.new"))),
  a: () => press(".arrow.up"),
  z: () => press(".arrow.down"),
  c: () => (item()?.matches(".row") ? press("a[href$='#comments']") : (location.hash = "comments")),
  r: reply,
  e: () => press("a[href$='/edit']", ".tools a[href$='/edit']"),
  x: fold,
  s: () => press(".save"),
  h: () => press(".hide"),
  f: follow,
  g: () => (goes = true),
  "/": search,
  "?": help,
};
const PLACES = { h: "/", n: "/new", i: "/inbox" };

document.addEventListener("focusin", () => (current = item()?.id ?? ""));
document.addEventListener("click", ({ target }) => (current = target.closest(ITEMS)?.id ?? current));

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.matches("textarea")) {
    return target.form?.querySelector(".primary")?.click();
  }
  if (OFF || isModified(event) || event.isComposing) return;
  if (key === "Escape" && target.type === "search") target.blur();
  if (target.closest(TYPING)) return;
  const place = goes && PLACES[key];
  goes = false;
  if (place) return location.assign(place);
  if (key === "Enter" && target.matches(ITEMS)) return press(OPENS.find((link) => target.querySelector(link)));
  if (!ACTIONS[key]) return;
  event.preventDefault(); // or "/" and the others would be typed into the box that they focus
  ACTIONS[key]();
});
