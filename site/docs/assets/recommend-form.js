/* The form of the home page: reads the question, answers it with `recommend`, and rewrites answers and rows of the page.
   The tables and `recommend` are loaded when the form is first used or the address has a question. Texts are in
   pipeline/website/components/recommend/recommend_form.py. */
(() => {
  "use strict";
  const { gettext, sentences, jobAdvice, numbers: { day, duration, number, usd }, parts } = window.gpuledger;
  const { jobUsd, lacksCurrentPrice, rented, several, timeOf } = jobAdvice;
  const { basis, cell, counted, element, gpuLink, soldBy, span } = parts;
  const OTHER_TERMS = "spot,marketplace"; // cheaper than on demand, with fewer promises
  const recommend = (...args) => window.gpuledger.recommend(...args); // loaded with the tables

  let allProviders = null;
  let tables = null;

  const recommendTables = () => (tables ??= window.gpuledger.tablesOf(window.gpuledger.recommendData));

  async function load() {
    const files = ["recommend.js", "recommend-data.js"].map((file) => window.gpuledger.asset(file));
    await Promise.all(files.map((file) => window.gpuledger.load(file, gettext("The data of this form did not load."))));
    return recommendTables();
  }

  /* the question */
  function question(form) {
    const text = (name) => form.elements[name].value.trim();
    const figure = (name) => (text(name) === "" ? null : Number(text(name)));
    const ownedHours = figure("hours") * figure("months");
    return {
      workload: text("workload"), acquisition: text("way"), objective: text("rank"), billing: text("billing"), gpus: figure("gpus"),
      hours: text("way") === "rent" ? null : ownedHours, owned_hours: ownedHours, price: figure("price"), min_memory_gb: figure("memory"), budget_usd: figure("budget"),
      data_centre: form.elements.centre.checked, max_slots: figure("slots"), max_watts: figure("watts"), vendor: text("vendor") || null,
      provider: text("provider") || null, min_cuda: text("cuda") || null, usd_per_kwh: figure("kwh") || null,
      older_prices: form.elements.older.checked,
    };
  }

  function jobText(asked, choice) {
    const values = { usd: usd(jobUsd(asked, choice)), time: timeOf(choice), basis: basis(choice), costs: span(usd(choice.cost_usd_low), usd(choice.cost_usd_high)) };
    return values.costs ? gettext("{usd} for the job ({costs}) in {time}, {basis}", values) : gettext("{usd} for the job in {time}, {basis}", values);
  }

  /* writing the page */

  function labelOf(form, name) {
    const label = form.elements[name].closest("label");
    return (label.firstChild.textContent || label.textContent).trim(); // a checkbox comes before its text
  }

  const multiple = (asked, choice) => parts.multiple(asked.gpus, choice.price_usd);
  const unitOf = (asked, choice) => (rented(asked) ? gettext("an hour") : parts.kinds()[choice.price_kind]);

  const termOf = ({ commitment_months: months }) => (months ? gettext("{count} months of commitment", { count: months }) : "");

  function fillTile(id, title, asked, choice) {
    const name = Object.assign(gpuLink(choice), { textContent: parts.several(several(asked, choice)) });
    const unit = [unitOf(asked, choice), multiple(asked, choice), termOf(choice)].filter(Boolean).join(gettext(", "));
    parts.fillTile(id, title, name, usd(choice.price_usd * asked.gpus), unit, jobText(asked, choice), soldBy(tables.provider, choice));
  }

  /* Below the cheapest GPU on demand: a GPU that costs less as a spot or marketplace rental. */
  function addCheaper(asked, data, best) {
    if (!rented(asked) || asked.billing !== "on_demand") return;
    const other = recommend(data, { ...asked, objective: "cheapest", billing: OTHER_TERMS, older_prices: false }).find((choice) => choice.rank);
    if (!other || other.cost_usd >= best.cost_usd) return;
    const cost = gettext("{usd} for the job", { usd: usd(other.cost_usd) });
    const text = parts.cheaperTerms(other.billing, { gpu: counted(several(asked, other)), price: usd(other.price_usd * asked.gpus), cost });
    document.getElementById("rent-tile").append(element("p", "context", text), soldBy(tables.provider, other));
  }

  function fillUnrented(choice) {
    parts.fillTile("rent-tile", gettext("Rent"), gpuLink(choice), parts.headingOf(choice.reason) ?? "–", "", window.gpuledger.gettextFigures(choice.reason));
  }

  /* The prices of a GPU to own; if purchases are ranked, the ranked one first. */
  function purchases(asked, data, choice) {
    const known = data.purchase.filter((one) => one.gpu_id === choice.gpu_id);
    if (rented(asked)) return known;
    const isRanked = (one) => one.kind === choice.price_kind && one.usd === choice.price_usd;
    const ranked = { kind: choice.price_kind, usd: choice.price_usd, price_date: choice.price_date, ...known.find(isRanked), is_old: false };
    return [ranked, ...known.filter((one) => !isRanked(one))];
  }

  /* The first choice to buy; while rentals are ranked, the GPU whose work costs least if it is bought at its last known price. */
  function toBuy(asked, data, cheapest) {
    if (!rented(asked)) return cheapest;
    const owned = { ...asked, acquisition: "buy", objective: "cheapest", hours: asked.owned_hours, provider: null, budget_usd: null, older_prices: true };
    return recommend(data, owned).find((one) => one.rank) ?? cheapest;
  }

  /* the tiles: the cheapest choice to rent and to buy, and the fastest; hidden without a choice */
  function showTiles(asked, data, cheapest, fastest) {
    document.getElementById("answers").hidden = !cheapest;
    if (!cheapest) return;
    const own = rented(asked) ? {} : { budget_usd: null, older_prices: false };
    const renting = { ...asked, acquisition: "rent", hours: null, ...own };
    const rents = recommend(data, renting);
    const rentOf = ({ gpu_id: id }) => rents.find((one) => one.gpu_id === id);
    const rent = rentOf(cheapest);
    rent.rank ? fillTile("rent-tile", gettext("Rent"), renting, rent) : fillUnrented(rent);
    addCheaper(asked, data, cheapest);
    fillTile("fast-tile", gettext("Fastest"), asked, fastest);
    const bought = toBuy(asked, data, cheapest);
    const { rank, price_usd: rentUsd } = rentOf(bought);
    const machine = bought.system_usd && bought.system_usd - bought.price_usd * asked.gpus;
    const { tdp_w: tdpW } = data.gpu.find((one) => one.gpu_id === bought.gpu_id);
    const { value: kwh } = data.assumption.find((one) => one.assumption_id === "usd_per_kwh");
    const terms = { gpus: asked.gpus, rent: rank ? rentUsd * asked.gpus : null, tdpW, kwh: asked.usd_per_kwh ?? kwh, machine, hours: bought.seconds / 3600 };
    parts.showBuying(document.getElementById("buy-tile"), bought, purchases(asked, data, bought), terms, asked.price);
  }

  function choiceRow(asked, choice) {
    const remarks = [multiple(asked, choice), termOf(choice), rented(asked) ? "" : parts.kinds()[choice.price_kind]];
    return element("tr", "", element("td", "n", String(choice.rank)), parts.rowHead(choice, asked.gpus), cell(gettext("Cost of the job:"), usd(jobUsd(asked, choice))),
      cell(gettext("Time:"), duration(choice.seconds), span(duration(choice.seconds_low), duration(choice.seconds_high))),
      cell(gettext("Price:"), usd(choice.price_usd * asked.gpus), ...remarks), parts.sellerCell(tables.provider, choice.provider, day(choice.price_date)),
      element("td", "", element("span", `gl-mark ${choice.basis}`, basis(choice))), element("td", "gl-why", window.gpuledger.gettextSentences(choice.reason)));
  }

  function showRanked(asked, placed) {
    const box = document.getElementById("ranked");
    parts.fillRanked(box, placed, (choice) => choiceRow(asked, choice));
    document.querySelector(".gl-ranking").hidden = !placed.length;
    const bought = asked.gpus > 1 ? gettext("Price of all GPUs") : gettext("Price of a GPU");
    box.querySelectorAll("thead th:nth-child(5)").forEach((head) => { head.textContent = rented(asked) ? gettext("Hourly price") : bought; });
    document.getElementById("several").hidden = asked.gpus === 1;
  }

  /* what a bought machine costs without its GPUs, which is part of the cost of the job */
  function machineText(asked, choices) {
    const one = choices.find((choice) => choice.system_usd !== null);
    if (rented(asked) || !one) return "";
    return gettext("The rest of the machine counts as {usd}.", { usd: usd(one.system_usd - one.price_usd * asked.gpus) });
  }

  function hoursText(asked) {
    if (rented(asked)) return "";
    const values = { hours: `${number(asked.hours)} h`, price: asked.usd_per_kwh ? usd(asked.usd_per_kwh) : "" };
    if (!asked.usd_per_kwh) return gettext("The budget is for the GPUs. The job costs its share of {hours} of machine use, without electricity.", values);
    return gettext("The budget is for the GPUs. The job costs its share of {hours} of machine use, with electricity at {price} per kWh.", values);
  }

  /* what the times are of, and the memory of the GPUs that were measured */
  function workText(asked, option) {
    const { run, memory } = option.dataset;
    const isOnSeveral = asked.gpus > 1 && option.parentElement.dataset.kind === "job";
    const times = isOnSeveral
      ? gettext("Times are for 16-bit training on {gpus} GPUs: the speed that Lambda measured on one, and the scaling of similar GPUs. Data loading is not included.", asked)
      : run;
    return sentences(times, memory);
  }

  function show(form, data) {
    const asked = question(form);
    const option = form.elements.workload.selectedOptions[0];
    const placed = (terms) => recommend(data, { ...asked, ...terms }).filter((choice) => choice.rank);
    const all = recommend(data, asked);
    const left = all.filter((choice) => !choice.rank);
    const [cheapest, fastest] = ["cheapest", "fastest"].map((objective) => placed({ objective }));
    document.getElementById("lead").textContent = jobAdvice.advice(data, asked, { cheapest, fastest, left }, (limit) => labelOf(form, limit));
    const older = document.getElementById("older-prices");
    older.hidden = cheapest.length > 0 || !left.some(lacksCurrentPrice);
    older.querySelector("button").hidden = !placed({ older_prices: true }).length;
    showTiles(asked, data, cheapest[0], fastest[0]);
    showRanked(asked, all.filter((choice) => choice.rank));
    document.getElementById("left-out").replaceChildren(...parts.outGroups(left));
    document.getElementById("job-note").textContent = sentences(workText(asked, option), hoursText(asked), machineText(asked, all));
    const budget = rented(asked) ? gettext("Budget for the job") : gettext("Budget for the GPUs");
    form.elements.budget.closest("label").firstChild.textContent = `${budget} (USD)`;
    window.gpuledger.showTask(asked.workload);
    const priced = cheapest.map((choice) => ({ ...several(asked, choice), usd: jobUsd(asked, choice) }));
    window.gpuledger.jobCost(asked, option.textContent, priced, fastest[0], tables.provider);
  }

  /* Offer the providers that rent, or those that sell; one of the others is unselected. */
  function showProviders(form) {
    const { provider, way } = form.elements;
    allProviders ??= [...provider.options];
    const chosen = provider.value;
    const offered = allProviders.filter(({ dataset: { ways } }) => !ways || ways.split(" ").includes(way.value));
    provider.replaceChildren(...offered);
    provider.value = offered.some((one) => one.value === chosen) ? chosen : "";
  }

  /* number of changed inputs in the closed part of the form */
  function countMore(more, inputs) {
    const count = inputs.filter((input) => more.contains(input) && window.gpuledger.address.asAddress(input)).length;
    more.querySelector("summary b").textContent = count ? gettext("{count} set", { count }) : "";
  }

  function start() {
    const form = document.getElementById("recommend");
    if (!form) return;
    const { asAddress, complainOf, faults, recall, remember, tell } = window.gpuledger.address;
    const inputs = [...form.elements].filter((input) => input.name);
    const update = async () => {
      showProviders(form);
      countMore(form.querySelector(".gl-more"), inputs);
      const wrong = faults(inputs.filter((input) => ["number", "text"].includes(input.type)));
      complainOf(form, wrong);
      if (wrong.length) return;
      remember(Object.fromEntries(inputs.map((input) => [input.name, asAddress(input)])));
      try { show(form, await load()); } catch (error) { tell(form, `${error.message} ${gettext("Answers to the guides' questions are in table scenario_rank on the data page.")}`); }
    };
    recall(inputs, form);
    showProviders(form);
    form.addEventListener("focusin", () => load().catch(() => {}), { once: true });
    form.addEventListener("submit", (event) => event.preventDefault());
    inputs.forEach((input) => input.addEventListener("input", update));
    document.querySelector("#older-prices button").addEventListener("click", () => {
      form.elements.older.checked = true;
      update();
    });
    if (inputs.some(asAddress)) update();
  }

  Object.assign(window.gpuledger, { recommendTables });
  document.addEventListener("DOMContentLoaded", start);
})();
