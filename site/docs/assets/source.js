/* The page of a source: reads file and row from the address, and shows the stored line with the lines around it.
   Stored bytes are those of others: they enter the page as text nodes alone. */
(() => {
  "use strict";
  const { gettext, make } = window.gpuledger;
  const AROUND = 3;
  const PLAIN_ADDRESS = /^https:\/\/[^\s"'<>`\\]+$/;

  /* Lines of a text file, one by one: a reader of line 12 does not wait for the last. */
  async function* readLines(address) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let [rest, number] = ["", 1];
    try {
      for (;;) {
        const { value, done } = await reader.read();
        const parts = (rest + (value ?? "")).split("\n");
        rest = done ? "" : parts.pop();
        for (const text of parts) yield { number: number++, text: text.replace(/\r$/, "") };
        if (done) return;
      }
    } finally {
      reader.cancel();
    }
  }

  /* The wanted line of a whole file, its neighbors, and the first line, which has the names of columns. */
  async function around(address, isWanted) {
    const [before, after] = [[], []];
    let [header, found] = [null, null];
    for await (const line of readLines(address)) {
      header ??= line;
      if (found) after.push(line);
      else if (isWanted(line)) found = line;
      else before.push(line);
      if (before.length > AROUND) before.shift();
      if (after.length === AROUND) break;
    }
    return found && { header, found, shown: [...before, found, ...after] };
  }

  /* The row of an excerpt, whose lines are locator, tab, text. */
  async function excerpt(address, place) {
    let header = null;
    for await (const { text } of readLines(address)) {
      const tab = text.indexOf("\t");
      const line = { number: text.slice(0, tab), text: text.slice(tab + 1) };
      if (line.number === "line 1") header = line;
      if (line.number === place) return { header, found: line, shown: [line] };
    }
    return null;
  }

  /* Whether a line is the row of this locator: "line 12, on_demand", or "row nvidia-a2, column memory_gb". */
  function matcher(row) {
    const line = /^line (\d+)(?:,|$)/.exec(row);
    const key = /^row ([^,]+), column /.exec(row);
    if (line) return ({ number }) => number === Number(line[1]);
    return key ? ({ text }) => text.startsWith(`${key[1]},`) : null;
  }

  function cells(text) {
    const cell = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/y;
    const found = [];
    for (let match; (match = cell.exec(text)); ) {
      found.push(match[1]?.replaceAll('""', '"') ?? match[2]);
      if (match[3] === "") break;
    }
    return found;
  }

  /* Name and value of each field of a row; none where the file does not name them. */
  function fields({ header, found }) {
    if (header && header !== found) {
      const [names, values] = [cells(header.text), cells(found.text)];
      return names.length === values.length ? names.map((name, at) => [name, values[at]]) : [];
    }
    try {
      const item = JSON.parse(found.text);
      const isObject = item && typeof item === "object" && !Array.isArray(item);
      return isObject ? Object.entries(item).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]) : [];
    } catch {
      return [];
    }
  }

  function fieldTable(found, row) {
    const column = /, column (\w+)$/.exec(row)?.[1];
    const lines = fields(found).filter(([, value]) => value !== "" && value !== "null").map(([name, value]) => {
      const shown = PLAIN_ADDRESS.test(value) ? make("a", { href: value, rel: "nofollow noopener" }, value) : value;
      return make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, name === column ? make("mark", {}, shown) : shown));
    });
    return lines.length ? [make("table", { className: "gl-table gl-narrow" }, make("tbody", {}, ...lines))] : [];
  }

  function lineBlock({ header, found, shown }) {
    const numbered = (line) => make("div", line === found ? { className: "gl-found" } : {}, make("b", {}, String(line.number)), " ", line === found ? make("mark", {}, line.text) : line.text);
    const lines = header && !shown.includes(header) ? [header, ...shown] : shown;
    return make("pre", { className: "gl-stored-lines", tabIndex: 0, role: "region", ariaLabel: gettext("Stored lines") }, ...lines.map(numbered));
  }

  function read({ whole, excerpts }, row) {
    const isWanted = matcher(row);
    if (whole && isWanted) return around(whole, isWanted);
    if (excerpts) return excerpt(excerpts, row.split(",")[0]);
    throw new Error(gettext("this file is not published"));
  }

  /* The facts of the file, as its row in the table of files has them. */
  function facts(entry) {
    const names = [...entry.closest("table").querySelectorAll("thead th")].map((head) => head.textContent);
    return make("dl", { className: "gl-stored-facts" }, ...[...entry.cells].flatMap((cell, at) => [
      make("dt", {}, names[at]), make("dd", {}, ...[...cell.childNodes].map((node) => node.cloneNode(true))),
    ]));
  }

  async function show(panel, file, row) {
    const entry = /^[0-9a-f]{12}$/.test(file) && document.getElementById(`file-${file}`);
    const body = panel.querySelector("[data-found]");
    panel.hidden = false;
    panel.querySelector("[data-place]").textContent = row;
    if (!entry) return body.replaceChildren(gettext("No stored file of this source has the name {file}.", { file: file.slice(0, 64) }));
    panel.querySelector("[data-facts]").replaceChildren(facts(entry));
    try {
      const found = await read(entry.dataset, row);
      if (!found) throw new Error(gettext("this row is not in the file"));
      body.replaceChildren(lineBlock(found));
      panel.querySelector("[data-fields]").replaceChildren(...fieldTable(found, row));
    } catch (error) {
      body.replaceChildren(gettext("The row could not be shown: {error}. Open the file and look for {row}.", { error: error.message, row }));
    }
  }

  /* The address of the row of an offer, which the list of all offers names by its id. */
  async function placeOf(offer) {
    await window.gpuledger.load("../../offers/places.js").catch(() => {});
    return window.gpuledgerPlaces?.[offer] ?? "file=-";
  }

  const start = async () => {
    const panel = document.getElementById("stored-row");
    const offer = new URLSearchParams(location.search).get("offer");
    if (panel && offer) history.replaceState(null, "", `?${await placeOf(offer)}`);
    const query = new URLSearchParams(location.search);
    if (panel && query.get("file")) show(panel, query.get("file"), (query.get("row") ?? "").slice(0, 300));
  };
  document.addEventListener("DOMContentLoaded", start);
})();
