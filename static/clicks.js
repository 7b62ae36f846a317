// Reports a click on a post's link with a beacon, because Firefox ignores `ping`. Removing the attribute
// prevents other browsers from reporting the same click twice.
"use strict";

for (const kind of ["click", "auxclick"]) {
  document.addEventListener(kind, (event) => {
    const link = event.button < 2 && event.target.closest("a[ping]");
    if (link && navigator.sendBeacon(link.ping)) link.removeAttribute("ping");
  });
}
