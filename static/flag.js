// Opens the form to flag a post, comment or person in place. Without this script its link leads to a
// page. Uses functions of site.js.
"use strict";

// A block, so that its names don't collide with those of other scripts.
{
  const FORM = ".flag-form";
  const FIRST = "input:not([type=hidden]), button";
  const boxes = new WeakMap(); // the place of the form that a link has opened

  /** Fetches a part of the page and returns it; null after an error, which is shown at `place`. */
  async function part(place, address, body) {
    const headers = { [FRAGMENT]: "flag" };
    try {
      const answer = await fetch(address, body ? { method: "POST", body, headers } : { headers });
      if (answer.redirected) return location.assign(answer.url), null;
      const text = await answer.text();
      if (!isSentence(answer) && (answer.ok || answer.status === 422)) return parse(text).body.childNodes;
      refuseWith(place, answer, text);
    } catch {
      refuse(place);
    }
    return null;
  }

  /** Opens the form of a link below its comment or line, or closes it. */
  async function open(link) {
    const place = link.closest(".comment") ?? link.closest("p");
    if (boxes.has(link)) return close(link);
    const box = document.createElement("div");
    box.className = "flag-box";
    boxes.set(link, box);
    const found = await part(place, link.href);
    if (!found) return boxes.delete(link);
    box.append(...found);
    place.after(box);
    box.querySelector(FIRST)?.focus();
  }

  /** Closes the form that a link has opened. */
  function close(link) {
    boxes.get(link)?.remove();
    boxes.delete(link);
    link.focus();
  }

  /** Returns the link that has opened the form which contains an element. */
  function linkOf(element) {
    const box = element.closest(".flag-box");
    return [...document.querySelectorAll("a.flag")].find((link) => box && boxes.get(link) === box);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.flag, .flag-box .cancel");
    if (!link || event.shiftKey || isModified(event)) return;
    event.preventDefault();
    if (link.matches(".cancel")) close(linkOf(link));
    else open(link);
  });

  document.addEventListener("keydown", (event) => {
    const link = event.key === "Escape" && !event.isComposing && linkOf(event.target);
    if (link) close(link);
  });

  document.addEventListener(
    "submit",
    async (event) => {
      const form = event.target;
      if (!form.matches(`.flag-box ${FORM}`)) return;
      event.preventDefault();
      event.stopPropagation();
      if (form.hasAttribute("aria-busy")) return;
      form.setAttribute("aria-busy", "true");
      const box = form.closest(".flag-box");
      const found = await part(box, form.action, new URLSearchParams(new FormData(form)));
      form.removeAttribute("aria-busy");
      if (!found) return;
      box.replaceChildren(...found);
      (box.querySelector("[aria-invalid=true]") ?? box.querySelector(FIRST))?.focus();
    },
    true,
  );
}
