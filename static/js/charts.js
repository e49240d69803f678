// Draws every chart: the figure is JSON in the page, its colours are those of the stylesheet.
"use strict";
(() => {
  const CONFIG = { displayModeBar: false, displaylogo: false, responsive: true, doubleClick: false };
  const drawn = new WeakMap();

  // A probe resolves custom properties to what they are in the present theme.
  const paintbox = (element) => {
    const probe = element.appendChild(document.createElement("span"));
    const cache = new Map();
    const colour = (role) => {
      if (!cache.has(role)) {
        probe.style.color = `var(--${role})`;
        cache.set(role, getComputedStyle(probe).color);
      }
      return cache.get(role);
    };
    return { colour, close: () => probe.remove() };
  };

  const paintTrace = (trace, colour) => {
    const own = colour(trace.meta);
    const marker = { ...trace.marker, color: own };
    if (trace.type === "bar") {
      marker.line = { ...marker.line, color: colour("paper") };
      if (marker.pattern) marker.pattern = { ...marker.pattern, bgcolor: colour("paper"), fgcolor: own };
      return { ...trace, marker };
    }
    return { ...trace, marker, line: { ...trace.line, color: own } };
  };

  const paintLayout = (layout, colour, font) => ({
    ...layout,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: font, size: 12, color: colour("muted") },
    hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("line"), font: { family: font, size: 12, color: colour("ink") } },
    xaxis: { ...layout.xaxis, linecolor: colour("line"), tickcolor: colour("line"), spikecolor: colour("muted") },
    yaxis: { ...layout.yaxis, gridcolor: colour("grid"), linecolor: colour("line") },
    shapes: (layout.shapes || []).map((shape) => ({ ...shape, line: { ...shape.line, color: colour(shape.name) } })),
    annotations: (layout.annotations || []).map((note) => ({ ...note, font: { ...note.font, color: colour(note.name) } })),
  });

  const draw = (element, again) => {
    const source = document.getElementById(element.dataset.figure);
    if (!source || !window.Plotly) return;
    if (!again && drawn.get(element) === source.textContent) return;
    drawn.set(element, source.textContent);
    const figure = JSON.parse(source.textContent);
    const { colour, close } = paintbox(document.body);
    const data = figure.data.map((trace) => paintTrace(trace, colour));
    const layout = paintLayout(figure.layout, colour, getComputedStyle(document.body).fontFamily);
    close();
    window.Plotly.react(element, data, layout, CONFIG);
  };

  const drawAll = (again) => document.querySelectorAll(".chart[data-figure]").forEach((element) => draw(element, again));

  document.addEventListener("DOMContentLoaded", () => drawAll(false));
  document.addEventListener("htmx:afterSettle", () => drawAll(false));
  document.addEventListener("ettdash:theme", () => drawAll(true));
})();
