// The forms of a post: counts characters as the site does, warns of an address that is posted
// already and fills in a page's title. Everything works without this script too.
"use strict";

const postForm = document.querySelector("form.post");
const beside = postForm.querySelector(".beside"); // says what is known of the address
const NEAR = 0.9; // the share of the characters from which a screen reader says how many there are
const CALM = 1000; // milliseconds without typing until it does

/** Returns how many characters the site counts: of a title in one line, of a text without its end. */
function length(box) {
  const line = box.value.trim().replace(/\s+/g, " ").normalize("NFC");
  return [...(box.matches("textarea") ? box.value.trimEnd() : line)].length;
}

/** Shows below a box how many characters it has, and says so when few are left. */
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

/** Asks whether a post has the address already. */
async function warn(address) {
  const link = postForm.elements.kind.value === "link" && address.value.trim();
  const asked = `${postForm.dataset.known}?${new URLSearchParams({ url: address.value })}`;
  const answer = link ? await fetch(asked).catch(() => null) : null;
  beside.innerHTML = answer?.ok && !answer.redirected ? await answer.text() : "";
}

/** Fills in the title of the page at the address. */
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
  const text = answer?.headers.get("content-type")?.startsWith("text/plain") && (await answer.text());
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
  const address = postForm.elements.url;
  address.addEventListener("change", () => warn(address));
  if (address.value && !postForm.querySelector("#preview")) warn(address);
}

// Heard before the listeners of the document: this button sends nothing that could be a draft.
postForm.addEventListener("submit", (event) => {
  if (event.submitter?.name !== "fetch") return;
  event.preventDefault();
  event.stopPropagation();
  fillTitle(event.submitter);
});
