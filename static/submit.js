// For the forms to submit and edit a post: counts characters, warns of duplicate links, shows posts with
// similar titles and fetches page titles. The forms also work without this script. Uses functions of site.js.
"use strict";

const postForm = document.querySelector("form.post");
const NEAR = 0.9; // screen readers announce the count from this share of the limit
const CALM = 1000; // milliseconds without typing before the count is announced, or similar titles appear

/** Returns the number of characters of a field as the site counts them, without trailing spaces. */
function length(box) {
  const line = box.value.trim().replace(/\s+/g, " ").normalize("NFC");
  return [...(box.matches("textarea") ? box.value.trimEnd() : line)].length;
}

/** Shows the number of characters below a field, and announces it when few are left. */
function count(box) {
  const shown = document.createElement("p");
  const said = document.createElement("p");
  const most = Number(box.dataset.most);
  let waiting;
  shown.className = "help characters";
  shown.setAttribute("aria-hidden", "true");
  said.className = "said";
  said.setAttribute("role", "status");
  box.after(shown, said);
  const update = () => {
    const many = length(box);
    const words = postForm.dataset.count.replace("{n}", many).replace("{most}", most);
    shown.textContent = many ? words : "";
    shown.classList.toggle("over", many > most);
    clearTimeout(waiting);
    waiting = setTimeout(() => (said.textContent = many >= NEAR * most ? words : ""), CALM);
  };
  box.addEventListener("input", update);
  addEventListener("pageshow", update);
}

let pointerReleased = Promise.resolve(); // resolves when the latest click is done

addEventListener("pointerdown", () => {
  pointerReleased = new Promise((done) => {
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => setTimeout(done), { once: true }); // the click comes after pointerup
    }
  });
});

/** Asks the site for the post with the same link, or for posts with a similar title, and shows them. */
async function warn(field) {
  const value = field.value;
  const asks = value.trim() && (field.name === "title" || postForm.elements.kind.value === "link");
  const asked = `${postForm.dataset.known}?${new URLSearchParams({ [field.name]: value })}`;
  const answer = asks ? await fetch(asked).catch(() => null) : null;
  const html = answer?.ok && !answer.redirected ? (await answer.text()).trim() : "";
  const beside = field.closest(".field").nextElementSibling;
  await pointerReleased; // a notice moves the page: a click that is under way would miss its checkbox
  if (field.value === value && beside.innerHTML !== html) beside.innerHTML = html;
}

/** Fills in the post's title with the title of the linked page. */
async function fillTitle(button) {
  const title = postForm.elements.title;
  const status = button.parentElement.querySelector("[role=status]");
  button.disabled = true;
  status.textContent = "";
  const answer = await fetch(postForm.action, {
    method: "POST",
    body: new URLSearchParams([...new FormData(postForm), [button.name, button.value]]),
    headers: { "X-Fragment": "title" },
  }).catch(() => null);
  const text = answer && isSentence(answer) && (await answer.text());
  button.disabled = false;
  if (!text || !answer.ok) {
    status.textContent = text || document.body.dataset.offline;
    button.focus();
    return;
  }
  title.value = text;
  title.dispatchEvent(new Event("input", { bubbles: true }));
  title.focus();
}

postForm.querySelectorAll("[data-most]").forEach(count);

if (postForm.dataset.known) {
  const { url, title } = postForm.elements;
  let waiting;
  url.addEventListener("change", () => warn(url));
  title.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(warn, CALM, title);
  });
  if (!postForm.querySelector("#preview")) [url, title].forEach(warn);
}

// This listener runs before those of the document in site.js, which must not take this for sending.
postForm.addEventListener("submit", (event) => {
  if (event.submitter?.name !== "fetch") return;
  event.preventDefault();
  event.stopPropagation();
  fillTitle(event.submitter);
});
