/* Tables: sorting with unknown values last, filters by words, choices and figures, the view in the address and as CSV.
   Exports `gpuledger.tables`. Without scripts, tables are complete and in the order of the page. */
(() => {
  "use strict";
  const { all, gettext, make, address: { fault, recall, remember, standing, tell } } = window.gpuledger;
  const collator = new Intl.Collator("en", { numeric: true });
  const words = (text) => text.toLowerCase().split(/(?:[\s，、]|,(?!\d))+/).filter(Boolean);
  const FIRST = 25; // rows of a long table before "Show more", unless it is folded; app.css hides the others until this script has run

  /* filters for figures, dates and words */
  const BOUND = { number: String.raw`(?:\d[\d,]*\.?\d*|\.\d+)`, date: String.raw`\d{4}(?:-\d\d){0,2}` };
  const WANTED = { number: gettext(">=24, 16-48, <300 or known"), date: gettext(">=2022, 2020-2022, 2023-06 or known") };
  const HOLDS = { "<": (n) => n < 0, "<=": (n) => n <= 0, "=": (n) => n === 0, ">=": (n) => n >= 0, ">": (n) => n > 0 };
  const family = (kind) => (kind === "money" ? "number" : kind);

  /* Compares a date with a bound, which may be a year or a month. */
  function order(kind, value, bound) {
    if (kind === "number") return typeof value === "number" ? value - Number(bound.replaceAll(",", "")) : NaN;
    const cut = String(value).slice(0, bound.length);
    return cut < bound ? -1 : Number(cut > bound);
  }

  function single(kind, part) {
    const bound = BOUND[kind];
    const range = new RegExp(`^(${bound})(?:-|\\.\\.)(${bound})$`).exec(part);
    if (range) return between(kind, range[1], range[2]);
    const one = new RegExp(`^(<=|>=|<|>|=)?(${bound})$`).exec(part);
    if (!one) return { fault: gettext("cannot read {text}, try {wanted}", { text: `"${part.slice(0, 40)}"`, wanted: WANTED[kind] }) };
    return { test: (value) => value !== null && HOLDS[one[1] ?? "="](order(kind, value, one[2])) };
  }

  function between(kind, low, high) {
    const ends = kind === "number" ? Number(low.replaceAll(",", "")) > Number(high.replaceAll(",", "")) : low > high;
    if (ends) return { fault: gettext("{low} is above {high}, so nothing matches", { low, high }) };
    return { test: (value) => value !== null && order(kind, value, low) >= 0 && order(kind, value, high) <= 0 };
  }

  const parts = (text) => text.replaceAll("≥", ">=").replaceAll("≤", "<=").replace(/(<=|>=|<|>|=)\s+/g, "$1")
    .replace(/\s*(?:–|\.\.|\s-\s|\bto\b)\s*/g, "..").split(/\s+/);

  /* The predicate that a filter text describes, or the error in the text. Unknown (null) matches `unknown` only. */
  function condition(kind, text) {
    const asked = text.trim().toLowerCase();
    if (asked === "known" || asked === "unknown") return { test: (value) => (value === null) === (asked === "unknown") };
    if (!(family(kind) in BOUND)) {
      return { test: (value) => value !== null && words(asked).every((word) => String(value).toLowerCase().includes(word)) };
    }
    const found = parts(asked).map((part) => single(family(kind), part));
    return found.find((one) => one.fault) ?? { test: (value) => found.every((one) => one.test(value)) };
  }

  /* columns and rows */
  function columnsOf(table) {
    const known = new Set();
    return [...table.tHead.rows[0].cells].map((head, at) => {
      const button = head.querySelector("button");
      const label = (button ?? head).textContent.trim();
      const name = head.dataset.name ?? label; // the same in every language, for address and filters
      const key = head.dataset.key ?? (known.has(name) ? `${name} ${at + 1}` : name);
      known.add(key);
      const kind = head.dataset.kind ?? (head.classList.contains("n") ? "number" : "text");
      return { at, head, button, key, label, unit: head.querySelector(".u")?.textContent.trim() ?? "", kind, hidden: false };
    });
  }

  function read(cell, column) {
    const text = cell.dataset.v ?? cell.textContent.trim();
    if (text === "") return null;
    const figure = column.kind === "text" && cell.dataset.v === undefined ? NaN : Number(text.replace(/^\$|,/g, ""));
    return Number.isNaN(figure) || ["choice", "date"].includes(column.kind) ? text : figure;
  }

  /* A row: its id, element, value of each column (null is unknown), and the text for searches. */
  function rowOf(element, columns) {
    const values = [];
    const value = (at) => (at in values ? values[at] : (values[at] = read(element.cells[at], columns[at])));
    const searched = columns.filter(({ head }) => !["number", "money", "date"].includes(head.dataset.kind));
    let text = null;
    return {
      id: element.dataset.id ?? "", dataset: element.dataset, value, element: () => element,
      text: () => (text ??= searched.map(({ at }) => element.cells[at].textContent).join(" ").toLowerCase()),
    };
  }

  /* the order */
  function compare(a, b) {
    return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
  }

  function sorted(rows, { column, direction }) {
    const sign = direction === "ascending" ? 1 : -1;
    const keyed = rows.map((row) => ({ row, key: row.value(column.at) }));
    keyed.sort((a, b) => (a.key === null || b.key === null ? (a.key === null) - (b.key === null) : sign * compare(a.key, b.key)));
    return keyed.map((one) => one.row);
  }

  function sortBy(view, column, direction) {
    view.order = { column, direction };
    view.columns.forEach(({ head }) => head.ariaSort = null);
    column.head.ariaSort = direction;
  }

  function sortable(view) {
    const name = all("table[data-sortable]").length > 1 ? `sort-${view.table.id}` : "sort";
    for (const column of view.columns.filter((one) => one.button)) {
      column.button.addEventListener("click", () => {
        const first = column.head.dataset.first ?? "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        sortBy(view, column, column.head.getAttribute("aria-sort") === first ? other : first);
        remember({ [name]: `${column.key}:${view.order.direction}` });
        show(view);
      });
    }
    recallOrder(view, name);
  }

  function recallOrder(view, name) {
    const asked = new URLSearchParams(location.search).get(name);
    if (!asked) return;
    const at = asked.lastIndexOf(":");
    const column = view.columns.find((one) => one.button && one.key === asked.slice(0, at));
    const direction = asked.slice(at + 1);
    if (column && ["ascending", "descending"].includes(direction)) sortBy(view, column, direction);
    else tell(view.spot, gettext("Left out of the address: {faults}.", { faults: `${name}=${asked.slice(0, 40)} (${gettext("no such column or direction")})` }));
  }

  /* filters */
  const hasColumn = (input) => "column" in input.dataset; // with the key of the column, or none if it is the name
  const columnOf = (view, input) => view.columns.find((one) => one.key === (input.dataset.column || input.name));

  function testOf(view, input) {
    const wanted = input.value.trim();
    const chooses = input instanceof HTMLSelectElement;
    if (wanted === "" || (chooses && wanted === "all")) return null;
    if (input.dataset.match) return (row) => row.dataset[input.dataset.match] === wanted;
    if (!hasColumn(input)) return (row) => words(wanted).every((word) => row.text().includes(word));
    const column = columnOf(view, input);
    const test = chooses ? (value) => value === wanted : condition(column.kind, wanted).test;
    return test ? (row) => test(row.value(column.at)) : null;
  }

  function faultOf(view, input, text) {
    const asks = hasColumn(input) && !(input instanceof HTMLSelectElement) && text.trim() !== "";
    return (asks && condition(columnOf(view, input).kind, text).fault) || fault(input, text);
  }

  /* The active filters: [{input, label, text}]. */
  function active(view) {
    return view.inputs.filter((input) => testOf(view, input)).map((input) => {
      const column = hasColumn(input) && columnOf(view, input);
      const text = input instanceof HTMLSelectElement ? input.selectedOptions[0].textContent : input.value.trim();
      return { input, label: column ? column.label : gettext("Find"), text };
    });
  }

  function changed(view, input) {
    const wrong = faultOf(view, input, input.value);
    input.setCustomValidity(wrong);
    input.ariaInvalid = wrong ? "true" : null;
    const value = input.value.trim();
    remember({ [input.name]: wrong || value === standing(input) ? "" : value });
    show(view);
  }

  function filterable(view) {
    recall(view.inputs, view.spot, (input, text) => faultOf(view, input, text));
    view.inputs.forEach((input) => input.addEventListener("input", () => changed(view, input)));
    const button = view.tools?.querySelector("[data-export]");
    button?.addEventListener("click", () => save(`${view.table.id}.csv`, csv(view, button)));
  }

  /* visible rows */
  function show(view) {
    const tests = view.inputs.map((input) => testOf(view, input)).filter(Boolean);
    const kept = view.rows.filter((row) => tests.every((test) => test(row)));
    view.shown = view.order ? sorted(kept, view.order) : kept;
    showTo(view, view.page);
    count(view);
    view.after.forEach((notify) => notify());
  }

  function place(view) {
    const body = view.table.tBodies[0];
    const wanted = view.shown.slice(0, view.limit).map((row) => row.element());
    const same = wanted.length === body.rows.length && wanted.every((element, at) => element === body.rows[at]);
    if (!same) body.replaceChildren(...wanted);
    if (view.none) view.none.hidden = view.shown.length > 0;
    if (!view.more) return;
    const left = Math.max(0, view.shown.length - view.limit);
    view.more.hidden = left === 0;
    view.more.textContent = left > view.limit ? gettext("Show {count} more of {left}", { count: view.limit.toLocaleString("en"), left: left.toLocaleString("en") })
      : gettext("Show {count} more", { count: left.toLocaleString("en") });
  }

  function showTo(view, limit) {
    view.limit = limit;
    place(view);
  }

  function count(view) {
    const spot = view.tools?.querySelector(".gl-count");
    if (!spot) return;
    const wrong = view.inputs.map((input) => input.validationMessage && hasColumn(input) && `${columnOf(view, input).label}: ${input.validationMessage}`);
    const faults = wrong.filter(Boolean);
    spot.classList.toggle("gl-ignored", faults.length > 0);
    spot.textContent = [gettext("{shown} of {all}", { shown: view.shown.length.toLocaleString("en"), all: view.rows.length.toLocaleString("en") }), ...faults].join(". ");
  }

  /* The view as CSV: values that are not rounded for reading, under the dictionary's names; each row has the date and source of the data. */
  function cellText(value) {
    if (value === null) return "";
    const text = String(value);
    const guarded = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text; // a spreadsheet would run it as a formula
    return /[",\n\r]|^$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  }

  const csvText = (heads, rows) => [...[heads, ...rows].map((cells) => cells.map(cellText).join(",")), ""].join("\n");

  function csv(view, button) {
    const columns = view.columns.filter((column) => !column.hidden);
    const onDisk = location.protocol === "file:";
    const here = onDisk ? location.search : location.href;
    const about = { id: null, page: null, as_of: button.dataset.asOf, licence: button.dataset.licence, cite: button.dataset.cite, view: here };
    const heads = [...columns.map(({ head, key, unit }) => head.dataset.key ?? (unit ? `${key}, ${unit}` : key)), ...Object.keys(about)];
    const rows = view.shown.map((row) => {
      const link = row.element().querySelector("th a");
      about.id = row.id || null;
      about.page = link && (onDisk ? link.getAttribute("href") : link.href);
      const address = ({ at, head }) => head.dataset.key === "offer_url" && row.element().cells[at].querySelector("a")?.href;
      return [...columns.map((column) => address(column) || (row.stored ?? row.value)(column.at)), ...Object.values(about)];
    });
    return csvText(heads, rows);
  }

  /* Saves a text or a blob as a file. */
  function save(name, content, type = "text/csv") {
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
  }

  /* one view per table */
  const views = new WeakMap();

  function of(table) {
    if (!views.has(table)) views.set(table, open(table));
    return views.get(table);
  }

  /* The button below a table that shows more rows. */
  function moreOf(table) {
    const button = make("button", { type: "button", className: "gl-button", hidden: true });
    button.dataset.more = table.id;
    addBelow(table, make("p", { className: "gl-more" }, button));
    return button;
  }

  /* The text below a table of which no row passes the filters. */
  function noneOf(table) {
    const note = make("p", { className: "gl-note", hidden: true }, gettext("No row matches the filters."));
    addBelow(table, note);
    return note;
  }

  const addBelow = (table, element) => (table.closest(".gl-scroll") ?? table).after(element);

  function open(table) {
    const tools = document.querySelector(`.gl-tools[data-for="${table.id}"]`);
    const columns = columnsOf(table);
    const rows = [...table.tBodies[0].rows].map((element) => rowOf(element, columns));
    const page = table.closest(".gl-fold, details") ? Infinity : FIRST;
    const view = { table, tools, more: page === FIRST ? moreOf(table) : null, none: tools && noneOf(table), columns, rows, shown: rows, page, limit: page, order: null, after: [] };
    view.spot = tools ?? table.parentElement;
    if (tools) tools.ariaLabel ??= table.closest("[aria-label]")?.ariaLabel ?? table.id;
    view.inputs = [...(tools ? all("input[name], select[name]", tools) : []), ...all("input[name], select[name]", table.tHead)];
    if (table.matches("[data-sortable]")) sortable(view);
    filterable(view);
    view.more?.addEventListener("click", () => showTo(view, 2 * view.limit));
    show(view);
    table.dataset.ready = "";
    if (active(view).length && table.closest("details")) table.closest("details").open = true; // filters of the address
    return view;
  }

  /* A table wider than the page, such as one with a very long name, scrolls. */
  function contain(table) {
    const box = make("div", { className: "gl-scroll", tabIndex: 0 });
    table.replaceWith(box);
    box.append(table);
  }

  function start() {
    all(".gl-page > .gl-table").filter((table) => table.scrollWidth > table.parentElement.clientWidth).forEach(contain);
    all("table[data-sortable]").forEach(of);
    all(".gl-tools[data-for]").forEach((tools) => of(document.getElementById(tools.dataset.for)));
  }

  Object.assign(window.gpuledger, { csvText, save });
  window.gpuledger.tables = { active, changed, condition, of, show };
  document.addEventListener("DOMContentLoaded", start);
})();
