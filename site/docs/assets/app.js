/* All behaviour of the site: live charts, tables that sort and filter, ages, the break-even calculator.
   Without it every page still shows its pictures, tables and answers. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const { recall, remember } = window.gpuledger.address;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const isDark = () => document.body.getAttribute("data-md-color-scheme") === "slate";

  /* charts: drawn when they come near the screen, drawn again when the colour scheme changes */
  let task = null;
  let library = null;
  const live = new Map();
  const turns = new WeakMap();

  function loadVega() {
    library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL("vega.js", here).href;
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
    const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, config };
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

  /* the chart and the finding of one timed task; the chooser of the page says which */
  function showTimed(chosen) {
    const panels = all("[data-task-panel]");
    if (!panels.some((panel) => panel.dataset.taskPanel === chosen)) return;
    task = chosen;
    panels.forEach((panel) => { panel.hidden = panel.dataset.taskPanel !== chosen; });
    live.forEach((result) => showTask(result.view));
  }
  window.gpuledger.showTask = showTimed;

  /* tables */
  const cellKey = (row, at) => {
    const cell = row.cells[at];
    const text = cell.dataset.v ?? cell.textContent.trim();
    return text === "" ? null : cell.dataset.v !== undefined && !Number.isNaN(Number(text)) ? Number(text) : text.toLowerCase();
  };

  function compare(a, b) {
    if (a === null || b === null) return null;
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  }

  function sortBy(table, at, direction) {
    const keyed = [...table.tBodies[0].rows].map((row) => ({ row, key: cellKey(row, at) }));
    const sign = direction === "ascending" ? 1 : -1;
    keyed.sort((a, b) => {
      const order = compare(a.key, b.key);
      return order === null ? (a.key === null) - (b.key === null) : sign * order;
    });
    table.tBodies[0].append(...keyed.map((one) => one.row));
    all("thead th", table).forEach((head) => head.removeAttribute("aria-sort"));
    table.tHead.rows[0].cells[at].setAttribute("aria-sort", direction);
  }

  function sortable(table) {
    all("thead button", table).forEach((button) => {
      const head = button.closest("th");
      button.addEventListener("click", () => {
        const first = head.dataset.first ?? "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const next = head.getAttribute("aria-sort") === first ? other : first;
        sortBy(table, head.cellIndex, next);
        remember({ sort: `${button.textContent.trim()}:${next}` });
      });
    });
    const [name, direction] = (new URLSearchParams(location.search).get("sort") ?? "").split(":");
    const button = all("thead button", table).find((one) => one.textContent.trim() === name);
    if (button && ["ascending", "descending"].includes(direction)) sortBy(table, button.closest("th").cellIndex, direction);
  }

  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  function passes(row, input) {
    const wanted = input.value.trim();
    if (!wanted) return true;
    if (input.dataset.min) return row.dataset[input.dataset.min] !== "" && Number(row.dataset[input.dataset.min]) >= Number(wanted);
    if (input.dataset.max) return row.dataset[input.dataset.max] !== "" && Number(row.dataset[input.dataset.max]) <= Number(wanted);
    if (input.dataset.match) return row.dataset[input.dataset.match] === wanted;
    const text = row.textContent.toLowerCase();
    return words(wanted).every((word) => text.includes(word));
  }

  function filterable(tools) {
    const table = document.getElementById(tools.dataset.for);
    const inputs = all("input, select", tools);
    const count = tools.querySelector(".gl-count");
    const apply = () => {
      const rows = [...table.tBodies[0].rows];
      rows.forEach((row) => { row.hidden = !inputs.every((input) => passes(row, input)); });
      count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
    };
    recall(inputs, tools);
    inputs.forEach((input) => {
      input.addEventListener("input", () => { apply(); remember({ [input.name]: input.value.trim() }); });
    });
    tools.querySelector("[data-export]")?.addEventListener("click", () => exportView(table));
    apply();
  }

  function exportView(table) {
    const quote = (text) => `"${text.replaceAll('"', '""')}"`;
    const heads = [...table.tHead.rows[0].cells].map((cell) => quote(cell.textContent.trim()));
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden)
      .map((row) => [...row.cells].map((cell) => quote(cell.dataset.v ?? cell.textContent.trim())).join(","));
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(new Blob([[heads.join(","), ...rows, ""].join("\n")], { type: "text/csv" }));
    anchor.download = `${table.id}.csv`;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
  }

  /* how old a figure is today, by the reader's own clock */
  function ages() {
    const names = [[365.25, "year"], [30.44, "month"], [1, "day"]];
    all("[data-age]").forEach((spot) => {
      const days = (Date.now() - Date.parse(spot.dataset.age)) / 864e5;
      const [length, name] = names.find(([one]) => days >= one) ?? [1, "day"];
      const count = Math.floor(days / length);
      if (days >= 0) spot.textContent = count < 1 ? "today" : `${count} ${name}${count > 1 ? "s" : ""} ago`;
    });
  }

  /* rent or buy: the formula of the page, on the reader's own figures */
  function calculator(form) {
    const value = (name) => Number(form.elements[name].value);
    const show = () => {
      const saved = 24 * (value("utilisation") / 100) * (value("cloud") - (value("watts") / 1000) * value("kwh"));
      const days = Math.max(0, Math.ceil((value("purchase") - value("resale")) / saved - 1e-9));
      form.querySelector("output").textContent = saved > 0 ? `${days.toLocaleString("en")} days` : "never";
    };
    recall(all("input", form), form);
    all("input", form).forEach((input) => {
      input.addEventListener("input", () => { show(); remember({ [input.name]: input.value === input.defaultValue ? "" : input.value }); });
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    show();
  }

  function openAsked() {
    const asked = location.hash && document.getElementById(location.hash.slice(1));
    if (asked instanceof HTMLDetailsElement) asked.open = true;
  }

  function start() {
    openAsked();
    window.addEventListener("hashchange", openAsked);
    charts();
    all("table[data-sortable]").forEach(sortable);
    all(".gl-tools[data-for]").forEach(filterable);
    all("form[data-break-even]").forEach(calculator);
    ages();
    document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  }
  typeof document$ === "undefined" ? document.addEventListener("DOMContentLoaded", start) : document$.subscribe(start);
})();
