/* The choice of a chart of rental prices: loads the lines of the chosen GPUs and makes the rows, texts and query of the view, as
   pipeline/website/components/price_chart/price_figure.py does. Exports `gpuledger.priceView`. */
(() => {
  "use strict";
  const { all, gettext } = window.gpuledger;
  const GROUPS = ["gpu", "billing", "line"];
  const MOST_NAMED = 4;

  const boxes = (form, name) => all(`[name="${name}"]`, form);
  const values = (form, name) => boxes(form, name).filter((box) => box.checked).map((box) => box.value);
  const standing = (form, name) => boxes(form, name).filter((box) => box.defaultChecked).map((box) => box.value);
  const label = (form, name, value) => boxes(form, name).find((box) => box.value === value)?.closest("label").textContent.trim() ?? value;

  /* the choice in the address: `CHART.gpu=nvidia-h100,nvidia-a100` */
  function recall(chart, form) {
    const query = new URLSearchParams(location.search);
    const faults = [];
    for (const name of ["range", ...GROUPS].filter((one) => query.has(`${chart.name}.${one}`))) {
      const asked = query.get(`${chart.name}.${name}`).split(",");
      const missing = asked.filter((value) => !boxes(form, name).some((box) => box.value === value));
      if (missing.length) faults.push(`${name}=${missing.join(",").slice(0, 40)} (${gettext("not one of the choices")})`);
      if (missing.length < asked.length) boxes(form, name).forEach((box) => { box.checked = asked.includes(box.value); });
    }
    if (faults.length) window.gpuledger.address.tell(form, gettext("Left out of the address: {faults}.", { faults: faults.join(", ") }));
  }

  function remember(chart, form) {
    const changed = (name) => (String(values(form, name)) === String(standing(form, name)) ? "" : values(form, name).join(","));
    window.gpuledger.address.remember(Object.fromEntries(["range", ...GROUPS].map((name) => [`${chart.name}.${name}`, changed(name)])));
  }

  /* lines: {gpu, billing, of, texts, days: [{date, usd, provider, n_offers, part}]} */
  async function chosenLines(form) {
    const [models, billings, prices] = GROUPS.map((name) => values(form, name));
    await Promise.all(models.map((model) => window.gpuledger.charts.load(`prices/${model}.js`)));
    const offered = models.flatMap((model) => window.gpuledger.prices[model].map((line) => ({ ...line, model })));
    narrow(form, offered.filter((line) => billings.includes(line.billing)));
    return offered.filter((line) => billings.includes(line.billing) && prices.includes(line.of)).map((line) => dated(form, line));
  }

  function dated(form, line) {
    const texts = [line.name, label(form, "billing", line.billing), label(form, "line", line.of)];
    const provider = (at) => line.provider?.[at] ?? (line.of === "median" ? null : line.of);
    const days = line.days.map((date, at) => ({ date, usd: line.usd[at], provider: provider(at), n_offers: line.n_offers[at], part: line.parts[at] }));
    return { model: line.model, of: line.of, any: line.any, pale: line.pale ?? [], texts, days };
  }

  /* Shows the providers that have a price of the chosen GPUs. */
  function narrow(form, offered) {
    const present = new Set(offered.map((line) => line.of));
    boxes(form, "line").forEach((box) => { box.closest("label").hidden = !present.has(box.value) && !box.checked; });
    GROUPS.forEach((name) => { boxes(form, name)[0].closest("details").querySelector("b").textContent = values(form, name).length; });
  }

  /* The first day of the range before the newest day; empty for all days. */
  function firstDay(lines, months) {
    if (months === "all") return "";
    const newest = lines.map((line) => line.days.at(-1).date).sort().at(-1);
    const [year, month, day] = newest.split("-").map(Number);
    const last = new Date(Date.UTC(year, month - Number(months), 0)).getUTCDate(); // of the month that the range begins in
    return new Date(Date.UTC(year, month - 1 - Number(months), Math.min(day, last))).toISOString().slice(0, 10);
  }

  /* The width of a name in Latin letters; a Chinese character is as wide as two. */
  const letters = (label) => label.length + (label.match(/[\u2E80-\uFFFF]/g) ?? []).length;

  function named(lines) {
    const short = { cheapest: gettext("cheapest"), median: gettext("median") };
    const names = lines.map(({ of, texts: [gpu, billing, who] }) => [gpu, billing, short[of] ?? who]);
    const differing = [0, 1, 2].filter((at) => new Set(names.map((name) => name[at])).size > 1);
    return lines.map((line, place) => ({ ...line, label: (differing.length ? differing : [2]).map((at) => names[place][at]).join(gettext(", ")) }));
  }

  function move({ of, any, texts, days }) {
    const { day, usd } = window.gpuledger.numbers;
    const last = days.at(-1);
    const first = days.find((one) => one.part === last.part);
    const change = last.usd / first.usd - 1;
    const [name, billing, who] = texts;
    const full = [any ? gettext("Any {gpu}", { gpu: name }) : name, billing.toLowerCase(), ["cheapest", "median"].includes(of) ? who.toLowerCase() : who];
    const values = { line: full.join(gettext(", ")), last: usd(last.usd), last_day: day(last.date), first_day: day(first.date), change: `${Math.abs(100 * change).toFixed(0)}%` };
    if (first === last || of === "median" || first.provider !== last.provider) return gettext("{line}: {last} on {last_day}", values);
    if (Math.abs(change) < 0.005) return gettext("{line}: {last} on {last_day}, the same as on {first_day}", values);
    return change > 0 ? gettext("{line}: {last} on {last_day}, up {change} since {first_day}", values) : gettext("{line}: {last} on {last_day}, down {change} since {first_day}", values);
  }

  function query(form, sql, from) {
    const quoted = (value) => `'${value.replaceAll("'", "''")}'`;
    const columns = { gpu: "gpu_model_id", billing: "billing", line: "line" };
    const where = GROUPS.map((name) => `${columns[name]} IN (${values(form, name).map(quoted).join(", ")})`);
    return sql.replace("{where}", [...where, ...(from ? [`date >= DATE '${from}'`] : [])].join(" AND "));
  }

  async function view(form, { columns, sql }) {
    const found = await chosenLines(form);
    if (!found.length) throw new Error(gettext("no price fits this choice"));
    const from = firstDay(found, values(form, "range")[0]);
    const lines = named(found.map((line) => ({ ...line, days: line.days.filter((one) => one.date >= from) })).filter((line) => line.days.length));
    const moves = lines.map(move);
    const row = ({ texts: [gpu, billing, line] }, { date, usd, provider, n_offers }) => ({ gpu, date, billing, line, usd, provider, n_offers });
    const point = (line, one, place) => ({ ...row(line, one), date: `${one.date}T00:00:00`, provider: one.provider && label(form, "line", one.provider), label: line.label, stretch: `${line.label} ${one.part}`, place, ...(line.pale.includes(one.part) ? { pale: true } : {}) });
    return {
      columns,
      rows: lines.flatMap((line) => line.days.map((one) => row(line, one))),
      points: lines.flatMap((line, place) => line.days.map((one) => point(line, one, place))),
      params: { top: 1.08 * Math.max(...lines.flatMap((line) => line.days.map((one) => one.usd))), room: 14 + 6.6 * Math.max(...lines.map((line) => letters(line.label))) },
      title: moves[0], finding: window.gpuledger.sentences(...moves.slice(1, MOST_NAMED).map((one) => `${one}${gettext(".")}`)), sql: query(form, sql, from),
    };
  }

  window.gpuledger.priceView = (chart, redraw) => {
    const form = chart.figure.querySelector(".gl-pick");
    if (!form) return null;
    const texts = JSON.parse(form.querySelector("script").textContent);
    recall(chart, form);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", () => { remember(chart, form); redraw(); });
    return () => view(form, texts);
  };
})();
