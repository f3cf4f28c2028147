/* The SQL page: DuckDB in the browser over the published database, started by the first Run.
   Nothing is loaded or run before that, whatever the address contains. */
(() => {
  "use strict";
  const { gettext, make } = window.gpuledger;
  const DRAWN = 1000;
  const READ = 50000;
  const LOCK = [
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "ATTACH 'gpuledger.duckdb' AS gpuledger (READ_ONLY)",
    "USE gpuledger",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
  ];
  const count = (number) => number.toLocaleString("en");

  /* can the engine run in this browser? */
  function lacking() {
    const needed = {
      WebAssembly: typeof WebAssembly === "object" && "Exception" in WebAssembly,
      Workers: "Worker" in window,
      DecompressionStream: "DecompressionStream" in window,
    };
    return Object.keys(needed).filter((name) => !needed[name]);
  }

  function obstacle(desk) {
    const lacks = lacking();
    const found = location.protocol === "file:" ? "disk" : lacks.length ? "old" : "";
    desk.querySelectorAll("[data-obstacle]").forEach((note) => { note.hidden = note.dataset.obstacle !== found; });
    desk.querySelector(".sq-lacks").textContent = lacks.join(", ");
    return found;
  }

  /* fetching */
  async function fetched(address, arrived) {
    const name = new URL(address).pathname.split("/").pop();
    const response = await fetch(address).catch((error) => { throw new Error(gettext("{file} did not load: {error}", { file: name, error: error.message })); });
    if (!response.ok) throw new Error(gettext("{file} did not load: {error}", { file: name, error: `${response.status} ${response.statusText}` }));
    const parts = [];
    const reader = response.body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parts.push(next.value);
      arrived(next.value.length);
    }
    return unpacked(new Blob(parts));
  }

  /* detected by the first bytes: some hosts send a .gz with a content encoding, which the browser decompresses */
  async function unpacked(blob) {
    const [first, second] = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
    if (first !== 0x1f || second !== 0x8b) return blob;
    return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
  }

  /* The engine runs in a worker from a blob, to which the page's content security policy applies:
     the browser refuses every request to another host. */
  async function start(mark, tell) {
    let bytes = 0;
    const at = (name) => window.gpuledger.asset(`duckdb/${name}?${mark}`);
    const arrived = (more) => { bytes += more; tell(gettext("Loading engine and data: {size} MB", { size: (bytes / 1e6).toFixed(1) })); };
    const [, wasm, file] = await Promise.all([
      window.gpuledger.load(at("duckdb.js"), "duckdb.js did not load"), fetched(at("duckdb.wasm.gz"), arrived), fetched(at("gpuledger.duckdb.gz"), arrived),
    ]);
    tell(gettext("Starting the engine"));
    const code = `console.log = () => {}; importScripts(${JSON.stringify(at("duckdb.worker.js"))});`; // the page shows errors
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    const failed = new Promise((_, reject) => { worker.onerror = () => reject(new Error("duckdb.worker.js did not start")); });
    return { worker, connection: await Promise.race([failed, opened(worker, wasm, file)]) };
  }

  async function opened(worker, wasm, file) {
    const database = new window.duckdb.AsyncDuckDB(new window.duckdb.VoidLogger(), worker);
    const address = URL.createObjectURL(new Blob([wasm], { type: "application/wasm" }));
    await database.instantiate(address);
    URL.revokeObjectURL(address);
    await database.registerFileBuffer("gpuledger.duckdb", new Uint8Array(await file.arrayBuffer()));
    const connection = await database.connect();
    for (const statement of LOCK) await connection.query(statement);
    return connection;
  }

  /* values as text: types by their numbers in Arrow, one formatter per column */
  const ENUM = -1, FLOAT = 3, BINARY = 4, DECIMAL = 7, DATE = 8, TIME = 9, TIMESTAMP = 10, INTERVAL = 11, LIST = 12, STRUCT = 13, MAP = 17;
  const NUMERIC = [2, FLOAT, DECIMAL];
  const WRITERS = {
    [FLOAT]: ({ precision }) => (precision === 1 ? (value) => String(Number(value.toPrecision(7))) : String),
    [BINARY]: () => (value) => `\\x${[...value].map((byte) => padded(byte.toString(16), 2)).join("")}`,
    [DECIMAL]: ({ scale }) => (value) => decimal(value, scale),
    [DATE]: () => (value) => moment(value).split(" ")[0],
    [TIME]: () => clock,
    [TIMESTAMP]: ({ timezone }) => (value) => moment(value) + (timezone ? "+00" : ""),
    [LIST]: ({ children: [item] }) => within(item, (write) => (value) => `[${[...value].map(write).join(", ")}]`),
    [STRUCT]: ({ children }) => {
      const writes = children.map(({ name, type }) => within({ type }, (write) => (value) => `${name}: ${write(value[name])}`));
      return (value) => `{${writes.map((write) => write(value)).join(", ")}}`;
    },
    [MAP]: ({ children: [{ type: entry }] }) => {
      const [key, item] = entry.children.map((field) => within(field, (write) => write));
      const pairs = (value) => [...value].map((pair) => `${key(pair[0])}=${item(pair[1])}`).join(", ");
      return (value) => `{${pairs(value)}}`;
    },
  };
  const padded = (number, length) => String(number).padStart(length, "0");

  function writer(type) {
    const write = WRITERS[type.typeId]?.(type) ?? String;
    return (value) => (value === null || value === undefined ? null : write(value));
  }

  function within({ type }, make) {
    const write = writer(type);
    return make((value) => write(value) ?? "NULL");
  }

  /* four 32-bit words, the lowest first; exact, unlike a double */
  function decimal(words, scale) {
    const whole = BigInt.asIntN(128, [...words].reduceRight((sum, word) => (sum << 32n) | BigInt(word >>> 0), 0n));
    const digits = padded(whole < 0n ? -whole : whole, scale + 1);
    const sign = whole < 0n ? "-" : "";
    return sign + (scale ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits);
  }

  /* milliseconds since 1970, microseconds in the fraction */
  function moment(value) {
    if (Math.abs(value) > 864e13) return value > 0 ? "infinity" : "-infinity";
    const whole = Math.floor(value);
    const micro = padded(Math.round((value - whole) * 1000), 3);
    const [day, time] = new Date(whole).toISOString().slice(0, -1).split("T");
    const fraction = `${time.slice(9)}${micro}`.replace(/0+$/, "");
    return `${day} ${time.slice(0, 8)}${fraction && "."}${fraction}`;
  }

  /* microseconds since midnight */
  function clock(value) {
    const second = 1000000n;
    const parts = [value / (3600n * second), (value / (60n * second)) % 60n, (value / second) % 60n].map((part) => padded(part, 2));
    return parts.join(":") + (value % second ? `.${padded(value % second, 6)}` : "");
  }

  /* Arrow's library misreads these two types */
  function refuse({ name, type }) {
    const unread = { [ENUM]: "ENUM", [INTERVAL]: "INTERVAL" }[type.typeId];
    if (unread) throw new Error(gettext("This page cannot show the type {type} of column {name}. Cast the column to VARCHAR.", { name, type: unread }));
    type.children?.forEach(refuse);
  }

  /* rows */
  async function read(connection, sql) {
    await connection.query("USE gpuledger"); // a link gives the same answer after any earlier query
    const reader = await (await connection.send(sql, true)).open();
    const { fields } = reader.schema;
    fields.forEach(refuse);
    const writers = fields.map((field) => writer(field.type));
    const rows = [];
    for await (const batch of reader) {
      const columns = fields.map((_, at) => batch.getChildAt(at));
      const wanted = Math.min(batch.numRows, READ - rows.length);
      for (let at = 0; at < wanted; at += 1) rows.push(columns.map((column, of) => writers[of](column.get(at))));
      if (rows.length < READ) continue;
      await connection.cancelSent();
      break;
    }
    return { fields, rows };
  }

  function draw(table, { fields, rows }) {
    const cell = (name, content, { type }) => make(name, NUMERIC.includes(type.typeId) ? { className: "n" } : {}, content ?? "");
    const heads = fields.map((field) => Object.assign(cell("th", field.name, field), { scope: "col" }));
    table.tHead.replaceChildren(make("tr", {}, ...heads));
    table.tBodies[0].replaceChildren(...rows.slice(0, DRAWN).map((values) => make("tr", {}, ...values.map((value, at) => cell("td", value, fields[at])))));
  }

  function csv({ fields, rows }) {
    return window.gpuledger.csvText(fields.map((field) => field.name), rows);
  }

  function said({ rows, milliseconds }) {
    const took = `${count(Math.max(1, Math.round(milliseconds)))} ms`;
    const values = { took, rows: count(rows.length), read: count(READ), drawn: count(DRAWN) };
    if (rows.length >= READ) return gettext("The first {read} rows, in {took}. The table shows {drawn} and the CSV contains all {read}. Narrow the query with WHERE or LIMIT.", values);
    if (rows.length > DRAWN) return gettext("{rows} rows in {took}; the first {drawn} are shown, the CSV has all.", values);
    if (rows.length === 1) return gettext("1 row in {took}", values);
    return rows.length ? gettext("{rows} rows in {took}", values) : gettext("No rows, in {took}", values);
  }

  /* the page */
  const one = (selector) => document.querySelector(selector);
  const tell = (words) => { one(".sq-status").textContent = words; };

  function show(found) {
    one(".sq-fault").hidden = true;
    one(".sq-result").hidden = false;
    one("[data-csv]").disabled = false;
    draw(one(".sq-result table"), found);
    tell(said(found));
  }

  function fail(error) {
    one(".sq-result").hidden = true;
    one("[data-csv]").disabled = true;
    one(".sq-fault").hidden = false;
    one(".sq-fault pre").textContent = asText(error.message);
    one(".sq-fault p").hidden = Boolean(error.ofQuery);
    tell("");
  }

  const ofQuery = (error) => Object.assign(error, { ofQuery: true });

  /* some errors are JSON; show their message only */
  function asText(message) {
    try {
      const { exception_type: type, exception_message: words } = JSON.parse(message);
      return `${type} Error: ${words}`;
    } catch { return message; }
  }

  /* Runs one query at a time. `stop` ends the engine too, because a query cannot be cancelled. */
  function asker(mark) {
    let engine = null;
    let busy = null;
    let stop = null;

    async function answer(sql) {
      engine ??= start(mark, (words) => stop && tell(words)).catch((error) => { engine = null; throw error; });
      const { connection, worker } = await engine;
      tell(gettext("Running"));
      busy = worker;
      const begun = performance.now();
      const found = await read(connection, sql).catch((error) => { throw ofQuery(error); });
      return { ...found, milliseconds: performance.now() - begun };
    }

    async function ask(sql) {
      const stopped = new Promise((_, reject) => { stop = () => reject(ofQuery(new Error(gettext("Stopped.")))); });
      return Promise.race([answer(sql), stopped]).finally(() => { stop = null; busy = null; });
    }

    function end() {
      if (busy) engine = null;
      busy?.terminate();
      stop();
    }
    return { ask, end, isBusy: () => stop !== null, isLoaded: () => engine !== null };
  }

  function page(desk) {
    const { address, save } = window.gpuledger;
    const box = one("#sq-text");
    const asking = asker(desk.dataset.mark);
    let result = null;

    const fits = () => box.value.length <= Number(box.dataset.longest);

    async function run() {
      if (asking.isBusy()) return;
      if (fits()) address.remember({ sql: box.value });
      one(".sq-run").textContent = gettext("Stop");
      await asking.ask(box.value).then((found) => { result = found; show(found); }).catch(fail);
      one(".sq-run").textContent = gettext("Run");
    }

    async function copy() {
      if (!fits()) return tell(gettext("Too long for a link: {length} of {most} characters.", { length: count(box.value.length), most: count(Number(box.dataset.longest)) }));
      address.remember({ sql: box.value });
      const copied = await navigator.clipboard?.writeText(location.href).then(() => gettext("Link copied."), () => null);
      return tell(copied ?? gettext("The link is in the address bar."));
    }

    function take(event) {
      event.preventDefault();
      box.value = event.currentTarget.dataset.sql;
      box.focus({ preventScroll: true });
      box.scrollIntoView({ block: "center" });
      if (asking.isLoaded()) run();
    }

    one(".sq-ask").addEventListener("submit", (event) => { event.preventDefault(); asking.isBusy() ? asking.end() : run(); });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
    });
    one("[data-csv]").addEventListener("click", () => save("gpuledger-query.csv", csv(result)));
    one("[data-copy]").addEventListener("click", copy);
    document.querySelectorAll("[data-sql]").forEach((link) => link.addEventListener("click", take));
    document.querySelectorAll(".sq-run, [data-copy]").forEach((button) => { button.disabled = false; });
    recallQuery(address, box);
  }

  /* a query from a link is shown but not run; the rows of the first question are removed */
  function recallQuery(address, box) {
    const first = box.value;
    address.recall([box], one(".sq-ask"));
    if (box.value === first) return;
    one(".sq-result").hidden = true;
    tell(gettext("This query comes from the link that you opened. Read it before you run it."));
  }

  function begin() {
    const desk = document.querySelector(".sq-desk[data-mark]");
    if (desk && !obstacle(desk)) page(desk);
  }
  document.addEventListener("DOMContentLoaded", begin);
})();
