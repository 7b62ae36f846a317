// Adds a button that copies it to each block of code in posts and comments.
"use strict";

for (const pre of navigator.clipboard ? document.querySelectorAll(".prose pre") : []) {
  const { copy, copied } = document.currentScript.dataset;
  const frame = document.createElement("div");
  const button = document.createElement("button");
  frame.className = "code";
  Object.assign(button, { type: "button", textContent: copy });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = copied;
  });
  pre.replaceWith(frame);
  frame.append(pre, button);
}
