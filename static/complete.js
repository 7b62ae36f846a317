// Completes @names in texts, and the short names of groups in their field. People in the thread come first.
"use strict";

{
  // A block, so that the names don't clash with those of other scripts.
  const NAME = /(?:^|[^\w@/.=-])@([A-Za-z0-9][\w-]*)$/;
  const GROUP = /(?:^|[\s,，、])([\w.-]+)$/;
  const MOST = 8;
  const WAIT = 150; // milliseconds without typing before the site is asked
  const list = document.createElement("ul");
  Object.assign(list, { id: "completions", className: "completions", hidden: true });
  list.setAttribute("role", "listbox");
  let box; // the field that the list belongs to
  let word; // the beginning of the name in it
  let waiting;

  /** Returns the beginning of a name before the cursor; undefined if there is none. */
  function begun(field) {
    const pattern = field.matches?.("textarea[name=body]") ? NAME : field.id === "id_groups_typed" ? GROUP : null;
    const { selectionStart: at, selectionEnd: end } = field;
    return pattern && at === end ? field.value.slice(0, at).match(pattern)?.[1] : undefined;
  }

  /** Returns the names of the people on this page. */
  function peopleHere() {
    const links = [...document.querySelectorAll("main article a[href^='/u/']")];
    const names = links.map((link) => link.pathname.match(/^\/u\/([\w-]+)\/$/)?.[1]);
    return [...new Set(names)].filter(Boolean).map((name) => [name, name]);
  }

  /** Shows names that begin like the word in the field; the first is selected. */
  function show(options) {
    const begins = ([value, label]) => [value, label].some((text) => text.toLowerCase().startsWith(word.toLowerCase()));
    const fitting = [...new Map(options.filter(begins))].slice(0, MOST);
    if (!fitting.length || (fitting.length === 1 && fitting[0][0] === word)) return close();
    const items = fitting.map(([value, label], number) => {
      const item = document.createElement("li");
      item.setAttribute("role", "option");
      Object.assign(item, { id: `completion-${number}`, textContent: label }).dataset.value = value;
      return item;
    });
    list.replaceChildren(...items);
    list.setAttribute("aria-label", box.id === "id_groups_typed" ? LATER.groups : LATER.people);
    list.hidden = false;
    box.after(list);
    list.style.insetBlockStart = `${box.offsetTop + box.offsetHeight}px`;
    box.setAttribute("aria-controls", list.id);
    box.setAttribute("aria-autocomplete", "list");
    select(items[0]);
  }

  function select(item) {
    for (const each of list.children) each.setAttribute("aria-selected", each === item);
    box.setAttribute("aria-activedescendant", item.id);
  }

  function close() {
    clearTimeout(waiting);
    list.hidden = true;
    list.remove();
    for (const name of ["controls", "autocomplete", "activedescendant"]) box?.removeAttribute(`aria-${name}`);
  }

  /** Puts the chosen name in place of the word. */
  function choose(item) {
    const end = box.selectionStart;
    const separator = box.id === "id_groups_typed" ? ", " : " ";
    box.setRangeText(item.dataset.value + separator, end - word.length, end, "end");
    close();
    box.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Asks the site for names, and shows them after those of the page. */
  async function ask(known) {
    const [asked, field] = [word, box];
    const url = field.id === "id_groups_typed" ? "/complete/groups" : "/complete/people";
    const answer = await fetch(`${url}?${new URLSearchParams({ q: asked })}`).catch(() => null);
    const more = answer?.ok && !answer.redirected ? (await answer.json()).options : [];
    if (word === asked && box === field && begun(field) === asked) show([...known, ...more]);
  }

  /** Offers names for the word before the cursor of a field, or closes the list. */
  function offer(field, isComposing) {
    word = isComposing ? undefined : begun(field);
    if (word === undefined) return close();
    box = field;
    clearTimeout(waiting);
    const known = box.id === "id_groups_typed" ? [] : peopleHere();
    show(known);
    if (word.length > 1) waiting = setTimeout(ask, WAIT, known);
  }

  document.addEventListener("input", ({ target, isComposing }) => offer(target, isComposing));
  offer(document.activeElement); // for what was typed before this script was there

  document.addEventListener(
    "keydown",
    (event) => {
      if (list.hidden || event.target !== box || event.isComposing) return;
      const current = list.querySelector("[aria-selected=true]");
      if (event.key === "ArrowDown") select(current.nextElementSibling ?? list.firstElementChild);
      else if (event.key === "ArrowUp") select(current.previousElementSibling ?? list.lastElementChild);
      else if (["Enter", "Tab"].includes(event.key) && !event.ctrlKey && !event.metaKey) choose(current);
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
      event.stopPropagation(); // Escape would also close a reply form
    },
    true,
  );

  list.addEventListener("pointerdown", (event) => {
    event.preventDefault(); // so that the field keeps the focus
    if (event.target.matches("li")) choose(event.target);
  });

  document.addEventListener("focusout", ({ target }) => target === box && close());
}
