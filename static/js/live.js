// Keeps a page fresh: asks for its live part again while the tab is looked at, and counts its age.
"use strict";
(() => {
  let askedAt = Date.now();
  let freshAt = Date.now();
  let open = [];

  const live = () => document.getElementById("live");

  const age = (seconds) => {
    if (seconds < 60) return `${seconds}\u202fs`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)}\u202fm`;
    return seconds < 172800 ? `${(seconds / 3600).toFixed(1)}\u202fh` : `${(seconds / 86400).toFixed(1)}\u202fd`;
  };

  const showAge = (failed) => {
    const updated = document.getElementById("updated");
    if (!updated) return;
    if (failed !== undefined) updated.classList.toggle("stale", failed);
    const seconds = Number(updated.dataset.ageS) + Math.round((Date.now() - freshAt) / 1000);
    const lost = updated.classList.contains("stale") ? "no answer from the server; " : "";
    updated.textContent = `${lost}updated ${age(seconds)} ago`;
  };

  const refreshIfDue = () => {
    const every = document.querySelector("[data-refresh-s]");
    if (!live() || !every || document.hidden || !window.htmx) return;
    if (Date.now() - askedAt < Number(every.dataset.refreshS) * 1000) return;
    askedAt = Date.now();
    window.htmx.trigger(live(), "refresh");
  };

  const showLocalTimes = () =>
    document.querySelectorAll("time[data-local]").forEach((time) => {
      const when = new Date(time.dateTime);
      const shape = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
      if (when.getFullYear() !== new Date().getFullYear()) shape.year = "numeric";
      time.textContent = new Intl.DateTimeFormat("en-GB", shape).format(when);
      time.removeAttribute("data-local");
    });

  const copy = async (button) => {
    const text = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text); // No clipboard here: the keyboard's copy will do.
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  };

  document.addEventListener("htmx:beforeSwap", () => {
    open = [...document.querySelectorAll("#live details[open]")].map((details) => details.id);
  });
  document.addEventListener("htmx:afterSwap", () => {
    open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
    freshAt = Date.now();
    showLocalTimes();
  });
  document.addEventListener("htmx:responseError", () => showAge(true));
  document.addEventListener("htmx:sendError", () => showAge(true));
  document.addEventListener("visibilitychange", refreshIfDue);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });
  document.addEventListener("DOMContentLoaded", showLocalTimes);
  setInterval(() => {
    refreshIfDue();
    showAge();
  }, 1000);
})();
