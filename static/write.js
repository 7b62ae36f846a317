// For people who write: saves drafts, warns before text is lost, shows that a text is being sent, opens reply
// forms below comments, and shows previews inside forms. Without this script the same links and buttons lead
// to pages. Uses functions of site.js.
"use strict";

// The text of a new post or comment is saved on the site at each pause in typing, and when the
// page is left. The form gets a hidden field with the draft's key and version, so that sending deletes the
// draft, and no older form replaces it.

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

/** Returns the hidden field of a form's draft; the browser chooses the key of a new draft. */
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
  const field = draftField(form);
  const body = new URLSearchParams(new FormData(form));
  body.set("save_draft", 1);
  const headers = { [FRAGMENT]: "draft" };
  const answer = await fetch(form.action, { method: "POST", body, headers, keepalive }).catch(() => null);
  const saved = answer?.ok && !answer.redirected;
  refused[saved ? "delete" : "add"](form);
  const [draft, words = form.dataset.saved] = saved ? (await answer.text()).split("\n") : [];
  if (saved) field.value = draft;
  if (unsaved.has(form)) return;
  if (saved) showSaved(form, words);
  else unsaved.set(form, 0);
}

function saveAll() {
  for (const form of unsaved.keys()) if (form.matches(DRAFTED)) saveDraft(form, true);
}

document.addEventListener("input", ({ target }) => target.form?.matches(TEXT_FORM) && note(target.form));
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
  settle(button?.closest(TEXT_FORM)); // the button may delete the draft of the form around it
  if (!button || !form.matches(TEXT_FORM)) return;
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

// Text may have been typed before this script was there.
for (const form of document.querySelectorAll(TEXT_FORM)) {
  const isTyped = (field) => field.defaultValue !== undefined && field.value !== field.defaultValue;
  if ([...form.elements].some(isTyped)) note(form);
}

// Replies, quotes and previews in threads.

const TALK = document.getElementById("comments");

/** Returns the form for comments on what the page is about; null if nobody can comment. */
function mainForm() {
  return TALK?.querySelector(":scope > .comment-form, :scope > .write > .comment-form");
}

/** Returns the label for a reply to a comment; a reply to an answer is called a comment. */
function labelOf(comment) {
  const answer = TALK.dataset.comment && !comment.closest(".remarks, .replies .replies");
  return answer ? TALK.dataset.comment : TALK.dataset.reply;
}

/** Creates a form to reply to a comment, as a copy of the page's comment form. A draft of the reply is
 * offered in it. */
function makeForm(comment) {
  const form = mainForm().cloneNode(true);
  const parent = document.createElement("input");
  const box = form.elements.body;
  const cancel = document.createElement("button");
  const extra = "[name=parent], [name=draft], #preview, .help, .notice, .saved";
  form.querySelectorAll(extra).forEach((part) => part.remove());
  Object.assign(parent, { type: "hidden", name: "parent", value: comment.id.split("-")[1] });
  Object.assign(box, { id: `reply-${parent.value}`, value: "" });
  box.removeAttribute("aria-describedby");
  Object.assign(form.querySelector("label"), { htmlFor: box.id, textContent: labelOf(comment) });
  Object.assign(cancel, { type: "button", className: "quiet cancel", textContent: TALK.dataset.cancel });
  form.prepend(parent, ...TALK.querySelectorAll(`.draft[data-parent="${parent.value}"]`));
  form.querySelector(".buttons").append(cancel);
  comment.after(form);
  return form;
}

/** Hides the reply form below a comment; its text stays in it. */
function close(form) {
  form.hidden = true;
  form.parentElement.querySelector(REPLY)?.focus();
}

/** Returns the text that is selected in the comment around a button, or else in the post, as a quote in
 * Markdown; "" if none is. */
function quoteAt(button) {
  const text = (button.closest(".comment") ?? TALK?.parentElement)?.querySelector(":scope > .prose");
  const selection = getSelection();
  const range = selection.rangeCount && selection.getRangeAt(0);
  const words = range && text?.contains(range.commonAncestorContainer) ? selection.toString().trim() : "";
  return words && `${words.replace(/^/gm, "> ")}\n\n`;
}

/** Adds the quote for a button at the end of a form's text, and moves the focus there. */
function writeIn(form, button) {
  const box = form.elements.body;
  const words = quote || quoteAt(button);
  quote = "";
  if (words) {
    box.value += (box.value && !box.value.endsWith("\n\n") ? "\n\n" : "") + words;
    box.dispatchEvent(new Event("input", { bubbles: true })); // so that the text is kept as a draft
  }
  box.focus();
  form.scrollIntoView({ block: "nearest" });
}

let quote = ""; // what was selected when the pointer went down: some browsers then drop the selection

document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest(`${REPLY}, ${SUMMARY}`);
  quote = button && quoteAt(button);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest(REPLY);
  if (event.target.matches(".comment-form .cancel")) close(event.target.form);
  if (!link || event.shiftKey || isModified(event) || !mainForm()) return;
  event.preventDefault();
  const comment = link.closest(".comment");
  const form = comment.parentElement.querySelector(":scope > .comment-form") ?? makeForm(comment);
  form.hidden = false;
  writeIn(form, link);
});

document.addEventListener("keydown", (event) => {
  const form = event.target.closest(".thread .comment-form");
  if (form && event.key === "Escape" && !event.isComposing) close(form);
});

/** Shows the preview of a form's text above its field. */
async function showPreview(form, button) {
  const buttons = form.querySelector(".buttons");
  try {
    const answer = await fetch(button.formAction, {
      method: "POST",
      body: new URLSearchParams(new FormData(form, button)),
      headers: { [FRAGMENT]: "preview" },
    });
    if (answer.redirected) return location.assign(answer.url);
    const text = await answer.text();
    if (!answer.ok) return refuseWith(buttons, answer, text);
    const preview = parse(text).getElementById("preview");
    document.getElementById("preview")?.remove();
    form.querySelector(".row-status")?.remove();
    form.querySelector(".field").before(preview);
    preview.tabIndex = -1;
    preview.focus();
  } catch {
    refuse(buttons);
  }
}

document.addEventListener(
  "submit",
  (event) => {
    if (!event.target.matches(PREVIEWED) || event.submitter?.name !== "preview") return;
    event.preventDefault();
    event.stopPropagation(); // a preview saves nothing, so the listeners in site.js must not react
    showPreview(event.target, event.submitter);
  },
  true,
);

document.addEventListener("click", (event) => {
  const summary = event.target.closest(SUMMARY);
  if (!summary) return;
  event.preventDefault(); // open it at once, since a closed form can't be focused
  const box = summary.parentElement;
  box.open = !box.open;
  if (box.open) writeIn(box.querySelector("form"), summary);
});
