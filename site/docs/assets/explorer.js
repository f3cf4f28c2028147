/* Tables with filters: rows from a separate file, selection of columns, active filters, comparison of GPUs. Sorting,
   filters and CSV are in tables.js. Without this script the page shows its static table. */
(() => {
  "use strict";
  const { all, gettext, make } = window.gpuledger;
  const query = () => new URLSearchParams(location.search);
  const OWN = /^(columns|compare|differ|h|per|pick|sort|utm_.+|.+clid)$/; // names in the address besides those of filters: of the search and of advertisers too
  const beside = (name, table) => document.querySelector(`[data-${name}="${table.id}"]`);

  /* rows from a file */
  async function load({ dataset: { rows } }) {
    await window.gpuledger.load(rows, gettext("{file} could not be fetched", { file: rows.split("?")[0] }));
    if (!window.gpuledgerRows) throw new Error(gettext("the file has no rows"));
    return window.gpuledgerRows;
  }

  /* as `usd` and `number` of numbers.js, which would make these pages too heavy: cents from one dollar up, three digits below */
  function money(value) {
    const size = Math.abs(value);
    if (size === 0) return "$0";
    if (size >= 0.995) {
      const places = size < 100 || (size < 1000 && value % 1) ? 2 : 0;
      return `$${value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places, roundingMode: "halfEven" })}`;
    }
    const [whole, cents] = value.toFixed(2 - Math.floor(Math.log10(size))).split(".");
    return `$${whole}.${cents.replace(/0+$/, "").padEnd(2, "0")}`;
  }
  const figure = (value) => value.toLocaleString("en", { maximumSignificantDigits: Math.max(4, String(Math.trunc(value)).length), roundingMode: "halfEven" });

  function shownAs(kind, packed, n, value) {
    if (value === null) return "";
    if (typeof value === "number") return kind === "money" ? money(value) : figure(value);
    return packed.shown ? packed.shown[packed.at[n]] : value;
  }

  /* Row n of the file; its cells are created when it is first visible, always as text nodes. */
  function packedRow(view, file, n) {
    const value = (at) => {
      const { values, texts, at: places } = file.columns[at];
      return values ? values[n] : places[n] === null ? null : texts[places[n]];
    };
    const shown = (at) => shownAs(view.columns[at].kind, file.columns[at], n, row.value(at));
    let element = null;
    let text = null;
    const searched = view.columns.filter(({ kind }) => kind === "text" || kind === "choice");
    const row = {
      id: file.ids[n], dataset: {}, value,
      text: () => (text ??= searched.map(({ at }) => shown(at)).join(" ").toLowerCase()),
      element: () => (element ??= rowElement(view, file, n, shown)),
      forget: () => { element = null; },
    };
    return row;
  }

  function rowElement(view, file, n, shown) {
    const row = make("tr");
    row.dataset.id = file.ids[n];
    for (const { at, head } of view.columns) {
      const { links, at: places } = file.columns[at];
      const page = links?.[places[n]];
      const address = page?.endsWith("=") ? page + file.ids[n] : page;
      const outside = address?.startsWith("http") ? { rel: "nofollow noopener" } : {};
      const content = address ? make("a", { href: address, ...outside }, shown(at)) : shown(at);
      if (at > 0) row.append(make("td", { className: head.className }, content));
      else row.append(make("th", { scope: "row" }, checkbox(shown(at), view.picked.has(file.ids[n])), content));
    }
    return row;
  }

  function checkbox(name, checked) {
    return make("input", { type: "checkbox", checked, ariaLabel: gettext("Select {name}", { name }) });
  }

  async function fill(view) {
    const file = await load(view.table);
    view.rows = file.ids.map((_, n) => packedRow(view, file, n));
    gpuledger.tables.show(view);
  }

  function tellFailure(table, error) {
    const note = make("p", { className: "gl-note gl-ignored", role: "alert" }, `${gettext("The table did not load: {error}. Below are the rows that the page itself has. All rows:", { error: error.message })} `);
    note.append(make("a", { href: table.dataset.download, download: "" }, table.dataset.download.split("/").pop()), ".");
    beside("for", table).before(note);
  }

  /* visible columns */
  function columns(view) {
    const picker = beside("picker", view.table);
    const boxes = all("input[type=checkbox]", picker);
    const first = boxes.filter((box) => box.defaultChecked).map((box) => box.value);
    const pick = (keys) => boxes.forEach((box) => { box.checked = keys.includes(box.value); });
    const asked = askedColumns(view, boxes);
    if (asked) pick(asked);
    const apply = () => {
      const keys = boxes.filter((box) => box.checked).map((box) => box.value);
      view.columns.forEach((column) => { column.hidden = column.at > 0 && !keys.includes(column.key); });
      hide(view);
      picker.querySelector("summary span").textContent = gettext("({shown} of {all})", { shown: keys.length + 1, all: boxes.length + 1 });
      return keys.join();
    };
    const changed = () => {
      const keys = apply();
      gpuledger.address.remember({ columns: keys === first.join() ? "" : keys || "none" });
    };
    picker.addEventListener("change", changed);
    all("[data-columns]", picker).forEach((button) => button.addEventListener("click", () => {
      pick(button.dataset.columns === "all" ? boxes.map((box) => box.value) : first);
      changed();
    }));
    apply();
  }

  function hide(view) {
    const cells = view.columns.filter((one) => one.hidden).map(({ at }) => `#${view.table.id} tr>:nth-child(${at + 1})`);
    document.getElementById(`${view.table.id}-columns`).textContent = cells.length ? `${cells.join(",")}{display:none}` : "";
  }

  /* The columns that the address lists; unknown ones are reported. Null if it lists none. */
  function askedColumns(view, boxes) {
    const text = query().get("columns");
    if (text === "none") return [];
    const [known, unknown] = parted(text, (key) => boxes.some((box) => box.value === key));
    leftOut(view, unknown, "columns=");
    return known.length ? known : null;
  }

  function parted(text, isKnown) {
    const found = [...new Set((text ?? "").split(",").filter(Boolean))];
    return [found.filter(isKnown), found.filter((one) => !isKnown(one))];
  }

  /* Filters of the address by columns that the table does not have, such as renamed ones. */
  const otherFilters = ({ inputs }) => parted([...query().keys()].join(), (key) => OWN.test(key) || inputs.some((one) => one.name === key))[1];

  function leftOut(view, unknown, prefix, why = gettext("no such column")) {
    const shown = unknown.slice(0, 5).map((one) => one.slice(0, 40)).join();
    if (shown) gpuledger.address.tell(view.spot, gettext("Left out of the address: {faults}.", { faults: `${prefix}${shown} (${why})` }));
  }

  /* active filters, each with a button to remove it: a hidden column can have one */
  function chips(view) {
    const spot = beside("active", view.table);
    const render = () => {
      const found = gpuledger.tables.active(view);
      spot.hidden = found.length === 0;
      spot.replaceChildren(...found.map(({ input, label, text }) => chip(`${label}: ${text}`, () => clear(view, [input]), gettext("Remove filter {filter}", { filter: `${label}: ${text}` }))));
      if (found.length > 1) spot.append(chip(gettext("Clear all"), () => clear(view, found.map((one) => one.input)), ""));
    };
    view.after.push(render);
    render();
  }

  function chip(text, act, meaning) {
    const button = make("button", { type: "button", className: "gl-button" }, text);
    if (meaning) button.setAttribute("aria-label", meaning);
    button.addEventListener("click", act);
    return button;
  }

  function clear(view, inputs) {
    for (const input of inputs) {
      input.value = input instanceof HTMLSelectElement ? "all" : "";
      gpuledger.tables.changed(view, input);
    }
    view.tools.querySelector("input[type=search]").focus();
  }

  /* comparison of the selected rows */
  function compared(view) {
    const panel = beside("compared", view.table);
    const button = view.tools.querySelector("[data-compare]");
    const state = { open: query().get("compare") === "1", differing: query().get("differ") === "1" };
    const render = () => {
      const rows = view.rows.filter((row) => view.picked.has(row.id));
      button.disabled = view.picked.size < 2;
      button.textContent = view.picked.size ? gettext("Compare {count} selected", { count: view.picked.size }) : gettext("Compare selected");
      panel.hidden = !state.open || rows.length < 2;
      button.setAttribute("aria-expanded", String(!panel.hidden));
      panel.replaceChildren(...(panel.hidden ? [] : sideBySide(view, rows, state, changed)));
    };
    const changed = () => {
      const compare = state.open && view.picked.size > 1 ? "1" : "";
      gpuledger.address.remember({ pick: [...view.picked].join(), compare, differ: state.differing ? "1" : "" });
      render();
    };
    view.table.tBodies[0].addEventListener("change", ({ target }) => {
      const { id } = target.closest("tr").dataset;
      target.checked ? view.picked.add(id) : view.picked.delete(id);
      changed();
    });
    button.addEventListener("click", () => {
      state.open = panel.hidden;
      changed();
      if (state.open) panel.focus();
    });
    return render;
  }

  function recallPicked(view) {
    const ids = new Set(view.rows.map((row) => row.id));
    const [known, unknown] = parted(query().get("pick"), (id) => ids.has(id));
    leftOut(view, unknown, "pick=", gettext("no such row"));
    known.forEach((id) => view.picked.add(id));
    view.rows.filter((row) => view.picked.has(row.id)).forEach((row) => { row.element().querySelector("th input").checked = true; });
  }

  function sideBySide(view, rows, state, changed) {
    const attributes = view.columns.slice(1).filter(({ at }) => rows.some((row) => row.value(at) !== null))
      .map((column) => ({ column, differs: new Set(rows.map((row) => row.value(column.at))).size > 1 }));
    const wanted = attributes.filter((one) => one.differs || !state.differing);
    const only = make("input", { type: "checkbox", checked: state.differing });
    only.addEventListener("change", () => { state.differing = only.checked; changed(); focusOnly(view); });
    const close = chip(gettext("Close"), () => { state.open = false; changed(); view.tools.querySelector("[data-compare]").focus(); });
    const differing = attributes.filter((one) => one.differs).length;
    const bar = make("p", { className: "gl-compare-bar" }, make("label", {}, only, ` ${gettext("Only the {differing} of {all} rows that differ", { differing, all: attributes.length })}`), close);
    const table = make("table", { className: "gl-table gl-sticky" }, heads(view, rows, changed), make("tbody", {}, ...wanted.map((one) => line(one, rows))));
    return [bar, make("div", { className: "gl-scroll", tabIndex: 0, role: "region", ariaLabel: gettext("Selected rows side by side") }, table)];
  }

  const focusOnly = (view) => beside("compared", view.table).querySelector(".gl-compare-bar input")?.focus();

  function heads(view, rows, changed) {
    const cells = rows.map((row) => {
      const name = row.element().querySelector("th a, th").textContent.trim();
      const drop = make("button", { type: "button", ariaLabel: gettext("Remove {name} from the comparison", { name }) }, gettext("remove"));
      drop.addEventListener("click", () => {
        view.picked.delete(row.id);
        row.element().querySelector("th input").checked = false;
        changed();
        const panel = beside("compared", view.table);
        (panel.hidden ? view.tools.querySelector("input") : panel).focus();
      });
      return make("th", { scope: "col" }, ...contents(row.element().cells[0]), make("br"), drop);
    });
    return make("thead", {}, make("tr", {}, make("th", { scope: "col" }, view.columns[0].label), ...cells));
  }

  const contents = (cell) => [...cell.childNodes].filter((node) => node.nodeName !== "INPUT").map((node) => node.cloneNode(true));

  function line({ column, differs }, rows) {
    const label = make("th", { scope: "row", title: column.head.title }, column.label);
    if (column.unit) label.append(" ", make("span", { className: "u" }, column.unit));
    if (differs) label.append(make("span", { className: "gl-unseen" }, ` ${gettext("(differs)")}`));
    const cells = rows.map((row) => make("td", {}, ...contents(row.element().cells[column.at])));
    return make("tr", { className: differs ? "gl-differs" : "" }, label, ...cells);
  }

  async function explore(table) {
    const view = gpuledger.tables.of(table);
    view.picked = new Set();
    leftOut(view, otherFilters(view), "");
    columns(view);
    chips(view);
    const render = compared(view);
    if (table.dataset.rows) await fill(view);
    else view.rows.map((row) => row.element().cells[0]).forEach((cell) => cell.prepend(checkbox(cell.textContent.trim(), false)));
    gpuledger.priceUnit(view, money, render);
    recallPicked(view);
    render();
  }

  const start = () => all("table[data-explorer]").forEach((table) => explore(table).catch((error) => tellFailure(table, error)));
  document.addEventListener("DOMContentLoaded", start);
})();
