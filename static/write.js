// Saves drafts, warns before text is lost, and shows that a text is being sent. Uses functions of site.js.
"use strict";

// The text of a new post or comment is saved on the site at each pause in typing, and when the
// page is left. The form gets a hidden field with the draft's key, so that sending deletes the draft.

const TEXTS = "form.stack:has(textarea)";
const DRAFTED = "form[data-saved]"; // edits have no drafts, since the text may have changed meanwhile
const IDLE = 2000; // milliseconds without typing before a draft is saved
const unsaved = new Map(); // forms with input that isn't saved, and their timers
const refused = new WeakSet(); // forms whose last draft the site didn't save

/** Notes that a form has new input; `save` is called after a pause. */
function note(form) {
  clearTimeout(unsaved.get(form));
  unsaved.set(form, form.matches(DRAFTED) ? setTimeout(saveDraft, IDLE, form) : 0);
  showSaved(form, "");
}

/** Stops saving a form, because it is sent or its draft is deleted. */
function settle(form) {
  clearTimeout(unsaved.get(form));
  unsaved.delete(form);
}

/** Shows below a form that its draft is saved. */
function showSaved(form, words) {
  const buttons = form.querySelector(".buttons");
  const line = buttons?.querySelector(".saved") ?? document.createElement("span");
  line.className = "saved meta";
  line.textContent = words;
  buttons?.append(line);
}

/** Returns the field with the key of a form's draft; the browser chooses the key of a new draft. */
function draftField(form) {
  if (form.elements.draft) return form.elements.draft;
  const field = document.createElement("input");
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  const value = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  form.prepend(Object.assign(field, { type: "hidden", name: "draft", value }));
  return field;
}

/** Saves a form as a draft. With `keepalive`, which allows 64 kB, the request outlives the page. */
async function saveDraft(form, keepalive = false) {
  settle(form);
  draftField(form);
  const body = new URLSearchParams(new FormData(form));
  body.set("save_draft", 1);
  const headers = { [FRAGMENT]: "draft" };
  const answer = await fetch(form.action, { method: "POST", body, headers, keepalive }).catch(() => null);
  const saved = answer?.ok && !answer.redirected;
  refused[saved ? "delete" : "add"](form);
  if (unsaved.has(form)) return;
  if (saved) showSaved(form, form.dataset.saved);
  else unsaved.set(form, 0);
}

function saveAll() {
  for (const form of unsaved.keys()) if (form.matches(DRAFTED)) saveDraft(form, true);
}

document.addEventListener("input", ({ target }) => target.form?.matches(TEXTS) && note(target.form));
addEventListener("pagehide", saveAll);
addEventListener("visibilitychange", () => document.hidden && saveAll()); // a phone may end a hidden tab

// Warns before text is lost: an edit, or a text that could not be saved as a draft.
addEventListener("beforeunload", (event) => {
  const lost = (form) => form.isConnected && (!form.matches(DRAFTED) || refused.has(form));
  if ([...unsaved.keys()].some(lost)) event.preventDefault();
});

// While a text is sent, its button says so and can't be pressed again.
let sending; // the button, and its words

document.addEventListener("submit", (event) => {
  const { submitter: button, target: form } = event;
  if (event.defaultPrevented) return;
  settle(form);
  settle(button?.closest(TEXTS)); // the button may delete the draft of the form around it
  if (!button || !form.matches(TEXTS)) return;
  sending = [button, button.textContent];
  setTimeout(() => {
    // Later, since the values of disabled buttons aren't sent.
    button.disabled = true;
    if (button.matches(".primary")) button.textContent = document.body.dataset.sending;
  });
});

addEventListener("pageshow", () => {
  if (!sending) return;
  const [button, textContent] = sending;
  Object.assign(button, { disabled: false, textContent });
  sending = null;
});

// What was typed before this script was there.
for (const box of document.querySelectorAll("form.stack textarea")) {
  if (box.value !== box.defaultValue && box.form.matches(TEXTS)) note(box.form);
}
