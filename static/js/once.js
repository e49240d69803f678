// What is shown once goes when the page does: a browser may keep the page for its back button.
"use strict";
addEventListener("pagehide", () =>
  document.querySelectorAll("[data-once]").forEach((secret) => (secret.textContent = "shown once, and gone")),
);
