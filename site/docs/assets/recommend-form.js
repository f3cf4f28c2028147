/* The form of the home page: reads the question, answers it with `recommend`, and rewrites answers and rows of the page.
   The tables are loaded when the form is first used or the address has a question. Texts are in
   pipeline/website/components/recommend/recommend_form.py. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const { recommend, numbers: { day, duration, number, usd } } = window.gpuledger;
  const gettext = (...args) => window.gpuledger.gettext(...args);
  const basis = (choice) => (choice.basis === "measured" ? gettext("measured") : gettext("predicted"));
  const kinds = () => ({ msrp: gettext("launch price"), purchase_new: gettext("new"), purchase_used: gettext("used") });
  const TIMED = ["cheapest", "fastest", "memory_per_usd"];

  /* the tables: columns in the file, rows here */
  let loading = null;
  let tables = null;

  function rows(columns, cards) {
    const names = Object.keys(columns);
    const table = columns[names[0]].map((_, at) => Object.fromEntries(names.map((name) => [name, columns[name][at]])));
    if (cards) table.filter((row) => "gpu_id" in row).forEach((row) => { row.gpu_id = cards[row.gpu_id]; });
    return table;
  }

  function recommendTables() {
    const data = window.gpuledger.recommendData;
    tables ??= Object.fromEntries(Object.entries(data).map(([name, columns]) => [name, rows(columns, name === "gpu" ? null : data.gpu.gpu_id)]));
    return tables;
  }

  function load() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(`${window.gpuledger.shared}assets/recommend-data.js`, here).href;
      script.onload = () => resolve(recommendTables());
      script.onerror = () => { loading = null; reject(new Error(gettext("The tables of the chooser did not load."))); };
      document.head.append(script);
    });
    return loading;
  }

  /* the question */
  function question(form) {
    const text = (name) => form.elements[name].value.trim();
    const figure = (name) => (text(name) === "" ? null : Number(text(name)));
    return {
      workload: text("workload"), way: text("way"), objective: text("rank"), billing: text("billing"), gpus: figure("gpus"),
      hours: figure("hours") * figure("months"), min_memory_gb: figure("memory"), budget_usd: figure("budget"),
      data_centre: form.elements.centre.checked, max_slots: figure("slots"), max_watts: figure("watts"), vendor: text("vendor") || null,
      provider: text("provider") || null, min_cuda: text("cuda") || null, usd_per_kwh: figure("kwh") || null,
      older_prices: form.elements.older.checked,
    };
  }

  /* texts and figures of a choice */
  const rented = (asked) => asked.way === "rent";
  const named = (choice) => (choice.name || choice.gpu_id).replace(/^NVIDIA /, "").replace(/^Tesla /, "");
  const owned = (choice) => choice.system_usd + (choice.electricity_usd ?? 0);
  const runUsd = (asked, choice) => (rented(asked) ? choice.cost_usd : (owned(choice) * choice.seconds) / (asked.hours * 3600));
  const price = (asked, choice) => (rented(asked) ? gettext("{price} an hour", { price: usd(choice.price_usd) }) : `${usd(choice.price_usd)} ${kinds()[choice.price_kind]}`);
  const memoryFor = (asked, choice) => `${number(((rented(asked) ? 1 : 1000) * (choice.memory_gb ?? 0)) / choice.price_usd, 3)} GB`;
  const over = (a, b) => number(a / b, 2);

  function lead(asked, label, [cheap, fast, memory]) {
    const way = rented(asked);
    if (!cheap) return way ? gettext("{label}, rented: no card meets every limit.", { label }) : gettext("{label}, bought: no card meets every limit.", { label });
    const told = { label, card: named(cheap), usd: usd(runUsd(asked, cheap)) };
    const first = way ? gettext("{label}, rented: a run costs least on the {card}, {usd}.", told) : gettext("{label}, bought: a run costs least on the {card}, {usd}.", told);
    return [first, fastest(asked, cheap, fast), gettext("The {card} has the most memory for the money.", { card: named(memory) })].join(" ");
  }

  function fastest(asked, cheap, fast) {
    if (fast.gpu_id === cheap.gpu_id) return gettext("It is also the fastest.");
    const ratios = { times: over(cheap.seconds, fast.seconds), cost: over(runUsd(asked, fast), runUsd(asked, cheap)) };
    return gettext("The {card} is the fastest: {times} times as fast, at {cost} times the cost.", { card: named(fast), ...ratios });
  }

  const aRun = () => gettext("a run");
  const answers = () => [
    [gettext("Cheapest per result"), (a, c) => usd(runUsd(a, c)), aRun, (a, c) => gettext("{time} at {price}", { time: duration(c.seconds), price: price(a, c) })],
    [gettext("Fastest"), (a, c) => duration(c.seconds), aRun, (a, c) => gettext("{cost} a run at {price}", { cost: usd(runUsd(a, c)), price: price(a, c) })],
    [gettext("Most memory for the money"), memoryFor, (a) => (rented(a) ? gettext("for $1 an hour") : gettext("for $1,000")),
      (a, c) => gettext("{memory} GB at {price}", { memory: number(c.memory_gb), price: price(a, c) })],
  ];

  /* writing the page */
  function element(tag, className, ...children) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }

  function cardLink(choice) {
    const link = element("a", "", named(choice));
    link.href = new URL(`../gpus/${choice.gpu_id}/index.html`, here).href;
    return link;
  }

  /* the path of each provider's page, which may contain a digest that is not computed here */
  function providerLink(name) {
    const known = tables.provider.find((row) => row.provider === name);
    if (!known) return name;
    const link = element("a", "", name);
    link.href = new URL(`../providers/${known.slug}/index.html`, here).href;
    return known.url ? element("span", "", link, " ", sellerLink(name, known.url)) : link;
  }

  function sellerLink(name, url) {
    const label = gettext("{provider}: website of the seller", { provider: name });
    const link = Object.assign(element("a", "gl-out", "↗"), { href: url, rel: "nofollow noopener", title: label });
    link.setAttribute("aria-label", label);
    return link;
  }

  function answerCard(asked, [title, figure, unit, context], order) {
    const [best, ...rest] = order.slice(0, 3);
    if (!best) return element("section", "gl-answer", element("p", "k", title), element("p", "card", gettext("None")), element("p", "context", gettext("No card meets every limit.")));
    const next = rest.map((choice) => element("li", "", element("span", "", named(choice)), element("span", "gl-n", figure(asked, choice))));
    return element("section", "gl-answer", element("p", "k", title), element("p", "card", cardLink(best)),
      element("p", "figure", element("b", "", figure(asked, best)), ` ${unit(asked)}`), element("p", "context", context(asked, best)),
      element("ol", "", ...next), element("p", "src", gettext("{provider}, {day}; speed {basis}", { provider: best.provider, day: day(best.price_date), basis: basis(best) })));
  }

  function labelled(label, ...children) {
    const cell = element("td", "n", ...children);
    cell.dataset.label = label;
    return cell;
  }

  function choiceRow(asked, choice) {
    const head = element("th", "", cardLink(choice), " ", element("small", "", `${number(choice.memory_gb)} GB`));
    head.scope = "row";
    const bought = rented(asked) ? [] : [" ", element("small", "", kinds()[choice.price_kind])];
    return element("tr", "", element("td", "n", String(choice.place)), head, labelled(gettext("A run:"), usd(runUsd(asked, choice))),
      labelled(gettext("Time:"), duration(choice.seconds)), labelled(gettext("Price:"), usd(choice.price_usd), ...bought),
      element("td", "", providerLink(choice.provider), " ", element("small", "gl-keep", day(choice.price_date))),
      element("td", "", element("span", `gl-mark ${choice.basis}`, basis(choice))), element("td", "gl-why", window.gpuledger.gettextFigures(choice.reason)));
  }

  function showRanked(asked, placed) {
    const box = document.getElementById("ranked");
    const shown = Number(box.dataset.shown);
    const more = box.querySelector("details");
    const [first, others] = box.querySelectorAll("tbody");
    first.replaceChildren(...placed.slice(0, shown).map((choice) => choiceRow(asked, choice)));
    others.replaceChildren(...placed.slice(shown).map((choice) => choiceRow(asked, choice)));
    more.hidden = placed.length <= shown;
    more.querySelector("summary").textContent = gettext("{count} more choices", { count: placed.length - shown });
    box.querySelectorAll("[data-price]").forEach((head) => { head.textContent = rented(asked) ? gettext("Price an hour") : gettext("Price of a card"); });
  }

  function outGroup([kind, choices]) {
    const one = new Set(choices.map((choice) => choice.reason)).size === 1;
    const names = choices.map((choice) => element("li", "", cardLink(choice), ...(one ? [] : [" ", element("small", "", window.gpuledger.gettextFigures(choice.reason))])));
    const summary = element("summary", "", one ? window.gpuledger.gettextFigures(choices[0].reason) : window.gpuledger.gettextFigures(kind), " ", element("b", "", String(choices.length)));
    return element("details", "gl-data", summary, element("ul", "gl-names", ...names));
  }

  function showOut(left) {
    const groups = new Map();
    for (const choice of left) {
      const kind = choice.reason.replace(/\d[\d.-]*/g, "…");
      groups.set(kind, [...(groups.get(kind) ?? []), choice]);
    }
    const order = [...groups].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
    document.getElementById("left-out").replaceChildren(...order.map(outGroup));
  }

  function hoursTold(asked) {
    const told = { hours: `${number(asked.hours)} h`, price: asked.usd_per_kwh ? usd(asked.usd_per_kwh) : "" };
    if (rented(asked)) return asked.budget_usd === null ? "" : gettext("The budget must cover {hours} of rent.", told);
    if (!asked.usd_per_kwh) return gettext("The budget is for the cards. A run costs its part of {hours} of the machine with its cards, without electricity.", told);
    return gettext("The budget is for the cards. A run costs its part of {hours} of the machine with its cards, and electricity of {hours} at {price} a kWh.", told);
  }

  function show(form, data) {
    const asked = question(form);
    const option = form.elements.workload.selectedOptions[0];
    const [all, ...found] = [asked.objective, ...TIMED].map((objective) => recommend(data, { ...asked, objective }));
    const orders = found.map((choices) => choices.filter((choice) => choice.place));
    document.getElementById("lead").textContent = lead(asked, option.label, orders.map((order) => order[0]));
    document.getElementById("answers").replaceChildren(...answers().map((answer, at) => answerCard(asked, answer, orders[at])));
    showRanked(asked, all.filter((choice) => choice.place));
    showOut(all.filter((choice) => !choice.place));
    document.getElementById("told").textContent = `${option.dataset.run} ${hoursTold(asked)}`.trim();
    window.gpuledger.showTask(asked.workload);
  }

  function complain(form, texts) {
    const note = form.querySelector(".gl-fault");
    note.hidden = texts.length === 0;
    note.textContent = texts.length ? `${texts.join(" ")} ${gettext("The answer below is that of the last figures in range.")}` : "";
  }

  /* number of changed inputs in the closed part of the form */
  function countMore(more, inputs) {
    const count = inputs.filter((input) => more.contains(input) && window.gpuledger.address.asAddress(input)).length;
    more.querySelector("summary b").textContent = count ? gettext("{count} set", { count }) : "";
  }

  function start() {
    const form = document.getElementById("recommend");
    if (!form) return;
    const { asAddress, faults, recall, remember, tell } = window.gpuledger.address;
    const inputs = [...form.elements].filter((input) => input.name);
    const update = async () => {
      countMore(form.querySelector(".gl-more"), inputs);
      const wrong = faults(inputs.filter((input) => ["number", "text"].includes(input.type)));
      complain(form, wrong);
      if (wrong.length) return;
      remember(Object.fromEntries(inputs.map((input) => [input.name, asAddress(input)])));
      try { show(form, await load()); } catch (error) { tell(form, `${error.message} ${gettext("The same answers are in table choice on the data page.")}`); }
    };
    recall(inputs, form);
    form.addEventListener("focusin", () => load().catch(() => {}), { once: true });
    form.addEventListener("submit", (event) => event.preventDefault());
    inputs.forEach((input) => input.addEventListener("input", update));
    if (inputs.some(asAddress)) update();
  }

  Object.assign(window.gpuledger, { recommendTables });
  typeof document$ === "undefined" ? document.addEventListener("DOMContentLoaded", start) : document$.subscribe(start);
})();
