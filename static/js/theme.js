// Light or dark: the system's choice until somebody makes another. Runs before the first paint.
"use strict";
(() => {
  const KEY = "ettdash-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // Storage may be forbidden; the switch then holds for this page.
    }
  };

  const keep = (theme) => {
    try {
      theme ? localStorage.setItem(KEY, theme) : localStorage.removeItem(KEY);
    } catch {
      // As above.
    }
  };

  const show = (theme) => {
    theme === "light" || theme === "dark" ? (root.dataset.theme = theme) : delete root.dataset.theme;
    document.dispatchEvent(new Event("ettdash:theme"));
  };

  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    const wanted = isDark() ? "light" : "dark";
    // Back at the system's own choice, follow it again.
    const theme = wanted === (system.matches ? "dark" : "light") ? "" : wanted;
    keep(theme);
    show(theme);
  });
  addEventListener("storage", (event) => event.key === KEY && show(event.newValue));
  system.addEventListener("change", () => show(root.dataset.theme));
  show(stored());
})();
