/* Charts: tabs, live drawing, downloads of the view, and the view in the address. A chart that cannot be drawn keeps its static picture.
   Exports `gpuledger.charts`. */
(() => {
  "use strict";
  const { all, asset, gettext, make, address: { remember }, save, csvText } = window.gpuledger;
  const isDark = () => document.body.getAttribute("data-md-color-scheme") === "slate";
  const charts = new Map(); // by name
  const load = (path) => window.gpuledger.load(asset(path), gettext("{file} did not load", { file: path }));

  /* drawing */
  async function draw(chart) {
    const turn = ++chart.turn;
    try {
      const drawn = !chart.panel("chart").hidden;
      const [view] = await Promise.all([chart.read?.(), drawn && load("vega.js")]);
      if (turn !== chart.turn) return;
      if (view) show(chart, view);
      if (drawn) await embed(chart, turn);
      failed(chart, "");
    } catch (error) {
      if (turn === chart.turn) failed(chart, error.message);
    }
  }

  /* Vega-Lite reads words of the nearest point from its cell, which has none, instead of from the point. */
  function patch(spec) {
    for (const { encode } of spec.marks.filter((mark) => mark.name?.endsWith("_voronoi"))) {
      const { tooltip } = encode.update;
      if (tooltip?.signal) tooltip.signal = tooltip.signal.replace(/(?<!\.)\bdatum\["/g, 'datum.datum["');
    }
    return spec;
  }

  async function embed(chart, turn) {
    const spec = JSON.parse(chart.box.querySelector(".gl-spec").textContent);
    chart.box.style.minHeight = `${chart.box.offsetHeight}px`;
    chart.box.dataset.live = "";
    const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, patch, config: window.gpuledger.chartThemes[isDark() ? "dark" : "light"] };
    const result = await window.vegaEmbed(chart.box.querySelector(".gl-live"), fitted(chart, spec), options);
    if (turn !== chart.turn) return void result.finalize();
    chart.live?.finalize();
    chart.live = result;
    if (signals.size) await showSignals(chart);
    chart.box.style.minHeight = "";
  }

  /* The specification with the rows of the view; a chart of many lines is high enough for their names. */
  function fitted(chart, spec) {
    if (!chart.view) return spec;
    const names = new Set(chart.view.points.map((row) => row.label)).size;
    const params = (spec.params ?? []).map((one) => (one.name in chart.view.params ? { ...one, value: chart.view.params[one.name] } : one));
    return { ...spec, params, datasets: { ...spec.datasets, view: chart.view.points }, height: Math.max(spec.height, 17 * names + 70) }; // the number of offers takes 70
  }

  function failed(chart, why) {
    const note = chart.figure.querySelector(".gl-failed");
    if (why) delete chart.box.dataset.live;
    chart.box.style.minHeight = "";
    note.hidden = !why;
    note.querySelector("span").textContent = why && gettext("The chart could not be drawn: {error}. The picture shows its first view.", { error: why });
  }

  /* Shows the view's texts and rows: {points, params, rows, columns: [[key, heading]], title, finding, sql, source}. */
  function show(chart, view) {
    chart.view = view;
    const texts = { ".gl-title": view.title, ".gl-finding": view.finding, ".gl-sql code": view.sql, ".gl-source": view.source };
    for (const [selector, text] of Object.entries(texts)) {
      const spot = chart.figure.querySelector(selector);
      if (spot && text !== undefined) spot.textContent = text;
    }
    chart.box.ariaLabel = [view.title, view.finding].filter(Boolean).join(" ");
    if (!chart.panel("table").hidden) fillTable(chart);
    if (!chart.panel("embed").hidden) fillEmbed(chart);
  }

  function fillTable(chart) {
    if (!chart.view) return;
    const { rows, columns } = chart.view;
    const { number } = window.gpuledger.numbers; // the script of a view loads it
    const isNumber = (value) => typeof value === "number";
    const cell = (value) => make("td", { className: isNumber(value) ? "n" : "" }, isNumber(value) ? number(value) : (value ?? ""));
    const table = chart.panel("table").querySelector("table");
    table.tHead.replaceChildren(make("tr", {}, ...columns.map(([, heading]) => make("th", { scope: "col" }, heading))));
    table.tBodies[0].replaceChildren(...rows.map((row) => make("tr", {}, ...columns.map(([key]) => cell(row[key])))));
    chart.panel("table").querySelector(".gl-count").textContent = gettext("{count} rows", { count: rows.length.toLocaleString("en") });
  }

  /* tabs */
  const settings = (chart) => [...new URLSearchParams(location.search)].filter(([key]) => key.startsWith(`${chart.name}.`));

  function open(chart, name) {
    for (const tab of chart.tabs) {
      const chosen = tab.dataset.view === name;
      tab.ariaSelected = chosen;
      tab.tabIndex = chosen ? 0 : -1;
      chart.panel(tab.dataset.view).hidden = !chosen;
    }
    if (name === "table") fillTable(chart);
    if (name === "embed") fillEmbed(chart);
    if (chart.turn || (chart.read && name !== "chart")) draw(chart);
  }

  function choose(chart, tab) {
    open(chart, tab.dataset.view);
    remember({ [`${chart.name}.tab`]: tab.dataset.view === "chart" ? "" : tab.dataset.view });
  }

  function press(chart, event) {
    const at = chart.tabs.indexOf(event.currentTarget);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + chart.tabs.length, Home: 0, End: chart.tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const tab = chart.tabs[next % chart.tabs.length];
    choose(chart, tab);
    tab.focus();
  }

  /* downloads and embedding */
  function fillEmbed(chart) {
    const address = new URL(chart.figure.dataset.embed, location.href);
    address.search = new URLSearchParams(settings(chart).filter(([key]) => !key.endsWith(".tab")));
    const frame = make("iframe", { src: address.href, title: chart.figure.querySelector(".gl-title").textContent, width: "100%", height: "600", loading: "lazy" });
    const box = chart.panel("embed").querySelector("textarea");
    box.value = frame.outerHTML;
    const [link] = all("a", chart.panel("embed"));
    link.href = address.href;
  }

  async function picture(chart) {
    if (chart.live) return chart.live.view.background(getComputedStyle(document.body).backgroundColor).toSVG();
    const shown = all(".gl-static", chart.box).find((image) => getComputedStyle(image).display !== "none") ?? chart.box.querySelector(".gl-static");
    return (await fetch(shown.src)).text();
  }

  /* A PNG of twice the picture's size, drawn from its SVG. */
  async function png(svg) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  }

  async function download(chart, event) {
    const kind = event.currentTarget.dataset.save;
    if (kind === "csv" && !chart.view) return; // the link leads to the file
    event.preventDefault();
    if (kind === "csv") {
      const { rows, columns } = chart.view;
      return save(`${chart.name}.csv`, csvText(columns.map(([key]) => key), rows.map((row) => columns.map(([key]) => row[key] ?? null))), "text/csv");
    }
    const svg = await picture(chart);
    return save(`${chart.name}.${kind}`, kind === "svg" ? svg : await png(svg), "image/svg+xml");
  }

  function ask(chart, event) {
    const sql = chart.figure.querySelector(".gl-sql code").textContent;
    const link = event.currentTarget;
    link.href = `${link.href.split("?")[0]}?${new URLSearchParams({ sql })}`;
  }

  async function copy(event) {
    const box = event.currentTarget.parentElement.querySelector("textarea");
    box.select();
    await navigator.clipboard?.writeText(box.value).catch(() => {}); // the text stays selected where a page may not copy
  }

  /* what forms have chosen in charts, by the name of the signal */
  const signals = new Map();

  function showSignals({ live }) {
    if (!live) return null;
    const known = live.view.getState().signals;
    [...signals].filter(([name]) => name in known).forEach(([name, value]) => live.view.signal(name, value));
    return live.view.runAsync();
  }

  function setSignal(name, value) {
    signals.set(name, value);
    charts.forEach(showSignals);
  }

  /* the chart and finding of the task that is selected in the form */

  function chooseTask(chosen) {
    const panels = all("[data-task-panel]");
    if (!panels.some((panel) => panel.dataset.taskPanel === chosen)) return;
    panels.forEach((panel) => { panel.hidden = panel.dataset.taskPanel !== chosen; });
    setSignal("task", chosen);
  }

  function found(figure) {
    const name = figure.id;
    const chart = { name, figure, turn: 0, live: null, view: null, box: figure.querySelector(".gl-chart"), tabs: all("[role=tab]", figure) };
    chart.panel = (view) => document.getElementById(`${name}-${view}-panel`) ?? { hidden: true };
    const readers = [window.gpuledger.priceView, window.gpuledger.choiceView];
    chart.read = readers.map((one) => one?.(chart, () => draw(chart))).find(Boolean) ?? null;
    chart.tabs.forEach((tab) => {
      tab.addEventListener("click", () => choose(chart, tab));
      tab.addEventListener("keydown", (event) => press(chart, event));
    });
    all("[data-save]", figure).forEach((link) => link.addEventListener("click", (event) => download(chart, event)));
    all("[data-ask]", figure).forEach((link) => link.addEventListener("pointerdown", (event) => ask(chart, event)));
    all("[data-ask]", figure).forEach((link) => link.addEventListener("click", (event) => ask(chart, event)));
    all("[data-copy-embed]", figure).forEach((button) => button.addEventListener("click", copy));
    charts.set(name, chart);
    const asked = new URLSearchParams(location.search).get(`${name}.tab`);
    const tab = chart.tabs.find((one) => one.dataset.view === asked);
    open(chart, tab ? asked : "chart");
    figure.dataset.ready = "";
    return chart;
  }

  /* charts are drawn when they come near the screen, and again when the color scheme changes */
  function start() {
    if (document.body.matches(".gl-embed") && matchMedia("(prefers-color-scheme: dark)").matches) document.body.setAttribute("data-md-color-scheme", "slate");
    const near = new IntersectionObserver((entries) => {
      for (const { target } of entries.filter((one) => one.isIntersecting)) {
        near.unobserve(target);
        draw(charts.get(target.id));
      }
    }, { rootMargin: "200px" });
    all(".gl-figure").map(found).forEach(({ figure }) => near.observe(figure));
    new MutationObserver(() => charts.forEach((chart) => chart.turn && draw(chart)))
      .observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
  }

  Object.assign(window.gpuledger, { setSignal, showTask: chooseTask });
  window.gpuledger.charts = { load };
  document.addEventListener("DOMContentLoaded", start);
})();
