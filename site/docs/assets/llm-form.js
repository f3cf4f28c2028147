/* The form for language models: answers the question with `llmAnswer`, and rewrites the page as pipeline/website/components/llm/llm_form.py. The
   first question shows this form or that of training. Tables are loaded at the first use or by an address with a question. */
(() => {
  "use strict";
  const { gettext, sentences, llmAdvice, llmAnswer, llmCost, llmLoad, llmOtherTerms, llmTables, llmToBuy, llmUse, llmWaiting, offerTypes, usualType, numbers: { day, number, usd }, parts } = window.gpuledger;
  const { basis, cell, element, span } = parts;
  const TUNING = { users: "1", context: "2048" }; // where the reader chose no others
  const RUNS = {
    llm: ["model", "use", "type", "context", "users", "order", "price", "purchase"],
    tune: ["model", "method", "tokens", "context", "users", "order", "price", "purchase"],
  };
  let tables = null; // of llmTables

  function read(form, run) {
    const text = (name) => form.elements[name].value;
    return {
      model: text("model"), use: text("use"), quantization: text("type"), tune: run === "tune" ? text("method") : null,
      context: Number(text("context")), users: Number(text("users")), objective: text("order"), price: Number(text("price")) || null, budget: Number(text("purchase")) || null,
      load: llmLoad(form), millions: run === "tune" ? Number(text("tokens")) : 1,
    };
  }

  const assumed = (name) => tables.assumption.find((one) => one.assumption_id === name).value;

  /* The command that answers a question whose speeds no table has; null where one has them. */
  function llmCommand(model, asked) {
    const hasLoadOfUse = asked.users === asked.load.users && asked.context === asked.load.context;
    if (asked.tune || (model.has_speeds && hasLoadOfUse)) return null;
    const options = [
      ["model", model.llm_model_id], ["use", asked.use], ["quantization", asked.quantization, "best"], ["users", asked.users, asked.load.users],
      ["context", Math.min(asked.context, model.model_context_tokens ?? asked.context), asked.load.context], ["objective", asked.objective, "cheapest"],
    ];
    return ["gpuledger recommend", ...options.filter(([, value, usual]) => value !== usual).map(([name, value]) => `--${name} ${value}`)].join(" ");
  }

  /* writing the page */
  const jobUsd = (one, asked) => (one.usd_per_million === null ? null : one.usd_per_million * asked.millions);

  function arithmetic(data, question, best) {
    const fit = window.gpuledger.llmFit(data, { ...question, gpus: best.gpus / best.copies }, data.gpu.find((gpu) => gpu.gpu_id === best.gpu_id));
    const figures = {
      weights: number(fit.weight_gb, 3), cache: number(fit.kv_gb, 3), needed: number(fit.gpu_gb, 3), usable: number(fit.usable_gb, 3),
      engine: fit.engine, tokens: number(fit.max_context_tokens), state: number(fit.tuning_gb, 3), activations: number(fit.activation_gb, 3),
    };
    const each = fit.at_once > 1 && !question.tune ? [gettext("That is for each of {requests} requests.", { requests: number(fit.at_once) })] : [];
    return sentences(question.tune
      ? gettext("The GPUs share {weights} GB of weights and {state} GB of gradients, optimizer and adapters. With {activations} GB of activations, each needs {needed} GB. {engine} can use {usable} GB. Longest sequence that fits: {tokens} tokens.", figures)
      : gettext("{weights} GB of weights and {cache} GB of KV cache need {needed} GB on each GPU. {engine} can use {usable} GB. Longest context that fits: {tokens} tokens.", figures), ...each);
  }

  const costs = (one, asked) => [one.usd_per_million_low, one.usd_per_million_high].map((value) => usd(value === null ? null : value * asked.millions));

  const hoursOf = (one, asked) => (asked.millions * 1e6) / one.tokens_per_s / 3600;

  function rentContext(one, asked) {
    if (one.tokens_per_s === null) return gettext("enough memory, speed not known here");
    const range = [span(number(one.low, 3), number(one.high, 3)), basis(one), llmWaiting(one, asked.users)].filter(Boolean).join(gettext(", "));
    return asked.tune
      ? gettext("{usd} for the job ({costs}) in {time}, {basis}", { usd: usd(jobUsd(one, asked)), costs: span(...costs(one, asked)), time: parts.longTime(hoursOf(one, asked)), basis: basis(one) })
      : gettext("{usd} per million tokens at {speed} tokens/s ({range})", { usd: usd(one.usd_per_million), speed: number(one.tokens_per_s, 3), range });
  }

  const seenOn = (one) => (one.variant_stated ? day(one.price_date) : gettext("{date}, variant not stated", { date: day(one.price_date) }));

  const soldBy = (one) => parts.soldBy(tables.provider, one, seenOn(one));

  function showRent(one, asked, cheaper) {
    parts.fillTile("llm-rent", gettext("Rent"), parts.several(one), usd(one.usd_per_hour), gettext("an hour"), rentContext(one, asked),
      soldBy(one), ...(cheaper ? [element("p", "context", llmOtherTerms(asked, cheaper)), soldBy(cheaper)] : []));
  }

  function showBuy(one, asked) {
    const gpu = tables.gpu.find((row) => row.gpu_id === one.gpu_id);
    const terms = { gpus: one.gpus, rent: one.usd_per_hour, tdpW: gpu.tdp_w, slotWidth: gpu.slot_width, kwh: assumed("usd_per_kwh"), speed: one.tokens_per_s, machine: window.gpuledger.llmMachine(tables, one), hours: asked.tune && one.tokens_per_s && hoursOf(one, asked) };
    parts.showBuying(document.getElementById("llm-buy"), gpu, tables.purchase.filter((row) => row.gpu_id === one.gpu_id), terms, asked.price);
  }

  const withinBudget = (toBuy, { budget }) => toBuy.filter((one) => budget === null || one.usd <= budget);

  /* The first within the budget, else the cheapest, else the best to rent; below several GPUs the first single one. */
  function showToBuy(toBuy, best, asked) {
    const within = withinBudget(toBuy, asked);
    const cheapest = toBuy.reduce((least, one) => (one.usd < least.usd ? one : least), toBuy[0]);
    const first = within[0] ?? cheapest ?? best;
    const single = within.find((one) => one.gpus === 1);
    showBuy(first, asked);
    const context = document.querySelector("#llm-buy .context");
    if (cheapest && !within.length) context.textContent = gettext("No GPU with a known speed and price is within the budget. This one costs least.");
    if (single && first.gpus > 1) context.textContent = sentences(context.textContent, gettext("With one GPU: {gpu}, {usd}, {speed} tokens/s.", { gpu: parts.plainName(single), usd: usd(single.usd), speed: three(single.tokens_per_s) }));
  }

  /* the tiles; none where no GPU fits */
  function showBest(question, choices, asked, cheaper) {
    const [best] = choices.filter((one) => !one.reason);
    document.querySelector(".gl-run-llm .gl-answers").hidden = !best;
    if (!best) return;
    showRent(best, asked, cheaper);
    showToBuy(llmToBuy(tables, choices), best, asked);
    const compared = choices.filter((one) => !one.reason).slice(0, 4).map((one) => one.gpu_id);
    const type = asked.tune ? {} : { type: asked.quantization };
    document.querySelector("#llm-need a").search = new URLSearchParams({ gpus: compared, model: asked.model, use: asked.use, ...type });
    document.querySelector("#llm-need .gpu").textContent = parts.several(best);
    document.querySelector("#llm-need b").textContent = gettext("{needed} GB of {usable} GB", { needed: number(best.needed_gb, 3), usable: number(best.usable_gb, 3) });
    document.getElementById("llm-memory").textContent = arithmetic(tables, question, best);
  }

  const three = (value) => number(value, 3);
  const storedAs = (one, asked) => (asked.isBest ? [" ", element("small", "", asked.titles.get(one.quantization))] : []);
  const speedCell = (one, { users }) => cell(gettext("Tokens/s:"), three(one.tokens_per_s), span(three(one.low), three(one.high)), llmWaiting(one, users));
  const markCell = (one) => element("td", "", ...(one.basis ? [element("span", `gl-mark ${one.basis}`, basis(one))] : []));
  const memoryCell = (one) => cell(gettext("Memory, GB:"), three(one.needed_gb), gettext("of {gb}", { gb: three(one.usable_gb) }));

  function choiceRow(one, asked) {
    return element("tr", one.unranked ? "gl-unranked" : "", element("td", "n", one.tokens_per_s === null ? "" : String(one.rank ?? "")), parts.rowHead(one, one.gpus, ...storedAs(one, asked)),
      cell(asked.tune ? gettext("USD per job:") : gettext("USD per million tokens:"), usd(jobUsd(one, asked)), span(...costs(one, asked))),
      speedCell(one, asked), cell(gettext("Hourly price:"), usd(one.usd_per_hour), parts.multiple(one.gpus, one.usd_per_hour / one.gpus)),
      parts.sellerCell(tables.provider, one.provider, seenOn(one)), markCell(one), memoryCell(one));
  }

  function purchaseRow(one, asked) {
    return element("tr", one.unranked ? "gl-unranked" : "", parts.rowHead(one, one.gpus, ...storedAs(one, asked)), cell(gettext("USD per token/s:"), usd(one.usd_per_token_s)),
      cell(gettext("Price of all GPUs:"), usd(one.usd), parts.multiple(one.gpus, one.price.usd)),
      element("td", "", parts.kinds()[one.price.kind], " ", element("small", "gl-keep", day(one.price.price_date))), speedCell(one, asked), markCell(one), memoryCell(one));
  }

  function showRunning(running, asked) {
    const box = document.getElementById("llm-ranked");
    parts.fillRanked(box, running, (one) => choiceRow(one, asked));
    box.querySelectorAll("thead th:nth-child(3)").forEach((head) => { head.textContent = asked.tune ? gettext("USD per job") : gettext("USD per million output tokens"); });
  }

  const oneOf = (names) => [...(names.length > 1 ? [names.slice(0, -1).join(gettext(", "))] : []), names.at(-1)].join(gettext(" or "));

  /* The question in words. */
  function describe(asked, model, { questions, choices }) {
    const titleOf = (name) => tables.llm_quantization.find((one) => one.quantization === name).title;
    const compared = questions.map((one) => one.quantization).filter((name) => choices.some((one) => one.quantization === name));
    const titles = new Map(compared.map((name) => [name, titleOf(name)]));
    const words = { name: model.name, titles, type: oneOf([...titles.values()]) };
    const lacksBf16 = ({ gpu_id: id }) => tables.gpu.some((gpu) => gpu.gpu_id === id && gpu.vendor === "NVIDIA" && Number(gpu.compute_capability ?? 8) < 8);
    return { ...asked, ...words, lacksBf16, reading: assumed("reading_tokens_per_s"), isBest: asked.quantization === "best" && !asked.tune, command: llmCommand(model, asked) };
  }

  let questions = 0; // asked so far: an answer that comes after a later question is not shown

  async function show(form, run) {
    const own = ++questions;
    tables = await llmTables();
    const asked = read(form, run);
    const model = tables.model.find((one) => one.llm_model_id === asked.model);
    const answer = await llmAnswer(tables, model, asked);
    if (own !== questions) return;
    const described = describe(asked, model, answer);
    const tokens = answer.questions[0].context_tokens;
    if (tokens < asked.context) window.gpuledger.address.complain(form, gettext("{model} reads at most {tokens} tokens, which are counted here.", { model: model.name, tokens: number(tokens) }));
    showAnswer(answer, described);
    const named = { model: described.name, type: described.type, use: form.elements.use.selectedOptions[0].textContent.trim().toLowerCase() };
    const running = answer.choices.filter((one) => !one.reason);
    llmCost(described, asked.tune ? gettext("{model} as {type}", named) : gettext("{model} as {type}, {use}", named), running, tables.provider);
  }

  function showAnswer({ questions, choices }, asked) {
    const [running, left] = [choices.filter((one) => !one.reason), choices.filter((one) => one.reason)];
    document.getElementById("llm-lead").textContent = llmAdvice(asked, running, left, tables.provider);
    const question = questions.find((one) => one.quantization === running[0]?.quantization);
    showBest(question, choices, asked, asked.objective === "cheapest" ? window.gpuledger.llmCheaper(tables, choices) : null);
    showRunning(running, asked);
    parts.fillRanked(document.getElementById("llm-to-buy"), withinBudget(llmToBuy(tables, choices), asked), (one) => purchaseRow(one, asked));
    document.getElementById("llm-left-out").replaceChildren(...parts.outGroups(left));
  }

  /* Which question an address without `run` asks: addresses of the form of training came first, and named bandwidth llm-decode. */
  function runOf(query) {
    if (query.has("run")) return null;
    const workload = query.get("workload");
    if (workload === "llm-decode") return "llm";
    const own = (name) => name && !(name in document.getElementById("llm").elements); // a price is asked by both forms
    const training = [...document.getElementById("recommend").elements].some(({ name }) => own(name) && query.has(name));
    return training ? (imageWork(workload) ? "image" : "train") : null;
  }

  const workloads = () => document.getElementById("recommend").elements.workload;
  const kindOf = (option) => option?.parentElement.dataset.kind;
  const imageWork = (workload) => kindOf([...workloads().options].find((one) => one.value === workload)) === "task";

  /* The workloads of training, or those of image work; the first of them where another was chosen. */
  function narrow(run) {
    const kind = { train: "job", image: "task" }[run];
    if (!kind) return;
    for (const group of workloads().querySelectorAll("optgroup")) group.hidden = group.disabled = group.dataset.kind !== kind;
    if (kindOf(workloads().selectedOptions[0]) === kind) return;
    workloads().value = workloads().querySelector(`optgroup[data-kind=${kind}] option`).value;
    workloads().dispatchEvent(new Event("input", { bubbles: true }));
  }

  function start() {
    const form = document.getElementById("llm");
    if (!form) return;
    const { asAddress, complainOf, faults, recall, remember, standing, tell } = window.gpuledger.address;
    const runField = document.getElementById("run").elements.run;
    const query = new URLSearchParams(location.search);
    const inputs = [...form.elements].filter((input) => input.name);
    const update = async () => {
      const own = RUNS[runField.value] ?? [];
      const wrong = faults(inputs.filter((input) => input.type === "number"));
      complainOf(form, wrong);
      if (wrong.length || !own.length) return;
      if (runField.value === "llm") followUsers();
      offerTypes(form);
      remember(Object.fromEntries(inputs.map((input) => [input.name, own.includes(input.name) ? written(input) : ""])));
      try { await show(form, runField.value); } catch (error) { tell(form, error.message); }
    };
    /* what the reader chose; other fields follow the run and the use, each of which is measured under a load */
    const chosen = new Set();
    const usualOf = () => (runField.value === "tune" ? TUNING : { ...llmUse(form), type: usualType(form) });
    const usual = (input) => usualOf()[input.name] ?? standing(input);
    const written = (input) => (input.value.trim() === usual(input) ? "" : input.value.trim());
    const setDefaults = () => {
      for (const input of inputs.filter((one) => ["model", "users", "context", "type"].includes(one.name) && !chosen.has(one.name))) input.value = usual(input);
    };
    const choose = ({ target }) => {
      for (const name of ["model", target.name]) chosen.add(name);
      if (target.name === "model" && !chosen.has("type")) form.elements.type.value = usual(form.elements.type);
      if (target.name !== "use") return;
      for (const name of ["users", "context", "type"]) chosen.delete(name);
      setDefaults();
    };
    /* Several users are no use of one user: the answer is that of chat, for the reader's number. */
    const followUsers = () => {
      const { use, users, context, type } = form.elements;
      if (use.value !== "single" || !(Number(users.value) > 1)) return;
      const before = { ...llmUse(form), type: usualType(form) };
      use.value = "chat";
      for (const input of [context, type].filter((one) => one.value === before[one.name])) input.value = usual(input);
    };
    const turn = () => {
      remember({ run: asAddress(runField) });
      setDefaults();
      narrow(runField.value);
      if (runField.value in RUNS) update();
    };
    recall([runField, ...inputs], form);
    inputs.filter((input) => query.get(input.name) === input.value).forEach((input) => chosen.add(input.name));
    runField.value = runOf(query) ?? runField.value;
    offerTypes(form);
    if (asAddress(runField) || inputs.some(written)) turn();
    form.addEventListener("focusin", () => llmTables().catch(() => {}), { once: true });
    for (const one of [form, runField.form]) one.addEventListener("submit", (event) => event.preventDefault());
    runField.addEventListener("input", turn);
    for (const listener of [choose, update]) inputs.forEach((input) => input.addEventListener("input", listener));
  }

  document.addEventListener("DOMContentLoaded", start);
})();
