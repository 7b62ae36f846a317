// On pages with passkeys: shows the buttons if the browser has passkeys, and a sentence if its
// dialog was cancelled or failed. The scripts of django-allauth do the rest.
"use strict";

if (window.PublicKeyCredential) {
  for (const place of document.querySelectorAll("[data-passkey]")) place.hidden = false;
}

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  document.getElementById("passkey_failed").hidden = false;
});
