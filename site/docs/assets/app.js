/* Behavior that many pages share: live charts, ages.
   Without it, pages show static pictures, tables and answers. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const { gettext } = window.gpuledger;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const isDark = () => document.body.getAttribute("data-md-color-scheme") === "slate";

  /* charts: drawn when they come near the screen, and again when the color scheme changes */
  let task = null;
  let library = null;
  const live = new Map();
  const turns = new WeakMap();

  function loadVega() {
    library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(`${window.gpuledger.shared}assets/vega.js`, here).href;
      script.onload = () => resolve(window.vegaEmbed);
      script.onerror = () => reject(new Error("the chart library did not load"));
      document.head.append(script);
    });
    return library;
  }

  async function draw(chart) {
    const turn = (turns.get(chart) ?? 0) + 1;
    turns.set(chart, turn);
    const read = (name) => JSON.parse(chart.querySelector(name).textContent);
    const embed = await loadVega();
    if (turns.get(chart) !== turn) return;
    live.get(chart)?.finalize();
    chart.style.minHeight = `${chart.offsetHeight}px`;
    chart.dataset.live = "";
    const config = read(".gl-themes")[isDark() ? "dark" : "light"];
    const bind = chart.parentElement.querySelector(".gl-controls"); // outside of the picture, which hides what it has from screen readers
    bind.replaceChildren();
    const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, config, bind };
    const result = await embed(chart.querySelector(".gl-live"), read(".gl-spec"), options);
    if (turns.get(chart) !== turn) return void result.finalize();
    live.set(chart, result);
    if (task) await showTask(result.view);
    chart.style.minHeight = "";
  }

  function drawOrKeepPicture(chart) {
    draw(chart).catch((error) => {
      delete chart.dataset.live;
      console.warn(`chart ${chart.dataset.chart}: picture kept (${error.message})`);
    });
  }

  function showTask(view) {
    return "task" in view.getState().signals ? view.signal("task", task).runAsync() : view;
  }

  function charts() {
    const near = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((one) => one.isIntersecting)) {
        near.unobserve(entry.target);
        drawOrKeepPicture(entry.target);
      }
    }, { rootMargin: "200px" });
    all(".gl-chart").forEach((chart) => near.observe(chart));
    new MutationObserver(() => live.forEach((_, chart) => drawOrKeepPicture(chart)))
      .observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
  }

  /* the chart and finding of the task that is selected in the form */
  function showTimed(chosen) {
    const panels = all("[data-task-panel]");
    if (!panels.some((panel) => panel.dataset.taskPanel === chosen)) return;
    task = chosen;
    panels.forEach((panel) => { panel.hidden = panel.dataset.taskPanel !== chosen; });
    live.forEach((result) => showTask(result.view));
  }
  window.gpuledger.showTask = showTimed;

  /* age of a figure today, by the reader's clock */
  function ages() {
    const names = [
      [365.25, gettext("{count} year ago"), gettext("{count} years ago")], [30.44, gettext("{count} month ago"), gettext("{count} months ago")],
      [1, gettext("{count} day ago"), gettext("{count} days ago")],
    ];
    all("[data-age]").forEach((spot) => {
      const days = (Date.now() - Date.parse(spot.dataset.age)) / 864e5;
      const [length, once, more] = names.find(([one]) => days >= one) ?? names.at(-1);
      const count = Math.floor(days / length);
      const said = (count > 1 ? more : once).replace("{count}", count);
      if (days >= 0) spot.textContent = count < 1 ? gettext("today") : said;
    });
  }

  function openAsked() {
    const asked = location.hash && document.getElementById(location.hash.slice(1));
    if (asked instanceof HTMLDetailsElement) asked.open = true;
  }

  function start() {
    openAsked();
    window.addEventListener("hashchange", openAsked);
    charts();
    ages();
    document.querySelector(".md-search")?.setAttribute("aria-label", gettext("Search"));
  }
  typeof document$ === "undefined" ? document.addEventListener("DOMContentLoaded", start) : document$.subscribe(start);
})();
