// Opens the form for a reply below the comment that it answers, and shows previews inside their form.
// Without this script the same links and buttons lead to pages. It uses functions of site.js.
"use strict";

const REPLY = ".comment .actions a[href$='#reply']";
const TALK = document.getElementById("comments");

/** Returns what is written below a comment: on a question, its answers get comments. */
function labelOf(comment) {
  const answer = TALK.dataset.comment && !comment.closest(".remarks, .replies .replies");
  return answer ? TALK.dataset.comment : TALK.dataset.reply;
}

/** Makes a form for replies to a comment from the page's own form, with what was left unsent in it. */
function makeForm(comment) {
  const form = TALK.querySelector(":scope > .comment-form").cloneNode(true);
  const parent = document.createElement("input");
  const box = form.elements.body;
  const cancel = document.createElement("button");
  form.querySelectorAll("[name=parent], #preview, .help, .notice").forEach((part) => part.remove());
  Object.assign(parent, { type: "hidden", name: "parent", value: comment.id.split("-")[1] });
  Object.assign(box, { id: `reply-${parent.value}`, value: "" });
  box.removeAttribute("aria-describedby");
  Object.assign(form.querySelector("label"), { htmlFor: box.id, textContent: labelOf(comment) });
  Object.assign(cancel, { type: "button", className: "quiet cancel", textContent: TALK.dataset.cancel });
  form.prepend(parent);
  form.querySelector(".buttons").append(cancel);
  comment.after(form);
  bringBack(form);
  return form;
}

/** Closes a form below a comment and keeps its text. */
function close(form) {
  form.hidden = true;
  form.parentElement.querySelector(REPLY)?.focus();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest(REPLY);
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (event.target.matches(".comment-form .cancel")) close(event.target.form);
  if (!link || elsewhere || !TALK?.querySelector(":scope > .comment-form")) return;
  event.preventDefault();
  const comment = link.closest(".comment");
  const form = comment.parentElement.querySelector(":scope > .comment-form") ?? makeForm(comment);
  form.hidden = false;
  form.elements.body.focus();
});

document.addEventListener("keydown", (event) => {
  const form = event.target.closest(".thread .comment-form");
  if (form && event.key === "Escape" && !event.isComposing) close(form);
});

/** Shows what a form's text will look like, above its box. */
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
    const ours = answer.headers.get("content-type")?.startsWith("text/plain");
    if (!answer.ok) return refuse(buttons, ours ? text : document.body.dataset.offline);
    const preview = new DOMParser().parseFromString(text, "text/html").getElementById("preview");
    document.getElementById("preview")?.remove();
    form.querySelector(".row-status")?.remove();
    form.querySelector(".field").before(preview);
    preview.tabIndex = -1;
    preview.focus();
  } catch {
    refuse(buttons, document.body.dataset.offline);
  }
}

document.addEventListener(
  "submit",
  (event) => {
    if (!event.target.matches(".comment-form") || event.submitter?.name !== "preview") return;
    event.preventDefault();
    event.stopPropagation(); // nothing is sent: site.js has nothing to do
    showPreview(event.target, event.submitter);
  },
  true,
);

// A comment on the question that was left unsent shows itself.
for (const form of document.querySelectorAll(".remarks > details > .comment-form")) {
  if (form.elements.body.value) form.parentElement.open = true;
}
