/* GPUs side by side for a language model. The address lists the GPUs, the model, its use, and the reader's own prices.
   Speed and rent are those of `llmAnswer`; a GPU without a current price on demand has its speed alone. Unranked figures are
   shown, but decide no verdict. `pipeline/website/pages/compare/page.py` writes the first verdict. */
(() => {
  "use strict";
  const { gettext, make, llmAnswer, llmLoad, llmMachine, llmTables, llmWaiting, offerTypes, usualType, parts, numbers: { day, number, usd } } = window.gpuledger;
  const { basis, element, gpuLink, gpuName, multiple, plainName, span } = parts;
  const MOST = 6;

  const listed = (form) => form.elements.gpus.value.split(",").filter(Boolean);
  const ownPrices = (form) => new Map(form.elements.prices.value.split(",").filter(Boolean).map((one) => [one.split(":")[0], Number(one.split(":")[1])]));

  const asked = (form) => ({ use: form.elements.use.value, quantization: form.elements.type.value, tune: null, load: llmLoad(form), ...llmLoad(form) });

  /* One column: the GPU, its choice, its prices to own and the reader's price. */
  async function columns(form, data) {
    const model = data.model.find((one) => one.llm_model_id === form.elements.model.value);
    const answer = await llmAnswer(data, model, asked(form));
    const choices = new Map(answer.choices.map((one) => [one.gpu_id, one]));
    return listed(form).filter((id) => choices.has(id)).map((id) => {
      const choice = choices.get(id);
      const prices = data.purchase.filter((one) => one.gpu_id === id);
      const own = ownPrices(form).get(id) ?? null;
      return {
        choice, prices, own, requests: llmLoad(form).users, tdpW: data.gpu.find((one) => one.gpu_id === id).tdp_w,
        perSpeed: perSpeed(data, choice, own ?? (prices[0]?.estimated ? null : prices[0]?.usd) ?? null),
      };
    });
  }

  /* price of the GPUs and of the rest of the machine for a token a second, as `llmToBuy` */
  function perSpeed(data, choice, price) {
    const machine = llmMachine(data, choice);
    return price === null || !machine || !choice.tokens_per_s ? null : (price * choice.gpus + machine) / choice.tokens_per_s;
  }

  const pricedAt = (price) => gettext("{kind}, {date}", { kind: parts.kinds()[price.kind], date: day(price.price_date) });
  const two = (text, small) => (small ? [text, element("small", "", small)] : [text]);

  function speed({ choice, requests }) {
    if (choice.tokens_per_s === null) return [gettext("not known")];
    const details = [span(number(choice.low, 3), number(choice.high, 3)), basis(choice), llmWaiting(choice, requests),
      choice.at_once === requests && requests > 1 ? gettext("{requests} requests at a time", { requests: requests * choice.copies }) : ""].filter(Boolean).join(gettext(", "));
    return two(number(choice.tokens_per_s, 3), details);
  }

  /* a lower price as spot or on a marketplace */
  function otherTerms({ choice }, data, price = Infinity) {
    const found = data.other_offer.find((one) => one.gpu_id === choice.gpu_id && one.gpu_count === (choice.gpus ?? 1));
    if (!found || found.usd_per_hour >= price) return [];
    const from = { usd: usd(found.usd_per_hour) };
    const text = found.billing === "spot" ? gettext("spot from {usd}", from) : gettext("marketplace from {usd}", from);
    return [element("small", "", text, gettext(", "), ...parts.providerLinks(data.provider, found.provider))];
  }

  const offerOfOne = ({ choice }, data) => data.offer.find((one) => one.gpu_id === choice.gpu_id && one.gpu_count === 1);

  /* What the GPUs cost; one GPU where the model does not fit. */
  function rent(one, data) {
    const { choice } = one;
    const offer = choice.usd_per_hour === null ? offerOfOne(one, data) : choice;
    if (!offer) return [gettext("no current on-demand offer"), ...otherTerms(one, data)];
    const seller = element("small", "", ...parts.providerLinks(data.provider, offer.provider), gettext(", {date}", { date: day(offer.price_date) }));
    const count = offer !== choice ? gettext("one GPU") : choice.gpus > 1 ? multiple(choice.gpus, choice.usd_per_hour / choice.gpus) : "";
    return [usd(offer.usd_per_hour), count ? ` (${count})` : "", seller, ...otherTerms(one, data, offer.usd_per_hour)];
  }

  const allWatts = ({ choice, tdpW }) => (tdpW === null ? null : tdpW * (choice.gpus ?? 1));

  function power(one) {
    const [all, { choice, tdpW }] = [allWatts(one), one];
    if (all === null) return ["–"];
    return two(number(all), choice.gpus > 1 ? `${choice.gpus} x ${number(tdpW)}` : "");
  }

  function priceOf(prices, kind) {
    const found = prices.find((one) => one.kind === kind);
    if (!found) return ["–"];
    const date = day(found.price_date);
    return two(usd(found.usd), found.estimated ? gettext("{kind}, {date}", { kind: gettext("estimate"), date }) : date);
  }

  function ownInput(one) {
    const ariaLabel = gettext("Your price of the {gpu} (USD)", { gpu: plainName(one.choice) });
    const input = make("input", { type: "number", min: 1, max: 1000000, value: one.own ?? "", ariaLabel });
    input.dataset.gpu = one.choice.gpu_id;
    return [input];
  }

  const memory = ({ choice }) => two(gettext("{gb} GB", { gb: number(choice.memory_gb) }),
    choice.needed_gb === null ? "" : gettext("{needed} GB of {usable} GB", { needed: number(choice.needed_gb, 3), usable: number(choice.usable_gb, 3) }));

  /* the rows: heading, cell, and the figure of which the least is best */
  const ROWS = (data) => [
    [gettext("GPUs"), ({ choice }) => [choice.gpus === null ? window.gpuledger.gettextFigures(choice.reason) : String(choice.gpus)]],
    [gettext("Weights"), ({ choice }) => [choice.gpus === null ? "–" : data.llm_quantization.find((one) => one.quantization === choice.quantization).title]],
    [gettext("Memory"), memory],
    [gettext("Tokens/s"), speed, ({ choice }) => (choice.unranked || !choice.tokens_per_s ? null : -choice.tokens_per_s)],
    [gettext("Rent (USD/h)"), (one) => rent(one, data)],
    [gettext("USD per million tokens, rented"), ({ choice }) => [usd(choice.usd_per_million) || "–"], ({ choice }) => (choice.unranked ? null : choice.usd_per_million)],
    [gettext("Price new"), ({ prices }) => priceOf(prices, "purchase_new")],
    [gettext("Price used"), ({ prices }) => priceOf(prices, "purchase_used")],
    [gettext("Launch price"), ({ prices }) => priceOf(prices, "msrp")],
    [gettext("Your price (USD)"), ownInput],
    [gettext("USD per token/s, bought"), ({ perSpeed: value, own, prices }) => (value === null ? ["–"] : two(usd(value), own ? gettext("at your price") : pricedAt(prices[0]))),
      ({ choice, perSpeed: value, own, prices }) => (choice.unranked || (!own && prices[0]?.is_old) ? null : value)],
    [gettext("Power of the GPUs (W)"), power, (one) => (one.choice.gpus === null ? null : allWatts(one))],
  ];

  function bestOf(found, key) {
    const values = key ? found.map(key).filter((value) => value !== null && value !== undefined) : [];
    return values.length > 1 ? Math.min(...values) : null;
  }

  function rowOf([heading, cell, key], found) {
    const best = bestOf(found, key);
    const head = element("th", "", heading);
    head.scope = "row";
    return element("tr", "", head, ...found.map((one) => element("td", best !== null && key(one) === best ? "best" : "", ...cell(one))));
  }

  function headOf(found) {
    return element("tr", "", element("td", ""), ...found.map(({ choice }) => {
      const remove = make("button", { type: "button", ariaLabel: gettext("Remove {gpu}", { gpu: plainName(choice) }) }, "×");
      remove.dataset.remove = choice.gpu_id;
      const head = element("th", "", gpuLink(choice), remove);
      head.scope = "col";
      return head;
    }));
  }

  /* The cheapest on demand, the fastest, and the least price per speed among prices that may be compared. */
  function verdict(found) {
    const least = (key) => {
      const best = bestOf(found, key);
      return best === null ? null : found.find((one) => key(one) === best);
    };
    const keys = ROWS({ provider: [] }).filter(([, , key]) => key).map(([, , key]) => key);
    const [fast, cheap, value] = [keys[0], keys[1], keys[2]].map(least);
    const guess = least(({ choice }) => choice.usd_per_million); // unranked ones too
    const cost = ({ choice }) => ({ gpu: parts.several(choice), usd: usd(choice.usd_per_million) });
    const texts = [];
    if (cheap) texts.push(gettext("Cheapest on demand: {gpu}, {usd} per million tokens.", cost(cheap)));
    else if (guess) texts.push(gettext("The predicted speeds are too uncertain for a rank. Lowest predicted cost: {gpu}, {usd} per million tokens.", cost(guess)));
    if (fast) texts.push(gettext("Fastest: {gpu}, {speed} tokens/s.", { gpu: parts.several(fast.choice), speed: number(fast.choice.tokens_per_s, 3) }));
    texts.push(value ? gettext("Best to buy for speed: {gpu}, {usd} per token/s.", { gpu: parts.several(value.choice), usd: usd(value.perSpeed) })
      : gettext("Enter your prices to see which is best to buy. Too few prices are known from the last 12 months."));
    return window.gpuledger.sentences(...texts);
  }

  function show(found, data) {
    const table = document.getElementById("compare-table");
    table.tHead.replaceChildren(headOf(found));
    table.tBodies[0].replaceChildren(...ROWS(data).map((row) => rowOf(row, found)));
    document.getElementById("compare-lead").textContent = found.length ? verdict(found) : gettext("Add a GPU to compare.");
  }

  /* The GPUs that can be added, by name. */
  function offerGpus({ add }, data) {
    if (add.length > 1) return;
    const names = data.gpu.map((gpu) => [gpuName(gpu), gpu.gpu_id]).sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
    add.append(...names.map(([name, value]) => make("option", { value }, name)));
  }

  function start() {
    const form = document.getElementById("compare-form");
    if (!form) return;
    const { asAddress, recall, remember, tell } = window.gpuledger.address;
    const inputs = ["gpus", "model", "use", "type", "prices"].map((name) => form.elements[name]);
    const first = form.elements.gpus.value;
    let questions = 0; // asked so far: an answer that comes after a later question is not shown
    const update = async (keepFocus = null) => {
      const own = ++questions;
      if (form.elements.type.value === usual) setType();
      offerTypes(form);
      usual = usualType(form);
      const { gpus, prices, type } = form.elements;
      const chosen = { gpus: gpus.value === first ? "" : gpus.value || "none", type: type.value === usualType(form) ? "" : type.value, prices: prices.value };
      remember({ ...Object.fromEntries(inputs.map((input) => [input.name, asAddress(input)])), ...chosen });
      try {
        const data = await llmTables();
        offerGpus(form.elements, data);
        const found = await columns(form, data);
        if (own !== questions) return;
        show(found, data);
        if (keepFocus) document.querySelector(`#compare-table [data-gpu="${keepFocus}"]`)?.focus();
      } catch (error) { tell(form, error.message); }
    };
    const set = (ids) => { form.elements.gpus.value = [...new Set(ids)].slice(0, MOST).join(","); update(); };
    const setType = () => { form.elements.type.value = usualType(form); };
    let usual = null; // type before a change of the model, which a usual one follows
    recall(inputs, form);
    if (new URLSearchParams(location.search).get("type") !== form.elements.type.value) setType();
    form.addEventListener("submit", (event) => event.preventDefault());
    form.elements.use.addEventListener("input", setType); // before the answer
    ["model", "use", "type"].forEach((name) => form.elements[name].addEventListener("input", () => update()));
    form.elements.add.addEventListener("input", () => { set([...listed(form), form.elements.add.value]); form.elements.add.value = ""; });
    const table = document.getElementById("compare-table");
    table.addEventListener("click", (event) => {
      const { remove } = event.target.dataset;
      if (remove) set(listed(form).filter((id) => id !== remove));
    });
    table.addEventListener("change", (event) => {
      const prices = ownPrices(form).set(event.target.dataset.gpu, Number(event.target.value));
      form.elements.prices.value = [...prices].filter(([, price]) => price > 0).map((pair) => pair.join(":")).join(",");
      update(event.target.dataset.gpu);
    });
    update();
  }

  document.addEventListener("DOMContentLoaded", start);
})();
